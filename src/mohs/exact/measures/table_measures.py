"""Which properties of a task explain its hardness? Sparsity, gaps, stochasticity, traps, distance and mixing.

Each measure is a function of a table; `measures` computes all of them. Measures within an episode need a horizon. Only
reachable states count.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import astuple, dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.core.domain import Integer
from mohs.core.errors import UsageError
from mohs.exact.lookahead.qvi import TIES
from mohs.exact.measures import table_measures_kernels as kernels
from mohs.exact.measures.chain import Mixing, MixingKind, mixing_time, return_time
from mohs.exact.measures.distances import Diameter, DiameterKind, diameter, distances
from mohs.exact.measures.occupancy import (
    acted,
    covering_length,
    least_occupancies,
    occupancies,
    random_moves,
    tight_covering_length,
)
from mohs.exact.values import solve_kernels as value_kernels
from mohs.exact.values.solve import backward, finite_frame, values
from mohs.tables.table import Float, Table


@dataclass(frozen=True)
class RewardSparsity:
    """Of the random policy: the share of rewarded steps, the expected steps to the first reward, unrewarded episodes.

    The steps to the first reward are counted over as many episodes as it takes. `silent_episodes` is the probability of
    an episode without any reward.
    """

    paying_steps: float
    steps_to_reward: float
    silent_episodes: float


@dataclass(frozen=True)
class Gaps:
    """The smallest gap of a sub-optimal action (infinite where there is none), and the sum of 1 / gap."""

    smallest: float
    reciprocals: float


@dataclass(frozen=True)
class TransitionEntropy:
    """In bits: the mean over the steps of the random policy, and the largest of a state-action pair."""

    mean: float
    largest: float


@dataclass(frozen=True)
class AbsorbingShare:
    """The share of absorbing states, and the probability that the random policy ends in one of them."""

    states: float
    probability: float


@dataclass(frozen=True)
class Observability:
    """The number of observations, the largest number of states that share one, and of observations of one state.

    The latter two are 1 where the state is observed.
    """

    observations: float
    most_alike: float
    most_of_one: float


def observability(table: Table, *, horizon: int | None = None) -> Observability:
    """How much of the state is observed, over the states in which an action can be taken."""
    steps, _ = finite_frame(table, horizon)
    seen, states = np.unique(table.observation[acted(table, steps)], return_counts=True)
    shown = np.ones(len(seen), dtype=np.int64)
    for first, number in table.several:
        shown[seen == first] = number
    return Observability(int(shown.sum()), int(states.max()), int(shown.max()))


def reward_sparsity(table: Table, *, horizon: int | None = None) -> RewardSparsity:
    """How sparse rewards are under the random policy. A step is rewarded if its expected reward is not zero.

    Episodes are alike and independent, so the expected number of steps to the first reward is that of the steps of
    an episode up to its first reward or its end, over the probability that there is one (Wald's equation).
    """
    steps, _ = finite_frame(table, horizon)
    acted(table, steps)
    state, chance = random_moves(table)
    pays = np.bincount(state, weights=chance * (table.reward != 0), minlength=table.states)
    taken = paid = 0.0
    for now in occupancies(table, horizon=steps):
        taken += float(now[~table.terminal].sum())
        paid += float(now @ pays)
    until = _until_paid(table)
    waited, silent, found = 0.0, 1.0, 0.0
    for t, now in enumerate(occupancies(until, horizon=steps + 1)):
        silent, found = float(now[:-1].sum()), float(now[-1])
        waited += float(now[~until.terminal].sum()) if t < steps else 0.0
    return RewardSparsity(paid / taken, waited / found if found > 0 else math.inf, silent)


def _until_paid(table: Table) -> Table:
    """The table with one more state, terminal, that every rewarded step leads to."""
    end, width = table.states, table.actions
    longer: dict[str, Any] = {
        "terminal": np.append(table.terminal, True),
        "initial": np.append(table.initial, 0.0),
        "observation": np.append(table.observation, np.int32(-1)),
    }
    succ = np.where(table.reward != 0, end, table.succ).astype(np.int32)
    if table.indptr is not None:
        indptr = np.append(table.indptr, np.repeat(table.indptr[-1], width))
        return replace(table, succ=succ, indptr=indptr, **longer)
    succ, reward = np.append(succ, np.full(width, end, dtype=np.int32)), np.append(table.reward, np.zeros(width))
    return replace(table, succ=succ, reward=reward, **longer)


def gaps(table: Table, *, horizon: int | None = None, discount: float | None = None, tolerance: float = TIES) -> Gaps:
    """The gaps V*(s) - Q*(s, a) of sub-optimal actions, over every step t and every state s reachable at t.

    Logarithmic regret is governed by the smallest positive gap and by sums of their reciprocals (Simchowitz & Jamieson
    2019). As in Colosseum (Conserva & Rauber 2022) a state counts at each step, but pairs without a gap are left
    out rather than smoothed. Without a horizon: over states and actions, discounted. A loss up to `tolerance` is a tie.
    """
    gamma = table.discount if discount is None else discount
    smallest, reciprocals = math.inf, 0.0
    q = np.zeros((table.states, table.actions))
    for reached, after in _optimal_play(table, horizon, discount):
        value_kernels.action_values(*table.arrays, gamma, after, q)
        lost = (q.max(axis=1, keepdims=True) - q)[reached & ~table.terminal]
        lost = lost[lost > tolerance]
        smallest = min(smallest, float(lost.min(initial=math.inf)))
        reciprocals += float((1 / lost).sum())
    return Gaps(smallest, reciprocals)


def value_norm(table: Table, *, horizon: int | None = None, discount: float | None = None) -> float:
    """The largest standard deviation of V*(next state), over steps, states reachable then, and actions.

    The environmental value norm (Maillard, Mann & Mannor 2014). It is 0 in deterministic tables, and where stochastic
    transitions do not affect the value.
    """
    if table.deterministic:
        return 0.0
    found = (kernels.largest_variance(*table.arrays, *at) for at in _optimal_play(table, horizon, discount))
    return math.sqrt(max(found, default=0.0))


def _optimal_play(
    table: Table, horizon: int | None, discount: float | None
) -> Iterator[tuple[npt.NDArray[np.bool_], Float]]:
    """From the last step to the first: the reachable states, and the optimal values one step later.

    Without a horizon there is one such pair. States are found forwards, values backwards, so states are kept, as bits.
    """
    if horizon is None and table.horizon is None:
        yield distances(table) >= 0, values(table, discount=discount)
        return
    steps, _ = finite_frame(table, horizon, discount)
    now, after = table.initial > 0, np.zeros(table.states, dtype=np.bool_)
    kept = []
    for _ in range(steps):
        kept.append(np.packbits(now))
        kernels.spread(*table.arrays, now, after)
        now, after = after, now
    later = backward(table, horizon=steps, discount=discount)
    for bits, best in zip(reversed(kept), later, strict=False):  # the values at the start are of no next state
        yield np.unpackbits(bits, count=table.states).view(np.bool_), best


def transition_entropy(table: Table, *, horizon: int | None = None) -> TransitionEntropy:
    """The entropy of the next state, given the state and the action."""
    steps, _ = finite_frame(table, horizon)
    states = acted(table, steps)
    bits = np.zeros((table.states, table.actions))
    kernels.entropies(*table.arrays, np.zeros(table.states), bits)
    total = taken = 0.0
    for now in occupancies(table, horizon=steps):
        total += float(now @ bits.mean(axis=1))
        taken += float(now[~table.terminal].sum())
    return TransitionEntropy(total / taken, float(bits[states].max()))


def absorbing_share(table: Table, *, horizon: int | None = None) -> AbsorbingShare:
    """How much of the task is absorbing: terminal states, and states that every action leads back to."""
    steps, _ = finite_frame(table, horizon)
    distance = distances(table)
    state, chance = random_moves(table)
    stays = np.ones(table.states, dtype=np.bool_)
    stays[state[(chance > 0) & (table.succ != state)]] = False
    last = table.initial
    for now in occupancies(table, horizon=steps + 1):
        last = now
    return AbsorbingShare(
        float(stays[(distance >= 0) & (distance <= steps)].mean()), min(1.0, float(last[stays].sum()))
    )


@dataclass(frozen=True)
class Measures:
    """Numbers by name, None where one is not defined. `notes` gives the reason, or qualifies a number."""

    values: Mapping[str, float | None]
    notes: Mapping[str, str]


# The names of the numbers that each measure gives, in their order.
_NAMES: Mapping[Callable[[Table], Any], tuple[str, ...]] = {
    least_occupancies: ("least_state_occupancy", "least_pair_occupancy", "least_state_visits", "least_pair_visits"),
    covering_length: ("covering_length",),
    tight_covering_length: ("tight_covering_length",),
    diameter: ("diameter", "largest_finite_distance", "eccentricity"),
    reward_sparsity: ("paying_steps", "steps_to_reward", "silent_episodes"),
    gaps: ("smallest_gap", "gap_reciprocals"),
    value_norm: ("value_norm",),
    transition_entropy: ("mean_entropy", "largest_entropy"),
    absorbing_share: ("absorbing_states", "absorbed_episodes"),
    mixing_time: ("mixing_time",),
    return_time: ("return_time",),
    observability: ("observations", "most_alike", "most_of_one"),
}


def measures(table: Table, *, horizon: int | None = None) -> Measures:
    """All measures of a table. Those that need a horizon it lacks, or fewer states, are None."""
    framed = table if horizon is None else replace(table, horizon=Integer(1).parse("horizon", horizon))
    numbers: dict[str, float | None] = {}
    notes: dict[str, str] = {}
    for measure, names in _NAMES.items():
        try:
            found = measure(framed)
        except UsageError as error:
            numbers.update(dict.fromkeys(names))
            notes.update(dict.fromkeys(names, str(error)))
            continue
        numbers.update(zip(names, (found,) if isinstance(found, float) else astuple(found), strict=False))
        notes.update(_notes(found))
    return Measures(numbers, notes)


def _notes(found: Any) -> dict[str, str]:
    """Qualifications of a number that differs from its definition."""
    if isinstance(found, Diameter) and found.kind is DiameterKind.ECCENTRICITY:
        reason = "there are too many pairs of states; the eccentricity is the distance from the start."
        return {"diameter": reason, "largest_finite_distance": reason}
    if isinstance(found, Mixing):
        bound = "a lower bound from the second eigenvalue: there are too many states for the exact number. "
        lazy = "the random policy is periodic: this is the lazy chain, which waits in every step with probability ½."
        note = (bound if found.kind is MixingKind.SPECTRAL else "") + (lazy if found.lazy else "")
        return {"mixing_time": note.strip()} if note else {}
    return {}
