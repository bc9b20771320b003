"""Do the intervals have the coverage that they claim? ``python -m mohs.stats.coverage`` prints a simulation.

Coverage is the share of simulated studies whose interval contains the true value, which is known exactly.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from mohs.stats.aggregates import interquartile_mean, optimality_gap
from mohs.stats.checks import FloatArray
from mohs.stats.comparison import probability_of_improvement, rank_correlation, spearman
from mohs.stats.counts import share_inside
from mohs.stats.doses import breaking_dose, damage
from mohs.stats.family.coverage import print_families
from mohs.stats.intervals import STATISTICS, estimate, estimates
from mohs.stats.lcd.simulated import print_costs
from mohs.stats.losses import Gains, loss_parts, ratio_samples
from mohs.stats.profiles import joint_profile
from mohs.stats.ranks import mean_ranks

SIZES = (3, 5, 10, 30, 100)
LEVELS = (0.95, 0.995)
NOISE = 0.05


@dataclass(frozen=True)
class Case:
    """A distribution of runs with its true mean, interquartile mean and standard deviation."""

    draw: Callable[[np.random.Generator, tuple[int, int]], FloatArray]
    truth: dict[str, float]


def two_modes(failing: float) -> Case:
    """Runs that score about 1, or about 0 with probability ``failing`` (below a quarter, or a half)."""
    from scipy.special import ndtri

    def draw(rng: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
        return (rng.random(shape) >= failing) + NOISE * rng.standard_normal(shape)

    spread = math.sqrt(failing * (1 - failing) + NOISE**2)
    if failing == 0.5:
        return Case(draw, {"mean": 0.5, "iqm": 0.5, "sd": spread})
    # The middle half lies inside the upper mode: the mean of a normal cut at these two shares.
    cuts = ndtri([(0.25 - failing) / (1 - failing), (0.75 - failing) / (1 - failing)])
    density = np.exp(-(cuts**2) / 2) / math.sqrt(2 * math.pi)
    middle = 1 + NOISE * float(density[0] - density[1]) * (1 - failing) / 0.5
    return Case(draw, {"mean": 1 - failing, "iqm": middle, "sd": spread})


def cases() -> dict[str, Case]:
    """The distributions of the table, from symmetric to bimodal."""
    from scipy.special import ndtr, ndtri

    # The part of a lognormal mean that lies between two quantiles, over the half of the runs there.
    quartile = float(ndtri(0.75))
    lognormal_iqm = 2 * math.exp(0.5) * float(ndtr(quartile - 1) - ndtr(-quartile - 1))
    exponential_iqm = 2 * (0.5 - 0.75 * math.log(0.75) + 0.25 * math.log(0.25))
    return {
        "normal": Case(lambda rng, shape: rng.standard_normal(shape), {"mean": 0.0, "iqm": 0.0, "sd": 1.0}),
        "uniform": Case(lambda rng, shape: rng.random(shape), {"mean": 0.5, "iqm": 0.5, "sd": math.sqrt(1 / 12)}),
        "exponential": Case(
            lambda rng, shape: rng.standard_exponential(shape), {"mean": 1.0, "iqm": exponential_iqm, "sd": 1.0}
        ),
        "lognormal": Case(
            lambda rng, shape: np.exp(rng.standard_normal(shape)),
            {"mean": math.exp(0.5), "iqm": lognormal_iqm, "sd": math.sqrt((math.e - 1) * math.e)},
        ),
        "half the runs fail": two_modes(0.5),
        "1 run in 5 fails": two_modes(0.2),
        "1 run in 10 fails": two_modes(0.1),
    }


def coverage(case: Case, n: int, statistic: str, level: float, repeats: int, seed: int = 0) -> float:
    """The coverage of the interval of ``statistic`` on n runs; NaN when n is too few for one."""
    runs = case.draw(np.random.default_rng(seed), (repeats, n))
    _, low, high = STATISTICS[statistic][1](runs, np.full(repeats, n), level)
    return share_inside(low, high, case.truth[statistic])


def bootstrap_coverage(case: Case, n: int, level: float, repeats: int, seed: int = 0, resamples: int = 2000) -> float:
    """The coverage of the paper's interval for the mean, the percentile bootstrap (section 6.1.2)."""
    rng = np.random.default_rng(seed)
    runs = case.draw(rng, (repeats, n))
    times = rng.multinomial(n, np.full(n, 1 / n), size=resamples) / n
    tail = (1 - level) / 2
    low, high = np.quantile(runs @ times.T, [tail, 1 - tail], axis=1)
    return share_inside(low, high, case.truth["mean"])


