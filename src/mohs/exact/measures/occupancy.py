"""Which states does a policy visit? The probability of every state at every step, and the rarest visits."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from mohs.core.errors import UsageError, unknown
from mohs.exact.measures import table_measures_kernels as kernels
from mohs.exact.measures.distances import distances
from mohs.exact.values.solve import Policy, finite_frame, plan, probabilities
from mohs.tables.table import Float, Table

LIMIT = 2 * 10**9  # entries that the tight covering length may read: some seconds


@dataclass(frozen=True)
class LeastOccupancy:
    """The smallest occupancy of a state (or state-action pair) in which the random policy can act.

    A state's occupancy is the largest probability, over the steps of an episode, of being there; `sum_` adds the
    probabilities up instead, to the expected number of visits. An occupancy too small for a float is 0.
    """

    state: float
    state_action: float
    sum_state: float
    sum_state_action: float


def occupancies(table: Table, policy: Policy = "mean", *, horizon: int | None = None) -> Iterator[Float]:
    """The probability of every state after 0 .. T - 1 steps. Each array is overwritten two steps later.

    An episode that is over stays in its terminal state. Ties of "best" and "worst" play go to the first action.
    """
    for now, _ in _play(table, policy, horizon):
        yield now


def expected_visits(table: Table, policy: Policy = "mean", *, horizon: int | None = None) -> Float:
    """[S, A]: how often an episode takes each action in each state, on average; 0 where the episode is over."""
    visits = np.zeros((table.states, table.actions))
    for now, chosen in _play(table, policy, horizon):
        visits += now[:, None] * (chosen if len(chosen) else 1 / table.actions)
    visits[table.terminal] = 0.0
    return visits


def least_occupancies(table: Table, *, horizon: int | None = None) -> LeastOccupancy:
    """The smallest occupancies of a state and of a state-action pair under the random policy.

    Laidlaw et al. (2023); `min_occupancy_results` of the BRIDGE data set.
    """
    steps, _ = finite_frame(table, horizon)
    states = acted(table, steps)
    largest, total = np.zeros(table.states), np.zeros(table.states)
    for now in occupancies(table, horizon=steps):
        np.maximum(largest, now, out=largest)
        total += now
    state, sum_state = float(largest[states].min()), float(total[states].min())
    # The random policy takes every action of a state equally often.
    return LeastOccupancy(state, state / table.actions, sum_state, sum_state / table.actions)


def covering_length(table: Table, *, horizon: int | None = None) -> float:
    """log(2 S A) / p: with this many random episodes every state-action pair is seen with probability ½.

    Laidlaw et al. (2023): p is the least occupancy of a pair, and S counts the non-terminal states, both among those
    in which the random policy can act. An episode takes a pair with probability at least p, so n episodes all miss it
    with probability at most (1 - p)ⁿ ≤ exp(-n p) = 1 / (2 S A), and they miss any of the S A pairs with at most ½.
    """
    steps, _ = finite_frame(table, horizon)
    pairs = len(acted(table, steps)) * table.actions
    least = least_occupancies(table, horizon=steps).state_action
    return math.log(2 * pairs) / least if least > 0 else math.inf


def tight_covering_length(table: Table, *, horizon: int | None = None, limit: int = LIMIT) -> float:
    """The least number n of episodes with Σ (1 - p)ⁿ ≤ ½, where p is the probability that an episode takes a pair.

    The sum over the pairs bounds the probability that one of them is missed, as in `covering_length`, but p is exact: a
    pair may be taken at any step, and one that is taken often adds next to nothing.
    """
    steps, _ = finite_frame(table, horizon)
    states = acted(table, steps)
    if len(states) * table.actions * steps * len(table.succ) > limit:
        raise UsageError(
            f"the tight covering length of {len(states):,} states over {steps:,} steps takes more than {limit:,} "
            "look-ups; covering_length is a looser bound for any size."
        )
    taken, now, after = np.zeros((len(states), table.actions)), np.zeros(table.states), np.zeros(table.states)
    kernels.first_taken(*table.arrays, table.initial, steps, states, now, after, taken)
    if taken.min() == 0:  # too small for a float
        return math.inf
    with np.errstate(divide="ignore"):
        missed = np.log1p(-np.minimum(taken, 1.0))
    low, high = 0, math.ceil(math.log(2 * taken.size) / taken.min())
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if np.exp(middle * missed).sum() <= 0.5 else (middle, high)
    return float(high)


def acted(table: Table, steps: int) -> npt.NDArray[np.int64]:
    """The states in which the random policy can take an action within `steps` steps."""
    distance = distances(table)
    states = np.flatnonzero((distance >= 0) & (distance < steps) & ~table.terminal)
    if len(states) == 0:
        raise UsageError("an episode has no steps: the horizon is 0, or every start state is terminal.")
    return states


def random_moves(table: Table) -> tuple[npt.NDArray[np.int64], Float]:
    """The state of each entry, and the probability that the random policy takes the entry from there."""
    rows = np.arange(table.states * table.actions)
    state = (rows if table.indptr is None else np.repeat(rows, np.diff(table.indptr))) // table.actions
    chance = np.ones(len(state)) if table.prob is None else table.prob
    return state, np.where(table.terminal[state], 0.0, chance / table.actions)


def _play(table: Table, policy: Policy, horizon: int | None) -> Iterator[tuple[Float, Float]]:
    """The distribution of the state before each step, and the action probabilities [S, A] of it; empty if uniform."""
    steps, _ = finite_frame(table, horizon)
    choose = chooser(table, policy, steps)
    now, after = table.initial.copy(), np.zeros(table.states)
    for t in range(steps):
        chosen = choose(t)
        yield now, chosen
        kernels.advance(*table.arrays, chosen, now, after)
        now, after = after, now


def chooser(table: Table, policy: Policy, steps: int) -> Callable[[int], Float]:
    """The action probabilities [S, A] of a policy after t steps; an empty array stands for uniform ones."""
    if not isinstance(policy, str):
        given = probabilities(table, policy, steps)
        return lambda t: given if given.ndim == 2 else given[t]
    if policy == "mean":
        uniform = np.empty((0, table.actions))
        return lambda t: uniform
    if policy not in ("best", "worst"):
        raise unknown("policy", policy, ["best", "mean", "worst"])
    reward = table.reward if policy == "best" else -table.reward
    actions = plan(replace(table, reward=reward, horizon=max(1, steps))).actions
    return lambda t: np.eye(table.actions)[actions[t]]
