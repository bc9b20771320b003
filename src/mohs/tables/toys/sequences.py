"""Which sequences of states are rewardable? floor(density · possible) of them, the first of a seeded ranking.

So a denser reward keeps the sequences of a sparser one. Sequences have no repeated and no terminal states.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from mohs.core import seeding
from mohs.core.errors import UsageError
from mohs.tables.toys.automaton import Int

MAX_SEQUENCES = 2**24


def through_sets(seed: int, free: Int, set_size: int, length: int, density: float, least: int) -> tuple[Int, int]:
    """Of sequences through the independent sets, an equal share starting in each; and how many were possible.

    At least `least` are chosen. `free` [sets, m] are the non-terminal states of each set, by their local labels.
    Generated dynamics can follow any of these sequences, because the actions of a state reach the whole next set.
    """
    sets = len(free)
    # Position j is in set start + j; a set is visited again every `sets` positions, with one state fewer to choose.
    radices = [free.shape[1] - j // sets for j in range(length)]
    per_set = math.prod(max(r, 0) for r in radices)
    if per_set * sets > MAX_SEQUENCES:
        raise UsageError(
            f"sequence_length {length} allows {per_set * sets:,} sequences; at most {MAX_SEQUENCES:,} can be ranked. "
            "Lower sequence_length, action_space_size or diameter, or give rewardable_sequences."
        )
    count = _count(density, per_set * sets, length, least)
    order = seeding.ranking(seeding.key(seeding.child(seed, "sequence sets")), sets)
    parts = []
    for place, start in enumerate(order.tolist()):
        share = count // sets + (place < count % sets)
        ranks = seeding.ranking(seeding.key(seeding.child(seed, "sequences", start)), per_set)[:share]
        parts.append(_unrank(ranks, radices, free, start, set_size))
    return np.concatenate(parts), per_set * sets


def along_paths(
    seed: int, reach: npt.NDArray[np.bool_], terminal: npt.NDArray[np.bool_], length: int, density: float, least: int
) -> tuple[Int, int]:
    """Of sequences that given dynamics can follow; `reach[s, t]` says whether some action leads from s to t."""
    paths = np.flatnonzero(reach.any(axis=0) & ~terminal)[:, None]
    for _ in range(length - 1):
        follow = reach[paths[:, -1]] & ~terminal
        np.put_along_axis(follow, paths, False, axis=1)
        path, state = np.nonzero(follow)
        if len(path) > MAX_SEQUENCES:
            raise UsageError(f"sequence_length {length} allows too many sequences; give rewardable_sequences instead.")
        paths = np.concatenate([paths[path], state[:, None]], axis=1)
    count = _count(density, len(paths), length, least)
    ranks = seeding.ranking(seeding.key(seeding.child(seed, "sequences", 0)), len(paths))
    return paths[ranks[:count]], len(paths)


def floor_share(share: float, count: int) -> int:
    """floor(share · count), exact in decimals: .29 of 100 is 29, and 1/6 of 6 is 1."""
    return math.floor(Fraction(share).limit_denominator(10**9) * count)


def _count(density: float, possible: int, length: int, least: int) -> int:
    count = max(floor_share(density, possible), min(least, possible))
    if count == 0:
        raise UsageError(
            f"reward_density {density:g} of {possible:,} possible sequences of length {length} makes none rewardable; "
            + (f"it must be at least {_smallest(possible):g}." if possible else "sequence_length must be smaller.")
        )
    return count


def _smallest(possible: int) -> float:
    """The smallest density of three digits that makes one of so many sequences rewardable."""
    scale: int = 10 ** (2 + len(str(possible)))
    return math.ceil(scale / possible) / scale


def _unrank(ranks: Int, radices: list[int], free: Int, start: int, set_size: int) -> Int:
    """The sequences with these numbers in the mixed-radix order of non-repeating choices."""
    sets = len(free)
    picks: Int = np.empty((len(ranks), len(radices)), dtype=np.int64)  # place within the set's free states
    rest = ranks.copy()
    for j in reversed(range(len(radices))):
        picks[:, j] = rest % radices[j]
        rest //= radices[j]
    for j in range(len(radices)):  # skip the states that the sequence has visited in this set already
        for earlier in np.sort(picks[:, j % sets : j : sets], axis=1).T:
            picks[:, j] += picks[:, j] >= earlier
    where = (start + np.arange(len(radices))) % sets
    return free[where[None, :], picks] + where[None, :] * set_size
