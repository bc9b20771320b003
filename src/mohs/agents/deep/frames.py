"""How are frames stored? Numbers and states as arrays; images compressed, because they would fill gigabytes.

A run of 20,000 steps that sees 100 × 100 pixels would take 200 MB for each cell, and four Atari frames at a time nearly
three times as much. Compressed without loss, pictures of toys take about 4 % of that (8 MB for each cell), a frame of
Breakout 6 % and one of Qbert 27 %; the time for it is small beside that of convolutions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from lz4 import block

Array = npt.NDArray[Any]
Places = npt.NDArray[np.int64]


class Frames(Protocol):
    """Rooms for frames: `slots` of them for each cell."""

    def put(self, cells: Places, slots: Places, frames: Array) -> None:
        """Writes frames [n, ...], each into a slot of a cell."""
        ...

    def take(self, slots: Places) -> Array:
        """The frames [cells, n, ...] in slots [cells, n]."""
        ...

    def save(self, i: int, slots: Places) -> Any:
        """What lies in some slots of a cell."""
        ...

    def load(self, i: int, slots: Places, state: Any) -> None: ...


def frames(cells: int, slots: int, shape: Sequence[int], dtype: npt.DTypeLike) -> Frames:
    image = len(shape) == 3 and np.dtype(dtype) == np.uint8
    return Compressed(cells, slots, shape) if image else Plain(cells, slots, shape, dtype)


class Plain:
    def __init__(self, cells: int, slots: int, shape: Sequence[int], dtype: npt.DTypeLike) -> None:
        self._frames = np.zeros((cells, slots, *shape), dtype=dtype)
        self._rows = np.arange(cells)[:, None]

    def put(self, cells: Places, slots: Places, frames: Array) -> None:
        self._frames[cells, slots] = frames

    def take(self, slots: Places) -> Array:
        taken: Array = self._frames[self._rows, slots]
        return taken

    def save(self, i: int, slots: Places) -> Array:
        saved: Array = self._frames[i, slots]
        return saved

    def load(self, i: int, slots: Places, state: Array) -> None:
        self._frames[i, slots] = state


class Compressed:
    def __init__(self, cells: int, slots: int, shape: Sequence[int]) -> None:
        self._shape = tuple(shape)
        self._size = int(np.prod(shape))
        black = self._compressed(np.zeros(shape, dtype=np.uint8))
        self._frames = [[black] * slots for _ in range(cells)]

    def put(self, cells: Places, slots: Places, frames: Array) -> None:
        for cell, slot, frame in zip(cells.tolist(), slots.tolist(), frames, strict=True):
            self._frames[cell][slot] = self._compressed(frame)

    def take(self, slots: Places) -> Array:
        taken = np.empty((*slots.shape, self._size), dtype=np.uint8)
        for of_cell, where, out in zip(self._frames, slots.tolist(), taken, strict=True):
            for j, slot in enumerate(where):
                frame = block.decompress(of_cell[slot], uncompressed_size=self._size)
                out[j] = np.frombuffer(frame, dtype=np.uint8)
        return taken.reshape(*slots.shape, *self._shape)

    def save(self, i: int, slots: Places) -> tuple[Array, bytes]:
        """The sizes of the frames, and the frames one after the other."""
        kept = [self._frames[i][slot] for slot in slots.tolist()]
        return np.array([len(frame) for frame in kept], dtype=np.int64), b"".join(kept)

    def load(self, i: int, slots: Places, state: tuple[Array, bytes]) -> None:
        sizes, frames = state
        for slot, end, size in zip(slots.tolist(), np.cumsum(sizes).tolist(), sizes.tolist(), strict=True):
            self._frames[i][slot] = frames[end - size : end]

    def _compressed(self, frame: Array) -> bytes:
        compressed: bytes = block.compress(frame.tobytes(), store_size=False)
        return compressed
