"""What does a discrete state look like? A polygon, or a picture of one's own, moved at random for every observation."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from mohs.core.task import Task
from mohs.engines.fleets import Fleet
from mohs.engines.images.moves import MOVE, Settings, draw, rules
from mohs.engines.images.pictures import pictures, textures
from mohs.engines.images.polygons import polygons, radius, still, turns
from mohs.engines.images.warp import warp
from mohs.envs.fleets import Address, View
from mohs.envs.views.common import Frame, frame_of, seen_as_images

Images = npt.NDArray[np.uint8]

_ATLAS = 2**25  # bytes, up to which images that do not move are drawn once and copied
_FEW = 5  # pixels


def shape_view(fleet: Fleet) -> View | None:
    """What is seen of discrete states, relevant ones and, to their right, irrelevant ones."""
    states, _, irrelevant_states, _ = fleet.spaces
    tasks = list(fleet.numbers)
    return (
        ShapeView(tasks, max(states, irrelevant_states), 2 if irrelevant_states else 1)
        if seen_as_images(tasks)
        else None
    )


class ShapeView:
    """Images of states [N, panels], one panel for each column; all panels of an image are moved alike."""

    def __init__(self, tasks: Sequence[Task], states: int, panels: int) -> None:
        values = tasks[0].values
        style, settings = values["image_style"], [_settings(task) for task in tasks]
        frame = height, width = frame_of(values)
        self.space: spaces.Space[Any] = spaces.Box(0, 255, (height, panels * width, 1), np.uint8)
        self._rules = rules(settings)
        self._frame = float(height), float(width)
        self._content = (height / 2, width / 2) if style == "images" else (2 * radius(frame), 2 * radius(frame))
        if style == "polygons":
            self._paint = partial(polygons, frame=frame, turns=turns(states))
        else:
            read = pictures if style == "images" else textures
            self._paint = partial(warp, read(values["image_directory"], states, frame), frame=frame)
        if style != "images":
            _warn(states, frame, settings)
        self._atlas = None
        if not any(one.transforms for one in settings) and states * height * width <= _ATLAS:
            self._atlas = self._paint(np.arange(states)[:, None], still(states))

    def __call__(self, states: npt.NDArray[np.int64], address: Address) -> Images:
        if self._atlas is not None:
            return _copies(self._atlas, states)
        moves = np.empty(len(states), dtype=MOVE)
        draw(self._rules, *address, self._frame, self._content, moves)
        return self._paint(states, moves)


def _settings(task: Task) -> Settings:
    names = ("transforms", "sh_quant", "ro_quant", "scale_range")
    return Settings(**{name: task[f"image_{name}"] for name in names})


def _copies(atlas: Images, states: npt.NDArray[np.int64]) -> Images:
    """The images [N, height, panels · width, 1] of states that are drawn already."""
    (count, panels), (_, height, width, _) = states.shape, atlas.shape
    if panels == 1:
        return atlas.take(states[:, 0], axis=0)
    out = np.empty((count, height, panels, width, 1), dtype=np.uint8)
    for panel in range(panels):
        out[:, :, panel] = atlas[states[:, panel]]
    return out.reshape(count, height, panels * width, 1)


def _warn(states: int, frame: Frame, settings: Iterable[Settings]) -> None:
    """Says where polygons get too small to be told apart, or too large for the frame (footnote 11 of the paper)."""
    scales = [scale for one in settings for scale in (one.scale_range if "scale" in one.transforms else (1.0,))]
    smallest, largest = min(scales) * radius(frame), max(scales) * radius(frame)
    height, width = frame
    if smallest < _FEW:
        _say(f"polygons have a radius of {smallest:.1f} pixels, which is too small to count sides; take larger images.")
    elif states > 1 and (differing := _difference(states, frame, min(scales))) < _FEW:
        _say(
            f"the smallest polygons of the last two of {states} states differ in {differing} pixels only; take larger "
            "images or fewer states."
        )
    if largest > min(frame) / 2:
        _say(f"polygons have a radius of {largest:.1f} pixels, which is too large for images of {width} × {height}.")


def _difference(states: int, frame: Frame, scale: float) -> int:
    """The number of pixels in which the two states with the most sides differ."""
    last = polygons(np.array([[states - 2], [states - 1]]), still(2, scale), frame, turns(states))
    return int((last[0] != last[1]).sum())


def _say(sentence: str) -> None:
    warnings.warn(sentence, UserWarning, stacklevel=2)
