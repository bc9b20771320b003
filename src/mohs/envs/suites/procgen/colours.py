"""Which colour shows which class, and how is a painted picture read? By a table of coarse colours.

Red has five bits in the table, green and blue three each. Sprites differ in red; green and blue are for what games fill
themselves, for what shines through, and for the lasers of BossFight.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from functools import cache

import numpy as np
import numpy.typing as npt

from mohs.core.kernel import kernel
from mohs.envs.suites.procgen.paints import LASERS, PAINTS, Colour

Bytes = npt.NDArray[np.uint8]
UNKNOWN = 255
_LASERS: tuple[Colour, ...] = ((0, 255, 0), (0, 0, 255), (0, 255, 255))
_WHITE = 120 / 255  # the opacity of the puff below a jumping rabbit


def colours(game: str) -> dict[str, Colour]:
    """The colour of every painted file."""
    by_name = _by_name(game)
    return {file: by_name[name] for name, files in PAINTS[game].sprites.items() for file in files}


@cache
def _by_name(game: str) -> dict[str, Colour]:
    names = [name for name in PAINTS[game].sprites if name not in LASERS]
    step = 255 // len(names) // 8 * 8  # the table tells every eighth red from others
    sprites: dict[str, Colour] = {name: (step * k, 0, 0) for k, name in enumerate(names, 1)}
    return sprites | dict(zip(LASERS, _LASERS, strict=True))


@cache
def table(game: str, roles: tuple[tuple[str, str], ...] = ()) -> Bytes:
    """The id of every coarse colour; `UNKNOWN` for colours that do not occur.

    `roles` are the classes, in this level, of sprites that have none of their own.
    """
    paint, found = PAINTS[game], np.full(2048, UNKNOWN, dtype=np.uint8)
    number = {name: i for i, name in enumerate(paint.classes, 1)}
    role = {**{name: name for name in paint.classes}, **dict(roles)}
    shown: dict[Colour, int] = {(0, 0, 0): 0}
    shown |= {c: number[role[name]] for name, c in _by_name(game).items() if name in paint.sprites and name in role}
    shown |= {c: number[name] for c, name in paint.filled.items()}
    for colour, i in shown.items():
        found[_cell(colour)] = i
    if game == "jumper":
        _below_white(found, shown)
    if game == "bossfight":
        _below_lasers(found, number, role)
    found.flags.writeable = False
    return found


def _cell(colour: Colour) -> int:
    red, green, blue = colour
    return red >> 3 | green >> 5 << 5 | blue >> 5 << 8


def _below_white(found: Bytes, shown: Mapping[Colour, int]) -> None:
    """The puff is no class of A.6: what shines through it is seen."""
    for colour, i in shown.items():
        mixed = [round(255 * _WHITE + c * (1 - _WHITE)) for c in colour]
        for rounding in itertools.product((-1, 0, 1), repeat=3):
            found[_cell(tuple(c + r for c, r in zip(mixed, rounding, strict=True)))] = i  # type: ignore[arg-type]


def _below_lasers(found: Bytes, number: Mapping[str, int], role: Mapping[str, str]) -> None:
    """A laser fades. It is seen where it covers at least half of what is below it."""
    below = [0, *(number[name] for name in PAINTS["bossfight"].sprites if name not in LASERS)]
    step = _by_name("bossfight")[next(iter(PAINTS["bossfight"].sprites))][0]
    for red, green, blue in itertools.product(range(32), range(8), range(8)):
        if green >= 4 or blue >= 4:
            laser = 2 if green >= 4 and blue >= 4 else 0 if green >= 4 else 1
            found[red | green << 5 | blue << 8] = number[role[LASERS[laser]]]
            continue
        uncovered = 1 - (32 * max(green, blue) + 16) / 255
        k = round((8 * red + 4) / uncovered / step)
        found[red | green << 5 | blue << 8] = below[min(k, len(below) - 1)]


def read(pictures: Bytes, by: Bytes) -> Bytes:
    """The ids [n, 64, 64] of pictures [n, 64, 64, 3], by a table."""
    ids = np.empty(pictures.shape[:3], dtype=np.uint8)
    _read(pictures.reshape(len(pictures), -1, 3), by, ids.reshape(len(pictures), -1))
    return ids


@kernel
def _read(pictures, table, ids):
    for i in range(pictures.shape[0]):
        for j in range(pictures.shape[1]):
            red, green, blue = pictures[i, j, 0], pictures[i, j, 1], pictures[i, j, 2]
            ids[i, j] = table[(red >> 3) | ((green >> 5) << 5) | ((blue >> 5) << 8)]
