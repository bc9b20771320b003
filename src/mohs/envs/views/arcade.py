"""How is a game of the arcade observed? As pixels, or as masks of the same cells."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from mohs.core.task import Task
from mohs.core.views import Classes, Encoding, View
from mohs.engines.arcade.boards import CELLS
from mohs.engines.arcade.fleet import CLASSES, HELD_OUT, ArcadeFleet
from mohs.engines.arcade.looks import DECOYS, HELD_OUT_THEMES, THEMES, TILE, tiles
from mohs.engines.arcade.screen import RULE, SHARES, SIZE, mark, paint, words
from mohs.envs import fleets
from mohs.envs.fleets import Address
from mohs.envs.views.masks import Masks

Bytes = npt.NDArray[np.uint8]


def arcade_view(fleet: ArcadeFleet) -> fleets.View:
    """The view of a fleet, whose tasks all have the same one."""
    name, view, encoding = fleet.spaces
    classes = CLASSES[name]
    if view == View.PIXELS:
        return Pixels(classes.names, list(fleet.numbers))
    if encoding == Encoding.ONE_HOT:
        return Planes(classes, view)
    return Shades(classes, view)


class _Painted:
    """Images [n, 24, 24, 3] made of tiles."""

    space: spaces.Space[Any] = spaces.Box(0, 255, (SIZE, SIZE, 3), np.uint8)

    def __init__(self, rules: npt.NDArray[Any], tiles: npt.NDArray[np.uint32]) -> None:
        self._rules, self._tiles = rules, tiles
        self._starts = np.empty(CELLS, dtype=np.uint64)

    def __call__(self, states: Bytes, address: Address) -> Bytes:
        seen = np.empty((len(states), SIZE, SIZE, 3), dtype=np.uint8)
        image = seen.reshape(len(states), -1).view(np.uint32)
        paint(states, address.task, self._rules, self._tiles, HELD_OUT, self._starts, image)
        return seen


class Pixels(_Painted):
    """The screen. Each task has its own tiles: themes, texture, colours and clutter are only seen."""

    def __init__(self, names: tuple[str, ...], tasks: list[Task]) -> None:
        rules, parts, made = np.zeros(len(tasks), dtype=RULE), [], 0
        for rule, task in zip(rules, tasks, strict=True):
            themes, shifted = task["themes"], task["theme_shift"]
            part = atlas(names, themes, shifted, task["texture"], task["shared_colours"])
            rule["first"], made = made, made + part.size // (TILE * TILE * 3)
            rule["kinds"], rule["variants"] = part.shape[1:3]
            rule["clutter"] = round(task["clutter"] * SHARES)
            rule["themes"], rule["others"] = themes, HELD_OUT_THEMES if shifted else 0
            parts.append(words(part))
        super().__init__(rules, np.concatenate(parts))


@lru_cache(maxsize=8)
def atlas(names: tuple[str, ...], themes: int, shifted: bool, texture: float, shared: bool) -> Bytes:
    """All tiles of a task: [themes, kinds, variants, height, width, 3]."""
    others = range(THEMES, THEMES + HELD_OUT_THEMES) if shifted else range(0)
    return np.stack([tiles(theme, names, texture, shared) for theme in (*range(themes), *others)])


class Shades(_Painted):
    """One number for each id, the same in three channels."""

    def __init__(self, classes: Classes, view: str) -> None:
        ids = np.arange(len(classes.names) + 1, dtype=np.uint8)
        masks = Masks(classes, view, Encoding.SCALAR, SIZE, SIZE)
        self.space = masks.space
        rules = np.zeros(1, dtype=RULE)
        rules["kinds"], rules["variants"], rules["themes"] = len(ids) + DECOYS, 1, 1
        super().__init__(rules, words(masks(np.broadcast_to(ids[:, None, None], (len(ids), TILE, TILE)))))

    def __call__(self, states: Bytes, address: Address) -> Bytes:
        return super().__call__(states, address._replace(task=np.zeros_like(address.task)))


class Planes:
    """A plane of 0 and 1 for each id."""

    def __init__(self, classes: Classes, view: str) -> None:
        self.space = Masks(classes, view, Encoding.ONE_HOT, SIZE, SIZE).space
        self._codes = np.array(classes.codes(view), dtype=np.int64)

    def __call__(self, states: Bytes, address: Address) -> Bytes:
        assert self.space.shape is not None
        seen = np.empty((len(states), *self.space.shape), dtype=np.uint8)
        mark(states, self._codes, seen.reshape(len(states), -1).view(np.uint64))
        return seen
