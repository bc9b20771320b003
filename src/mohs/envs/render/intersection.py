"""What does an intersection look like? From above: lanes, vehicles, a light for each lane, arrows of what has a green.

Roads are drawn to a scale of their own along the lanes, so that queues of some ten vehicles are seen.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mohs.engines.traffic.discharge import SPACE
from mohs.engines.traffic.junction import APPROACHES, LEFT, RIGHT, THROUGH, Junction, junction
from mohs.envs.render import canvas as c
from mohs.envs.render import frame as f
from mohs.envs.render.canvas import Canvas, Point
from mohs.envs.render.episode import Episode

_RED, _ROAD, _GRASS, _PALE = "#d55e00", "#8a929b", "#e9efe6", "#8fd3bb"
_LIGHTS = (_RED, _PALE, c.GREEN)  # of no green, a permissive and a protected one
_METRE = 2.0  # pixels along a lane
_WIDEST, _STREET = 18.0, 176.0  # pixels of a lane, and of a whole street at most
_TRAVEL = ((0, 1), (-1, 0), (0, -1), (1, 0))  # the direction in which vehicles of each approach drive


class _Plan:
    """Where things lie: of each approach the direction of travel, what is on its right, and its stop line."""

    def __init__(self, built: Junction, centre: Point) -> None:
        self.centre = np.array(centre)
        self.counts = [len(built.of(approach)) for approach in range(4)]
        self.exits = [sum(THROUGH in lane.movements for lane in built.of((a + 2) % 4)) for a in range(4)]
        self.lane = min(_WIDEST, _STREET / (2 * max(self.counts)))
        self.first = np.cumsum([0, *self.counts])

    def direction(self, approach: int) -> npt.NDArray[np.float64]:
        return np.array(_TRAVEL[approach], dtype=float)

    def edge(self, approach: int) -> float:
        """From the centre to the stop line: half of the other street, and a margin."""
        across = max(self.counts[(approach + 1) % 4], self.counts[(approach + 3) % 4])
        return self.lane * across + 7

    def at(self, approach: int, before: float, aside: float) -> Point:
        """So many pixels before the stop line, and so many to the right of the middle of the street."""
        travel = self.direction(approach)
        x, y = self.centre - travel * (self.edge(approach) + before) + _right(travel) * aside
        return float(x), float(y)

    def middle(self, k: int) -> tuple[int, float]:
        """The approach of a lane, and how far its middle is from the middle of the street."""
        approach = int(np.searchsorted(self.first, k, "right")) - 1
        return approach, self.lane * (k - self.first[approach] + 0.5)


def _right(travel: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.array([-travel[1], travel[0]])


def _box(canvas: Canvas, one: Point, other: Point, fill: str, outline: str | None = None, r: float = 0) -> None:
    """A box by any two opposite corners."""
    (x, y), (u, v) = one, other
    canvas.box((min(x, u), min(y, v)), (max(x, u), max(y, v)), fill, outline, 0.6, r)


def picture(episode: Episode) -> npt.NDArray[np.uint8]:
    """The intersection after the last decision. A state has a row of numbers and one of each vehicle."""
    signs = [
        (f.box_sign(c.ORANGE), "queues"), (f.box_sign(c.BLUE), "approaches"), (f.box_sign(c.GREEN), "green"),
        (f.box_sign(_PALE), "gives way"), (f.box_sign(_RED), "red"),
    ]  # fmt: skip
    canvas, (panel,) = f.frame(episode, 1, signs)
    built = junction(episode.task.values)
    (phase, _, outside, crossed), vehicles = episode.states[-1][0], episode.states[-1][1:]
    plan = _Plan(built, panel.centre)
    f.aside(canvas, "crossed", f"{crossed:.0f}")
    _box(canvas, (panel.left, panel.top), (panel.left + f.SIDE, panel.top + f.SIDE), _GRASS)
    _roads(canvas, plan)
    _lights(canvas, plan, built, int(phase))
    hidden = _vehicles(canvas, plan, vehicles)
    for approach, more in enumerate(hidden):
        if more:
            before = f.SIDE / 2 - plan.edge(approach) - 14
            canvas.text(plan.at(approach, before, plan.lane * plan.counts[approach] + 16), f"+{more}", 12, c.MUTED)
    if outside:
        canvas.text((panel.left + 10, panel.top + f.SIDE - 12), f"{outside:.0f} wait to enter", 12, c.MUTED, "lm")
    canvas.line([(0, panel.top), (f.SIDE, panel.top)], c.LINE)
    return canvas.finished()


def _roads(canvas: Canvas, plan: _Plan) -> None:
    """Lanes to and from the intersection, with their lines."""
    for approach in range(4):
        reach = f.SIDE / 2 - plan.edge(approach)
        far = plan.at(approach, reach, -plan.lane * plan.exits[approach])
        travel = plan.direction(approach)
        near = plan.centre + _right(travel) * plan.lane * plan.counts[approach]
        _box(canvas, far, (float(near[0]), float(near[1])), _ROAD)
    wide, high = plan.edge(1) - 7, plan.edge(0) - 7
    x, y = plan.centre
    _box(canvas, (x - wide, y - high), (x + wide, y + high), _ROAD)
    for approach in range(4):
        reach = f.SIDE / 2 - plan.edge(approach)
        canvas.line([plan.at(approach, 0, 0), plan.at(approach, reach, 0)], c.PAPER, 1.8)
        for i in (*range(1, plan.counts[approach]), *range(-plan.exits[approach] + 1, 0)):
            for start in np.arange(4, reach, 12):
                ends = (start, min(start + 6, reach))
                canvas.line([plan.at(approach, end, plan.lane * i) for end in ends], c.PAPER, 0.8)


def _lights(canvas: Canvas, plan: _Plan, built: Junction, phase: int) -> None:
    """A bar at the stop line of each lane, and an arrow for each stream that has a green."""
    shown = built.phases[phase]
    for k, lane in enumerate(built.lanes):
        approach, aside = plan.middle(k)
        green = max(shown.green(approach, movement) for movement in lane.movements)
        half = plan.lane / 2 - 0.8
        _box(canvas, plan.at(approach, 0, aside - half), plan.at(approach, -5, aside + half), _LIGHTS[green], r=1)
    for approach in range(len(APPROACHES)):
        for movement in (RIGHT, LEFT, THROUGH):
            green = shown.green(approach, movement)
            if green:
                canvas.arrow(_path(plan, built, approach, movement), _LIGHTS[green], 2.4 if green == 2 else 1.8)


def _path(plan: _Plan, built: Junction, approach: int, movement: int) -> list[Point]:
    """The way of a stream through the intersection, as points of a curve."""
    lanes = [k for k, lane in enumerate(built.lanes) if lane.approach == approach and movement in lane.movements]
    travel, aside = plan.direction(approach), float(np.mean([plan.middle(k)[1] for k in lanes]))
    right = _right(travel)
    leaves = {LEFT: -right, THROUGH: travel, RIGHT: right}[movement]
    out = int(np.flatnonzero((np.array(_TRAVEL) == -leaves).all(axis=1))[0])  # the arm by which it leaves
    start = plan.centre - travel * (plan.edge(approach) - 8) + right * aside
    if movement == THROUGH:
        end = start + travel * (plan.edge(approach) + plan.edge(out) - 16)
        corner = (start + end) / 2
    else:
        beside = plan.lane * (0.5 if movement == LEFT else plan.exits[out] - 0.5)
        end = plan.centre + leaves * (plan.edge(out) - 4) + _right(leaves) * beside
        corner = plan.centre + right * aside + _right(leaves) * beside
    points = [(1 - t) ** 2 * start + 2 * t * (1 - t) * corner + t**2 * end for t in np.linspace(0, 1, 25)]
    return [(float(x), float(y)) for x, y in points]


def _vehicles(canvas: Canvas, plan: _Plan, vehicles: npt.NDArray[np.float64]) -> list[int]:
    """Draws all that fit, and returns how many of each approach do not."""
    hidden = [0] * len(APPROACHES)
    half, length = 0.24 * plan.lane, (SPACE - 2.5) * _METRE
    for k, distance, movement, queues in vehicles:
        approach, aside = plan.middle(int(k))
        near = distance * _METRE + 2
        if near + length > f.SIDE / 2 - plan.edge(approach):
            hidden[approach] += 1
            continue
        corners = plan.at(approach, near, aside - half), plan.at(approach, near + length, aside + half)
        _box(canvas, *corners, c.ORANGE if queues else c.BLUE, c.DARK, r=1.5)
        if movement != THROUGH:  # a blinker
            side = -half if movement == LEFT else half
            canvas.disc(plan.at(approach, near + 1.5, aside + side), 1.5, c.PAPER)
    return hidden