def bounded_cases() -> dict[str, Case]:
    """Distributions on [0, 1], which is the range that the intervals are told."""
    return {
        "uniform": Case(lambda rng, shape: rng.random(shape), {"mean": 0.5}),
        "beta(8, 1)": Case(lambda rng, shape: rng.beta(8, 1, shape), {"mean": 8 / 9}),
        "beta(½, ½)": Case(lambda rng, shape: rng.beta(0.5, 0.5, shape), {"mean": 0.5}),
        "0 or 1, equally often": Case(lambda rng, shape: np.where(rng.random(shape) < 0.5, 0.0, 1.0), {"mean": 0.5}),
        "1 run in 5 fails": Case(
            lambda rng, shape: np.where(rng.random(shape) < 0.2, 0.0, rng.beta(20, 1, shape)), {"mean": 0.8 * 20 / 21}
        ),
    }


def bounded_coverage(case: Case, n: int, known: bool, repeats: int, seed: int = 0) -> tuple[float, float]:
    """The coverage and the mean width of the mean's interval at .95, with the range known or not."""
    runs = case.draw(np.random.default_rng(seed), (repeats, n))
    found = estimates(runs, "mean", bounds=(0.0, 1.0) if known else None)
    low, high = np.array([e.low for e in found]), np.array([e.high for e in found])
    return share_inside(low - 1e-9, high + 1e-9, case.truth["mean"]), float(np.mean(high - low))


Study = Callable[[int, int], tuple[float, float, float]]
DOSES = np.array([0.0, 1.0, 2.0, 4.0, 8.0])
FALLING = np.array([0.95, 0.85, 0.6, 0.3, 0.1])
SHUFFLED = np.array([0.8, 0.9, 0.4, 0.5, 0.1])


