"""What do the boards of puzzles and games look like? One small function for each source.

A board is an array [rows, columns] of codes, whose meaning is that of `look` in the rules of the source. Of pieces the
agent's are blue and the opponent's are orange with a ring or a bar, so that shape tells them apart too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from mohs.envs.render import canvas as c
from mohs.envs.render import frame as f
from mohs.envs.render.canvas import Canvas, Point
from mohs.envs.render.frame import SIDE, Mark, Panel
from mohs.envs.render.pieces import draw_piece, placed

Codes = npt.NDArray[Any]
EDGE = 30  # pixels around a board
WOOD, LIGHT, DARK_SQUARE = "#f3d9a4", "#f4f1ea", "#c9bda7"
# Of the faces of the cube, in the order of their codes; red is Okabe and Ito's vermilion.
FACES = ("", "#ffffff", c.ORANGE, c.GREEN, "#d55e00", c.BLUE, "#f0e442")


@dataclass(frozen=True)
class Squares:
    """The cells of a board in a panel: squares, as large as they can be."""

    left: float
    top: float
    size: float
    rows: int
    columns: int

    @classmethod
    def of(cls, panel: Panel, codes: Codes) -> Squares:
        rows, columns = codes.shape
        size = (SIDE - 2 * EDGE) / max(rows, columns)
        x, y = panel.centre
        return cls(x - columns * size / 2, y - rows * size / 2, size, rows, columns)

    def at(self, row: float, column: float) -> Point:
        """The middle of a cell."""
        return self.left + (column + 0.5) * self.size, self.top + (row + 0.5) * self.size

    def box(
        self, canvas: Canvas, at: Point, fill: str, outline: str | None = None, gap: float = 0, r: float = 0
    ) -> None:
        """A cell by its middle, smaller by a gap on all sides; gap and roundness are shares of its size."""
        (x, y), half = at, (0.5 - gap) * self.size
        canvas.box((x - half, y - half), (x + half, y + half), fill, outline, 1.5, r * self.size)

    def around(self, canvas: Canvas, fill: str | None, outline: str, gap: float = 0, r: float = 0) -> None:
        """The whole board, with a margin."""
        right, bottom = self.left + self.columns * self.size, self.top + self.rows * self.size
        canvas.box((self.left - gap, self.top - gap), (right + gap, bottom + gap), fill, outline, 1.5, r)


def _cells(codes: Codes) -> Sequence[tuple[int, int, int]]:
    """(row, column, code) of all cells."""
    return [(i, j, code) for i, row in enumerate(codes.tolist()) for j, code in enumerate(row)]


def draw_tiles(canvas: Canvas, panel: Panel, codes: Codes) -> None:
    """Tiles with their numbers; those that are where they belong are green."""
    squares = Squares.of(panel, codes)
    squares.around(canvas, c.PANEL, c.LINE, 8, 10)
    for row, column, code in _cells(codes):
        if code:
            home = code == row * squares.columns + column + 1
            fill, outline = (c.PALE_GREEN, c.GREEN) if home else (c.PAPER, c.MUTED)
            squares.box(canvas, squares.at(row, column), fill, outline, 0.03, 0.1)
            canvas.text(squares.at(row, column), str(code), round(0.42 * squares.size))


def draw_hanoi(canvas: Canvas, panel: Panel, codes: Codes) -> None:
    """Discs on three pegs."""
    discs = codes.shape[0]
    height, width = min(34.0, 240 / discs), (SIDE - 2 * EDGE) / 3
    left, ground = panel.left + EDGE, panel.top + SIDE - 90
    for peg in range(3):
        x = left + (peg + 0.5) * width
        canvas.box((x - 4, ground - (discs + 0.8) * height), (x + 4, ground), c.LINE, r=4)
        canvas.text((x, ground + 32), f"peg {peg + 1}", 12, c.MUTED)
    canvas.box((left - 6, ground), (left + 3 * width + 6, ground + 12), c.DARK, r=4)
    for row, peg, disc in _cells(codes):
        if disc:
            x, y = left + (peg + 0.5) * width, ground - (discs - row) * height
            half = (0.16 + 0.32 * disc / discs) * width
            colour = c.mixed(c.BLUE, 0.5 + 0.5 * disc / discs)
            canvas.box((x - half, y + 1), (x + half, y + height - 1), colour, r=min(8, 0.4 * height))
            canvas.text((x, y + height / 2), str(disc), min(15, round(0.6 * height)), c.PAPER)


def draw_cube(canvas: Canvas, panel: Panel, codes: Codes) -> None:
    """The tower unfolded, with the letters of its colours."""
    squares = Squares.of(panel, codes)
    for row, column, code in _cells(codes):
        if code:
            squares.box(canvas, squares.at(row, column), FACES[code], c.DARK, 0.04, 0.12)
            ink = c.PAPER if FACES[code] in (c.BLUE, c.GREEN, FACES[4]) else c.INK
            canvas.text(squares.at(row, column), " WOGRBY"[code], 13, ink)


def draw_sokoban(canvas: Canvas, panel: Panel, codes: Codes) -> None:
    """Walls, goals, boxes and the player; what lies outside the walls is left out."""
    squares, outside = Squares.of(panel, codes), _outside(codes)
    for row, column, code in _cells(codes):
        if (row, column) in outside:
            continue
        at, size = squares.at(row, column), squares.size
        _, wall, goal, box, box_on_goal, player, player_on_goal = (code == each for each in range(7))
        squares.box(canvas, at, c.DARK if wall else c.PANEL, None if wall else c.LINE)
        if goal or box_on_goal or player_on_goal:
            canvas.star(at, 0.4 * size, c.GREEN)
        if box or box_on_goal:
            fill = c.mixed(c.GREEN, 0.55) if box_on_goal else c.mixed(c.ORANGE, 0.65)
            squares.box(canvas, at, fill, c.DARK, 0.14, 0.06)
            canvas.cross(at, 0.26 * size, c.DARK, max(1.0, 0.03 * size))
        if player or player_on_goal:
            canvas.disc(at, 0.3 * size, c.BLUE, c.PAPER, 1.5)


def _outside(codes: Codes) -> set[tuple[int, int]]:
    """The bare cells from which one comes to the edge past no wall."""
    rows, columns = codes.shape
    bare = {(row, column) for row, column, code in _cells(codes) if code == 0}
    found: set[tuple[int, int]] = set()
    waiting = [(i, j) for i, j in bare if i in (0, rows - 1) or j in (0, columns - 1)]
    while waiting:
        i, j = waiting.pop()
        if (i, j) in bare - found:
            found.add((i, j))
            waiting += [(i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)]
    return found


def draw_go(canvas: Canvas, panel: Panel, codes: Codes) -> None:
    """Stones where lines cross; the agent's are black. Dots say that the opponent has passed."""
    squares = Squares.of(panel, codes)
    squares.around(canvas, WOOD, c.MUTED, 6, 6)
    last_row, last_column = squares.rows - 1, squares.columns - 1
    for i in range(squares.rows):
        canvas.line([squares.at(i, 0), squares.at(i, last_column)], c.DARK)
    for i in range(squares.columns):
        canvas.line([squares.at(0, i), squares.at(last_row, i)], c.DARK)
    for row, column, code in _cells(codes):
        if code in (1, 2):
            canvas.disc(squares.at(row, column), 0.42 * squares.size, (c.DARK, c.PAPER)[code - 1], c.DARK, 1.5)
        elif code == 3:
            squares.box(canvas, squares.at(row, column), c.PAPER, c.DARK, 0.36)
        elif code == 4:
            canvas.disc(squares.at(row, column), 0.06 * squares.size, c.DARK, c.DARK)


