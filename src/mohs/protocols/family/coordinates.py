"""Where do the points of a family lie, in numbers? Their values on the axes and their features, as columns.

Points that are near each other are expected to score alike, which is what balanced designs and the variance of their
estimates rest on. An axis of positive numbers that spans a factor of ten or more counts by its logarithm; an axis
without numbers gives one column for each of its values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.core.point import Point

Floats = npt.NDArray[np.float64]
DECADE = 10.0


@dataclass(frozen=True, eq=False)
class Coordinates:
    """Columns [points, columns] with their names: `values` as given, `space` as they count.

    Points without columns lie all at one place.
    """

    names: tuple[str, ...]
    values: Floats
    space: Floats


def coordinates(axes: Sequence[str], points: Sequence[Point]) -> Coordinates:
    """The columns of some points. One that is the same at all of them, or that some of them lack, is left out."""
    named: dict[str, list[Any]] = {axis: [dict(p.at).get(axis) for p in points] for axis in axes}
    named |= {name: [dict(p.features).get(name) for p in points] for p in points for name, _ in p.features}
    columns: dict[str, Floats] = {}
    for name, found in named.items():
        if all(_is_number(value) for value in found):
            columns[name] = np.array(found, dtype=np.float64)
        elif None not in found:
            kinds = list(dict.fromkeys(found))
            columns |= {f"{name}={kind}": np.array([float(v == kind) for v in found]) for kind in kinds}
    columns = {name: column for name, column in columns.items() if np.ptp(column) > 0}
    values = np.column_stack(list(columns.values())) if columns else np.zeros((len(points), 0))
    return Coordinates(tuple(columns), values, _by_logarithm(values) if columns else np.zeros((len(points), 1)))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _by_logarithm(values: Floats) -> Floats:
    """Columns of positive numbers that span a decade by their logarithms, all others as they are."""
    found = values.copy()
    for column in found.T:
        if column.min() > 0 and column.max() >= DECADE * column.min():
            column[:] = np.log(column)
    return found
