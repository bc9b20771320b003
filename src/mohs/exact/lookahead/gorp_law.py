"""With which probability does GORP choose each action? Exactly, so that a run need not play its episodes.

GORP fixes the first action of the sequence that does best in m random episodes. How the sum of m returns is
distributed follows from the law of random play where a sequence leads, so that the probability of every choice is
reckoned from the distribution functions of these sums, one for each state that is k steps away, and not from
A^k · m episodes. A choice among 27 moves of chess with k = 7 and m = 27 takes milliseconds, not 14 trillion steps.

Sums of m returns have a law on whole units, the m-th power of a Fourier transform. They are followed in a window
beyond which the chance to see any sequence is at most 1e-12. Of several best sequences GORP takes any with equal
probability, as if each had drawn a number from 0 to 1 beside its sum: `_shares` integrates over both, on a grid whose
error was below 2e-4 wherever a choice could be enumerated. `most` says up to which m rounding adds no more than 1e-3.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from scipy import fft, sparse

from mohs.core import seeding
from mohs.core.domain import Integer
from mohs.core.errors import UsageError
from mohs.core.task import SEED
from mohs.exact.lookahead.ends import Ends, ends
from mohs.exact.lookahead.trials import Outcome
from mohs.exact.values.solve import finite_frame
from mohs.tables.table import Float, Table

MAX_BYTES = 8 * 2**30  # of the laws of random play in all states at all steps
MAX_EPISODES = 1e13  # A^k · m: a Fourier transform rounds the chance of each sequence by up to 1e-16 for each episode
MAX_SEQUENCES = 1e100  # with m = 1 there is no transform
MAX_SUMS = 2**27  # of all leaves, that are held at a time
_UNSEEN = 1e-12  # chance that some sequence has a sum that is left out
_NARROW = 256  # sums of which none is left out
_SLOPES, _STEEPEST = 20, 40.0  # of Chernoff's bound, in units
_TINY = 1e-15  # probabilities below it are rounding
_NEVER = -1e5  # the logarithm of no chance
# Ties matter where the largest sum is so often, and some sequence has a chance of it so large beside that to be below.
_OFTEN, _LARGE = 1e-3, 0.05
_CHUNK = 2**22
# What is left to 1 of the number that decides among equal sums. Among n of them the largest is about 1/n below 1.
_TIES = np.concatenate([1 - 2.0 ** -np.arange(28.0, 6.0, -1), np.arange(63, 1, -1) / 64, 2.0 ** -np.arange(6.0, 36.0)])


@dataclass(frozen=True, eq=False)
class Laws:
    """A table, made ready: the law of random play and the best return of every state, by the steps left."""

    ends: Ends
    steps: int
    random: npt.NDArray[np.float32]  # [steps left, state, return]
    best: npt.NDArray[np.int16]  # [steps left, state]
    known: dict[tuple[int, int, int, int], tuple[npt.NDArray[np.int32], Float]] = field(default_factory=dict)

    @property
    def actions(self) -> int:
        return self.ends.actions


def prepare(table: Table, horizon: int | None = None, discount: float | None = None) -> Laws:
    """An error where returns depend on the way, or the laws need too much memory."""
    steps, gamma = finite_frame(table, horizon, discount)
    if gamma != 1.0:
        raise UsageError("the law of GORP's choices is for returns without a discount.")
    if steps < 1:
        raise UsageError("GORP needs a horizon of at least one step.")
    found = ends(table)
    count, returns = len(found.worth), len(found.returns)
    if (size := 4 * steps * count * returns) > MAX_BYTES:
        raise UsageError(f"the laws of random play take {size:,} bytes, more than the {MAX_BYTES:,} allowed.")
    random = np.zeros((steps, count, returns), dtype=np.float32)
    random[0, np.arange(count), found.worth] = 1.0
    best = np.empty((steps + 1, count), dtype=np.int16)
    best[0] = found.worth
    for left in range(1, steps + 1):
        best[left] = np.maximum.reduceat(best[left - 1][found.moves.indices], found.moves.indptr[:-1])
        if left < steps:
            random[left] = found.moves @ random[left - 1] / np.float32(found.actions)
    return Laws(found, steps, random, best)


def choice(laws: Laws, k: int, m: int, state: int, left: int) -> tuple[npt.NDArray[np.int32], Float]:
    """Where GORP's choice may lead with so many steps left, and the probability of each."""
    moves, depth = laws.ends.moves, min(k, left)
    first, last = moves.indptr[state], moves.indptr[state + 1]
    targets, counts = moves.indices[first:last], moves.data[first:last].astype(np.float64)
    sequences = sparse.csr_array((counts, targets, np.arange(len(targets) + 1)), shape=(len(targets), moves.shape[0]))
    for _ in range(depth - 1):
        sequences = sequences @ moves
    leaves = np.unique(sequences.indices)
    law = laws.random[left - depth, leaves].astype(np.float64)
    law /= law.sum(axis=1, keepdims=True)
    seen, above, atom = _sums(law, laws.ends.returns, m, float(laws.actions) ** depth)
    return targets, _shares(sequences[:, leaves[seen]].toarray(), above, atom)


