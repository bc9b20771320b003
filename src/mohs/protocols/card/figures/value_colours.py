"""Which colour has a value?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mohs.report.theme import LIGHT
from mohs.tables.table import Float


@dataclass(frozen=True)
class ValueColours:
    """The values at the two ends of the colours, and whether the colours tell anything."""

    low: float
    high: float
    telling: bool

    def axis(self, x: float) -> dict[str, object]:
        """Plotly's axis of the colours; where they tell anything, with its key at this share of the width."""
        key = {"title": {"text": "V*"}, "thickness": 12, "len": 0.9, "outlinewidth": 0, "x": x, "nticks": 5}
        return {
            "colorscale": blues(), "cmin": self.low, "cmax": self.high, "showscale": self.telling, "colorbar": key,
        }  # fmt: skip


def value_colours(value: Float) -> ValueColours:
    """From the least to the largest value; all have the colour in the middle where they are the same."""
    known = value[np.isfinite(value)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 0.0)
    return ValueColours(low, high, True) if low < high else ValueColours(low - 1.0, high + 1.0, False)


def blues() -> list[list[float | str]]:
    """From little to much, light enough for ink on it."""
    return [[i / (len(LIGHT.scale) - 1), colour] for i, colour in enumerate(LIGHT.scale)]
