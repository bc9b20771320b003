"""What does the grid look like? Its cells with the target, terminal cells, the agent and where it has been."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mohs.envs.render import canvas as c
from mohs.envs.render import frame as f
from mohs.envs.render.canvas import Canvas, Point
from mohs.envs.render.episode import Episode
from mohs.envs.render.frame import Panel
from mohs.envs.render.plane import Bar, Place, Plane, draw_bars, draw_trail
from mohs.tables.toys.grid import coordinates
from mohs.tables.toys.grid_parameters import Cell, target_point

_NUMBERED, _RULED = 15, 5  # pixels that a cell needs for its coordinate, and for a line around it


def picture(episode: Episode) -> npt.NDArray[np.uint8]:
    values = episode.task.values
    shape, target = values["grid_shape"], target_point(values)
    cells = coordinates(shape)
    trail = [cells[int(state[0])] for state in episode.trail]
    here: Cell = tuple(trail[-1].tolist())
    further = range(2, len(shape))
    signs = [
        (f.disc_sign(c.BLUE), "agent"), (f.arrow_sign(c.SKY), "last moves"), (f.star_sign, "target"),
        (f.box_sign(c.DARK, crossed=True), "terminal"),
    ]  # fmt: skip
    canvas, panels = f.frame(episode, 1 + bool(further) + values["irrelevant_features"], signs)
    if here == target or here in values["terminal_states"]:
        f.aside(canvas, "episode", "over")
    else:
        f.aside(canvas, "distance", str(np.abs(trail[-1] - np.array(target)).sum()))
    board = Board(panels[0], shape)
    board.draw(canvas)
    for cell in values["terminal_states"]:
        if cell[2:] == here[2:]:  # else it lies on another page
            board.end(canvas, cell)
    board.goal(canvas, target, near=target[2:] == here[2:])
    board.agent(canvas, trail, c.BLUE, c.SKY)
    if further:
        bars = [Bar(f"dimension {i + 1}", 0, shape[i] - 1, here[i], target[i], True) for i in further]
        draw_bars(canvas, panels[1], bars)
    if values["irrelevant_features"]:
        f.title(canvas, panels[-1], "irrelevant features")
        other = Board(panels[-1], shape)
        other.draw(canvas)
        other.agent(canvas, [cells[int(state[1])] for state in episode.trail], c.MUTED, c.LINE)
    return canvas.finished()


class Board:
    """The first two dimensions of a grid in a panel; cells are squares."""

    def __init__(self, panel: Panel, shape: Cell) -> None:
        self._flat = len(shape) == 1
        self._shape = (shape[0], 1 if self._flat else shape[1])
        self._plane = Plane.of(panel, (-0.5, -0.5), (self._shape[0] - 0.5, self._shape[1] - 0.5))
        self._size = self._plane.scale

    def draw(self, canvas: Canvas) -> None:
        plane, size = self._plane, self._size
        if size >= _RULED:
            for i in range(1, self._shape[0]):
                x = plane.left + i * size
                canvas.line([(x, plane.top), (x, plane.bottom)], c.LINE, 1)
            for i in range(1, self._shape[1]):
                y = plane.bottom - i * size
                canvas.line([(plane.left, y), (plane.right, y)], c.LINE, 1)
        if size >= _NUMBERED:
            for i in range(self._shape[0]):
                canvas.text((plane.left + (i + 0.5) * size, plane.bottom + 13), str(i), 12, c.MUTED)
            for i in range(0 if self._flat else self._shape[1]):
                canvas.text((plane.left - 8, plane.bottom - (i + 0.5) * size), str(i), 12, c.MUTED, "rm")
        plane.outline(canvas)

    def end(self, canvas: Canvas, cell: Cell) -> None:
        self._fill(canvas, cell, c.DARK)
        if self._size >= 10:
            canvas.cross(self._at(cell), 0.2 * self._size, c.PAPER, min(2.5, 0.08 * self._size))

    def goal(self, canvas: Canvas, cell: Cell, near: bool) -> None:
        """The target, faint where it lies on another page than the agent."""
        if near:
            self._fill(canvas, cell, c.PALE_GREEN)
        canvas.star(self._at(cell), max(4, 0.4 * self._size), c.GREEN if near else c.mixed(c.GREEN, 0.35))

    def agent(self, canvas: Canvas, trail: Sequence[Place], colour: str, path: str) -> None:
        points = [self._at(cell) for cell in trail]
        radius = max(2.5, 0.28 * self._size)
        draw_trail(canvas, points, 0.4 * radius, path)
        canvas.disc(points[-1], radius, colour, c.PAPER, max(0.5, 0.04 * self._size))

    def _at(self, cell: Cell | Place) -> Point:
        return self._plane.at((cell[0], 0 if self._flat else cell[1]))

    def _fill(self, canvas: Canvas, cell: Cell, colour: str) -> None:
        (x, y), half = self._at(cell), max(0.5, 0.5 * self._size - 1)
        canvas.box((x - half, y - half), (x + half, y + half), colour)
