"""Which number has a key? Keys are numbered in order of appearance by a growing hash table."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from mohs.core.errors import UsageError
from mohs.core.kernel import kernel, law
from mohs.core.splitmix import mix

Keys = npt.NDArray[np.int64]
NONE = -1  # a key that is none, and the number of a key that is not known
Progress = Callable[[str, int], None]  # what is being counted, and how many there are so far


class TooManyError(UsageError):
    """There are more keys than the limit."""


class Numbering:
    """Keys ≥ 0 and their numbers 0, 1, …; at most `limit` of them."""

    def __init__(self, limit: int, what: str = "states") -> None:
        self.limit, self.what = limit, what
        self.count = 0
        self._keys = np.empty(1 << 12, dtype=np.int64)
        self._slots = np.full(1 << 13, NONE, dtype=np.int32)

    @property
    def keys(self) -> Keys:
        return self._keys[: self.count]

    def add(self, keys: Keys) -> npt.NDArray[np.int32]:
        """The numbers of these keys, new ones given to those that have none; NONE stays NONE."""
        self._make_room(self.count + keys.size)
        numbers = np.empty(keys.shape, dtype=np.int32)
        self.count = int(add(self._keys, self._slots, self.count, keys.ravel(), numbers.ravel()))
        if self.count > self.limit:
            raise TooManyError(f"there are more than {self.limit:,} {self.what}.")
        return numbers

    def find(self, keys: Keys) -> npt.NDArray[np.int32]:
        """The numbers of these keys; NONE for those that have none."""
        numbers = np.empty(keys.shape, dtype=np.int32)
        find(self._keys, self._slots, keys.ravel(), numbers.ravel())
        return numbers

    def _make_room(self, count: int) -> None:
        if count > len(self._keys):
            grown = np.empty(max(count, 2 * len(self._keys)), dtype=np.int64)
            grown[: self.count] = self.keys
            self._keys = grown
        size = len(self._slots)
        while size < 2 * count:
            size *= 2
        if size > len(self._slots):
            self._slots = np.full(size, NONE, dtype=np.int32)
            fill(self.keys, self._slots)


@law
def slot_of(keys, slots, key):
    """The slot that holds a key, or the empty one where it belongs."""
    mask = len(slots) - 1
    slot = np.int64(mix(np.uint64(key))) & mask
    while slots[slot] >= 0 and keys[slots[slot]] != key:
        slot = (slot + 1) & mask
    return slot


@kernel
def add(keys, slots, count, wanted, numbers):
    for i in range(len(wanted)):
        key = wanted[i]
        if key < 0:
            numbers[i] = NONE
            continue
        slot = slot_of(keys, slots, key)
        if slots[slot] < 0:
            keys[count] = key
            slots[slot] = count
            count += 1
        numbers[i] = slots[slot]
    return count


@kernel
def find(keys, slots, wanted, numbers):
    for i in range(len(wanted)):
        numbers[i] = NONE if wanted[i] < 0 else slots[slot_of(keys, slots, wanted[i])]


@kernel
def fill(keys, slots):
    for number in range(len(keys)):
        slots[slot_of(keys, slots, keys[number])] = number
