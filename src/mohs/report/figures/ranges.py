"""How far does an axis reach? To every value, and a little beyond along intervals, so that none flattens the rest."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from mohs.stats import Estimate

BEYOND = 0.25  # how far intervals are followed, as a share of the range of the values
PAD = 0.05


def axis_range(estimates: Iterable[Estimate], also: Sequence[float] = (), beyond: float = BEYOND) -> list[float]:
    """The ends of an axis that shows these estimates and, in any case, the values `also`."""
    known = [e for e in estimates if math.isfinite(e.value)]
    shown = [*also, *(e.value for e in known)] or [0.0, 1.0]
    low, high = min(shown), max(shown)
    ends = [x for e in known for x in (e.low, e.high) if math.isfinite(x)]
    room = beyond * (high - low) if high > low else math.inf
    low, high = max(min([low, *ends]), low - room), min(max([high, *ends]), high + room)
    pad = PAD * (high - low or 1.0)
    return [low - pad, high + pad]
