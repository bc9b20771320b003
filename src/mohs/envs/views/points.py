"""What does a point look like, in a plane or on a grid? The agent is a blue disc, the target a green one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from mohs.core.task import Task
from mohs.engines.fleets import Fleet
from mohs.engines.images import discs
from mohs.envs.fleets import Address, View
from mohs.envs.views.common import Frame, frame_of, seen_as_images
from mohs.tables.toys.grid import coordinates
from mohs.tables.toys.grid_parameters import target_point
from mohs.tables.toys.point_mass import PointMass, point_mass

Images = npt.NDArray[np.uint8]
Reals = npt.NDArray[np.float64]
Points = Callable[[npt.NDArray[Any], npt.NDArray[np.int32]], Reals]  # of states and their tasks, [N, panels, 2]

_LINED = 5  # pixels of a cell, from which on there are lines between cells
_FILLED = 0.4  # of a cell, the largest radius of a disc in it


class PointView:
    """Images of points in the region from `low` to `high`; what does not move is drawn once for each task.

    `backgrounds` are [tasks, height, panels · width, 3], `size` is the radius of the agent.
    """

    def __init__(self, points: Points, low: Reals, high: Reals, frame: Frame, backgrounds: Images, size: float) -> None:
        self.space: spaces.Space[Any] = spaces.Box(0, 255, backgrounds.shape[1:], np.uint8)
        self._points = points
        self._factors, self._offsets = discs.scales(frame, low, high)
        self._backgrounds, self._size = backgrounds, size

    def __call__(self, states: npt.NDArray[Any], address: Address) -> Images:
        places = self._points(states, address.task) * self._factors + self._offsets
        return discs.discs(places, address.task, self._backgrounds, self._size)


def plane_view(fleet: Fleet) -> View | None:
    """What is seen of a point mass in two relevant dimensions and, to their right, in two irrelevant ones."""
    tasks = list(fleet.numbers)
    if not seen_as_images(tasks):
        return None
    frame, parts = frame_of(tasks[0].values), [point_mass(task.values) for task in tasks]
    high = np.full(2, parts[0].limit)
    axes = np.stack([[*one.relevant, *np.setdiff1d(np.arange(one.dims), one.relevant)] for one in parts])
    size = discs.radius(frame)
    backgrounds = np.stack([_plane_panels(one, frame, size) for one in parts])
    return PointView(partial(_coordinates, axes), -high, high, frame, backgrounds, size)


def _coordinates(axes: npt.NDArray[np.int64], states: Reals, task: npt.NDArray[np.int32]) -> Reals:
    """The relevant two coordinates, then the irrelevant ones; `axes` are their places in the state, for each task."""
    chosen = states[np.arange(len(states))[:, None], axes[task]]
    return chosen.reshape(len(states), -1, 2).astype(np.float64)


def _plane_panels(parts: PointMass, frame: Frame, size: float) -> Images:
    """Terminal regions and the target; an irrelevant panel is empty."""
    high = np.full(2, parts.limit)
    x, y = discs.middles(frame, -high, high)
    empty = np.full((*frame, 3), discs.GROUND, dtype=np.uint8)
    first = empty.copy()
    for centre in parts.centres:
        first[(np.abs(x - centre[0]) <= parts.half_edge) & (np.abs(y - centre[1]) <= parts.half_edge)] = discs.TERMINAL
    if parts.target is not None:
        first = _with_target(first, parts.target, -high, high, size)
    return np.hstack([first, *[empty] * (parts.dims // 2 - 1)])


def grid_view(fleet: Fleet) -> View | None:
    """What is seen of the cells of a grid with two dimensions, and of a second, irrelevant one to its right."""
    tasks = list(fleet.numbers)
    if not seen_as_images(tasks):
        return None
    shape, frame = tasks[0]["grid_shape"], frame_of(tasks[0].values)
    low, high = np.zeros(2), np.array(shape, dtype=np.float64)
    size = min(discs.radius(frame), _FILLED * frame[1] / shape[0], _FILLED * frame[0] / shape[1])
    panels = 2 if tasks[0]["irrelevant_features"] else 1
    backgrounds = [_grid_panels(task, frame, size, panels) for task in tasks]
    middles: Reals = coordinates(shape) + np.float64(0.5)
    return PointView(partial(_middles, middles), low, high, frame, np.stack(backgrounds), size)


def _middles(middles: Reals, states: npt.NDArray[np.int64], task: npt.NDArray[np.int32]) -> Reals:
    return middles[states]


def _grid_panels(task: Task, frame: Frame, size: float, panels: int) -> Images:
    """The cells, with lines between them; the first panel has the target and the terminal cells."""
    values = task.values
    shape = values["grid_shape"]
    low, high = np.zeros(2), np.array(shape, dtype=np.float64)
    x, y = (axis.astype(np.int64) for axis in discs.middles(frame, low, high))
    plain = np.full((*frame, 3), discs.GROUND, dtype=np.uint8)
    if min(frame[1] / shape[0], frame[0] / shape[1]) >= _LINED:
        plain[(np.diff(x, prepend=x[:, :1]) > 0) | (np.diff(y, axis=0, prepend=y[:1]) < 0)] = discs.LINE
    first = plain.copy()
    for cell in values["terminal_states"]:
        first[(x == cell[0]) & (y == cell[1])] = discs.TERMINAL
    first = _with_target(first, np.array(target_point(values)) + 0.5, low, high, size)
    return np.hstack([first, *[plain] * (panels - 1)])


def _with_target(image: Images, point: Reals, low: Reals, high: Reals, size: float) -> Images:
    """The image [height, width, 3] of the region from low to high, with the target drawn over it."""
    height, width, _ = image.shape
    factors, offsets = discs.scales((height, width), low, high)
    places = (point * factors + offsets).reshape(1, 1, 2)
    return discs.discs(places, np.zeros(1, dtype=np.int32), image[None], size, discs.TARGET).reshape(image.shape)
