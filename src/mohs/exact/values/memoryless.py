"""What can a policy earn that sees only the current observation?

A memoryless policy takes the same action wherever a state looks the same, and at every step: it sees no clock either.
The best one is found in three steps.

1. *Relaxation.* A policy that sees everything earns at least as much. If it takes one action per observation, or if a
   climb from its most frequent actions earns as much, the search is over.
2. *Search over deterministic policies.* A deterministic table is searched depth-first: episodes are followed from every
   start, an observation gets an action when it is first met, and a branch is cut when the best that can follow is too
   little. Other tables are searched best-first: observations are fixed one by one, and a relaxation of the others
   bounds what a branch can earn. Both end with the optimum, or at a limit of work with a bracket.
3. *Randomised policies.* They can earn more than every deterministic one (Singh, Jaakkola and Jordan 1994). A gradient
   ascent starts from the best deterministic policy; there is no proof that it finds the best.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.core.domain import Integer, Real
from mohs.core.errors import UsageError
from mohs.exact.values import memoryless_kernels as kernels
from mohs.exact.values.solve import finite_frame
from mohs.tables.table import Float, Table

MAX_CELLS = 2**25  # steps × states that a search keeps values for
WORK = 400_000_000  # table entries read before a search ends with a bracket: about a second
ASCENT_STEPS = 15
CLIMBS = 6  # of the first branches of a best-first search
_NOISE = 1e-12  # of the optimal return: smaller differences are rounding errors

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Memoryless:
    """The best memoryless policy that was found.

    Attributes:
        value: Its expected return.
        upper: No deterministic memoryless policy earns more. Where the search was exhaustive, it is `value` up to the
            tolerance; it is never below `value`, which may be that of a randomised policy.
        optimal: The expected return of the optimal policy, which sees everything.
        policy: Action probabilities [observations, actions].
        observations: The observation of each row of `policy`.
        length: The expected number of steps of its episodes.
    """

    value: float
    upper: float
    optimal: float
    policy: Float
    observations: npt.NDArray[np.int32]
    length: float

    @property
    def randomised(self) -> bool:
        """Whether the policy draws its actions."""
        return bool((self.policy.max(axis=1) < 1).any())


def best_memoryless(
    table: Table, *, horizon: int | None = None, tolerance: float = 0.0, work: int = WORK, randomised: bool = True
) -> Memoryless:
    """The best policy that sees only the current observation.

    Args:
        table: The MDP.
        horizon: The number of steps of an episode; by default the table's.
        tolerance: How far from the best it may be, as a share of the optimal policy's return.
        work: How many entries of the table to read before the search ends with a bracket.
        randomised: Whether to look for a randomised policy that earns more.

    Returns:
        The policy, its expected return, and a bound for all deterministic memoryless policies.

    Raises:
        UsageError: The table has no horizon, or is too large.

    Example:
        >>> import mohs
        >>> from mohs.exact.values.memoryless import best_memoryless
        >>> found = best_memoryless(mohs.table("toy/discrete", sequence_length=2), randomised=False)
        >>> round(found.optimal, 2), round(found.value, 2), found.value == found.upper
        (50.0, 41.67, True)
    """
    steps, discount = finite_frame(table, horizon)
    Real(0, 1).parse("tolerance", tolerance)
    Integer(1).parse("work", work)
    if (steps + 1) * table.states > MAX_CELLS:
        raise UsageError(
            f"the search keeps a value for each step and state: {steps:,} steps × {table.states:,} states are more "
            f"than {MAX_CELLS:,}."
        )
    search = _Search(table, steps, discount)
    found = search.deterministic(tolerance, work)
    gap = found.optimal - found.value
    if randomised and gap > max(tolerance, _NOISE) * abs(found.optimal):
        return search.ascended(found, ASCENT_STEPS)
    return found


@dataclass(frozen=True, eq=False)
class _Search:
    """A table, and the memory that searches share."""

    table: Table
    steps: int
    discount: float

    @cached_property
    def seen(self) -> tuple[npt.NDArray[np.int32], Ints]:
        """The observations of states that act, and for each state the number of its own."""
        observations = np.zeros(self.table.states, dtype=np.int64)
        acting = ~self.table.terminal
        seen, observations[acting] = np.unique(self.table.observation[acting], return_inverse=True)
        return seen, observations

    @cached_property
    def arrays(self) -> tuple[Any, ...]:
        return (*self.table.arrays, self.discount, self.seen[1])

    @cached_property
    def memory(self) -> tuple[Float, npt.NDArray[np.int32], Float, Float]:
        states, observations = self.table.states, len(self.seen[0])
        return (
            np.zeros((self.steps + 1, states)),
            np.zeros((self.steps, states), dtype=np.int32),
            np.zeros((2, states)),
            np.zeros((observations, self.table.actions)),
        )

    @property
    def per_pass(self) -> int:
        """The entries that one pass over the table reads."""
        return self.steps * len(self.table.succ)

    def relaxed(self, fixed: Ints) -> tuple[float, Float]:
        """The best return where some observations have a fixed action (others −1), and how often it takes each."""
        found = float(kernels.relax(*self.arrays, fixed, self.table.initial, *self.memory))
        return found, self.memory[3].copy()

    def climbed(self, use: Float, enough: float, noise: float, work: int) -> tuple[float, Ints]:
        """A local optimum among deterministic policies, from the most frequent actions."""
        policy = use.argmax(axis=1)
        initial = self.table.initial
        max_changes = max(1, work // (self.per_pass // max(self.table.actions, 1) + 1))
        value = kernels.climb(
            *self.arrays, policy, initial, self.steps, np.zeros_like(self.memory[2]), enough, noise, max_changes
        )
        return float(value), policy

    def deterministic(self, tolerance: float, work: int) -> Memoryless:
        free = np.full(len(self.seen[0]), -1, dtype=np.int64)
        optimal, use = self.relaxed(free)
        noise = _NOISE * abs(optimal)
        slack = max(tolerance * abs(optimal), noise)
        value, policy = self.climbed(use, optimal - slack, noise, work // 4)
        upper = optimal
        if value < optimal - slack:
            search = self._depth_first if self.table.deterministic else self._best_first
            value, upper, policy = search(value, policy, optimal, use, slack, work)
        rows = np.eye(self.table.actions)[policy]
        if value >= upper - slack and tolerance == 0:
            upper = value
        return Memoryless(value, max(upper, value), optimal, rows, self.seen[0], self._length(rows))

    def _depth_first(
        self, value: float, policy: Ints, optimal: float, _use: Float, slack: float, work: int
    ) -> tuple[float, float, Ints]:
        starts = np.flatnonzero(self.table.initial)
        chances, values_left = self.table.initial[starts], self.memory[0]
        rest = np.append(np.cumsum((chances * values_left[-1, starts])[::-1])[::-1], 0.0)
        max_nodes = max(1, work // (self.steps * len(starts)))
        succ, reward, terminal = self.table.succ, self.table.reward, self.table.terminal
        best, nodes = kernels.search(
            succ, reward, terminal, self.table.actions, self.discount, self.seen[1], starts, chances, values_left, rest,
            value, slack, optimal - slack, max_nodes, np.zeros_like(policy), np.zeros_like(policy), policy,
        )  # fmt: skip
        policy = np.maximum(policy, 0)  # what is never observed may do anything
        return float(best), optimal if nodes > max_nodes else min(optimal, float(best) + slack), policy

    def _best_first(
        self, value: float, policy: Ints, optimal: float, use: Float, slack: float, work: int
    ) -> tuple[float, float, Ints]:
        """Branches on the observation whose relaxed actions disagree most."""
        queue = [(-optimal, 0, np.full(len(policy), -1, dtype=np.int64), use)]
        nodes, popped, max_nodes = 0, 0, max(1, work // self.per_pass)
        while queue and -queue[0][0] > value + slack:
            if nodes >= max_nodes:
                return value, -queue[0][0], policy
            bound, _, fixed, use = heapq.heappop(queue)
            if popped < CLIMBS:
                popped += 1
                found, candidate = self.climbed(use, optimal - slack, slack, work // (4 * CLIMBS))
                value, policy = (found, candidate) if found > value else (value, policy)
            split = np.where(fixed < 0, use.sum(axis=1) - use.max(axis=1), 0.0)
            observation = int(split.argmax())
            if split[observation] <= 0:  # the relaxed policy is memoryless, and its branch has the highest bound
                value, policy = -bound, use.argmax(axis=1)
                break
            for action in range(self.table.actions):
                fixed = fixed.copy()
                fixed[observation] = action
                bound, use = self.relaxed(fixed)
                nodes += 1
                if bound > value + slack:
                    heapq.heappush(queue, (-bound, nodes, fixed, use))
        return value, min(optimal, value + slack), policy

    def ascended(self, found: Memoryless, steps: int) -> Memoryless:
        """The best of two mirror ascents on the return, or the given policy if they earn no more.

        One starts from the frequencies with which the optimal policy acts, the other near the given policy, unless that
        is a local optimum among randomised policies too: no small change of it earns more.
        """
        uniform = np.full_like(found.policy, 1 / self.table.actions)
        _, use = self.relaxed(np.full(len(uniform), -1, dtype=np.int64))
        total = use.sum(axis=1, keepdims=True)
        frequencies = np.where(total > 0, use / np.maximum(total, 1e-300), uniform)
        _, gain, _ = self._slope(found.policy)
        edge = (gain - (found.policy * gain).sum(axis=1, keepdims=True)).max()
        starts = [frequencies, *([found.policy] if edge > 1e-9 * abs(found.optimal) else [])]
        tried = [self._ascent(0.9 * start + 0.1 * uniform, steps) for start in starts]
        value, policy = max(tried, key=lambda each: each[0])
        if value <= found.value + _NOISE * abs(found.optimal):
            return found
        return replace(found, value=value, upper=max(value, found.upper), policy=policy, length=self._length(policy))

    def _ascent(self, policy: Float, steps: int) -> tuple[float, Float]:
        """Multiplies action probabilities by the exponential of their advantage; the rate adapts to success."""
        value, gain, visits = self._slope(policy)
        rate = 2.0
        for _ in range(steps):
            edge = gain / np.maximum(visits, 1e-12)[:, None]
            edge -= edge.max(axis=1, keepdims=True)
            tried = policy * np.exp(rate * edge / max(float(-edge.min(initial=0.0)), 1e-12))
            tried /= tried.sum(axis=1, keepdims=True)
            result = self._slope(tried)
            if result[0] > value:
                policy, (value, gain, visits), rate = tried, result, 1.5 * rate
            else:
                rate /= 3
        return value, policy

    def _slope(self, policy: Float) -> tuple[float, Float, Float]:
        gain, visits = np.zeros_like(policy), np.zeros(len(policy))
        values, _, masses, _ = self.memory
        found = kernels.slope(*self.arrays, policy, self.table.initial, values, masses, gain, visits)
        return float(found), gain, visits

    def _length(self, policy: Float) -> float:
        return float(self._slope(policy)[2].sum())