def draw_connect_four(canvas: Canvas, panel: Panel, codes: Codes) -> None:
    """A frame with holes, and the discs in them."""
    squares = Squares.of(panel, codes)
    squares.around(canvas, c.mixed(c.MUTED, 0.6), c.DARK, 8, 12)
    for row, column, code in _cells(codes):
        if code == 0:
            canvas.disc(squares.at(row, column), 0.4 * squares.size, c.PAPER, c.MUTED)
        else:
            _disc(canvas, squares.at(row, column), 0.4 * squares.size, code == 1)


def draw_checkers(canvas: Canvas, panel: Panel, codes: Codes) -> None:
    """Discs on dark squares; kings wear a crown."""
    squares = Squares.of(panel, codes)
    _chequered(canvas, squares)
    for row, column, code in _cells(codes):
        if code in (1, 2, 3, 4):
            at = squares.at(row, column)
            _disc(canvas, at, 0.38 * squares.size, code <= 2)
            if code % 2 == 0:
                _crown(canvas, at, 0.3 * squares.size, c.PAPER if code == 2 else c.INK)


def draw_chess(canvas: Canvas, panel: Panel, codes: Codes) -> None:
    """Pieces on a chequered board; the agent's go up."""
    squares = Squares.of(panel, codes)
    _chequered(canvas, squares)
    for row, column, code in _cells(codes):
        if code:
            draw_piece(canvas, squares.at(row, column), 0.4 * squares.size, (code - 1) % 4, ours=code <= 4)