def most(laws: Laws, k: int) -> int:
    """The largest m with which choices that look k steps ahead are exact; 0 where none is."""
    sequences = float(laws.actions) ** min(k, laws.steps, 300)
    return max(int(MAX_EPISODES / sequences), 1) if sequences <= MAX_SEQUENCES else 0


def play(laws: Laws, k: int, m: int, seed: int, numbers: Sequence[int]) -> Iterator[Outcome]:
    """The runs with these numbers, each ended by its first choice that loses. No step is played."""
    k, m = Integer(1, laws.steps).parse("k", k), Integer(1).parse("m", m)
    if m > (largest := most(laws, k)):
        raise UsageError(f"with k = {k} the law of GORP's choices is exact up to m = {largest:,} only, not {m:,}.")
    stream = seeding.key(seeding.child(SEED.parse("seed", seed), "gorp by law", k, m))
    keys = seeding.hashes(stream, (max(numbers, default=-1) + 1,))
    chances = np.cumsum(laws.ends.chances)
    for number in numbers:
        draws = (seeding.hashes(int(keys[number]), (laws.steps + 1,)) >> np.uint64(11)).astype(np.float64) * 2.0**-53
        yield _optimal(laws, k, m, int(laws.ends.starts[_drawn(chances, draws[-1])]), draws), 0


def _optimal(laws: Laws, k: int, m: int, state: int, draws: Float) -> bool:
    """Whether a run from this state that takes these draws loses nothing."""
    for t in range(laws.steps):
        left = laws.steps - t
        if state >= len(laws.ends.worth) - len(laws.ends.returns):
            break
        place = (k, m, state, left)
        if place not in laws.known:
            targets, chances = choice(laws, k, m, state, left)
            laws.known[place] = targets, np.cumsum(chances)
        targets, until = laws.known[place]
        chosen = int(targets[_drawn(until, draws[t])])
        if laws.best[left - 1, chosen] < laws.best[left, state]:
            return False
        state = chosen
    return True


def _drawn(until: Float, draw: float) -> int:
    return min(int(np.searchsorted(until, draw * until[-1], side="right")), len(until) - 1)


def _sums(
    law: Float, returns: npt.NDArray[np.int64], m: int, sequences: float = 1.0
) -> tuple[npt.NDArray[np.bool_], Float, Float]:
    """Which leaves may have the largest sum of m returns; of these P(sum > x) and P(sum = x) for all x it may be."""
    if m == 1:
        return np.ones(len(law), dtype=np.bool_), _above(law), law
    low, high = _window(law, returns, m, _UNSEEN / sequences)
    seen = high >= low.max()
    law, low, high = law[seen], low[seen], high[seen]
    size = fft.next_fast_len(int((high - low).max()) + 1, real=True)
    if len(law) * size > MAX_SUMS:
        raise UsageError(f"the sums of {m:,} returns that differ by up to {returns[-1]:,} units need too much memory.")
    sums = np.arange(low.max(), high.max() + 1)
    atom = np.empty((len(law), len(sums)))
    for part in _parts(len(law), size):
        around = np.zeros((len(law[part]), size))
        for column, each in enumerate(returns):
            around[:, each % size] += law[part, column]
        inside = (sums >= low[part, None]) & (sums <= high[part, None])
        atom[part] = np.where(inside, fft.irfft(_power(fft.rfft(around), m), n=size)[:, sums % size], 0.0)
    atom[atom < _TINY] = 0.0
    return seen, np.minimum(_above(atom), 1.0), atom


