"""With which probability does GORP choose each action? Computed analytically, without playing episodes.

GORP fixes the first action of the sequence with the largest mean return over m random episodes. The distribution of the
sum of m returns follows from the return distribution of the random policy in the state that the sequence leads to. So
the probability of every choice is computed from one distribution function per state k steps ahead, not from A^k · m
episodes. A choice among 27 moves of chess with k = 7 and m = 27 takes milliseconds instead of 14 trillion steps.

Returns are whole units, so the distribution of a sum of m returns is the inverse Fourier transform of an m-th power. It
is computed in a window; the probability that any sequence falls outside is at most 1e-12. GORP breaks ties uniformly,
as if each sequence had drawn a number from 0 to 1 beside its sum: `_shares` integrates over both, on a grid whose error
was below 2e-4 in all choices that could be enumerated. `most` is the largest m at which rounding adds at most 1e-3.
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
from mohs.exact.lookahead.final_states import FinalStates, final_states
from mohs.exact.lookahead.trials import Outcome
from mohs.exact.values.solve import finite_frame
from mohs.tables.table import Float, Table

MAX_BYTES = 8 * 2**30  # of the return distributions of the random policy, for all states and steps
MAX_EPISODES = 1e13  # A^k · m: the Fourier transform has a rounding error of up to 1e-16 per sequence and episode
MAX_SEQUENCES = 1e100  # with m = 1 there is no transform
MAX_SUMS = 2**27  # of all leaves, that are held at a time
_UNSEEN = 1e-12  # probability that some sequence has a sum outside the window
_NARROW = 256  # ranges of sums up to this width have no window
_SLOPES, _STEEPEST = 20, 40.0  # slopes tried in Chernoff's bound, per unit
_TINY = 1e-15  # probabilities below it are rounding
_NEVER = -1e5  # stands for log 0
# Ties matter at a sum that is the largest with at least this probability, where P(sum = x) is large beside P(sum ≤ x).
_OFTEN, _LARGE = 1e-3, 0.05
_CHUNK = 2**22
# One minus the number that decides among equal sums. The largest of n such numbers is about 1/n below 1.
_TIES = np.concatenate([1 - 2.0 ** -np.arange(28.0, 6.0, -1), np.arange(63, 1, -1) / 64, 2.0 ** -np.arange(6.0, 36.0)])


@dataclass(frozen=True, eq=False)
class ReturnDistributions:
    """Return distribution of the random policy and the best return, for every state and number of steps left."""

    final: FinalStates
    steps: int
    random: npt.NDArray[np.float32]  # [steps left, state, return]
    best: npt.NDArray[np.int16]  # [steps left, state]
    known: dict[tuple[int, int, int, int], tuple[npt.NDArray[np.int32], Float]] = field(default_factory=dict)

    @property
    def actions(self) -> int:
        return self.final.actions


def prepare(table: Table, horizon: int | None = None, discount: float | None = None) -> ReturnDistributions:
    """Raises `UsageError` where returns depend on the path, or the distributions need too much memory."""
    steps, gamma = finite_frame(table, horizon, discount)
    if gamma != 1.0:
        raise UsageError("the analytic form of GORP is for undiscounted returns; set discount to 1.")
    if steps < 1:
        raise UsageError("GORP needs a horizon of at least one step.")
    found = final_states(table)
    count, returns = len(found.worth), len(found.returns)
    if (size := 4 * steps * count * returns) > MAX_BYTES:
        raise UsageError(f"the return distributions take {size:,} bytes, more than the {MAX_BYTES:,} allowed.")
    random = np.zeros((steps, count, returns), dtype=np.float32)
    random[0, np.arange(count), found.worth] = 1.0
    best = np.empty((steps + 1, count), dtype=np.int16)
    best[0] = found.worth
    for left in range(1, steps + 1):
        best[left] = np.maximum.reduceat(best[left - 1][found.moves.indices], found.moves.indptr[:-1])
        if left < steps:
            random[left] = found.moves @ random[left - 1] / np.float32(found.actions)
    return ReturnDistributions(found, steps, random, best)


def choice(prepared: ReturnDistributions, k: int, m: int, state: int, left: int) -> tuple[npt.NDArray[np.int32], Float]:
    """The states that GORP's next action can lead to with `left` steps to go, and their probabilities."""
    moves, depth = prepared.final.moves, min(k, left)
    first, last = moves.indptr[state], moves.indptr[state + 1]
    targets, counts = moves.indices[first:last], moves.data[first:last].astype(np.float64)
    sequences = sparse.csr_array((counts, targets, np.arange(len(targets) + 1)), shape=(len(targets), moves.shape[0]))
    for _ in range(depth - 1):
        sequences = sequences @ moves
    leaves = np.unique(sequences.indices)
    distribution = prepared.random[left - depth, leaves].astype(np.float64)
    distribution /= distribution.sum(axis=1, keepdims=True)
    seen, above, atom = _sums(distribution, prepared.final.returns, m, float(prepared.actions) ** depth)
    return targets, _shares(sequences[:, leaves[seen]].toarray(), above, atom)


