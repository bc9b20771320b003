"""How is a shape drawn? With Pillow: shapes enlarged and then reduced, so that edges are smooth; texts as they are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

ENLARGED = 3
Point = tuple[float, float]

# Okabe and Ito's colours, which differ for every colour vision; what matters differs in shape too.
PAPER, PANEL, LINE, INK, MUTED = "#ffffff", "#f4f6f8", "#c3cad1", "#16191d", "#5a6470"
BLUE, SKY, ORANGE, GREEN, DARK = "#0072b2", "#56b4e9", "#e69f00", "#009e73", "#2b3038"
PALE_ORANGE, PALE_GREEN, PALE_BLUE = "#fdf0cf", "#d5f0e6", "#dcecf7"


def mixed(colour: str, share: float, ground: str = PAPER) -> str:
    """A colour thinned with another one, of which it keeps this share."""
    pairs = zip(_channels(colour), _channels(ground), strict=True)
    return "#" + "".join(f"{round(share * a + (1 - share) * b):02x}" for a, b in pairs)


class Canvas:
    """A picture under way. Coordinates are pixels of the finished picture, y downwards."""

    def __init__(self, width: int, height: int) -> None:
        self._image = Image.new("RGB", (width * ENLARGED, height * ENLARGED), PAPER)
        self._draw = ImageDraw.Draw(self._image)
        self._texts: list[tuple[Point, str, int, str, str]] = []

    def line(self, points: Sequence[Point], colour: str, width: float = 1.5) -> None:
        self._draw.line(_enlarged(points), colour, _thick(width), joint="curve")

    def box(
        self,
        corner: Point,
        opposite: Point,
        fill: str | None,
        outline: str | None = None,
        width: float = 1,
        r: float = 0,
    ) -> None:
        places = _enlarged([corner, opposite])
        self._draw.rounded_rectangle(places, r * ENLARGED, fill, outline, _thick(width) if outline else 0)

    def disc(
        self, centre: Point, radius: float, fill: str | None, outline: str | None = None, width: float = 1
    ) -> None:
        (x, y), r = centre, radius
        places = _enlarged([(x - r, y - r), (x + r, y + r)])
        self._draw.ellipse(places, fill, outline, _thick(width) if outline else 0)

    def polygon(self, points: Sequence[Point], fill: str) -> None:
        self._draw.polygon(_enlarged(points), fill)

    def band(self, centre: Point, radius: float, start: float, end: float, colour: str, width: float) -> None:
        """A part of a ring, between two angles in degrees, clockwise from the right."""
        (x, y), r = centre, radius + width / 2
        self._draw.arc(_enlarged([(x - r, y - r), (x + r, y + r)]), start, end, colour, _thick(width))

    def cross(self, centre: Point, reach: float, colour: str, width: float) -> None:
        (x, y), d = centre, reach
        self.line([(x - d, y - d), (x + d, y + d)], colour, width)
        self.line([(x - d, y + d), (x + d, y - d)], colour, width)

    def star(self, centre: Point, radius: float, colour: str) -> None:
        turns = [math.tau * i / 10 - math.tau / 4 for i in range(10)]
        reach = [radius if i % 2 == 0 else 0.42 * radius for i in range(10)]
        self.polygon(
            [(centre[0] + r * math.cos(a), centre[1] + r * math.sin(a)) for r, a in zip(reach, turns, strict=True)],
            colour,
        )

    def arrow(self, points: Sequence[Point], colour: str, width: float = 2) -> None:
        """A line through points with a head at the last one."""
        (x, y), head = points[-1], 3.2 * width + 2
        before = next((p for p in reversed(points[:-1]) if math.dist(p, (x, y)) >= head), points[0])
        angle = math.atan2(y - before[1], x - before[0])
        neck = (x - 0.8 * head * math.cos(angle), y - 0.8 * head * math.sin(angle))
        kept = [p for p in points[:-1] if math.dist(p, (x, y)) > 0.8 * head]
        self.line([*kept, neck], colour, width)
        wings = [(x - head * math.cos(angle + s), y - head * math.sin(angle + s)) for s in (0.42, -0.42)]
        self.polygon([(x, y), *wings], colour)

    def text(self, at: Point, text: str, size: int = 13, colour: str = INK, anchor: str = "mm") -> None:
        """A text; the anchor is Pillow's: left, middle or right, then top, middle, baseline …"""
        self._texts.append((at, text, size, colour, anchor))

    def finished(self) -> npt.NDArray[np.uint8]:
        small = self._image.reduce(ENLARGED)
        draw = ImageDraw.Draw(small)
        for at, text, size, colour, anchor in self._texts:
            draw.text(at, text, colour, font(size), anchor)
        return np.array(small)


@cache
def font(size: int) -> Any:
    return ImageFont.load_default(size)


def text_width(text: str, size: int) -> float:
    return float(font(size).getlength(text))


def number(value: float) -> str:
    """A reward as people read it."""
    return f"{value:.2g}" if 0 < abs(value) < 0.01 else f"{round(value, 2) + 0.0:.6g}"  # no negative zero


def _enlarged(points: Sequence[Point]) -> list[Point]:
    return [(x * ENLARGED, y * ENLARGED) for x, y in points]


def _thick(width: float) -> int:
    return max(1, round(width * ENLARGED))


def _channels(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[i : i + 2], 16) for i in (1, 3, 5))
