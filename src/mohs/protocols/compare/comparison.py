"""Is one agent better than another on the same cells? Probability of improvement, dial by dial and over all."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mohs.core.errors import UsageError
from mohs.core.task import Task
from mohs.core.values import Json, to_json
from mohs.protocols.diagnose.verdict import LEVEL, Diagnosis
from mohs.protocols.measures import MEASURES, return_measure
from mohs.protocols.verdict import Verdict
from mohs.report import numbers
from mohs.report.findings import Finding
from mohs.stats import Estimate, paired_difference, probability_of_improvement, spearman

if TYPE_CHECKING:
    import pandas as pd

Samples = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Comparison(Verdict):
    """Agent a against agent b by one measure of their runs. Above ½ a is the better one.

    The measure is normalised AUC where the tasks have references of their own; elsewhere 1 is each agent's own vanilla
    score, which compares nothing, so that the return on the plain scale is taken.
    """

    protocol = "compare"

    a: Diagnosis
    b: Diagnosis
    measure: str
    overall: Estimate
    dials: tuple[tuple[str, Estimate], ...]  # at the doses other than vanilla
    difference: Estimate  # mean over points of a − b, paired by seed, of the seeds that ran everywhere
    correlations: tuple[tuple[str, Estimate], ...]  # rank correlation over the doses (Tables 2 to 4 of the paper)

    @property
    def names(self) -> tuple[str, str]:
        """Names that tell the agents apart."""
        a, b = str(self.a.study.agent), str(self.b.study.agent)
        return (a, b) if a != b else (f"{a} (A)", f"{b} (B)")

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Which agent is better, and how sure that is."""
        return (Finding(_sentence(*self.names, self)),)

    @property
    def quantities(self) -> list[tuple[str, str, Estimate]]:
        """Every number with the dial it is of and what it is."""
        found = [
            ("all dials", "probability of improvement", self.overall),
            ("all dials", "difference", self.difference),
        ]
        found += [(name, "probability of improvement", e) for name, e in self.dials]
        return found + [(name, "rank correlation", e) for name, e in self.correlations]

    def frame(self) -> pd.DataFrame:
        """One row for each dial and quantity, with its interval."""
        import pandas as pd

        rows = [{"dial": dial, "quantity": quantity, **e.to_dict()} for dial, quantity, e in self.quantities]
        return pd.DataFrame(rows)

    def to_json(self) -> dict[str, Json]:
        """As plain data."""
        return {
            "a": to_json(str(self.a.study.agent)),
            "b": to_json(str(self.b.study.agent)),
            "measure": self.measure,
            "probability_of_improvement": self.overall.to_dict(),
            "difference": self.difference.to_dict(),
            "dials": {name: e.to_dict() for name, e in self.dials},
            "rank_correlation": {name: e.to_dict() for name, e in self.correlations},
        }


def compare_diagnoses(a: Diagnosis, b: Diagnosis) -> Comparison:
    """Two diagnoses on the doses and seeds that both have."""
    measure = a.measure if a.scale.bounded else return_measure(a.scores.measures)
    shared = _shared(a, b, measure)
    dials, correlations = [], []
    vanilla = a.study.task({})
    for name, doses in shared.items():
        turned = {task: pair for task, pair in doses.items() if task != vanilla}
        if turned:
            dials.append((name, probability_of_improvement(*_sides(turned), LEVEL, paired=True)))
        if len(doses) > 2:
            correlations.append((name, spearman(*_sides(doses), LEVEL)))
    # Vanilla is a dose of every dial, and one point.
    x, y = _sides({task: pair for doses in shared.values() for task, pair in doses.items()})
    overall = probability_of_improvement(x, y, LEVEL, paired=True)
    both = ~np.isnan(x - y).any(axis=0)
    difference = paired_difference(x[:, both].mean(axis=0), y[:, both].mean(axis=0), "mean", LEVEL)
    return Comparison(a, b, measure, overall, tuple(dials), difference, tuple(correlations))


def _sides(doses: Mapping[Task, tuple[Samples, Samples]]) -> tuple[Samples, Samples]:
    """The scores [points, seeds] of both agents."""
    return np.array([pair[0] for pair in doses.values()]), np.array([pair[1] for pair in doses.values()])


def _shared(a: Diagnosis, b: Diagnosis, measure: str) -> dict[str, dict[Task, tuple[Samples, Samples]]]:
    """By dial, the scores of both agents at each dose at which both have runs, on the seeds that both have."""
    if (a.study.budget, a.study.task({})) != (b.study.budget, b.study.task({})):
        raise UsageError(
            f"the two studies cannot be compared: {a.study.agent.name} had {a.study.budget:,} steps on "
            f"{a.study.task({})}, {b.study.agent.name} {b.study.budget:,} steps on {b.study.task({})}."
        )
    seeds = min(a.study.seeds, b.study.seeds)
    other = {d.name: {dose.value: dose for dose in d.doses} for d in b.dials}
    shared = {}
    for d in a.dials:
        doses = {
            a.study.task({d.name: dose.value}): (
                dose.samples[measure][:seeds],
                other[d.name][dose.value].samples[measure][:seeds],
            )
            for dose in d.doses
            if dose.value in other.get(d.name, {})
        }
        doses = {task: pair for task, pair in doses.items() if not any(np.isnan(side).all() for side in pair)}
        if doses:
            shared[d.name] = doses
    if not shared:
        raise UsageError("the two studies have no dial and dose in common at which both have finished runs.")
    return shared


def _sentence(a: str, b: str, comparison: Comparison) -> str:
    overall, difference, score = comparison.overall, comparison.difference, MEASURES[comparison.measure].title
    if math.isnan(overall.value):
        return f"No dose has runs of both {a} and {b}: no verdict."
    if not overall.known:
        return f"Too few runs to say whether {a} is better than {b} (n = {overall.n})."
    chance = (
        f"A run of {a} beats a run of {b} with probability {numbers.number(overall.value)} "
        f"({numbers.at_length(overall)})"
    )
    gap = (
        f"the mean paired difference of {score} is {numbers.number(difference.value)} ({numbers.at_length(difference)})"
    )
    if overall.low > 0.5:
        winner = f"{a} is the better agent over these doses."
    elif overall.high < 0.5:
        winner = f"{b} is the better agent over these doses."
    else:
        winner = "Neither is clearly better over these doses."
    return f"{winner} {chance}; {gap}."
