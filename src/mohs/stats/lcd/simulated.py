"""Do costs cover what they claim, and do they find planted challenges and no others? Simulated studies.

``python -m mohs.stats.coverage`` prints the tables; docs/statistics.md has them. Areas have the mean .5 with the
reference and .5 × (1 − loss) under the hardest condition.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from mohs.stats.checks import FloatArray
from mohs.stats.counts import share_inside
from mohs.stats.intervals import Estimate, student_quantile
from mohs.stats.lcd.contrasts import gain, synergy
from mohs.stats.lcd.costs import costs
from mohs.stats.lcd.judgements import Judgement, Rules
from mohs.stats.lcd.lines import fitted_ends, reward_slope
from mohs.stats.lcd.ratios import ratio_interval
from mohs.stats.lcd.regions import ellipse_radius, joint

SIZES = (3, 5, 10, 20)
LOSSES = (0.0, 0.1, 0.3, 0.6)
PROBABILITIES = (1.0, 0.75, 0.5, 0.25)
HALVINGS = np.log2(1 / np.array(PROBABILITIES))
LEVEL, BEST = 0.95, 0.5
SD, NOISY, FAILING = 0.05, 0.15, 0.1


@dataclass(frozen=True)
class Noise:
    """How runs vary about their mean: their spread, what a seed has in common, how often they fail outright."""

    sd: float = SD
    correlation: float = 0.0
    failing: tuple[float, ...] = (0.0,)  # of the reference, ..., of the hardest condition

    def runs(self, rng: np.random.Generator, means: FloatArray, studies: int, n: int) -> FloatArray:
        """Runs [conditions, studies, n] of which those that do not fail have the given means."""
        shape = (len(means), studies, n)
        common, own = rng.standard_normal((1, *shape[1:])), rng.standard_normal(shape)
        varied = math.sqrt(self.correlation) * common + math.sqrt(1 - self.correlation) * own
        failed = rng.random(shape) < np.resize(self.failing, len(means))[:, None, None]
        return np.where(failed, 0.0, means[:, None, None]) + np.where(failed, 0.01, self.sd) * varied


NOISES = {
    "normal": Noise(),
    "normal, seeds alike": Noise(correlation=0.5),
    "noisy": Noise(sd=NOISY),
    "1 run in 10 fails": Noise(failing=(FAILING,)),
}


@dataclass(frozen=True)
class Planted:
    """A planted challenge: the means of the conditions, the noise, and whether a line is fitted through them."""

    means: FloatArray
    noise: Noise
    line: bool

    @property
    def truth(self) -> float:
        """The true cost."""
        means = self.means * (1 - np.resize(self.noise.failing, len(self.means)))
        top, bottom = fitted_ends(HALVINGS, means) if self.line else (means[-1], means[0])
        return float(1 - top / bottom)

    def judge(self, n: int, studies: int, seed: int = 0) -> dict[str, float]:
        """The coverage, and how often each judgement is made, over simulated studies of n seeds."""
        runs = self.noise.runs(np.random.default_rng([seed, n]), self.means, studies, n)
        top, bottom = fitted_ends(HALVINGS, runs) if self.line else (runs[-1], runs[0])
        _, _, low, high, judgements = costs(top, bottom, runs[-1], runs[0], Rules(), LEVEL)
        rates = {str(name): sum(found is name for found in judgements) / studies for name in Judgement}
        return {"coverage": share_inside(low, high, self.truth), **rates}


def view_case(loss: float, noise: Noise, best: float = BEST) -> Planted:
    """A view that loses a share of what the semantic view earns."""
    return Planted(best * np.array([1, 1 - loss]), noise, line=False)


def reward_case(loss: float, noise: Noise, best: float = BEST) -> Planted:
    """A share of the area at p = 1 lost at the smallest p, evenly with each halving."""
    return Planted(best * (1 - loss * HALVINGS / HALVINGS[-1]), noise, line=True)


def planted() -> dict[str, Planted]:
    """The studies of the table of costs."""
    found = {}
    for measure, case in {"view": view_case, "reward": reward_case}.items():
        for name, noise in NOISES.items():
            for loss in LOSSES:
                found[f"{measure} | {name} | {loss:g}"] = case(loss, noise)
    bent = Planted(BEST * np.array([1, 1, 1, 0.4]), Noise(), line=True)
    found[f"reward | normal, all of it at p = .25 | {bent.truth:.2f}"] = bent
    found["view | 1 run in 10 fails, of the other view only | 0.1"] = view_case(0.0, Noise(failing=(0.0, FAILING)))
    return found


def beyond() -> dict[str, tuple[Planted, Judgement]]:
    """Studies in which nobody can tell, or in which the condition that should be harder helps; what is to be said."""
    quiet = Noise(sd=0.02)
    return {
        "view: nothing learnt, both .02": (view_case(0.0, quiet, 0.02), Judgement.FLOOR),
        "view: nothing learnt, .02 and 0": (view_case(1.0, quiet, 0.02), Judgement.FLOOR),
        "view: on the floor, .05 and 0": (view_case(1.0, quiet, 0.05), Judgement.FLOOR),
        "view: .10 and .04": (view_case(0.6, quiet, 0.1), Judgement.CHALLENGE),
        "reward: nothing learnt, all .02": (reward_case(0.0, quiet, 0.02), Judgement.FLOOR),
        "reward: nothing learnt, from .02 to 0": (reward_case(1.0, quiet, 0.02), Judgement.FLOOR),
        "view: solved, both .98": (view_case(0.0, Noise(sd=0.01), 0.98), Judgement.CEILING),
        "reward: solved, all .98": (reward_case(0.0, Noise(sd=0.01), 0.98), Judgement.CEILING),
        "view: the other view is better, .5 and .75": (view_case(-0.5, Noise()), Judgement.REVERSED),
    }


def planted_rows(studies: int, seed: int = 0) -> Iterator[tuple[str, list[str]]]:
    """Rows of the table of costs: coverage, share judged a challenge, share judged small."""
    for name, case in planted().items():
        found = [case.judge(n, studies, seed) for n in SIZES]
        yield name, [f"{f['coverage']:.3f} · {f['challenge']:.3f} · {f['small']:.3f}" for f in found]


def beyond_rows(studies: int, seed: int = 0) -> Iterator[tuple[str, list[str]]]:
    """Rows of the table beyond the range: share judged rightly, share with another claim about the size."""
    for name, (case, right) in beyond().items():
        # What is below −threshold is also below the threshold.
        allowed = {right, Judgement.SMALL} if right is Judgement.REVERSED else {right}
        found = [case.judge(n, studies, seed) for n in SIZES]
        wrong = [sum(f[str(each)] for each in Judgement if each.known and each not in allowed) for f in found]
        yield f"{name} | {right}", [f"{f[str(right)]:.3f} · {w:.3f}" for f, w in zip(found, wrong, strict=True)]


def welch_interval(top: FloatArray, bottom: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Fieller's set of runs [k, n] that are not paired: the alternative to `ratio_interval`, for the table."""
    n = top.shape[1]
    a, b, above, below = top.mean(axis=1), bottom.mean(axis=1), top.var(axis=1, ddof=1), bottom.var(axis=1, ddof=1)
    ratio = a / b
    rest = ratio**2 * below
    t = student_quantile((n - 1) * (above + rest) ** 2 / (above**2 + rest**2), level)
    middle, opening = a * b, b**2 - t**2 * below / n
    width = np.sqrt(np.maximum(middle**2 - opening * (a**2 - t**2 * above / n), 0.0))
    bounded = opening > 0
    scale = np.where(bounded, opening, 1.0)
    return (
        np.where(bounded, (middle - width) / scale, -np.inf),
        np.where(bounded, (middle + width) / scale, np.inf),
    )