def _window(
    law: Float, returns: npt.NDArray[np.int64], m: int, tail: float
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The least and the largest sum of interest of each leaf: beyond are sums with a chance of at most `tail`.

    Chernoff's bound, P(sum ≥ x) ≤ E exp(θ · return)^m / exp(θ · x), holds for every slope θ; the best of some is taken.
    """
    bottom = returns[np.argmax(law > 0, axis=1)]
    top = returns[len(returns) - 1 - np.argmax(law[:, ::-1] > 0, axis=1)]
    low, high = (m * bottom).astype(np.float64), (m * top).astype(np.float64)
    if m * int(returns[-1]) > _NARROW:
        below, over = np.minimum(returns - top[:, None], 0), np.maximum(returns - bottom[:, None], 0)
        for slope in np.geomspace(1 / (returns[-1] * math.sqrt(m)), _STEEPEST, _SLOPES):
            for end, each, rising in ((high, below, 1), (low, over, -1)):
                mean = np.log((law * np.exp(rising * slope * each)).sum(axis=1))
                far = m * (top if rising > 0 else bottom) + rising * (m * mean - math.log(tail)) / slope
                (np.minimum if rising > 0 else np.maximum)(end, far, out=end)
    return np.floor(low).astype(np.int64), np.ceil(high).astype(np.int64)


def _power(wave: npt.NDArray[np.complex128], m: int) -> npt.NDArray[np.complex128]:
    """By squaring: numpy goes through logarithms."""
    found = wave if m & 1 else np.ones_like(wave)
    while m := m >> 1:
        wave = wave * wave
        if m & 1:
            found = found * wave
    return found


def _above(atom: Float) -> Float:
    """For each column, what all columns behind it hold together, however little: many sequences may share it."""
    above = np.zeros_like(atom)
    above[:, :-1] = np.cumsum(atom[:, :0:-1], axis=1)[:, ::-1]
    return above


def _parts(rows: int, columns: int) -> Iterator[slice]:
    step = max(1, _CHUNK // max(1, columns))
    return (slice(first, first + step) for first in range(0, rows, step))


def _shares(counts: Float, above: Float, atom: Float) -> Float:
    """The probability of each first move to have the largest sum; `counts` [move, leaf] are its sequences.

    Between two points the logarithms of the moves' distribution functions are taken to be proportional, so that each
    move gets of the probability of the largest sum to be there what it adds to the logarithm.
    """
    sums = np.arange(atom.shape[1])
    logs = _logs(counts, above, atom, sums, np.zeros(len(sums)))
    gain = np.diff(np.exp(logs.sum(axis=0)), prepend=0.0)
    often = np.flatnonzero(gain > _OFTEN)
    tied = often[(atom[:, often] > _LARGE * (1 - above[:, often])).any(axis=0)]
    fine, rest = np.repeat(tied, len(_TIES)), np.tile(_TIES, len(tied))
    logs = np.hstack([logs, _logs(counts, above, atom, fine, rest)])
    logs = logs[:, np.lexsort((-np.append(np.zeros(len(sums)), rest), np.append(sums, fine)))]
    added = np.diff(logs, axis=1, prepend=_NEVER * counts.sum(axis=1, keepdims=True))
    total = added.sum(axis=0)
    gain = np.diff(np.exp(logs.sum(axis=0)), prepend=0.0)
    seen = total > 0
    found = added[:, seen] @ (gain[seen] / total[seen])
    return np.asarray(found / found.sum())


def _logs(counts: Float, above: Float, atom: Float, sums: npt.NDArray[np.integer], rest: Float) -> Float:
    """[move, point]: the logarithm of the chance that all of a move's sequences are below these sums, ties included."""
    total = np.zeros((len(counts), len(sums)))
    for part in _parts(len(atom), len(sums)):
        more = above[part][:, sums] + rest * atom[part][:, sums]
        with np.errstate(divide="ignore"):
            total += counts[:, part] @ np.maximum(np.log1p(-np.minimum(more, 1.0)), _NEVER)
    return total
