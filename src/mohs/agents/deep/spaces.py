"""How does a network see an observation, and how does it name an action?

Observations are *stored* as compactly as they come (numbers of states, marks, bytes of images) and turned into
*features* when a batch is made: states one-hot, numbers and marks as they are, images as bytes for a convolutional
network.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from gymnasium import spaces
from torch import Tensor
from torch.nn import functional

from mohs.agents.deep.networks.layers import padded
from mohs.core.errors import UsageError
from mohs.core.images import is_image


@dataclass(frozen=True)
class Numbers:
    """A vector of numbers, or of marks that are 0 or 1 and need a byte each."""

    width: int
    marks: bool = False
    image = False

    @property
    def stored(self) -> tuple[tuple[int, ...], npt.DTypeLike]:
        return (self.width,), np.int8 if self.marks else np.float32

    def store(self, seen: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Observations [n, ...] as they are kept."""
        return np.asarray(seen, dtype=self.stored[1]).reshape(len(seen), self.width)

    def features(self, kept: npt.NDArray[Any], device: torch.device) -> Tensor:
        """Kept observations [cells, batch, ...] as a network takes them: [cells, batch, padded width]."""
        numbers = torch.from_numpy(kept).to(device, torch.float32)
        return functional.pad(numbers, (0, padded(self.width) - self.width))


@dataclass(frozen=True)
class Categories:
    """One or several states, each of finitely many: one-hot."""

    sizes: tuple[int, ...]
    starts: tuple[int, ...]
    image = False

    @property
    def width(self) -> int:
        return sum(self.sizes)

    @property
    def stored(self) -> tuple[tuple[int, ...], npt.DTypeLike]:
        return (len(self.sizes),), np.int32

    def store(self, seen: npt.NDArray[Any]) -> npt.NDArray[Any]:
        places: npt.NDArray[np.int32] = np.asarray(seen).reshape(len(seen), -1).astype(np.int32) + self._first
        return places

    @cached_property
    def _first(self) -> npt.NDArray[np.int32]:
        """Where each state begins in the one-hot vector."""
        return np.array(np.cumsum((0, *self.sizes[:-1])) - np.array(self.starts), dtype=np.int32)

    def features(self, kept: npt.NDArray[Any], device: torch.device) -> Tensor:
        places = torch.from_numpy(kept).to(device).long()
        hot = torch.zeros(*kept.shape[:-1], padded(self.width), device=device)
        return hot.scatter_(-1, places, 1.0)


@dataclass(frozen=True)
class Image:
    """Bytes; channels are put first. `top` is the largest value of a pixel."""

    shape: tuple[int, int, int]  # channels, height, width
    channels_last: bool
    top: int = 255
    image = True

    @property
    def stored(self) -> tuple[tuple[int, ...], npt.DTypeLike]:
        return self.shape, np.uint8

    def store(self, seen: npt.NDArray[Any]) -> npt.NDArray[Any]:
        pixels = np.asarray(seen, dtype=np.uint8)
        if pixels.ndim == 3:
            return pixels[:, None]
        return np.moveaxis(pixels, -1, 1) if self.channels_last else pixels

    def features(self, kept: npt.NDArray[Any], device: torch.device) -> Tensor:
        return torch.from_numpy(kept).to(device)


Observations = Numbers | Categories | Image


def observations(space: spaces.Space[Any]) -> Observations:
    """How observations of a space are seen."""
    if isinstance(space, spaces.Discrete):
        return Categories((int(space.n),), (int(space.start),))
    if isinstance(space, spaces.MultiDiscrete):
        return Categories(tuple(space.nvec.ravel().tolist()), tuple(space.start.ravel().tolist()))
    if isinstance(space, spaces.Box) and is_image(space):
        return _image(space)
    if isinstance(space, spaces.Box | spaces.MultiBinary) and not _is_film(space):
        return Numbers(int(np.prod(space.shape)), isinstance(space, spaces.MultiBinary))
    raise UsageError(f"deep agents see numbers, states or images, but the observation space is {space}.")


def _image(space: spaces.Box) -> Image:
    """Channels come last, or first where there are fewer in front; pictures of one channel may leave it out.

    Bytes that are 0 or 1 are planes of a board, one for each thing that may lie on it: they come first. So do planes of
    counts, such as those of views: squares of bytes that do not reach 255.
    """
    shape = space.shape if len(space.shape) == 3 else (*space.shape, 1)
    top = max(1, int(space.high.max()))
    of_bytes = space.dtype == np.uint8 and len(space.shape) == 3
    planes = of_bytes and (top == 1 or (top < 255 and shape[1] == shape[2]))
    last = shape[2] <= shape[0] and not planes
    channels, height, width = (shape[2], shape[0], shape[1]) if last else shape
    return Image((channels, height, width), last, top)


def _is_film(space: spaces.Space[Any]) -> bool:
    """Several coloured pictures at once."""
    return space.dtype == np.uint8 and space.shape is not None and len(space.shape) > 3


def seen(sees: Observations, each: npt.NDArray[Any], device: torch.device) -> Tensor:
    """Observations [cells, instances, ...] as a network takes them."""
    kept = sees.store(each.reshape(-1, *each.shape[2:]))
    return sees.features(kept.reshape(*each.shape[:2], *kept.shape[1:]), device)


@dataclass(frozen=True)
class Choices:
    """Finitely many actions: one choice, or several at once."""

    sizes: tuple[int, ...]
    starts: tuple[int, ...]
    single: bool

    @property
    def count(self) -> int:
        """The number of joint actions."""
        return int(np.prod(self.sizes))

    def joint(self, number: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """The choices [n, parts] that joint actions [n] stand for."""
        return number[:, None] if self.single else np.stack(np.unravel_index(number, self.sizes), axis=-1)

    def act(self, choices: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Choices [n, parts] as the environment takes them."""
        shifted = choices + np.array(self.starts)
        taken: npt.NDArray[np.int64] = shifted[:, 0] if self.single else shifted
        return taken


@dataclass(frozen=True, eq=False)
class Range:
    """Continuous actions between bounds."""

    low: npt.NDArray[np.float32]
    high: npt.NDArray[np.float32]
    shape: tuple[int, ...]

    @property
    def width(self) -> int:
        return len(self.low)

    def act(self, unit: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Numbers [n, width] from -1 to 1 as the environment takes them."""
        scaled = self.low + (unit + 1) * np.float32(0.5) * (self.high - self.low)
        return np.clip(scaled, self.low, self.high).astype(np.float32).reshape(len(unit), *self.shape)


def choices(space: spaces.Space[Any], agent: str) -> Choices:
    if isinstance(space, spaces.Discrete):
        return Choices((int(space.n),), (int(space.start),), True)
    if isinstance(space, spaces.MultiDiscrete):
        return Choices(tuple(space.nvec.ravel().tolist()), tuple(space.start.ravel().tolist()), False)
    raise UsageError(f"{agent} plays finitely many actions, but the action space is {space}.")


def action_range(space: spaces.Space[Any], agent: str) -> Range:
    if not isinstance(space, spaces.Box) or not space.is_bounded():
        raise UsageError(f"{agent} plays continuous actions between bounds, but the action space is {space}.")
    low, high = (np.asarray(bound, dtype=np.float32).ravel() for bound in (space.low, space.high))
    return Range(low, high, space.shape)
