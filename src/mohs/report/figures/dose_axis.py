"""Where on an axis do the doses of a dial lie?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mohs.report import numbers

LOG_FROM = 50  # positive doses that span this factor are read off a logarithmic axis
CLOSEST = 0.055  # labels nearer than this share of the axis would touch


@dataclass(frozen=True)
class DoseAxis:
    """A place for each dose, in the order of the doses given. `kind` is "linear", "log" or "category"."""

    kind: str
    places: tuple[float, ...]
    labels: tuple[str, ...]
    title: str

    def span(self) -> tuple[float, float]:
        """The ends of the axis, in plotly's coordinates (the exponent where it is logarithmic)."""
        places = np.array(self.places)
        shown = np.log10(places) if self.kind == "log" else places
        low, high = float(shown.min()), float(shown.max())
        pad = 0.55 if self.kind == "category" else 0.06 * (high - low or 1.0)
        return low - pad, high + pad

    def layout(self) -> dict[str, Any]:
        """What plotly needs to draw the axis, with a label at every dose that has room for one."""
        kept = self._room()
        return {
            "type": "log" if self.kind == "log" else "linear",
            "range": list(self.span()),
            "tickvals": [self.places[i] for i in kept],
            "ticktext": [self.labels[i] for i in kept],
            "title": {"text": self.title},
            "showgrid": False,
        }

    def scattered(self, index: int, n: int) -> list[float]:
        """Places of n single runs around a dose, spread a little so that equal scores can be told apart."""
        low, high = self.span()
        width = 0.016 * (high - low)
        # The golden ratio spreads any number of points evenly without a random generator.
        shift = (np.arange(n) * 0.6180339887 % 1.0 * 2 - 1) * width
        place = self.places[index]
        moved = 10 ** (math.log10(place) + shift) if self.kind == "log" else place + shift
        return [float(x) for x in moved]

    def _room(self) -> list[int]:
        low, high = self.span()
        at = [math.log10(p) if self.kind == "log" else p for p in self.places]
        order = sorted(range(len(at)), key=at.__getitem__)
        ends = dict.fromkeys((order[0], order[-1]))
        kept: list[int] = []
        for i in (*ends, *order):
            if all(abs(at[i] - at[j]) >= CLOSEST * (high - low) for j in kept):
                kept.append(i)
        return sorted(kept, key=at.__getitem__)


def numeric(doses: Sequence[Any]) -> bool:
    return all(isinstance(d, int | float) and not isinstance(d, bool) for d in doses)


def dose_axis(name: str, unit: str, doses: Sequence[Any]) -> DoseAxis:
    """Numbers at their place, logarithmic where that helps; anything else side by side."""
    title = f"{name} ({unit})" if unit else name
    labels = tuple(numbers.dose(d) for d in doses)
    if not numeric(doses) or len(doses) < 2:
        return side_by_side(name, unit, doses)
    places = tuple(float(d) for d in doses)
    log = min(places) > 0 and max(places) / min(places) >= LOG_FROM
    return DoseAxis("log" if log else "linear", places, labels, f"{title}, log scale" if log else title)


def side_by_side(name: str, unit: str, doses: Sequence[Any]) -> DoseAxis:
    """Every dose the same distance from the next, as bars stand."""
    title = f"{name} ({unit})" if unit else name
    places = tuple(float(i) for i in range(len(doses)))
    return DoseAxis("category", places, tuple(numbers.dose(d) for d in doses), title)
