"""In which order are the values of the random policy? Exact integers, so that no rounding makes or breaks a tie.

Where rewards are multiples of a unit and transitions are deterministic, the random policy's value with n steps left is
a whole number of units / Aⁿ. It is kept as a whole number of units and a fraction below 1. Qᵏ adds k rewards to such a
value, which leaves the fraction as it is. So a value and every look-ahead over it is one 64-bit *key*,
whole number · span + rank of the fraction: keys are equal where values are, and ordered as the values are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mohs.core.errors import UsageError
from mohs.exact.lookahead import ranks_kernels as kernels
from mohs.exact.measures.distances import distances
from mohs.exact.values.distribution import unit
from mohs.tables.table import Float, Table

Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]
MAX_KEY = 2**62
SINGLE = 2e-7  # relative error of a ratio of rewards that are kept in single precision


@dataclass(frozen=True, eq=False)
class Units:
    """Rewards as multiples of `size`. `span` is larger than any rank."""

    size: float
    gains: Ints
    span: int


@dataclass(frozen=True, eq=False)
class Ranked:
    """The values of the random policy at one step: keys, and the fraction of every rank.

    `part[rank]` are the words of a numerator over `denominator`, which is about mantissa · 2^exponent.
    """

    keys: Ints
    part: Words
    denominator: Words
    mantissa: float
    exponent: int


def units(table: Table, steps: int, discount: float) -> Units | None:
    """The rewards in units; None where values are no whole numbers, or too large for keys."""
    if not table.deterministic or discount != 1.0:
        return None
    rewards = np.where(np.repeat(table.terminal, table.actions), 0.0, table.reward)
    size = reward_unit(rewards)
    span = table.states + 2
    if size is None or (steps + 1) * (float(np.abs(rewards).max(initial=0.0)) / size + 1) * span > MAX_KEY:
        return None
    return Units(size, np.round(rewards / size).astype(np.int64), span)


def reward_unit(rewards: Float) -> float | None:
    """The number of which all rewards are multiples, also where they were kept in single precision; None if none is."""
    size = unit(rewards)
    if size is None and np.all(rewards == rewards.astype(np.float32)):
        size = unit(rewards, within=SINGLE)
    return size


def ranked(table: Table, rewards: Units, steps: int) -> Iterator[Ranked]:
    """The values after T, T - 1, …, 1 steps. Each holds the states that can be reached by then."""
    depth, width = distances(table), table.actions
    words = (width**steps).bit_length() // 64 + 1  # one bit more than the largest denominator
    whole, whole_after = np.zeros((2, table.states), dtype=np.int64)
    part, part_after = np.zeros((2, table.states, words), dtype=np.uint64)
    yield _ranked(whole, part, np.empty(0, dtype=np.int64), rewards.span, 1)
    for t in range(steps - 1, 0, -1):
        before = width ** (steps - t - 1)
        multiples = np.stack([_words(n * before, words) for n in range(width + 1)])
        kernels.average(
            table.succ, rewards.gains, table.terminal, width, depth, t, (width * before).bit_length() // 64 + 1,
            multiples, whole_after, part_after, whole, part,
        )  # fmt: skip
        live = np.flatnonzero((depth >= 0) & (depth <= t) & ~table.terminal)
        yield _ranked(whole, part, live, rewards.span, width * before)
        whole, whole_after = whole_after, whole
        part, part_after = part_after, part


def _ranked(whole: Ints, part: Words, live: Ints, span: int, denominator: int) -> Ranked:
    ordered, changes = _ordered(part, live, denominator)
    if len(live) and part[ordered[0]].any():
        changes[0] = 1  # the rank 0 is the fraction 0's, as terminal states have it
    ranks = np.cumsum(changes, dtype=np.int64)
    keys = np.zeros(len(whole), dtype=np.int64)
    keys[ordered] = whole[ordered] * span + ranks
    shift = denominator.bit_length()
    return Ranked(
        keys,
        np.concatenate([np.zeros((1, part.shape[1]), dtype=np.uint64), part[ordered[changes == 1]]]),
        _words(denominator, part.shape[1]),
        denominator / 2**shift,
        shift,
    )


def _ordered(part: Words, live: Ints, denominator: int) -> tuple[Ints, npt.NDArray[np.int8]]:
    """The states by their fraction, and where it is larger than the one before."""
    lead, changes = np.zeros(len(live), dtype=np.uint64), np.zeros(len(live), dtype=np.int8)
    bits = denominator.bit_length()
    kernels.leading(part, live, part.shape[1] - (bits + 63) // 64, -bits % 64, lead)
    order = np.argsort(lead)
    ordered, lead = live[order], lead[order]
    kernels.compare(part, ordered, changes)
    if np.any(changes < 0):  # the leading bits are the same and the others differ
        new = np.concatenate([[True], lead[1:] != lead[:-1]])
        run = np.cumsum(new) - 1
        unsure = np.isin(run, run[changes < 0])
        ordered[unsure] = ordered[unsure][np.lexsort(part[ordered[unsure]].T[::-1])]
        kernels.compare(part, ordered, changes)
    return ordered, changes


def _words(value: int, count: int) -> Words:
    return np.frombuffer(value.to_bytes(8 * count, "big"), dtype=">u8").astype(np.uint64)


@dataclass(frozen=True, eq=False)
class AllRanked:
    """The values of the random policy at every step, `keys[t]`; `part[first[t] + rank]` has the fractions."""

    span: int
    keys: Ints
    part: Words
    first: Ints
    denominators: Words
    mantissas: Float
    exponents: Ints

    def fractions(self, t: int) -> Float:
        """The fractions of all states after t steps, to a few units in the last place."""
        end = self.first[t + 1] if t + 1 < len(self.first) else len(self.part)
        found = np.zeros(end - self.first[t])
        kernels.numbers(self.part[self.first[t] : end], self.mantissas[t], self.exponents[t], found)
        return np.asarray(found[self.keys[t] % self.span])


def all_ranked(table: Table, rewards: Units, steps: int, most_bytes: int) -> AllRanked:
    """All steps together. Raises `UsageError` where they take more memory than this."""
    keys = np.zeros((steps + 1, table.states), dtype=np.int64)
    found: list[Ranked] = []
    taken = keys.nbytes
    for t, now in zip(range(steps, 0, -1), ranked(table, rewards, steps), strict=True):
        keys[t] = now.keys
        found.append(Ranked(keys[t], now.part, now.denominator, now.mantissa, now.exponent))
        taken += 2 * now.part.nbytes
        if taken > most_bytes:
            raise UsageError(f"the gaps of {steps} steps in {table.states:,} states need too much memory.")
    found.append(found[-1])  # the values at the start are the look-ahead of nothing
    found.reverse()
    sizes = [len(now.part) for now in found[1:]]
    return AllRanked(
        rewards.span,
        keys,
        np.concatenate([now.part for now in found[1:]]),
        np.concatenate([[0, 0], np.cumsum(sizes[:-1])]).astype(np.int64),
        np.stack([now.denominator for now in found]),
        np.array([now.mantissa for now in found]),
        np.array([now.exponent for now in found], dtype=np.int64),
    )
