"""Where does each random number come from?

Seeds are `numpy.random.SeedSequence`s. A child is addressed by *name*, not by the order of spawning, so a new stream
changes no other one. What a task generates (dynamics, terminals, rewards, ...) is ranked by a keyed hash (`ranking`).
The first k of a ranking are the first k of every longer one, so a denser dial keeps what a sparser one had.
"""

from __future__ import annotations

import hashlib

import numpy as np
import numpy.typing as npt

U64 = npt.NDArray[np.uint64]

GOLDEN = 0x9E3779B97F4A7C15
MIX_1 = 0xBF58476D1CE4E5B9
MIX_2 = 0x94D049BB133111EB


def child(seed: int, *names: str | int) -> np.random.SeedSequence:
    """The stream that `names` address below a root seed."""
    words: list[int] = []
    for name in names:
        digest = hashlib.sha256(f"{type(name).__name__}:{name}".encode()).digest()
        words.extend(int.from_bytes(digest[i : i + 4], "little") for i in (0, 4))
    return np.random.SeedSequence(entropy=seed, spawn_key=tuple(words))


def key(sequence: np.random.SeedSequence) -> int:
    """A 64-bit key for addressed draws."""
    return int(sequence.generate_state(1, np.uint64)[0])


def seed_of(sequence: np.random.SeedSequence) -> int:
    """A 31-bit seed for libraries that take an integer."""
    return int(sequence.generate_state(1, np.uint32)[0] >> np.uint32(1))


def mix64(x: U64) -> U64:
    """The finaliser of splitmix64 on an array."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(MIX_1)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(MIX_2)
    return x ^ (x >> np.uint64(31))


def hashes(stream: int, shape: tuple[int, ...]) -> U64:
    """Independent 64-bit values addressed by position in an array."""
    counter = np.arange(1, int(np.prod(shape)) + 1, dtype=np.uint64).reshape(shape)
    return mix64(np.uint64(stream) + counter * np.uint64(GOLDEN))


def ranking(stream: int, *shape: int) -> npt.NDArray[np.int64]:
    """Random permutations of the last axis, one for each position of the leading axes."""
    return np.argsort(hashes(stream, shape), axis=-1, kind="stable")
