"""Which labels of an axis have room? They wrap, slant or give way, before one is printed over another."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

from mohs.report.fit import texts

TICK, TITLE = 12.0, 12.5  # font sizes of the theme
SLANT = 45  # degrees
SMALLEST = 10.0


def title(axis: Mapping[str, Any]) -> str:
    return str((axis.get("title") or {}).get("text") or "")


def fit_horizontal(axis: dict[str, Any], room: float) -> float:
    """Makes the labels of an axis fit `room` pixels; the height that they and its title need."""
    shown = axis.get("showticklabels", True) is not False
    needed = _fit_ticks(axis, room) if shown else 4.0
    if text := title(axis):
        axis["title"] = {**axis["title"], "text": texts.wrapped(text, room, TITLE)}
        needed += 14 + texts.height(title(axis), TITLE)
    return needed


def fit_vertical(axis: dict[str, Any], room: float, widest: float) -> float:
    """Wraps names to `widest` pixels and the title to `room`; the width that both need."""
    shown = axis.get("showticklabels", True) is not False
    labels = list(axis.get("ticktext") or ()) if shown else []
    if labels:
        narrow = [texts.wrapped(str(label), widest, TICK) for label in labels]
        at = sorted(places(axis, list(axis["tickvals"]), room))
        closest = min((b - a for a, b in itertools.pairwise(at)), default=room)
        if closest >= max(texts.height(label, TICK) for label in narrow):
            axis["ticktext"] = labels = narrow
    number = 44.0 if axis.get("exponentformat") == "power" else 30.0  # pixels of a label that Plotly chooses
    needed = max([texts.width(label, TICK) for label in labels] or [number if shown else 0.0]) + 10
    if text := title(axis):
        axis["title"] = {**axis["title"], "text": texts.wrapped(text, room, TITLE)}
        needed += 12 + texts.height(title(axis), TITLE)
    return needed


def _fit_ticks(axis: dict[str, Any], room: float) -> float:
    """The height of the labels, which are made smaller, thinned or slanted where they would touch."""
    labels = [str(label) for label in axis.get("ticktext") or ()]
    values = list(axis.get("tickvals") or ())
    if not labels or len(labels) != len(values):
        if axis.get("dtick") and axis.get("range") and axis.get("type") != "log":
            axis["dtick"] = _sparse(axis, room)
        elif not values:
            # Plotly rounds the steps up: with fewer, an axis may be left with a single label.
            axis["nticks"] = min(axis.get("nticks") or 99, max(3, int(room // 60)))
        return 10 + texts.LINE * TICK
    at = places(axis, values, room)
    size = next((s for s in (TICK, 11.0, SMALLEST) if not texts.collide(at, labels, s)), 0.0)
    if size:
        if size < TICK:
            axis["tickfont"] = {**(axis.get("tickfont") or {}), "size": size}
        axis["tickangle"] = 0
        return 10 + max(texts.height(label, size) for label in labels)
    if _even(at):
        steep = min(abs(b - a) for a, b in itertools.pairwise(at)) < 22
        axis["tickangle"] = -90 if steep else -SLANT
        axis["ticktext"] = labels = [" ".join(map(texts.plain, texts.lines(label))) for label in labels]
        axis["tickfont"] = {**(axis.get("tickfont") or {}), "size": 11.0}
        widest = max(texts.width(label, 11.0) for label in labels)
        return 14 + widest * (1.0 if steep else math.sin(math.radians(SLANT)))
    kept = thinned(at, labels)
    axis["tickvals"], axis["ticktext"] = [values[i] for i in kept], [labels[i] for i in kept]
    return 10 + max(texts.height(label, TICK) for label in labels)


def _sparse(axis: Mapping[str, Any], room: float) -> float:
    """The distance of labels that are drawn at every multiple of a number, so that they do not touch."""
    low, high = axis["range"]
    wide = texts.width(f"{max(abs(low), abs(high)):.0f}", TICK) + 8
    step = float(axis["dtick"])
    return step * next(f for f in (1, 2, 5, 10, 20, 50, 100, math.inf) if room * f * step >= wide * (high - low))


def places(axis: Mapping[str, Any], values: Sequence[Any], room: float) -> list[float]:
    """Where values lie on an axis of so many pixels."""
    low, high = axis.get("range") or (min(values), max(values))
    shown = [math.log10(v) if axis.get("type") == "log" else float(v) for v in values]
    return [room * (v - low) / ((high - low) or 1.0) for v in shown]


def thinned(at: Sequence[float], labels: Sequence[str]) -> list[int]:
    """As many labels as have room, both ends among them."""
    order = sorted(range(len(at)), key=at.__getitem__)
    kept: list[int] = []
    for i in dict.fromkeys((order[0], order[-1], *order)):
        both = sorted([*kept, i])
        if not texts.collide([at[j] for j in both], [labels[j] for j in both], TICK):
            kept.append(i)
    return sorted(kept, key=at.__getitem__)


def _even(at: Sequence[float]) -> bool:
    """Whether labels are names side by side, of which none can be guessed from its neighbours."""
    gaps = [b - a for a, b in itertools.pairwise(at)]
    return max(gaps) - min(gaps) < 1e-6 * max(1.0, max(map(abs, gaps)))
