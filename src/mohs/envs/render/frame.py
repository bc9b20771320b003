"""What do the pictures of all toys have in common? A head with numbers, panels side by side, a foot that explains."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mohs.envs.render import canvas as c
from mohs.envs.render.canvas import Canvas, Point
from mohs.envs.render.episode import Episode

SIDE, HEAD, FOOT, MARGIN = 400, 64, 34, 16  # pixels; a panel is a square
_COLUMN = 92  # of a number in the head

Mark = Callable[[Canvas, Point], None]  # draws a sign of the foot


@dataclass(frozen=True)
class Panel:
    """A square of the picture, by its corner."""

    left: float
    top: float = HEAD

    @property
    def centre(self) -> Point:
        return self.left + SIDE / 2, self.top + SIDE / 2


def frame(episode: Episode, panels: int, signs: Sequence[tuple[Mark, str]]) -> tuple[Canvas, list[Panel]]:
    """A canvas with head and foot, and the panels to be drawn."""
    width = panels * SIDE
    canvas = Canvas(width, HEAD + SIDE + FOOT)
    canvas.box((0, 0), (width, HEAD), c.PANEL)
    canvas.line([(0, HEAD), (width, HEAD)], c.LINE)
    numbers = (("step", str(episode.step)), ("reward", c.number(episode.reward)), ("return", c.number(episode.total)))
    for i, (name, value) in enumerate(numbers):
        x = float(MARGIN + i * _COLUMN)
        canvas.text((x, 22), name, 12, c.MUTED, "ls")
        size = 24 if c.text_width(value, 24) < _COLUMN - 8 else 15
        changed = name == "reward" and episode.reward != 0
        canvas.text((x, 50), value, size, c.BLUE if changed else c.INK, "ls")
    x, y = float(MARGIN), HEAD + SIDE + FOOT / 2
    for mark, word in signs:
        mark(canvas, (x + 7, y))
        canvas.text((x + 20, y), word, 12, c.MUTED, "lm")
        x += 20 + c.text_width(word, 12) + 13
    return canvas, [Panel(i * SIDE) for i in range(panels)]


def aside(canvas: Canvas, name: str, value: str) -> None:
    """One more number, at the right end of the head of the first panel."""
    canvas.text((SIDE - MARGIN, 22), name, 12, c.MUTED, "rs")
    canvas.text((SIDE - MARGIN, 50), value, 24 if c.text_width(value, 24) < _COLUMN else 15, c.INK, "rs")


def title(canvas: Canvas, panel: Panel, words: str) -> None:
    """What a further panel shows, in the head above it."""
    canvas.text((panel.left + MARGIN, HEAD / 2), words, 15, c.MUTED, "lm")


def steps_done(canvas: Canvas, name: str, done: int, of: int) -> None:
    """A row of boxes at the right end of the head, of which the first ones are filled."""
    canvas.text((SIDE - MARGIN, 22), name, 12, c.MUTED, "rs")
    width = min(18.0, 100 / of)
    for i in range(of):
        x = SIDE - MARGIN - (of - i) * width
        gap = 2 if width > 6 else 0
        canvas.box((x + gap, 34), (x + width, 50), c.ORANGE if i < done else c.PAPER, c.MUTED, 0.7)


def disc_sign(fill: str, outline: str | None = None) -> Mark:
    return lambda canvas, at: canvas.disc(at, 6, fill, outline, 2)


def box_sign(fill: str, crossed: bool = False, outline: str | None = None) -> Mark:
    def draw(canvas: Canvas, at: Point) -> None:
        canvas.box((at[0] - 6, at[1] - 6), (at[0] + 6, at[1] + 6), fill, outline, 1.5, 2)
        if crossed:
            canvas.cross(at, 3, c.PAPER, 1.3)

    return draw


def star_sign(canvas: Canvas, at: Point) -> None:
    canvas.star(at, 8, c.GREEN)


def arrow_sign(colour: str) -> Mark:
    return lambda canvas, at: canvas.arrow([(at[0] - 8, at[1]), (at[0] + 8, at[1])], colour, 2)
