"""How are chessmen drawn? As outlines, made of polygons and discs in a square from -1 to 1, y downwards."""

from __future__ import annotations

from collections.abc import Sequence

from mohs.envs.render import canvas as c
from mohs.envs.render.canvas import Canvas, Point


def placed(at: Point, r: float, points: Sequence[Point]) -> list[Point]:
    """Points of that square on the canvas."""
    return [(at[0] + r * x, at[1] + r * y) for x, y in points]


_STAND: Sequence[Point] = ((-0.62, 0.85), (-0.62, 0.62), (-0.4, 0.5), (0.4, 0.5), (0.62, 0.62), (0.62, 0.85))
# From the stand up, of pawn, rook, queen and king; outlines run clockwise from the lower left.
_BODIES: Sequence[Sequence[Sequence[Point]]] = (
    (((-0.38, 0.55), (-0.16, -0.1), (0.16, -0.1), (0.38, 0.55)),),
    (
        ((-0.38, 0.55), (-0.32, -0.3), (0.32, -0.3), (0.38, 0.55)),
        ((-0.5, -0.3), (-0.5, -0.75), (-0.28, -0.75), (-0.28, -0.55), (-0.11, -0.55), (-0.11, -0.75), (0.11, -0.75),
         (0.11, -0.55), (0.28, -0.55), (0.28, -0.75), (0.5, -0.75), (0.5, -0.3)),
    ),
    (
        ((-0.4, 0.55), (-0.75, -0.55), (-0.38, -0.1), (-0.3, -0.75), (0, -0.15), (0.3, -0.75), (0.38, -0.1),
         (0.75, -0.55), (0.4, 0.55)),
    ),
    (
        ((-0.42, 0.55), (-0.62, -0.15), (-0.3, -0.35), (0, -0.15), (0.3, -0.35), (0.62, -0.15), (0.42, 0.55)),
        ((-0.08, -0.2), (-0.08, -0.55), (-0.25, -0.55), (-0.25, -0.7), (-0.08, -0.7), (-0.08, -0.9), (0.08, -0.9),
         (0.08, -0.7), (0.25, -0.7), (0.25, -0.55), (0.08, -0.55), (0.08, -0.2)),
    ),
)  # fmt: skip
_HEADS: Sequence[Sequence[tuple[Point, float]]] = (
    (((0, -0.3), 0.28),),
    (),
    (((-0.75, -0.6), 0.1), ((-0.3, -0.8), 0.1), ((0.3, -0.8), 0.1), ((0.75, -0.6), 0.1)),
    (),
)


def draw_piece(canvas: Canvas, at: Point, r: float, kind: int, ours: bool) -> None:
    """A piece (0 pawn, 1 rook, 2 queen, 3 king) in a square of half-width r: its outline first, then what it encloses.

    The opponent's have a bar across the body.
    """
    colour = c.BLUE if ours else c.ORANGE
    shapes = [placed(at, r, points) for points in (*_BODIES[kind], _STAND)]
    heads = [(placed(at, r, [centre])[0], size * r) for centre, size in _HEADS[kind]]
    for shape in shapes:
        canvas.line([*shape, shape[0], shape[1]], c.DARK, 4)
    for centre, size in heads:
        canvas.disc(centre, size + 2, c.DARK)
    for shape in shapes:
        canvas.polygon(shape, colour)
    for centre, size in heads:
        canvas.disc(centre, size, colour)
    if not ours:
        canvas.line(placed(at, r, [(-0.2, 0.3), (0.2, 0.3)]), c.DARK, 2)
