"""Is vanilla learnt, so that there is something to break? And if not, what would help?

Vanilla runs first. It is learnt where the lower end of the interval of its mean score lies above `LEARNT_ABOVE`. Too
few runs for an interval decide nothing: the diagnosis goes on.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from mohs.core.values import Json
from mohs.protocols.diagnose.attribution import Ceilings
from mohs.protocols.diagnose.effects import LEARNT_ABOVE, is_learnt
from mohs.protocols.diagnose.points import LEVEL, pooled
from mohs.protocols.diagnose.scale import find_scale
from mohs.protocols.diagnose.study import RANDOM, VANILLA, DiagnosisStudy
from mohs.protocols.protocol import Gate, Stop
from mohs.protocols.scale import between, plain
from mohs.report import numbers
from mohs.runs.plan import Track
from mohs.runs.results import Results
from mohs.stats import Estimate, auc, estimate, paired_difference, runs_needed

ENOUGH = 0.5  # the score that the advised budget aims at: well above LEARNT_ABOVE, and short of the optimum
SMALL = 0.05  # a gain below this is none
MOST_TIMES = 100  # the budget, beyond which an extrapolation says nothing
MOST_SEEDS = 10  # times those of the study that may be advised
STEEPEST = 2.0  # the power of time with which a score is taken to rise at most
FEWEST_WINDOWS = 10  # of a training curve; on fewer one cannot see whether it rises

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Vanilla:
    """The vanilla runs: training curves [seeds, points] and their mean score, on a scale where random play is 0.

    `exact` says that 1 is the optimum. Otherwise the scale is that of returns, and the score the lead over the random
    policy.
    """

    curves: Floats
    score: Estimate
    exact: bool
    evaluated: float = math.nan  # the mean score of the learnt policies, where the scale is exact

    @property
    def learnt(self) -> bool | None:
        """Whether vanilla is learnt; None where too few runs have finished."""
        if self.exact or not self.score.known:
            return is_learnt(self.score)
        return True if self.score.low > LEARNT_ABOVE * self.score.value else None if self.score.value > 0 else False

    @property
    def target(self) -> float:
        """The score that would do; for a lead, so much that an interval as wide as today's lies above 0."""
        return ENOUGH if self.exact else 2 * (self.score.value - self.score.low) / (1 - LEARNT_ABOVE)


def gate(study: DiagnosisStudy) -> Gate:
    """Vanilla and, where it is played, the random policy run first. The rest waits until vanilla is learnt."""

    def decide(results: Results) -> Stop | None:
        vanilla = vanilla_runs(study, results)
        if vanilla.learnt or not vanilla.score.known:
            return None
        return (_uncertain(study, vanilla) if vanilla.learnt is None else None) or _stop(study, vanilla)

    return Gate(((Track(RANDOM, VANILLA), Track(str(study.agent), VANILLA)),), decide)


def vanilla_runs(study: DiagnosisStudy, results: Results) -> Vanilla:
    """What the vanilla runs of a diagnosis give: the attained share where it is known, as in the verdict."""
    scale, ceilings, task = find_scale(study, results), Ceilings.of_agent(study), study.task({})
    finished = [(replace(task, seed=seed), found) for seed, found in results.finished(str(study.agent), VANILLA)]
    if not finished:
        return Vanilla(np.full((1, 1), np.nan), estimate([math.nan], "mean", LEVEL), exact=scale.random is None)
    if not isinstance(ceilings.of(task), str):
        curves = np.array([ceilings.attained(of, found["train/return"][1]) for of, found in finished])
        attained = [ceilings.attained(of, pooled(found)) for of, found in finished]
        evaluated = [ceilings.attained(of, float(np.mean(found["eval/return"][1]))) for of, found in finished]
        return Vanilla(curves, estimate(attained, "mean", LEVEL), exact=True, evaluated=float(np.mean(evaluated)))
    if scale.random is None:
        curves = np.array([between(scale.score(of), found["train/return"][1]) for of, found in finished])
    else:
        random = {
            seed: plain(task, found["random/return"][1], found["random/length"][1])[-1]
            for seed, found in results.finished(RANDOM, VANILLA)
        }
        leads = [
            plain(task, found["train/return"][1], found["train/length"][1]) - random.get(of.seed, math.nan)
            for of, found in finished
        ]
        curves = np.array(leads)
    return Vanilla(curves, estimate(auc(curves), "mean", LEVEL), exact=scale.random is None)


