"""How does a fleet lie in memory? As one block: a header, the instances, the tasks, an integer and a float arena.

A kernel that takes the block instead of its four parts is called in half the time, which is most of the time of a
single step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.core.errors import UsageError

_HEADER = 4  # where, in 8-byte words, the tasks, the integers and the floats begin, and the end
Memory = npt.NDArray[Any]  # of words whose type names the engine: see `Law.block`


class Arena:
    """Parts of one flat array, each at an offset above 0."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = np.dtype(dtype)
        self._parts: list[tuple[int, npt.NDArray[Any]]] = []
        self.size = 1

    def put(self, part: npt.NDArray[Any]) -> int:
        self._parts.append((self.size, part))
        return int(self.reserve(np.array([part.size]))[0])

    def reserve(self, sizes: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """Room for one part of each size, zeroed: their offsets."""
        offsets: npt.NDArray[np.int64] = self.size + np.cumsum(sizes, dtype=np.int64) - sizes
        self.size += int(sizes.sum())
        if self.size >= 2**31:
            raise UsageError("the tasks of this fleet need more than 2^31 entries; take fewer or smaller ones.")
        return offsets

    def write(self, array: npt.NDArray[Any]) -> None:
        for offset, part in self._parts:
            array[offset : offset + part.size] = part.ravel()


def splitter(instance: npt.DTypeLike, task: npt.DTypeLike) -> Callable[[Any], tuple[Any, Any, Any, Any]]:
    """The function that finds the four parts in a block whose records have these types; it can be compiled."""

    def split(memory):
        """The instances, the tasks, the integer and the float arena of a block: views, not copies."""
        words = memory.view(np.int64)
        return (
            words[4 : words[0]].view(instance),
            words[words[0] : words[1]].view(task),
            words[words[1] : words[2]].view(np.int32),
            words[words[2] : words[3]].view(np.float64),
        )

    return split


def allocate(
    instances: npt.NDArray[Any], tasks: npt.NDArray[Any], ints: Arena, floats: Arena, word: npt.DTypeLike
) -> Memory:
    """A block of words of this type that holds these records and arenas. Records are whole 8-byte words."""
    sizes = (instances.nbytes // 8, tasks.nbytes // 8, (ints.size + 1) // 2, floats.size)
    ends = _HEADER + np.cumsum(sizes)
    memory = np.zeros(ends[-1], dtype=np.int64)
    memory[:_HEADER] = ends
    here, what, whole, real = splitter(instances.dtype, tasks.dtype)(memory)
    here[:], what[:] = instances, tasks
    ints.write(whole)
    floats.write(real)
    return memory.view(word)


def cumulative(probabilities: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Cumulative sums whose last element with mass, and all after it, are above every draw."""
    sums = np.cumsum(probabilities, axis=-1)
    tail = np.flip(np.cumsum(np.flip(probabilities, -1), axis=-1), -1) - probabilities == 0
    return np.where(tail, 2.0, sums)
