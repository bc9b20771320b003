"""What did the runs of a diagnosis give at each point? Measures, means with intervals, and the parts of the loss."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.agents.protocol import Points
from mohs.protocols.diagnose.attribution import Attribution, Ceilings, Reach, attribute
from mohs.protocols.diagnose.study import DiagnosisStudy
from mohs.protocols.measures import ATTAINED
from mohs.protocols.scale import Scale, between, plain
from mohs.protocols.scores import Scores
from mohs.runs.results import Results
from mohs.stats import Estimate, estimate, pooled_auc, ratio_samples
from mohs.stats.ranges import Range

LEVEL = 0.95

Curves = tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]  # steps, training returns [seeds, points]


@dataclass(frozen=True, eq=False)
class Dose:
    """One dose of a dial: its runs' measures [seeds] (NaN = missing), and their means with intervals."""

    value: Any
    samples: Mapping[str, npt.NDArray[np.float64]] = field(repr=False)
    means: Mapping[str, Estimate]
    iqms: Mapping[str, Estimate]
    curves: Curves | None = field(repr=False)
    normal_curves: Curves | None = field(repr=False)  # the same, normalised as the scores are
    attribution: Attribution | None = None  # of the loss against vanilla; None at vanilla, or where it is unknown
    reason: str = ""  # why the attained share is unknown

    @property
    def missing(self) -> int:
        """The number of runs that have not finished."""
        return int(np.isnan(self.samples["auc"]).sum())


@dataclass(frozen=True, eq=False)
class PairVerdict:
    """Two dials together: samples [doses of a, doses of b, seeds] of every measure (Appendix E)."""

    a: str
    b: str
    doses_a: tuple[Any, ...]
    doses_b: tuple[Any, ...]
    units: tuple[str, str]
    samples: Mapping[str, npt.NDArray[np.float64]] = field(repr=False)


def pooled(curves: Points) -> float:
    """The mean training return of a run, episodes pooled."""
    ends, returns = curves["train/return"]
    return pooled_auc(returns, curves["train/length"][1], window=int(ends[0]))


@dataclass(frozen=True)
class Runs:
    """The measures and curves of runs, by what is turned."""

    study: DiagnosisStudy
    results: Results
    scores: Scores
    scale: Scale
    ceilings: Ceilings

    def samples(self, turned: Mapping[str, Any]) -> dict[str, npt.NDArray[np.float64]]:
        """Every measure at a point, [seeds]."""
        return self.scores.samples(str(self.study.agent), self.study.point(turned))

    def reach(self, turned: Mapping[str, Any]) -> Reach | str:
        """What was and could be gained at a point, or why that is unknown."""
        if ATTAINED not in self.scores.measures:
            return "vanilla's own optimum is unknown"
        return self.ceilings.reach(turned, self.samples(turned))

    def dose(self, value: Any, turned: Mapping[str, Any], comparisons: int, *, by_view: bool = True) -> Dose:
        """The runs at a dose. Without `by_view` they are measured by the optimum, whatever the agent sees."""
        samples, bounds, attribution, reason = self.samples(turned), self._bounds(turned), None, ""
        found, vanilla = self.reach(turned), self.reach({})
        if isinstance(found, str) or isinstance(vanilla, str):
            reason = found if isinstance(found, str) else str(vanilla)
        else:
            found, vanilla = (found, vanilla) if by_view else (found.optimal, vanilla.optimal)
            # So that the mean is the share of all that could be gained, and seeds without anything to gain do no harm.
            samples = samples | {ATTAINED: ratio_samples(found.gains.own, found.gains.reachable)}
            top = ratio_samples(found.gains.optimal, found.gains.reachable)
            bounds |= {ATTAINED: (-math.inf, float(np.nanmean(top)))} if np.isfinite(top).any() else {}
            if self.study.point(turned) != self.study.point({}):
                attribution = attribute(vanilla, found, LEVEL)
        means, iqms = (
            {name: estimate(runs, kind, LEVEL, comparisons, bounds.get(name)) for name, runs in samples.items()}
            for kind in ("mean", "iqm")
        )
        return Dose(value, samples, means, iqms, *self._curves(turned), attribution, reason)

    def _bounds(self, turned: Mapping[str, Any]) -> dict[str, Range]:
        """Ranges of lengths and of evaluations: no policy is expected to earn more than the optimum, noise or not."""
        tasks = [self.study.task(turned, seed) for seed in range(self.study.seeds)]
        limit = tasks[0]["max_episode_steps"]
        length = (0.0, math.inf if limit is None else float(limit))
        found: dict[str, Range] = dict.fromkeys(("length", "eval_length", "noise_free_length"), length)
        for name, of in (("eval", tasks), ("noise_free", [task.noise_free() for task in tasks])):
            best = [(task, self.ceilings.optimum(task)) for task in of]
            known = [(task, value) for task, value in best if value is not None]
            if known and len(known) == len(of):
                shares = [between(self.scale.score(task), value) for task, value in known]
                found[name] = -math.inf, max(value for _, value in known)
                if np.isfinite(shares).all():
                    found[f"normalised_{name}"] = -math.inf, max(shares)
        return found

    def pair(self, a: str, b: str) -> PairVerdict:
        """The runs of two dials together."""
        doses_a, doses_b = self.study.pair_doses[a], self.study.pair_doses[b]
        grid = [[self.samples({a: x, b: y}) for y in doses_b] for x in doses_a]
        stacked = {name: np.array([[cell[name] for cell in row] for row in grid]) for name in grid[0][0]}
        return PairVerdict(a, b, doses_a, doses_b, (self.study.unit(a), self.study.unit(b)), stacked)

    def _curves(self, turned: Mapping[str, Any]) -> tuple[Curves | None, Curves | None]:
        """The training curves of the finished runs, as they are and normalised."""
        found = list(self.results.finished(str(self.study.agent), self.study.point(turned)))
        if not found:
            return None, None
        task, steps = self.study.task(turned), found[0][1]["train/return"][0]
        raw, normal = [], []
        for seed, curves in found:
            returns = curves["train/return"][1]
            raw.append(returns)
            shown = plain(task, returns, curves["train/length"][1]) if self.scale.plain else returns
            normal.append(between(self.scale.score(replace(task, seed=seed)), shown))
        return (steps, np.array(raw)), (steps, np.array(normal))