def _stop(study: DiagnosisStudy, vanilla: Vanilla) -> Stop:
    """Why the diagnosis ends here, with a larger budget where the training curve promises that it would do."""
    score, steps = vanilla.score, f"{study.budget:,} steps"
    if vanilla.exact:
        found = f"{round(score.value, 2) + 0:.2f} of the optimum after {steps} (n = {score.n})"
    else:
        found = f"no certain lead over the random policy after {steps} (n = {score.n})"
    rising = rises(vanilla.curves, SMALL if vanilla.exact else 0.0)
    budget = advised_budget(vanilla.curves, study.budget, vanilla.target, vanilla.exact)
    data: dict[str, Json] = {"score": score.to_dict(), "rising": rising, "advised_budget": budget}
    advice = _advice(study.budget, rising, budget)
    if vanilla.evaluated >= ENOUGH:
        larger = advice if budget is not None else f"Try --budget {10 * study.budget:,}."
        advice = (
            f"The learnt policy scores {vanilla.evaluated:.2f} in evaluation, so most of the budget went into "
            f"exploration. {larger}"
        )
        return Stop(f"Vanilla is not learnt while training: {found}.", advice, data)
    return Stop(f"Vanilla is not learnt: {found}.", advice, data)


def _uncertain(study: DiagnosisStudy, vanilla: Vanilla) -> Stop | None:
    """Too few runs to tell whether vanilla is learnt; None where no reasonable number of them would."""
    score, of = vanilla.score, "of the optimum" if vanilla.exact else "more than the random policy"
    found = f"{numbers.estimated(score)} {of} after {study.budget:,} steps (n = {score.n})"
    needed = runs_needed(auc(vanilla.curves), score.value - (LEARNT_ABOVE if vanilla.exact else 0.0))
    if needed is None or needed > MOST_SEEDS * study.seeds:
        return None
    seeds = max(needed, 2 * study.seeds)
    data: dict[str, Json] = {"score": score.to_dict(), "advised_seeds": seeds}
    text = f"With {score.n} runs it cannot be told whether vanilla is learnt: {found}."
    return Stop(text, f"Try --seeds {seeds:,}, or a larger --budget.", data)


def _advice(budget: int, rising: bool | None, advised: int | None) -> str:
    if rising is None:
        return f"These runs do not show whether it learns: try --budget {10 * budget:,}."
    if advised is not None:
        return f"Its training return still rises: try --budget {advised:,}."
    other = "Check its hyperparameters (learning rate, exploration), and that it observes what the task needs."
    if rising:
        return f"Its training return rises too slowly for a larger budget alone to help. {other}"
    return f"Its training return does not rise, so a larger budget alone is unlikely to help. {other}"


def rises(curves: Floats, small: float = math.inf) -> bool | None:
    """Whether runs do better in the second half of training than in the first; None where that cannot be seen.

    The interval of the paired difference must lie above 0. It shows that they do not where it ends below a `small`
    difference.
    """
    half = curves.shape[1] // 2
    if curves.shape[1] < FEWEST_WINDOWS:
        return None
    gain = paired_difference(auc(curves[:, -half:]), auc(curves[:, :half]), level=LEVEL)
    if not gain.known:
        return None
    return True if gain.low > 0 else False if gain.high < small else None


def advised_budget(curves: Floats, budget: int, target: float, bounded: bool) -> int | None:
    """The smallest round budget over which the mean score would reach a target, if it went on rising as it does.

    The score is taken to be c·tᵖ, with c and p from the means over both halves of training: p = 1 is a straight line.
    It goes no further than 1 where the scale is bounded. None where it does not rise, or where not even `MOST_TIMES`
    the budget would do.
    """
    if not rises(curves):
        return None
    half = curves.shape[1] // 2
    early, late = (float(np.nanmean(auc(part))) for part in (curves[:, :half], curves[:, -half:]))
    if late <= 0:
        return None
    power = min(math.log2(1 + late / early) - 1, STEEPEST) if early > 0 else STEEPEST
    end = late * (power + 1) / (2 - 2**-power)  # the score at the end of training
    for tried in _round_numbers(budget):
        times = (np.arange(1000) + 0.5) / 1000 * tried / budget
        if np.minimum(end * times**power, 1.0 if bounded else np.inf).mean() >= target:
            return tried
    return None


def _round_numbers(budget: int) -> Iterator[int]:
    """1, 2 or 5 times a power of ten, from twice the budget to `MOST_TIMES` of it."""
    digits = range(len(str(budget)) - 1, len(str(budget)) + 3)
    found = (first * 10**power for power in digits for first in (1, 2, 5))
    return (number for number in found if 2 * budget <= number <= MOST_TIMES * budget)
