"""Do the intervals of weighted families cover what they claim? ``python -m mohs.stats.coverage`` prints the tables."""

from __future__ import annotations

import numpy as np

from mohs.stats.checks import FloatArray
from mohs.stats.counts import share_inside
from mohs.stats.family import DESIGNS, draw, estimate_family, failure_weights
from mohs.stats.family.simulated import simulated_cartpoles

FAMILY_BUDGETS = (29, 58, 144, 288, 576)
DESIGN_BUDGETS = (29, 48, 144)
FAMILY_WEIGHTS = ("equal weights", "random weights", "failures weigh 10")
SMALL = ((1, 2), (3, 2), (5, 2), (5, 3), (5, 5), (20, 2))  # points and seeds of complete families
SUCCESS = (0.5, 0.8, 0.9, 0.97)
RARE_SHARES, RARE_SIZES = (0.03, 0.05, 0.1), (16, 24, 32, 48, 64)


def family_errors(
    weighting: str, seeds: int, budgets: tuple[int, ...] = FAMILY_BUDGETS, repeats: int = 1000, design: str = "pivotal"
) -> dict[int, dict[str, FloatArray]]:
    """Bias and coverage of weighted means of three methods and of their differences, on 576 simulated cartpoles.

    Each simulated study draws new points and new runs, so both errors are in it.
    """
    family = simulated_cartpoles()
    size = family.expected.shape[1]
    weights = {
        "equal weights": np.full(size, 1 / size),
        "random weights": np.random.default_rng(1).dirichlet(np.ones(size)),
        "failures weigh 10": failure_weights(family.expected[0], "high"),
    }[weighting]
    truth = family.expected @ weights
    wanted = [*truth, truth[0] - truth[1], truth[0] - truth[2]]
    found = {}
    for n in budgets:
        errors, low, high = [], [], []
        for repeat in range(repeats):
            runs = family.runs(np.random.default_rng([n, repeat]), seeds)
            sample = draw(design, weights, family.features, n, repeat)
            e = estimate_family(sample, runs[:, sample.chosen], weights, family.features, range_=(0.0, 1.0))
            ends = [*(e.estimate(k) for k in range(3)), e.difference(0, 1), e.difference(0, 2)]
            errors.append(e.values - truth)
            low.append([end.low for end in ends])
            high.append([end.high for end in ends])
        coverage = [share_inside(a, b, t) for a, b, t in zip(np.array(low).T, np.array(high).T, wanted, strict=True)]
        found[n] = {
            "bias": np.mean(errors, axis=0),
            "sd": np.std(errors, axis=0),
            "coverage": np.array(coverage),
            "no interval": np.isnan(low).mean(axis=0),
        }
    return found


def print_small_families(repeats: int) -> None:
    """Print the coverage on complete families of runs that succeed or fail, and on samples that may lack failures."""
    ends = (0.0, 1.0)
    print("| points × seeds |" + "".join(f" p = {q} |" for q in SUCCESS) + " one point, p = 0.5 |")
    print("|---|" + "--:|" * (len(SUCCESS) + 1))
    for points, seeds in SMALL:
        p, x = np.full(points, 1 / points), np.arange(float(points))[:, None]
        sample, row = draw("census", p, x, points, 0), []
        for success in (*SUCCESS, None):
            rng, held = np.random.default_rng(points), np.zeros(2)
            chances = np.full(points, success) if success else np.r_[0.5, np.ones(points - 1)]
            for _ in range(repeats):
                won = rng.random((points, seeds)) < chances[:, None]
                e = estimate_family(sample, [won, 0.002 * rng.normal(size=won.shape)], p, x, references=ends)
                held += [f.low <= chances.mean() <= f.high for f in (e.estimate(0), e.difference(0, 1))]
            row.append(" · ".join(f"{share:.3f}" for share in held / repeats))
        print(f"| {points} × {seeds} | {' | '.join(row)} |")
    print("\n| points that fail, of 576 |" + "".join(f" n = {n} |" for n in RARE_SIZES))
    print("|---|" + "--:|" * len(RARE_SIZES))
    space, p = np.random.default_rng(0).random((576, 2)), np.full(576, 1 / 576)
    for failed in RARE_SHARES:
        row = []
        for n in RARE_SIZES:
            rng, held, known = np.random.default_rng(n), np.zeros(2), np.zeros(2)
            for repeat in range(repeats):
                y = np.ones((2, 576))
                y[0, rng.permutation(576)[: int(failed * 576)]] = 0.0
                y[1] = y[0].mean() + 0.001 * rng.normal(size=576)
                sample = draw("pivotal", p, space, n, repeat)
                e = estimate_family(sample, y[:, sample.chosen], p, space, range_=(-np.inf, 1.0), references=ends)
                found = e.estimate(0), e.difference(0, 1)
                known += [f.known for f in found]
                held += [f.low <= t <= f.high for f, t in zip(found, (y[0].mean(), 0.0), strict=True)]
            row.append(" · ".join(f"{share:.3f}" for share in held / np.maximum(known, 1)))
        print(f"| {failed:.0%} | {' | '.join(row)} |")


def print_designs(repeats: int) -> None:
    """Print the coverage of every design with an interval, on the simulated family with equal weights."""
    print("| design | seeds |" + "".join(f" n = {n} |" for n in DESIGN_BUDGETS))
    print("|---|--:" + "|--:" * len(DESIGN_BUDGETS) + "|")
    for design in (name for name, one in DESIGNS.items() if one.interval and name != "census"):
        for seeds in (1, 3):
            rows = family_errors("equal weights", seeds, DESIGN_BUDGETS, repeats, design).values()
            cells = (f"{row['coverage'].min():.3f} – {row['coverage'].max():.3f}" for row in rows)
            print(f"| `{design}` | {seeds} | {' | '.join(cells)} |", flush=True)


def print_sizes(repeats: int) -> None:
    """Print the table of families: the largest bias, the spread of the first method, and the range of coverage."""
    print("| weights | seeds | quantity |" + "".join(f" n = {n} |" for n in FAMILY_BUDGETS))
    print("|---|--:|---" + "|--:" * len(FAMILY_BUDGETS) + "|")
    for weighting in FAMILY_WEIGHTS:
        for seeds in (1, 3):
            rows = family_errors(weighting, seeds, repeats=repeats).values()
            cells = {
                "largest bias": [f"{np.abs(row['bias']).max():.4f}" for row in rows],
                "standard deviation": [f"{row['sd'][0]:.3f}" for row in rows],
                "coverage, least and greatest": [
                    f"{row['coverage'].min():.3f} – {row['coverage'].max():.3f}" for row in rows
                ],
            }
            for name, row in cells.items():
                print(f"| {weighting} | {seeds} | {name} | {' | '.join(row)} |", flush=True)


def print_families(repeats: int) -> None:
    """Print all tables of families as Markdown."""
    print_sizes(repeats)
    print()
    print_designs(repeats)
    print()
    print_small_families(repeats)
