"""Where do the random numbers of a batched learner come from? From one stream for each cell, addressed by a count.

Every call takes the next count in all streams, so a cell draws the same numbers alone and in a pack, and all that a
checkpoint must remember of its stream is the count.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.core.kernel import kernel
from mohs.engines.draws import as_normal, as_uniform, bits, nth


class Draws:
    """Uniform and normal numbers for every cell of a pack: arrays [cells, ...]."""

    def __init__(self, keys: Sequence[int]) -> None:
        self._keys = np.array(keys, dtype=np.uint64)
        self.count = 0

    def next(self) -> int:
        """The count of a draw to be made by a kernel of the caller's, with the addresses (key, count, ...)."""
        self.count += 1
        return self.count

    @property
    def keys(self) -> npt.NDArray[np.uint64]:
        return self._keys

    def uniform(self, *shape: int) -> npt.NDArray[np.float32]:
        """Numbers in [0, 1), one array of this shape for each cell."""
        return self._fill(_fill_uniform, shape)

    def normal(self, *shape: int) -> npt.NDArray[np.float32]:
        return self._fill(_fill_normal, shape)

    def integers(self, high: int, *shape: int) -> npt.NDArray[np.int64]:
        """Numbers from 0 to high - 1."""
        found = np.empty((len(self._keys), int(np.prod(shape))), dtype=np.int64)
        _fill_integers(self._keys, self.next(), high, found)
        return found.reshape(-1, *shape)

    def save(self, i: int) -> int:
        return self.count

    def load(self, i: int, state: int) -> None:
        self.count = state

    def _fill(self, fill: Any, shape: tuple[int, ...]) -> npt.NDArray[np.float32]:
        found = np.empty((len(self._keys), int(np.prod(shape))), dtype=np.float32)
        fill(self._keys, self.next(), found)
        return found.reshape(-1, *shape)


_BELOW_ONE = np.float32(1 - 2**-24)


@kernel
def _fill_uniform(keys, count, out):
    for i in range(out.shape[0]):
        first = bits(keys[i], count, 0, 0)
        for j in range(out.shape[1]):
            out[i, j] = min(np.float32(as_uniform(nth(first, j))), _BELOW_ONE)


@kernel
def _fill_normal(keys, count, out):
    for i in range(out.shape[0]):
        first = bits(keys[i], count, 0, 0)
        for j in range(out.shape[1]):
            out[i, j] = as_normal(nth(first, j))


@kernel
def _fill_integers(keys, count, high, out):
    for i in range(out.shape[0]):
        first = bits(keys[i], count, 0, 0)
        for j in range(out.shape[1]):
            out[i, j] = np.int64(as_uniform(nth(first, j)) * high)
