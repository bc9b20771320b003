"""What does a study answer? Paired differences: agents at every point, or one agent's levels against its first one.

Seed i has the same generated task for every agent and at every point, so runs are subtracted seed by seed. The
intervals of one set of differences hold together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from mohs.core.registry import environment
from mohs.core.values import Json, to_json
from mohs.protocols.experiment.study import AGENT, Axis, Experiment, Level, points_of, where
from mohs.protocols.measures import MEASURES
from mohs.protocols.scores import Scores
from mohs.report import numbers
from mohs.stats import Estimate, paired_difference, runs_needed
from mohs.stats.ranges import Range

LEVEL = 0.95

Ranges = Mapping[tuple[str, str], Range]  # by the name of a point, and of a measure


@dataclass(frozen=True, eq=False)
class Contrast:
    """`first` less `second` at a point: two agents there, or an agent there and at the reference point."""

    first: str
    second: str
    point: tuple[Level, ...]
    samples: npt.NDArray[np.float64] = field(repr=False)
    difference: Estimate

    @property
    def certain(self) -> bool:
        """Whether the interval excludes 0."""
        return self.difference.low > 0 or self.difference.high < 0


@dataclass(frozen=True, eq=False)
class Contrasts:
    """All differences on axes that vary together, by one measure. `of_agents` says what is compared."""

    measure: str
    axes: tuple[Axis, ...]
    of_agents: bool
    rows: tuple[Contrast, ...]

    def where(self, row: Contrast) -> str:
        """The point of a difference in words."""
        return where(self.axes, row.point)


def contrasts(experiment: Experiment, scores: Scores, ranges: Ranges) -> tuple[Contrasts, ...]:
    """The differences that answer a study, for each group of axes, by the first measure that is drawn.

    Several agents: each of the others less the first, at every point. One agent: every point less the vanilla one, or
    the first where no level is vanilla's.
    """
    measure = experiment.figures[0]
    first, *others = experiment.labels
    found = []
    for axes in experiment.panels():
        points = points_of(axes)
        names = {point: where(axes, point) for point in points}
        if others:
            pairs = [(other, first, point, point) for other in others for point in points]
        else:
            reference = tuple(_reference(experiment, axis) for axis in axes)
            pairs = [(first, first, point, reference) for point in points if point != reference]
        rows = []
        for a, b, point, against in pairs:
            samples = scores.at(a, names[point], measure) - scores.at(b, names[against], measure)
            ends = _between(ranges[names[point], measure], ranges[names[against], measure])
            difference = paired_difference(samples, np.zeros_like(samples), "mean", LEVEL, len(pairs), ends)
            rows.append(Contrast(a, b if others else names[against], point, samples, difference))
        if rows:
            found.append(Contrasts(measure, axes, bool(others), tuple(rows)))
    return tuple(found)


def _reference(experiment: Experiment, axis: Axis) -> Level:
    """The level of an axis at which all that it sets has its default; the first where there is none."""
    defaults = {name: parameter.default for name, parameter in environment(experiment.env).parameters.items()}
    plain = [
        level
        for level in axis.levels
        if all(not name.startswith(AGENT) and defaults.get(name) == value for name, value in level.settings)
    ]
    return (plain or list(axis.levels))[0]


def _between(a: Range, b: Range) -> Range:
    """The range of a difference."""
    return a[0] - b[1], a[1] - b[0]


def contrast_sentences(found: Contrasts) -> tuple[str, ...]:
    """For each pair of agents, or for one agent: at how many points they differ, and the largest difference."""
    groups: dict[tuple[str, str], list[Contrast]] = {}
    for row in found.rows:
        groups.setdefault((row.first, row.second), []).append(row)
    return tuple(_sentence(found, rows) for rows in groups.values())


def _sentence(found: Contrasts, rows: Sequence[Contrast]) -> str:
    first, title = rows[0], MEASURES[found.measure].title
    other = first.second if found.of_agents else f"at {first.second}"
    known = [row for row in rows if row.difference.known]
    if not known:
        most = max(row.difference.n for row in rows)
        return f"{first.first} and {other}: too few pairs of runs for a difference in {title}, n = {most}."
    certain = [row for row in known if row.certain]
    shown = max(certain or known, key=lambda row: abs(row.difference.value))
    size, place = shown.difference, found.where(shown)
    if not certain:
        points = "the point" if len(known) == 1 else f"any of {len(known)} points"
        return (
            f"{first.first} and {other} do not certainly differ in {title} at {points}. The largest difference is "
            f"{numbers.estimated(size)} at {place}, n = {size.n}{_more(shown, len(found.rows))}."
        )
    low, high = sorted((abs(size.low), abs(size.high)))
    ends = f"{numbers.number(abs(size.value))} [{numbers.number(low)}, {numbers.number(high)}]"
    words = "more" if size.value > 0 else "less"
    text = f"At {place} {first.first} scores {ends} {words} than {other} ({title}, n = {size.n})"
    if len(known) == 1:
        return f"{text}."
    higher = sum(row.difference.value > 0 for row in certain)
    return f"{text}. Of {len(known)} points it is certainly higher at {higher} and lower at {len(certain) - higher}."


def _more(row: Contrast, comparisons: int) -> str:
    """About how many runs would decide whether a difference as large as the observed one is there."""
    if not row.difference.value:
        return ""
    needed = runs_needed(row.samples, row.difference.value, LEVEL, comparisons=comparisons)
    return "" if needed is None or needed <= row.difference.n else f"; about {needed:,} runs would decide"


def contrast_rows(found: Contrasts) -> list[Json]:
    """As plain data."""
    return [
        {
            "measure": found.measure,
            "first": row.first,
            "second": row.second,
            "at": {axis.name: to_json(level.value) for axis, level in zip(found.axes, row.point, strict=True)},
            "difference": row.difference.to_dict(),
        }
        for row in found.rows
    ]