def most(prepared: ReturnDistributions, k: int) -> int:
    """The largest m for which choices with k steps of look-ahead are exact; 0 where there is none."""
    sequences = float(prepared.actions) ** min(k, prepared.steps, 300)
    return max(int(MAX_EPISODES / sequences), 1) if sequences <= MAX_SEQUENCES else 0


def play(prepared: ReturnDistributions, k: int, m: int, seed: int, numbers: Sequence[int]) -> Iterator[Outcome]:
    """The runs with these numbers. A run ends with its first sub-optimal action; no step is played."""
    k, m = Integer(1, prepared.steps).parse("k", k), Integer(1).parse("m", m)
    if m > (largest := most(prepared, k)):
        raise UsageError(f"with k = {k} the analytic form of GORP is exact up to m = {largest:,} only, not {m:,}.")
    # The name of the stream is part of every result: renaming it would change the draws.
    stream = seeding.key(seeding.child(SEED.parse("seed", seed), "gorp by law", k, m))
    keys = seeding.hashes(stream, (max(numbers, default=-1) + 1,))
    probs = np.cumsum(prepared.final.probs)
    for number in numbers:
        bits = seeding.hashes(int(keys[number]), (prepared.steps + 1,)) >> np.uint64(11)
        draws = bits.astype(np.float64) * 2.0**-53
        yield _optimal(prepared, k, m, int(prepared.final.starts[_drawn(probs, draws[-1])]), draws), 0


def _optimal(prepared: ReturnDistributions, k: int, m: int, state: int, draws: Float) -> bool:
    """Whether a run from this state with these draws takes optimal actions only."""
    for t in range(prepared.steps):
        left = prepared.steps - t
        if state >= len(prepared.final.worth) - len(prepared.final.returns):
            break
        place = (k, m, state, left)
        if place not in prepared.known:
            targets, probs = choice(prepared, k, m, state, left)
            prepared.known[place] = targets, np.cumsum(probs)
        targets, until = prepared.known[place]
        chosen = int(targets[_drawn(until, draws[t])])
        if prepared.best[left - 1, chosen] < prepared.best[left, state]:
            return False
        state = chosen
    return True


def _drawn(until: Float, draw: float) -> int:
    return min(int(np.searchsorted(until, draw * until[-1], side="right")), len(until) - 1)


