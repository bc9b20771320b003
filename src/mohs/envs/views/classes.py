"""How are observations encoded that are numbers? As they are, one-hot, or as pictures of classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from mohs.core.kernel import kernel
from mohs.core.task import Task
from mohs.engines.ctgraph.fleet import CtGraphFleet
from mohs.engines.images.classes import (
    Images,
    atlas,
    brighten,
    class_pictures,
    copy_turned,
    draw_degrees,
    turned,
)
from mohs.engines.images.pictures import own_pictures
from mohs.envs.fleets import Address, View
from mohs.tables.ctgraph.graph import class_kinds

LARGEST_ATLAS = 2**26  # bytes of pictures turned beforehand; beyond it each is turned when it is seen


def class_view(fleet: CtGraphFleet) -> View | None:
    """What is seen of observations; None where it is their numbers."""
    _, shown, size = fleet.spaces
    if shown == "integer":
        return None
    return OneHot(size) if shown == "one_hot" else ClassView(list(fleet.numbers), size)


class OneHot:
    def __init__(self, size: int) -> None:
        self.space: spaces.Space[Any] = spaces.Box(0, 1, (size,), np.uint8)
        self._size = size

    def __call__(self, states: npt.NDArray[np.int64], address: Address) -> Images:
        out = np.zeros((len(states), self._size), dtype=np.uint8)
        _mark(states[:, 0], out)
        return out


@kernel
def _mark(states, out):
    for i in range(len(states)):
        out[i, states[i]] = 1


class ClassView:
    """Pictures of the classes of all tasks; equal ones are kept once."""

    def __init__(self, tasks: list[Task], size: int) -> None:
        self.space: spaces.Space[Any] = spaces.Box(0, 255, (size, size), np.uint8)
        made: dict[Any, int] = {}
        sets: list[Images] = []
        first = []
        for task in tasks:
            looks = _looks(task)
            if looks not in made:
                made[looks] = sum(map(len, sets))
                sets.append(_pictures(task, size))
            first.append(made[looks])
        self._pictures = np.concatenate(sets)
        self._first = np.array(first, dtype=np.int64)
        self._noise = np.array([task["image_noise"] for task in tasks], dtype=np.int64)
        self._atlas: Images | None = None  # made when something is first turned
        self._rotation = np.array([task["image_rotation"] for task in tasks], dtype=np.int64)

    def __call__(self, states: npt.NDArray[np.int64], address: Address) -> Images:
        which = states[:, 0] + self._first[address.task]
        stream = address.key, address.episode, address.t
        if self._rotation.any():
            degrees = np.empty(len(states), dtype=np.int64)
            draw_degrees(self._rotation[address.task], *stream, degrees)
            images = self._turned(which, degrees)
        else:
            images = self._pictures[which]
        if self._noise.any():
            brighten(self._noise[address.task], *stream, images.reshape(len(images), -1))
        return images

    def _turned(self, which: npt.NDArray[np.int64], degrees: npt.NDArray[np.int64]) -> Images:
        reach = int(self._rotation.max())
        if (2 * reach + 1) * self._pictures.size > LARGEST_ATLAS:
            return turned(self._pictures, which, degrees)
        if self._atlas is None:
            self._atlas = atlas(self._pictures, reach)
        images = np.empty((len(which), *self._pictures.shape[1:]), dtype=np.uint8)
        copy_turned(self._atlas, reach, which, degrees, images.reshape(len(which), -1))
        return images


def _looks(task: Task) -> Any:
    """Equal for tasks whose classes look the same."""
    v = task.values
    return v["images"], v["image_set"], v["image_similarity"], v["image_noise"], class_kinds(task).tobytes()


def _pictures(task: Task, size: int) -> Images:
    v, kinds = task.values, class_kinds(task)
    brightest = 255 - v["image_noise"]  # so that noise fits in a byte
    if v["images"] is None:
        return class_pictures(v["image_set"], kinds, v["image_similarity"], size, brightest)
    own = own_pictures(v["images"], len(kinds), (size, size))
    darker: Images = (own.astype(np.float64) * (brightest / 255)).astype(np.uint8)
    return darker
