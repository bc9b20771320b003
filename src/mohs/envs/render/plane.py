"""How is a place drawn whose coordinates are numbers? The first two dimensions as a plane, further ones as bars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy.typing as npt

from mohs.envs.render import canvas as c
from mohs.envs.render.canvas import Canvas, Point
from mohs.envs.render.frame import SIDE, Panel

EDGE = 34  # pixels around the plane, where its numbers stand
_FLAT = 1 / 9  # height of a plane of one dimension, of its width
_NAMES = 96  # pixels for the names of bars

Place = npt.NDArray[Any]


@dataclass(frozen=True)
class Plane:
    """A rectangle of a panel that stands for a range of the first dimension, to the right, and of the second, up."""

    left: float
    top: float
    right: float
    bottom: float
    low: Point
    scale: float  # pixels of a unit

    @classmethod
    def of(cls, panel: Panel, low: Sequence[float], high: Sequence[float]) -> Plane:
        """As large as it can be; a place of one dimension gets some height, so that it can be seen."""
        if len(low) == 1:
            half = _FLAT * (high[0] - low[0]) / 2
            low, high = (low[0], -half), (high[0], half)
        width, height = high[0] - low[0], high[1] - low[1]
        scale = (SIDE - 2 * EDGE) / max(width, height)
        x, y = panel.centre[0] - scale * width / 2, panel.centre[1] - scale * height / 2
        return cls(x, y, x + scale * width, y + scale * height, (low[0], low[1]), scale)

    def at(self, place: Sequence[float] | Place) -> Point:
        """The pixel of a place; one of one dimension lies half-way up."""
        x = self.left + self.scale * (float(place[0]) - self.low[0])
        if len(place) == 1:
            return x, (self.top + self.bottom) / 2
        return x, self.bottom - self.scale * (float(place[1]) - self.low[1])

    def corners(self, low: Sequence[float] | Place, high: Sequence[float] | Place) -> tuple[Point, Point]:
        """The upper left and the lower right corner of what the plane shows of a box."""
        (left, bottom), (right, top) = self.at(low), self.at(high)
        if len(low) == 1:
            top, bottom = self.top, self.bottom
        return (max(left, self.left), max(top, self.top)), (min(right, self.right), min(bottom, self.bottom))

    def outline(self, canvas: Canvas) -> None:
        canvas.box((self.left, self.top), (self.right, self.bottom), None, c.MUTED, 1.2)


def draw_trail(canvas: Canvas, points: Sequence[Point], radius: float, colour: str = c.SKY) -> None:
    """The way through the last places, fainter the longer ago."""
    moves = list(pairwise(points))
    for age, move in zip(range(len(moves), 0, -1), moves, strict=True):
        faded = c.mixed(colour, max(0.3, 1 - 0.1 * (age - 1)))
        canvas.line(move, faded, max(1.5, 0.5 * radius))
        canvas.disc(move[0], max(1.5, 0.6 * radius), faded)


@dataclass(frozen=True)
class Bar:
    """A further dimension: its range, where the agent is, where the target is if it has one, whether it counts."""

    name: str
    low: float
    high: float
    here: float
    target: float | None
    counts: bool

    def share(self, value: float) -> float:
        return (value - self.low) / (self.high - self.low) if self.high > self.low else 0.5


def draw_bars(canvas: Canvas, panel: Panel, bars: Sequence[Bar]) -> None:
    height = min(46.0, (SIDE - 2 * EDGE) / max(len(bars), 1))
    left, right = panel.left + _NAMES, panel.left + SIDE - EDGE
    for i, bar in enumerate(bars):
        y = panel.centre[1] + height * (i + 0.5 - len(bars) / 2)
        if height > 10:
            canvas.text((left - 12, y), bar.name, 12, c.MUTED, "rm")
        canvas.line([(left, y), (right, y)], c.LINE, min(3, 0.2 * height))
        if bar.target is not None:
            canvas.star((left + (right - left) * bar.share(bar.target), y), min(11, 0.5 * height), c.GREEN)
        here = left + (right - left) * bar.share(bar.here), y
        canvas.disc(here, min(7, 0.3 * height), c.BLUE if bar.counts else c.MUTED, c.PAPER, 1)