def _sums(
    distribution: Float, returns: npt.NDArray[np.int64], m: int, sequences: float = 1.0
) -> tuple[npt.NDArray[np.bool_], Float, Float]:
    """Which leaves can have the largest sum of m returns, and for these P(sum > x) and P(sum = x) for every x."""
    if m == 1:
        return np.ones(len(distribution), dtype=np.bool_), _above(distribution), distribution
    low, high = _window(distribution, returns, m, _UNSEEN / sequences)
    seen = high >= low.max()
    distribution, low, high = distribution[seen], low[seen], high[seen]
    size = fft.next_fast_len(int((high - low).max()) + 1, real=True)
    if len(distribution) * size > MAX_SUMS:
        raise UsageError(f"sums of {m:,} returns that differ by up to {returns[-1]:,} units need too much memory.")
    sums = np.arange(low.max(), high.max() + 1)
    atom = np.empty((len(distribution), len(sums)))
    for part in _parts(len(distribution), size):
        around = np.zeros((len(distribution[part]), size))
        for column, each in enumerate(returns):
            around[:, each % size] += distribution[part, column]
        inside = (sums >= low[part, None]) & (sums <= high[part, None])
        atom[part] = np.where(inside, fft.irfft(_power(fft.rfft(around), m), n=size)[:, sums % size], 0.0)
    atom[atom < _TINY] = 0.0
    return seen, np.minimum(_above(atom), 1.0), atom


def _window(
    distribution: Float, returns: npt.NDArray[np.int64], m: int, tail: float
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The smallest and the largest sum of each leaf that are kept: sums beyond have probability at most `tail`.

    Chernoff's bound, P(sum ≥ x) ≤ E exp(θ · return)^m / exp(θ · x), holds for every slope θ; several are tried.
    """
    bottom = returns[np.argmax(distribution > 0, axis=1)]
    top = returns[len(returns) - 1 - np.argmax(distribution[:, ::-1] > 0, axis=1)]
    low, high = (m * bottom).astype(np.float64), (m * top).astype(np.float64)
    if m * int(returns[-1]) > _NARROW:
        below, over = np.minimum(returns - top[:, None], 0), np.maximum(returns - bottom[:, None], 0)
        for slope in np.geomspace(1 / (returns[-1] * math.sqrt(m)), _STEEPEST, _SLOPES):
            for end, each, rising in ((high, below, 1), (low, over, -1)):
                mean = np.log((distribution * np.exp(rising * slope * each)).sum(axis=1))
                far = m * (top if rising > 0 else bottom) + rising * (m * mean - math.log(tail)) / slope
                (np.minimum if rising > 0 else np.maximum)(end, far, out=end)
    return np.floor(low).astype(np.int64), np.ceil(high).astype(np.int64)


def _power(wave: npt.NDArray[np.complex128], m: int) -> npt.NDArray[np.complex128]:
    """The m-th power by repeated squaring, which is more accurate than numpy's power of complex numbers."""
    found = wave if m & 1 else np.ones_like(wave)
    while m := m >> 1:
        wave = wave * wave
        if m & 1:
            found = found * wave
    return found


def _above(atom: Float) -> Float:
    """The sum of all columns behind each column. Tiny sums are kept, because many sequences may share them."""
    above = np.zeros_like(atom)
    above[:, :-1] = np.cumsum(atom[:, :0:-1], axis=1)[:, ::-1]
    return above


def _parts(rows: int, columns: int) -> Iterator[slice]:
    step = max(1, _CHUNK // max(1, columns))
    return (slice(first, first + step) for first in range(0, rows, step))


def _shares(counts: Float, above: Float, atom: Float) -> Float:
    """The probability that each first move has the largest sum; `counts` [move, leaf] are its numbers of sequences.

    Between two grid points the logarithms of the distribution functions are taken to be proportional. So each move gets
    a share of the probability that the largest sum lies there, in proportion to the change of its logarithm.
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
    """[move, point]: the log probability that all sequences of a move are at most these sums, ties included."""
    total = np.zeros((len(counts), len(sums)))
    for part in _parts(len(atom), len(sums)):
        more = above[part][:, sums] + rest * atom[part][:, sums]
        with np.errstate(divide="ignore"):
            total += counts[:, part] @ np.maximum(np.log1p(-np.minimum(more, 1.0)), _NEVER)
    return total