def studies() -> dict[str, Study]:
    """Simulated studies of n seeds: each gives an interval at .95 and the truth it should hold."""
    # FALLING halves between doses 2 and 4.
    halved = 2 + 2 * (0.6 - 0.95 / 2) / (0.6 - 0.3)
    lost = float(1 - FALLING[1:].mean() / FALLING[0])

    def noisy(rng: np.random.Generator, n: int, means: FloatArray = FALLING) -> FloatArray:
        return means[:, None] + 0.1 * rng.standard_normal(n) + 0.1 * rng.standard_normal((len(means), n))

    def failing(rng: np.random.Generator, n: int) -> FloatArray:
        shape = (len(FALLING), n)
        return (rng.random(shape) < FALLING[:, None]) + 0.02 * rng.standard_normal(shape)

    def breaking(draw: Callable[[np.random.Generator, int], FloatArray]) -> Study:
        def study(n: int, seed: int) -> tuple[float, float, float]:
            scores = draw(np.random.default_rng(seed), n)
            found = breaking_dose(DOSES, scores, vanilla=0, resamples=1000, seed=seed)[0]
            return found.low, found.high, halved

        return study

    def cost(n: int, seed: int) -> tuple[float, float, float]:
        found = damage(noisy(np.random.default_rng(seed), n), vanilla=0)
        return found.low, found.high, lost

    def improvement(points: int, ahead: float, shared: float = 0.0) -> Study:
        """`shared` is the spread of what the seeds do to both agents at every point: then the runs are paired."""

        def study(n: int, seed: int) -> tuple[float, float, float]:
            rng = np.random.default_rng(seed)
            a, b = ahead + rng.standard_normal((points, n)), rng.standard_normal((points, n))
            ease = shared * rng.standard_normal(n)
            found = probability_of_improvement(a + ease, b + ease, resamples=1000, seed=seed, paired=shared > 0)
            # The difference of two runs of different seeds is normal.
            return found.low, found.high, 0.5 * (1 + math.erf(ahead / 2 / math.sqrt(1 + shared**2)))

        return study

    def agreement(other: FloatArray) -> Study:
        def study(n: int, seed: int) -> tuple[float, float, float]:
            rng = np.random.default_rng(seed)
            found = spearman(noisy(rng, n), noisy(rng, n, other), resamples=1000, seed=seed)
            return found.low, found.high, float(rank_correlation(FALLING, other))

        return study

    def part(name: str, truth: float, failing: bool = False) -> Study:
        def study(n: int, seed: int) -> tuple[float, float, float]:
            found = getattr(loss_parts(*attributed(np.random.default_rng(seed), n, failing)), name)
            return found.low, found.high, truth

        return study

    def attained(failing: bool) -> Study:
        def study(n: int, seed: int) -> tuple[float, float, float]:
            _, dose = attributed(np.random.default_rng(seed), n, failing)
            found = estimate(ratio_samples(dose.own, dose.reachable))
            return found.low, found.high, 0.5

        return study

    def rank(ahead: float, shared: float) -> Study:
        """The rank of the first of three agents at 5 points, the others equal."""

        def study(n: int, seed: int) -> tuple[float, float, float]:
            rng = np.random.default_rng(seed)
            scores = rng.standard_normal((3, 5, n)) + shared * rng.standard_normal((3, 1, n))
            scores[0] += ahead
            found = mean_ranks(scores)[0]
            beaten = 0.5 * math.erfc(ahead / 2 / math.sqrt(1 + shared**2))  # by one of the others
            return found.low, found.high, 1 + 2 * beaten

        return study

    spread = 0.1 * math.sqrt(2)  # of noisy runs

    def above(n: int, seed: int) -> tuple[float, float, float]:
        profile = joint_profile(noisy(np.random.default_rng(seed), n), [0.5])
        return profile.low[0], profile.high[0], float(np.mean(_normal_above(FALLING, spread, 0.5)))

    def gap(n: int, seed: int) -> tuple[float, float, float]:
        found, short = optimality_gap(noisy(np.random.default_rng(seed), n)), 1 - FALLING
        density = np.exp(-((short / spread) ** 2) / 2) / math.sqrt(2 * math.pi)
        truth = short * _normal_above(short, spread, 0.0) + spread * density
        return found.low, found.high, float(np.mean(truth))

    middle = _pooled_iqm(FALLING, spread)

    def pooled(n: int, seed: int) -> tuple[float, float, float]:
        found = interquartile_mean(noisy(np.random.default_rng(seed), n), resamples=1000, seed=seed)
        return found.low, found.high, middle

    return {
        "breaking dose, normal runs": breaking(noisy),
        "breaking dose, runs succeed or fail": breaking(failing),
        "damage, normal runs": cost,
        "attained share .50, normal runs": attained(failing=False),
        "attained share .50, runs succeed or fail": attained(failing=True),
        "total loss .61, normal runs": part("total", 1 - 0.35 / 0.9),
        "memory part .10, 1 task in 4 needs memory": part("memory", 0.1),
        "learning part .31, normal runs": part("learning", 0.7 - 0.35 / 0.9),
        "learning part .31, runs succeed or fail": part("learning", 0.7 - 0.35 / 0.9, failing=True),
        "policy's part of the learning .10, normal runs": part("policy", 0.1),
        "probability of improvement .50, 1 point": improvement(1, 0.0),
        "probability of improvement .76, 1 point": improvement(1, 1.0),
        "probability of improvement .92, 1 point": improvement(1, 2.0),
        "probability of improvement .76, 5 points": improvement(5, 1.0),
        "probability of improvement .69, 9 points, paired": improvement(9, 1.0, shared=1.0),
        "rank correlation 1": agreement(FALLING),
        "rank correlation .8": agreement(SHUFFLED),
        "mean rank 2 of 3, 5 points": rank(0.0, shared=0.0),
        "mean rank 1.2 of 3, 5 points": rank(1.8, shared=0.0),
        "mean rank 1.5 of 3, 5 points, seeds alike": rank(1.35, shared=1.0),
        "share of runs above .5, 5 points": above,
        "interquartile mean of 5 points": pooled,
        "optimality gap, 5 points": gap,
    }


def attributed(rng: np.random.Generator, n: int, failing: bool) -> tuple[Gains, Gains]:
    """Gains at vanilla and at a dose: tasks pay differently, a fifth is the task's loss, 1 task in 4 needs memory.

    The agent trains at .9 of the optimum on vanilla, and at the dose at half of what its view allows: with normal
    noise, or all or nothing.
    """
    ease = np.exp(0.3 * rng.standard_normal(n))
    reachable = 0.8 * ease * np.where(rng.random(n) < 0.25, 0.5, 1.0)
    share = rng.integers(2, size=n) if failing else 0.5 + 0.1 * rng.standard_normal(n)
    learnt = 6 / 7 * reachable * (1 + 0.1 * rng.standard_normal(n))
    vanilla = ease * (0.9 + 0.05 * rng.standard_normal(n))
    return Gains(vanilla, ease, ease, ease), Gains(share * reachable, learnt, reachable, 0.8 * ease)


