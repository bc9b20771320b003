"""What is a discrete toy as a table, dials included?

The product of its N-states with the automaton of rewardable sequences, the phase of the reward gate and the delay line;
transition noise makes it stochastic. Irrelevant features are lumped away: they change neither rewards nor dynamics of
the relevant part. Reward noise has mean zero (or is a function of the user's) and is not part of the table.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.core.domain import Integer
from mohs.core.errors import UsageError
from mohs.core.task import Task
from mohs.tables import explore
from mohs.tables.table import Float, Table
from mohs.tables.toys.toy import Toy
from mohs.tables.transforms import action_noise

MAX_STATES = 4_000_000
MAX_CELLS = 2**27  # numbers that describe the states: one for each step of delay, and three more


def toy_table(task: Task, limit: int = MAX_STATES) -> Table:
    """The reachable product states of a task, in breadth-first order from the start states."""
    values = task.values
    parts: Toy = task.environment.realisation("parts")(task)
    noise = values["transition_noise"]
    indptr, succ, prob = _dynamics(parts, 0.0 if parts.noise_on_actions else noise)
    earned = _earnings(parts)
    starts = np.flatnonzero(parts.initial)
    grown = _Arrays(starts, explore.LINE + values["delay"], parts.num_actions)
    # The line starts with rewards of zero, which is level 0 of `earned.levels`.
    limit = min(Integer(1).parse("limit", limit), MAX_CELLS // grown.rows.shape[1])
    cursor, count = 0, len(starts)
    while cursor < count:
        cursor, count = explore.expand(
            cursor, count, limit, grown.rows, grown.slots, grown.indptr, grown.succ, grown.prob, grown.reward,
            indptr, succ, prob, parts.terminal, parts.num_actions,
            earned.node_step, earned.closed, earned.opened, earned.rewards, earned.levels,
            values["delay"], parts.length, parts.gated, values["delay_at_end"] == "terminated",
            values["reward_scale"], values["reward_shift"], values["term_state_reward"],
        )  # fmt: skip
        if count > limit:
            raise UsageError(_too_large(task, parts, len(earned.levels), limit))
        if cursor < count:
            grown.grow(count, len(succ))
    initial = np.zeros(count)
    initial[: len(starts)] = parts.initial[starts]
    state = grown.rows[:count, explore.STATE].copy()
    table = _finished(grown, count, parts, state, initial, values["max_episode_steps"])
    return action_noise(table, noise) if parts.noise_on_actions and noise > 0 else table


def _finished(
    grown: _Arrays, count: int, parts: Toy, state: npt.NDArray[np.int32], initial: Float, horizon: int
) -> Table:
    """The table of the explored rows."""
    actions, terminal = parts.num_actions, parts.terminal[state]
    indptr = grown.indptr[: count * actions + 1].copy()
    entries = int(indptr[-1])
    succ, prob, reward = (a[:entries].copy() for a in (grown.succ, grown.prob, grown.reward))
    shown = parts.action_names, parts.renderer
    return Table(actions, succ, reward, terminal, initial, state, horizon, 1.0, indptr, prob, *shown).simplified()


def _dynamics(parts: Toy, noise: float) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], Float]:
    """The N-states' transitions, noise included, as compressed rows."""
    states, actions = parts.num_states, parts.num_actions
    rows = states * actions
    if parts.succ is not None and noise == 0:
        return np.arange(rows + 1, dtype=np.int64), parts.succ.ravel(), np.ones(rows)
    size = parts.set_size
    if rows * size > 100_000_000:
        raise UsageError(f"a stochastic table of {states} states × {actions} actions × {size} successors is too large.")
    base = (np.arange(states) // size + 1) % parts.sets * size  # the first state of the next set
    if parts.succ is not None:
        hit: Float = np.zeros((states, actions, size))
        np.put_along_axis(hit, (parts.succ - base[:, None])[..., None].astype(np.int64), 1.0, axis=2)
    else:
        assert parts.probs is not None
        hit = parts.probs
    mixed = hit if noise == 0 else _noisy(hit, parts, noise)
    state, action, local = np.nonzero(mixed)
    indptr = np.concatenate([[0], np.cumsum(np.count_nonzero(mixed, axis=2).ravel())])
    return indptr, (base[state] + local).astype(np.int32), mixed[state, action, local]


def _noisy(hit: Float, parts: Toy, noise: float) -> Float:
    """Probabilities [states, actions, successors] with noise: it leads to the other connected states, equally often."""
    if parts.connected is None:  # all of the next set
        return (1 - noise) * hit + noise / (parts.set_size - 1) * (1 - hit)
    others = np.diff(parts.connected.indptr)[:, None, None] - 1
    led = parts.connected.matrix()[:, None, :]
    mixed: Float = np.where(others > 0, (1 - noise) * hit + noise / np.maximum(others, 1) * (1 - hit) * led, hit)
    return mixed


@dataclass(frozen=True)
class _Earnings:
    """What is earned, as numbers of reward levels; level 0 is no reward."""

    levels: Float
    node_step: npt.NDArray[np.int32]
    closed: npt.NDArray[np.int32]
    opened: npt.NDArray[np.int32]
    rewards: npt.NDArray[np.int32]


def _earnings(parts: Toy) -> _Earnings:
    nothing = np.empty(0, dtype=np.int32)
    if parts.automaton is None:
        assert parts.reward is not None
        levels, (rewards,) = _levels(parts.reward.ravel())
        return _Earnings(levels, np.empty((0, 0), dtype=np.int32), nothing, nothing, rewards)
    machine = parts.automaton
    levels, (closed, opened) = _levels(machine.partial, machine.partial + machine.full)
    return _Earnings(levels, machine.step, closed, opened, nothing)


def _levels(*rewards: Float) -> tuple[Float, list[npt.NDArray[np.int32]]]:
    """The distinct rewards, zero first, and each array as their numbers."""
    levels = np.unique(np.concatenate([*rewards, [0.0]]))
    levels = np.concatenate([[0.0], levels[levels != 0]])
    order = np.argsort(levels)
    return levels, [order[np.searchsorted(levels, r, sorter=order)].astype(np.int32) for r in rewards]


def _too_large(task: Task, parts: Toy, levels: int, limit: int) -> str:
    nodes = len(parts.automaton.full) if parts.automaton is not None else 1
    phases = parts.length if parts.gated else 1
    culprits = "delay" if parts.automaton is None else "delay, sequence_length or reward_density"
    digits = math.log10(parts.num_states * nodes * phases) + task["delay"] * math.log10(levels)
    size = f"{round(10**digits):,}" if digits < 12 else f"10^{digits:.0f}"
    return (
        f"the table of {task} has more than {limit:,} reachable states (at most {size}: {parts.num_states} N-states × "
        f"{nodes:,} automaton nodes × {phases} phases × {levels} reward levels ^ delay {task['delay']}); lower "
        f"{culprits}."
    )


class _Arrays:
    """The arrays that exploration fills, doubled when they are full."""

    def __init__(self, starts: npt.NDArray[np.int64], width: int, actions: int) -> None:
        self._actions = actions
        self.rows: npt.NDArray[Any] = np.zeros((max(1024, 2 * len(starts)), width), dtype=np.int32)
        self.rows[: len(starts), explore.STATE] = starts
        self.indptr: npt.NDArray[Any] = np.zeros(len(self.rows) * actions + 1, dtype=np.int64)
        entries = len(self.rows) * actions
        self.succ: npt.NDArray[Any] = np.zeros(entries, dtype=np.int32)
        self.prob: npt.NDArray[Any] = np.zeros(entries)
        self.reward: npt.NDArray[Any] = np.zeros(entries)
        self._rehash(len(starts))

    def grow(self, count: int, base_entries: int) -> None:
        """Room for at least one more expansion, which may add `base_entries` rows and entries."""
        if 2 * (count + base_entries) > len(self.rows):
            self.rows = _longer(self.rows, 2 * len(self.rows) + base_entries)
            self.indptr = _longer(self.indptr, len(self.rows) * self._actions + 1)
            self._rehash(count)
        size = 2 * len(self.succ) + base_entries
        self.succ, self.prob, self.reward = (_longer(a, size) for a in (self.succ, self.prob, self.reward))

    def _rehash(self, count: int) -> None:
        self.slots = np.empty(1 << (4 * len(self.rows) - 1).bit_length(), dtype=np.int32)
        explore.rehash(self.rows, count, self.slots)


def _longer(array: npt.NDArray[Any], size: int) -> npt.NDArray[Any]:
    longer = np.zeros((size, *array.shape[1:]), dtype=array.dtype)
    longer[: len(array)] = array
    return longer
