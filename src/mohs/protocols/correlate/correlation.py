"""Does a cheap study say what an expensive one would? Rank correlations of toy and complex studies, dose by dose.

A row is an agent on an axis that both studies have. Its doses are paired by their order on the axis, first with first,
because the same dose is rarely equally hard in both: MDP Playground pairs a reward noise of 1, 5, 10, 25 on the toy
with 0.01, 0.05, 0.1, 0.25 on Atari (Tables 2 to 4). Axes with unequal numbers of doses are paired where their values
are equal.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mohs.core.errors import UsageError, unknown
from mohs.core.values import Json, to_json
from mohs.protocols.experiment.contrasts import LEVEL
from mohs.protocols.experiment.study import Experiment
from mohs.protocols.experiment.verdict import ExperimentVerdict, Panel, PointResult
from mohs.protocols.verdict import Verdict
from mohs.report.findings import Finding
from mohs.report.numbers import formatted
from mohs.stats import Estimate, approximate_p_value, estimate, exact_p_value, spearman

if TYPE_CHECKING:
    import pandas as pd

FEWEST = 3  # doses; two always agree or disagree completely
STRONG = 0.7  # what the paper counts as agreement


@dataclass(frozen=True)
class Pair:
    """A dose of the toy study and its counterpart: their values, and the mean over seeds at each."""

    toy_dose: Any
    complex_dose: Any
    toy: Estimate
    complex: Estimate

    def to_json(self) -> dict[str, Json]:
        """As plain data."""
        return {
            "toy_dose": to_json(self.toy_dose),
            "complex_dose": to_json(self.complex_dose),
            "toy": self.toy.to_dict(),
            "complex": self.complex.to_dict(),
        }


@dataclass(frozen=True)
class Row:
    """One agent on one axis. `p` counts all orders of the doses; `p_student` is what the paper's tables give.

    `reason` says why there is no rank correlation, where there is none.
    """

    agent: str
    axis: str
    toy_study: str
    toy_measure: str
    pairs: tuple[Pair, ...]
    correlation: Estimate
    p: float
    p_student: float
    reason: str = ""

    def to_json(self) -> dict[str, Json]:
        """As plain data."""
        return {
            "agent": self.agent,
            "axis": self.axis,
            "toy_study": self.toy_study,
            "toy_measure": self.toy_measure,
            "rank_correlation": self.correlation.to_dict(),
            "p": _known(self.p),
            "p_student": _known(self.p_student),
            "reason": self.reason,
            "doses": [pair.to_json() for pair in self.pairs],
        }


@dataclass(frozen=True, eq=False)
class Correlation(Verdict):
    """All rows that some toy studies and a complex one have in common, by one measure of each."""

    protocol = "correlate"

    toys: tuple[Experiment, ...]
    complex: Experiment
    toy_measures: tuple[str, ...]  # of each toy study
    complex_measure: str
    rows: tuple[Row, ...]
    left_out: tuple[str, ...]  # what cannot be correlated, each with the reason
    findings: tuple[Finding, ...]

    def frame(self) -> pd.DataFrame:
        """One row for each agent and axis."""
        import pandas as pd

        rows = [
            {
                "agent": row.agent,
                "axis": row.axis,
                "toy": row.toy_study,
                "complex": self.complex.name,
                "doses": len(row.pairs),
                **row.correlation.to_dict(),
                "p": row.p,
                "p_student": row.p_student,
            }
            for row in self.rows
        ]
        return pd.DataFrame(rows)

    def to_json(self) -> dict[str, Json]:
        """As plain data."""
        return {
            "toys": [toy.name for toy in self.toys],
            "complex": self.complex.name,
            "toy_measures": list(self.toy_measures),
            "complex_measure": self.complex_measure,
            "headline": self.sentences[0],
            "left_out": list(self.left_out),
            "rows": [row.to_json() for row in self.rows],
        }


def correlate_studies(
    toys: Sequence[ExperimentVerdict], complex_: ExperimentVerdict, measure: str | None = None
) -> Correlation:
    """The rank correlations of what agents scored; by default each study is measured as its first figure is."""
    taken = tuple(_measure(toy, measure) for toy in toys)
    other = _measure(complex_, measure)
    rows: list[Row] = []
    left_out: list[str] = []
    theirs = {(panel.agent.label, panel.name): panel for panel in complex_.panels}
    for toy, name in zip(toys, taken, strict=True):
        for mine in toy.panels:
            found = _row(toy, name, mine, theirs.get((mine.agent.label, mine.name)), other, complex_)
            if isinstance(found, Row):
                rows.append(found)
            else:
                left_out.append(f"{mine.agent.label} on {mine.name} in {toy.experiment.name}: {found}")
    if not rows:
        raise UsageError(
            f"{_shown(toys)} and {complex_.experiment.name} have nothing to correlate. {'; '.join(left_out)}. "
            f"{complex_.experiment.name} has {_offers([complex_])}."
        )
    experiments = tuple(toy.experiment for toy in toys)
    rest = (Finding(f"Left out: {'; '.join(left_out)}.", warning=True),) if left_out else ()
    findings = (Finding(_headline(rows)), *rest)
    return Correlation(experiments, complex_.experiment, taken, other, tuple(rows), tuple(left_out), findings)


def _measure(verdict: ExperimentVerdict, name: str | None) -> str:
    if name is None:
        return verdict.experiment.figures[0]
    known = verdict.scores.measures
    if name not in known:
        raise unknown(f"measure of {verdict.experiment.name}", name, known)
    return name


def _row(
    toy: ExperimentVerdict, measure: str, mine: Panel, theirs: Panel | None, other: str, complex_: ExperimentVerdict
) -> Row | str:
    """The rank correlation of an agent on an axis, or why there is none."""
    if theirs is None:
        labels = complex_.experiment.labels
        missing = f"the axis {mine.name}" if mine.agent.label in labels else f"the agent {mine.agent.label}"
        return f"{complex_.experiment.name} does not have {missing}"
    if len(mine.axes) > 1:
        return "points on several axes have no order of doses"
    matched = _paired(mine, theirs)
    paired = [(a, b) for a, b in matched if a.means[measure].n and b.means[other].n]
    if len(matched) < FEWEST:
        return f"the studies have {len(matched)} doses in common, but a rank correlation needs {FEWEST}"
    if len(paired) < FEWEST:
        return f"{len(paired)} of {len(matched)} doses have runs in both studies, but a rank correlation needs {FEWEST}"
    ours, others = [a.samples[measure] for a, _ in paired], [b.samples[other] for _, b in paired]
    means = [np.array([np.nanmean(runs) for runs in side]) for side in (ours, others)]
    names = [study.experiment.name for study, side in zip((toy, complex_), means, strict=True) if len(set(side)) == 1]
    return Row(
        mine.agent.label,
        mine.name,
        toy.experiment.name,
        measure,
        tuple(
            Pair(a.point[0].value, b.point[0].value, estimate(x, "mean", LEVEL), estimate(y, "mean", LEVEL))
            for (a, b), x, y in zip(paired, ours, others, strict=True)
        ),
        spearman(ours, others, LEVEL),
        exact_p_value(*means),
        approximate_p_value(*means),
        f"all doses have the same mean in {' and '.join(names)}" if names else "",
    )


def _paired(mine: Panel, theirs: Panel) -> list[tuple[PointResult, PointResult]]:
    """By order where both have equally many doses, else by value."""
    if len(mine.points) == len(theirs.points):
        return list(zip(mine.points, theirs.points, strict=True))
    by_value = {result.point[0].value: result for result in theirs.points}
    return [(result, by_value[result.point[0].value]) for result in mine.points if result.point[0].value in by_value]


def _headline(rows: Sequence[Row]) -> str:
    found = [row.correlation.value for row in rows if not row.reason]
    constant = "; ".join(f"{row.agent} on {row.axis}: {row.reason}" for row in rows if row.reason)
    if not found:
        return f"No rank correlation is defined. {constant}."
    strong = sum(value >= STRONG for value in found)
    return (
        f"The rank correlation of toy and complex is at least {STRONG} in {strong} of {len(found)} cases; its mean is "
        f"{formatted(float(np.mean(found)), '.2f')}.{f' None is defined for {constant}.' if constant else ''}"
    )


def _shown(toys: Sequence[ExperimentVerdict]) -> str:
    return ", ".join(toy.experiment.name for toy in toys)


def _offers(found: Sequence[ExperimentVerdict]) -> str:
    panels = [panel for verdict in found for panel in verdict.panels]
    return ", ".join(dict.fromkeys(f"{panel.agent.label} on {panel.name}" for panel in panels)) or "none"


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