def design_rows(studies: int, seed: int = 0) -> Iterator[tuple[str, list[str]]]:
    """Rows of the table that chose the design: coverage and median width of a cost of .3."""

    def cells(case: Planted, ends: Callable[[FloatArray], tuple[FloatArray, FloatArray]]) -> list[str]:
        found = []
        for n in SIZES:
            low, high = ends(case.noise.runs(np.random.default_rng([seed, n]), case.means, studies, n))
            found.append(f"{share_inside(low, high, 1 - case.truth):.3f} · {np.median(high - low):.3f}")
        return found

    for correlation in (0.0, 0.5, 0.9):
        noise = Noise(correlation=correlation)
        view, reward = view_case(0.3, noise), reward_case(0.3, noise)
        yield f"view | {correlation:g} | pairs", cells(view, lambda x: ratio_interval(x[-1], x[0], LEVEL)[1:])
        yield f"view | {correlation:g} | Welch", cells(view, lambda x: welch_interval(x[-1], x[0], LEVEL))
        fitted = cells(reward, lambda x: ratio_interval(*fitted_ends(HALVINGS, x), LEVEL)[1:])
        yield f"reward | {correlation:g} | pairs, line through all p", fitted
        yield (
            f"reward | {correlation:g} | pairs, both ends only",
            cells(reward, lambda x: ratio_interval(x[-1], x[0], LEVEL)[1:]),
        )


