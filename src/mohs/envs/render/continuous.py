"""What does the continuous toy look like? Its first two relevant dimensions as a plane, the others as bars."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from mohs.envs.render import canvas as c
from mohs.envs.render import frame as f
from mohs.envs.render.canvas import Canvas, Point
from mohs.envs.render.episode import Episode
from mohs.envs.render.frame import Panel
from mohs.envs.render.plane import Bar, Plane, draw_bars, draw_trail
from mohs.tables.toys.point_mass import Float, PointMass, point_mass

_AGENT, _STAR, _HEAD = 8, 10, 11  # pixels


def picture(episode: Episode) -> npt.NDArray[np.uint8]:
    """A state of the episode is [order, dimensions]: the position, its velocity, and so on."""
    values = episode.task.values
    parts = point_mass(values)
    position = episode.states[-1][0]
    shown = parts.relevant[:2]
    others = [i for i in range(parts.dims) if i not in shown]
    signs = [(f.disc_sign(c.BLUE), "agent"), (f.arrow_sign(c.SKY), "last moves")]
    signs += [(f.arrow_sign(c.ORANGE), "velocity")] if len(episode.states[-1]) > 1 else []
    signs += [(f.star_sign, "target")] if parts.target is not None else []
    signs += [(f.box_sign(c.DARK, crossed=True), "terminal")] if len(parts.centres) else []
    canvas, panels = f.frame(episode, 2 if others else 1, signs)
    if parts.terminal(position[None])[0]:
        f.aside(canvas, "episode", "over")
    elif parts.target is not None:
        f.aside(canvas, "distance", c.number(float(np.linalg.norm(position[parts.relevant] - parts.target))))
    plane = _draw_space(canvas, panels[0], parts, position)
    points = [plane.at(state[0][shown]) for state in episode.trail]
    draw_trail(canvas, points, 0.5 * _AGENT)
    if len(episode.states[-1]) > 1:
        _draw_velocity(canvas, points[-1], plane.scale * values["time_unit"] * episode.states[-1][1][shown])
    canvas.disc(points[-1], _AGENT, c.BLUE, c.PAPER, 1.5)
    draw_bars(canvas, panels[-1], [_bar(parts, i, float(position[i])) for i in others])
    return canvas.finished()


def _draw_space(canvas: Canvas, panel: Panel, parts: PointMass, position: Float) -> Plane:
    limit, dims = parts.limit, min(len(parts.relevant), 2)
    plane = Plane.of(panel, [-limit] * dims, [limit] * dims)
    x, y = plane.at([0.0] * dims)
    canvas.line([(x, plane.top), (x, plane.bottom)], c.LINE)
    if dims > 1:
        canvas.line([(plane.left, y), (plane.right, y)], c.LINE)
    plane.outline(canvas)
    for value in (-limit, 0.0, limit):
        x, y = plane.at([value] * dims)
        canvas.text((x, plane.bottom + 13), c.number(value), 12, c.MUTED)
        if dims > 1:
            canvas.text((plane.left - 6, y), c.number(value), 12, c.MUTED, "rm")
    further = position[parts.relevant[2:]]
    for centre in parts.centres:
        inside = bool((np.abs(further - centre[2:]) <= parts.half_edge).all())
        low, high = plane.corners(centre[:2] - parts.half_edge, centre[:2] + parts.half_edge)
        if low[0] < high[0] and low[1] < high[1]:
            canvas.box(low, high, c.DARK if inside else c.PANEL, c.DARK, 1)
            middle = ((low[0] + high[0]) / 2, (low[1] + high[1]) / 2)
            canvas.cross(middle, min(6, 0.3 * (high[0] - low[0])), c.PAPER if inside else c.DARK, 1.5)
    if parts.target is not None:
        at, radius = plane.at(parts.target[:2]), parts.radius * plane.scale
        canvas.disc(at, radius, c.PALE_GREEN, c.GREEN, 1.2)
        canvas.star(at, max(_STAR, min(0.6 * radius, 20)), c.GREEN)
    return plane


def _draw_velocity(canvas: Canvas, point: Point, step: Float) -> None:
    """An arrow from the edge of the agent, as long as the way of one step, with room for its head."""
    across, up = (float(step[0]), float(step[1]) if len(step) > 1 else 0.0)
    length = math.hypot(across, up)
    if length > 0:
        reach = (_AGENT + max(length, _HEAD)) / length
        canvas.arrow([point, (point[0] + reach * across, point[1] - reach * up)], c.ORANGE, 2.5)


def _bar(parts: PointMass, dimension: int, here: float) -> Bar:
    place = np.flatnonzero(parts.relevant == dimension)
    counts = len(place) > 0
    target = float(parts.target[place[0]]) if counts and parts.target is not None else None
    name = f"dimension {dimension + 1}" if counts else "irrelevant"
    return Bar(name, -parts.limit, parts.limit, here, target, counts)
