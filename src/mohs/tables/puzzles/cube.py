"""What is the 2×2×3 tower cube? Twelve pieces in three layers; outer layers turn, the right and the front half flip.

The moves are U, U', D and D' (quarter turns of the upper and the lower layer) and R2 and F2 (half turns of the right
and the front half). They leave the middle piece at the back on the left where it is, so no state is another one turned
as a whole: there are 8! · 3! = 241,920, found from the solved one, which is state 0. The goal has a predicate for each
of the 32 facelets: it shows its solved colour.

A state is packed into four bits for each place: the piece that is there. A piece fits into a place in one way only, so
this says what all facelets show. Where moves take pieces and what these show there is derived from space: a facelet
is the point where its piece is and the direction in which it looks, and a move turns both.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from mohs.core.kernel import kernel
from mohs.tables.mdp import Mdp
from mohs.tables.numbering import Progress
from mohs.tables.puzzles.puzzle import Puzzle, States, mdp, search, start_at

Vector = tuple[int, int, int]  # to the right, to the back, up
Facelet = tuple[Vector, Vector]  # where its piece is, and where it looks

MOVES = ("U", "U'", "D", "D'", "R2", "F2")
SHAPE = (7, 8)  # of the unfolded cube: left, front, right and back in a row, up and down above and below front
PLACES = tuple(product((-1, 1), (-1, 1), (-1, 0, 1)))
_PIECES = len(PLACES)


@dataclass(frozen=True)
class _Face:
    """A side of the tower: where it looks, and how it lies on the unfolded cube."""

    normal: Vector
    right: Vector
    down: Vector
    corner: tuple[int, int]  # row and column of its upper left facelet


_FACES = (
    _Face((0, 0, 1), (1, 0, 0), (0, -1, 0), (0, 2)),
    _Face((-1, 0, 0), (0, -1, 0), (0, 0, -1), (2, 0)),
    _Face((0, -1, 0), (1, 0, 0), (0, 0, -1), (2, 2)),
    _Face((1, 0, 0), (0, 1, 0), (0, 0, -1), (2, 4)),
    _Face((0, 1, 0), (-1, 0, 0), (0, 0, -1), (2, 6)),
    _Face((0, 0, -1), (1, 0, 0), (0, 1, 0), (5, 2)),
)  # the colour of face i is i + 1
_CODES = ".WOGRBY"


def cube_mdp(distance: int, number: int = 0, *, horizon: int, progress: Progress | None = None) -> Mdp:
    """The puzzle, started from one of the states that are `distance` moves away from the solved one."""
    found = cubes(progress=progress)
    return mdp(found, start_at(found, distance, number), horizon)


def cubes(*, progress: Progress | None = None) -> States:
    """All states of the tower, the solved one first."""
    return search(puzzle(), progress=progress)


def puzzle() -> Puzzle:
    """The rules."""
    facelets = _facelets()
    return Puzzle(
        name="cube 2×2×3",
        root=sum(place << 4 * place for place in range(_PIECES)),
        predicates=len(facelets),
        setup=(_sources(), facelets),
        expand=expand,
        look=look,
        count=count_solved,
        shape=SHAPE,
        codes=_CODES,
        action_names=MOVES,
    )


def _turn(move: str, facelet: Facelet) -> Facelet:
    """Where a move takes a facelet."""
    where, way = facelet
    x, y, z = where
    turns = {"U": z > 0, "D": z < 0, "R": x > 0, "F": y < 0}[move[0]]
    return (_rotated(move, where), _rotated(move, way)) if turns else facelet


def _rotated(move: str, vector: Vector) -> Vector:
    x, y, z = vector
    if move == "R2":
        return x, -y, -z
    if move == "F2":
        return -x, y, -z
    clockwise_from_above = move in ("U", "D'")
    return (y, -x, z) if clockwise_from_above else (-y, x, z)


def _sources() -> npt.NDArray[np.int64]:
    """[move, place]: the place that a move brings a piece from."""
    sources = np.empty((len(MOVES), _PIECES), dtype=np.int64)
    for i, move in enumerate(MOVES):
        for place, where in enumerate(PLACES):
            to, _ = _turn(move, (where, where))
            sources[i, PLACES.index(to)] = place
    return sources


def _facelets() -> npt.NDArray[np.int64]:
    """A row for each facelet: its cell on the unfolded cube, its place, and the colour that each piece shows there."""
    shown: dict[Facelet, list[int]] = {}
    for piece, where in enumerate(PLACES):
        for colour, face in enumerate(_FACES, start=1):
            if _along(where, face.normal) == 1:
                for facelet in _orbit((where, face.normal)):
                    shown.setdefault(facelet, [0] * _PIECES)[piece] = colour
    return np.array([[_cell(facelet), PLACES.index(facelet[0]), *colours] for facelet, colours in shown.items()])


def _orbit(facelet: Facelet) -> list[Facelet]:
    """Everywhere that moves can take a facelet."""
    found = [facelet]
    for one in found:  # which grows
        for move in MOVES:
            if (to := _turn(move, one)) not in found:
                found.append(to)
    return found


def _cell(facelet: Facelet) -> int:
    """The cell of the unfolded cube that shows a facelet."""
    where, way = facelet
    (face,) = (face for face in _FACES if face.normal == way)
    down, right = _along(where, face.down) + 1, _along(where, face.right) + 1
    if face.down[2] == 0:  # three pieces lie above each other, but two side by side
        down //= 2
    row, column = face.corner
    return (row + down) * SHAPE[1] + column + right // 2


def _along(where: Vector, direction: Vector) -> int:
    return sum(a * b for a, b in zip(where, direction, strict=True))


@kernel
def expand(setup, keys, children):
    """Where the turns lead; see `Puzzle`."""
    sources, _ = setup
    for i in range(len(keys)):
        for move in range(sources.shape[0]):
            child = 0
            for place in range(sources.shape[1]):
                child |= (keys[i] >> 4 * sources[move, place] & 15) << 4 * place
            children[i, move] = child


@kernel
def look(setup, keys, cells):
    """The colours of the unfolded cube, 0 where it has no facelet."""
    _, facelets = setup
    for i in range(len(keys)):
        cells[i, :] = 0
        for facelet in facelets:
            cells[i, facelet[0]] = facelet[2 + (keys[i] >> 4 * facelet[1] & 15)]


@kernel
def count_solved(setup, keys, counts):
    """How many facelets show what they show when solved."""
    _, facelets = setup
    for i in range(len(keys)):
        counts[i] = 0
        for facelet in facelets:
            counts[i] += facelet[2 + (keys[i] >> 4 * facelet[1] & 15)] == facelet[2 + facelet[1]]