def other_rows(studies: int, seed: int = 0) -> Iterator[tuple[str, list[str]]]:
    """Rows of the table of all other intervals: coverage."""

    def share(truth: float, study: Callable[[FloatArray], Estimate], means: FloatArray, noise: Noise) -> list[str]:
        found = []
        for n in SIZES:
            runs = noise.runs(np.random.default_rng([seed, n]), means, studies, n)
            ends = [study(runs[:, i]) for i in range(studies)]
            found.append(
                f"{share_inside(np.array([e.low for e in ends]), np.array([e.high for e in ends]), truth):.3f}"
            )
        return found

    for name, noise in NOISES.items():
        kept = 1 - noise.failing[0]
        falling = BEST * (1 - 0.3 * HALVINGS / 2)
        slope = -BEST * 0.3 / 2 * kept
        yield f"slope | {name}", share(slope, lambda x: reward_slope(by_probability(x)), falling, noise)
        yield f"gain | {name}", share(0.2 * kept, lambda x: gain(*x), np.array([0.3, 0.5]), noise)
        yield f"synergy | {name}", share(0.1 * kept, lambda x: synergy(*x), np.array([0.3, 0.4, 0.4, 0.6]), noise)
        yield f"ellipse of both costs | {name}", [f"{_ellipse(noise, n, studies, seed):.3f}" for n in SIZES]


def by_probability(runs: FloatArray) -> Mapping[float, FloatArray]:
    """Runs [4, n] by reward probability."""
    return dict(zip(PROBABILITIES, runs, strict=True))


def _ellipse(noise: Noise, n: int, studies: int, seed: int) -> float:
    """How often Hotelling's ellipse holds a view cost of .6 and a reward cost of .3."""
    means = BEST * np.append(1 - 0.3 * HALVINGS / 2, 0.4)
    runs = noise.runs(np.random.default_rng([seed, n]), means, studies, n)
    truth, radius = np.array([0.6, 0.3]), ellipse_radius(LEVEL, n)
    inside = 0
    for i in range(studies):
        centre, covariance = joint((runs[0, i], runs[-1, i]), by_probability(runs[:-1, i]))
        apart = truth - centre
        inside += bool(apart @ np.linalg.solve(covariance, apart) <= radius**2)
    return inside / studies


def print_costs(studies: int, seed: int = 0) -> None:
    """Print all tables as Markdown."""
    tables = {
        "cost | runs | true cost": planted_rows(studies, seed),
        "areas | judgement": beyond_rows(studies, seed),
        "cost | correlation of seeds | interval": design_rows(studies, seed),
        "interval | runs": other_rows(max(1, studies // 5), seed),
    }
    for head, rows in tables.items():
        print(f"\n| {head} | {' | '.join(f'n = {n}' for n in SIZES)} |")
        print("|---" * (head.count("|") + 1) + "|--:" * len(SIZES) + "|")
        for name, cells in rows:
            print(f"| {name} | {' | '.join(cells)} |", flush=True)