def _normal_above(mean: FloatArray, spread: float, threshold: float) -> FloatArray:
    """How often normal runs lie above a threshold."""
    from scipy.special import ndtr

    return np.asarray(ndtr((mean - threshold) / spread))


def _pooled_iqm(means: FloatArray, spread: float) -> float:
    """The mean of the middle half of normal runs of several points, pooled, by sums over a fine grid."""
    x = np.linspace(means.min() - 8 * spread, means.max() + 8 * spread, 200_001)
    below = 1 - np.mean([_normal_above(m - x, spread, 0.0) for m in means], axis=0)
    inside = np.diff(np.clip(below, 0.25, 0.75))
    return float((inside * (x[1:] + x[:-1]) / 2).sum() / inside.sum())


def study_coverage(study: Study, n: int, repeats: int, seed: int = 0) -> float:
    """The coverage over the simulated studies that gave an interval; NaN if none did."""
    low, high, truth = np.array([study(n, seed + repeat) for repeat in range(repeats)]).T
    # A correlation of exactly .8 must not miss an end of .8 by the last bit.
    return share_inside(low - 1e-9, high + 1e-9, truth)


def interval_rows(repeats: int, seed: int) -> Iterable[tuple[str, list[float]]]:
    """Rows of the table of plain intervals."""
    for level in LEVELS:
        for name, case in cases().items():
            for statistic in STATISTICS:
                row = [coverage(case, n, statistic, level, repeats, seed) for n in SIZES]
                yield f"{level} | {name} | {statistic}", row
            row = [bootstrap_coverage(case, n, level, max(1, repeats // 10), seed) for n in SIZES]
            yield f"{level} | {name} | mean, percentile bootstrap", row


def bounded_rows(repeats: int, seed: int) -> Iterable[tuple[str, list[float]]]:
    """Rows of the table of means with a known range: coverage and width, with the range and without it."""
    for name, case in bounded_cases().items():
        for known in (False, True):
            found = [bounded_coverage(case, n, known, repeats, seed) for n in SIZES]
            for kind, row in zip(("coverage", "width"), zip(*found, strict=True), strict=True):
                yield f"{name} | {'known' if known else 'not used'} | {kind}", list(row)


def study_rows(repeats: int, seed: int) -> Iterable[tuple[str, list[float]]]:
    """Rows of the table of derived quantities."""
    for name, study in studies().items():
        yield name, [study_coverage(study, n, repeats, seed) for n in SIZES]


def main() -> None:
    """Print all tables as Markdown."""
    parser = argparse.ArgumentParser(prog="python -m mohs.stats.coverage", description=main.__doc__)
    parser.add_argument(
        "--repeats", type=int, default=20_000, help="simulated samples for each interval; 0: none of these"
    )
    parser.add_argument("--studies", type=int, default=500, help="simulated studies for each of the rest")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--families", type=int, default=1000, help="simulated studies of a family")
    parser.add_argument("--costs", type=int, default=10_000, help="simulated studies of costs (`mohs lcd`)")
    arguments = parser.parse_args()
    if arguments.repeats:
        _print_tables(arguments)
    if arguments.families:
        print_families(arguments.families)
    if arguments.costs:
        print_costs(arguments.costs, arguments.seed)


def _print_tables(arguments: argparse.Namespace) -> None:
    _print("claimed | runs | interval", interval_rows(arguments.repeats, arguments.seed))
    print()
    _print("runs between 0 and 1 | range | mean at .95", bounded_rows(arguments.repeats // 10, arguments.seed))
    print()
    _print("interval claiming .95", study_rows(arguments.studies, arguments.seed))
    print()


def _print(head: str, rows: Iterable[tuple[str, list[float]]]) -> None:
    columns = head.count("|") + 1
    print(f"| {head} | {' | '.join(f'n = {n}' for n in SIZES)} |")
    print("|---" * columns + "|--:" * len(SIZES) + "|")
    for name, row in rows:
        cells = ("–" if math.isnan(cell) else f"{cell:.3f}" for cell in row)
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