def _chequered(canvas: Canvas, squares: Squares) -> None:
    """The near left corner is dark."""
    for row in range(squares.rows):
        for column in range(squares.columns):
            dark = (squares.rows - 1 - row + column) % 2 == 0
            squares.box(canvas, squares.at(row, column), DARK_SQUARE if dark else LIGHT)
    squares.around(canvas, None, c.MUTED)


def _disc(canvas: Canvas, at: Point, radius: float, ours: bool) -> None:
    canvas.disc(at, radius, c.BLUE if ours else c.ORANGE, c.DARK, 1.5)
    if not ours:
        canvas.disc(at, 0.68 * radius, None, c.DARK, 1.5)


def _crown(canvas: Canvas, at: Point, r: float, colour: str) -> None:
    points = ((-0.8, 0.6), (-0.9, -0.5), (-0.4, 0.05), (0, -0.75), (0.4, 0.05), (0.9, -0.5), (0.8, 0.6))
    canvas.polygon(placed(at, r, points), colour)


Draw = Callable[[Canvas, Panel, Codes], None]
Signs = Sequence[tuple[Mark, str]]


def _opponent_sign(canvas: Canvas, at: Point) -> None:
    _disc(canvas, at, 7, ours=False)


def _crown_sign(canvas: Canvas, at: Point) -> None:
    _crown(canvas, at, 7, c.MUTED)


_PLAYERS: Signs = [(f.disc_sign(c.BLUE), "agent"), (_opponent_sign, "opponent")]
# Of each source how its boards are drawn, and the signs that explain them.
BOARDS: dict[str, tuple[Draw, Signs]] = {
    "tiles": (draw_tiles, [(f.box_sign(c.PALE_GREEN, outline=c.GREEN), "in its place")]),
    "hanoi": (draw_hanoi, []),
    "cube": (draw_cube, []),
    "sokoban": (
        draw_sokoban,
        [(f.disc_sign(c.BLUE), "player"), (f.box_sign(c.mixed(c.ORANGE, 0.65), outline=c.DARK), "box"),
         (f.star_sign, "goal"), (f.box_sign(c.mixed(c.GREEN, 0.55), outline=c.DARK), "box on goal")],
    ),
    "go": (
        draw_go,
        [(f.disc_sign(c.DARK), "agent"), (f.disc_sign(c.PAPER, c.DARK), "opponent"),
         (f.box_sign(c.PAPER, outline=c.DARK), "forbidden by ko")],
    ),
    "chess": (draw_chess, _PLAYERS),
    "checkers": (draw_checkers, [*_PLAYERS, (_crown_sign, "king")]),
    "connect_four": (draw_connect_four, _PLAYERS),
}  # fmt: skip
