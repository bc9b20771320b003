"""How far has a path come in a rewardable sequence, and which states would go on with it?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mohs.tables.toys.automaton import Int


def progress(sequences: Int, path: Sequence[int], step: int, gated: bool) -> tuple[int, frozenset[int]]:
    """How many states of a sequence the path ends with, and which states continue what is under way.

    `path` is the end of the N-states visited, the start state left out. With the gate a sequence pays only if it
    finishes at a step divisible by its length, so what began at another time than right after one does not count.
    """
    length = sequences.shape[1]
    phase = step % length
    if len(path) >= length and (not gated or phase == 0) and len(_begun(sequences, path[-length:])):
        done = length
    else:
        done = -1
    for i in [phase] if gated else range(min(length - 1, len(path)), -1, -1):
        found = _begun(sequences, path[len(path) - i :])
        if len(found):
            return max(done, i), frozenset(found[:, i].tolist())
    return max(done, 0), frozenset()


def _begun(sequences: Int, states: Sequence[int]) -> Int:
    """The sequences that begin with these states."""
    same: npt.NDArray[np.bool_] = (sequences[:, : len(states)] == np.array(states, dtype=np.int64)).all(axis=1)
    return sequences[same]
