"""What is in the serialised state of a game? Entities, the grid and what the game adds to them.

The order is that of `serialize` in the sources of Procgen (game.cpp, entity.cpp, basic-abstract-game.cpp, games/).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.envs.suites.procgen.paints import LASERS, SHIPS

_FLOATS = ("x", "y", "vx", "vy", "rx", "ry")
_INTS = ("type", "image_type", "image_theme", "render_z", "will_erase", "collides")
_OTHERS = 19  # of an entity's numbers
ENTITY = np.dtype(
    [(name, "<f4") for name in _FLOATS] + [(name, "<i4") for name in _INTS] + [("others", "<i4", _OTHERS)]
)
_INT = np.dtype("<i4")
_PLAYER, _LOCKED_DOOR = 0, 1  # types
ROLES = ("bossfight", "plunder")  # games in which some sprites have no class before a level begins


@dataclass(frozen=True)
class State:
    """A game in the middle of a level. `rest` are the numbers that only this game has, floats by their bits."""

    entities: npt.NDArray[Any]
    grid: npt.NDArray[np.int32]
    rest: npt.NDArray[np.int32]

    @property
    def player(self) -> Any:
        return self.entities[self.entities["type"] == _PLAYER][0]


def read_state(data: bytes) -> State:
    at = 4  # behind the version
    at = _behind_text(data, at) + 4 * 17  # options, level seeds
    for _ in range(2):
        at = _behind_text(data, at + 4)  # a stream of random numbers
    at += 4 * 15  # the step, the level, times
    at += 4  # the size of the grid
    count = _int(data, at)
    entities = np.frombuffer(data, ENTITY, count, at + 4)
    at += 4 + count * ENTITY.itemsize + 4 * 19  # the background, actions, the centre
    at = _behind_text(data, at + 4) + 4 * 9  # the sizes of the world and of what is in sight
    width, height, cells = _int(data, at), _int(data, at + 4), _int(data, at + 8)
    grid = np.frombuffer(data, _INT, cells, at + 12).reshape(height, width)
    at += 12 + 4 * cells
    return State(entities, grid, np.frombuffer(data, _INT, (len(data) - at) // 4, at))


def _int(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 4], "little", signed=True)


def _behind_text(data: bytes, at: int) -> int:
    return at + 4 + _int(data, at)


def roles(game: str, state: State) -> Mapping[str, str]:
    """The classes, in this level, of the sprites that are a friend's in one and an enemy's in another."""
    if game == "plunder":  # the ships that pay are the enemy's; the cue shows one
        is_target = _after_vectors(state.rest, 1, 1)
        return {ship: "enemy" if hit else "player and allies" for ship, hit in zip(SHIPS, is_target, strict=True)}
    if game == "bossfight":
        ours, theirs = state.rest[1 + state.rest[0] + 10 :][:2]
        mine = {LASERS[ours]: "player projectile"}
        return {**dict.fromkeys(LASERS, "enemy projectile"), **(mine if ours != theirs else {})}
    return {}


def _after_vectors(numbers: npt.NDArray[np.int32], at: int, skipped: int) -> npt.NDArray[np.int32]:
    """A vector that stands behind `skipped` others."""
    for _ in range(skipped):
        at += 1 + int(numbers[at])
    return numbers[at + 1 : at + 1 + int(numbers[at])]


def keys_and_doors(state: State) -> tuple[int, int]:
    """Of Heist: how many keys the player has, and how many locked doors there are."""
    has_keys = _after_vectors(state.rest, 2, 0)
    return int(has_keys.sum()), int(np.count_nonzero(state.entities["type"] == _LOCKED_DOOR))


def cell(state: State) -> tuple[int, int]:
    """The cell (x, y) of the player."""
    return int(state.player["x"]), int(state.player["y"])
