"""What does a discrete toy task consist of? Its generated or given parts as plain arrays.

The states are `diameter` independent sets of `actions` states each; the actions of a state are a permutation of the
next set (Algorithm 1 of MDP Playground). Each part is generated from its own stream, so a dial moves only what it
names: terminals are the first of one ranking, rewardable sequences the first of another.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mohs.core import seeding
from mohs.core.errors import UsageError
from mohs.core.task import Task
from mohs.core.values import FunctionRef
from mohs.tables.toys import automaton, sequences
from mohs.tables.toys.automaton import Automaton, Float, Int
from mohs.tables.toys.sequences import floor_share
from mohs.tables.toys.toy_parameters import action_sizes, transition_array

MAX_AUTOMATON = 2**28


class Connected(NamedTuple):
    """The states that the actions of state s lead to: `states[indptr[s]:indptr[s + 1]]`, in ascending order."""

    indptr: Int
    states: Int

    def matrix(self) -> npt.NDArray[np.bool_]:
        """[s, t]: whether some action leads from s to t."""
        count = len(self.indptr) - 1
        led = np.zeros((count, count), dtype=np.bool_)
        led[np.repeat(np.arange(count), np.diff(self.indptr)), self.states] = True
        return led


@dataclass(frozen=True)
class Toy:
    """The parts of a discrete toy. Exactly one of `succ` and `probs`, and one of `automaton` and `reward`, is set.

    `length` is that of rewardable sequences, which with the gate pay only at steps divisible by it. Transition noise
    leads to another connected state (section 4.1): of the next set, of `connected` where the dynamics are given, or, on
    actions, to where another action would.
    """

    num_states: int
    num_actions: int
    set_size: int
    sets: int
    succ: npt.NDArray[np.int32] | None
    probs: Float | None
    terminal: npt.NDArray[np.bool_]
    initial: Float
    sequences: Int
    sequence_rewards: Float
    automaton: Automaton | None
    reward: Float | None
    irrelevant: npt.NDArray[np.int32] | None
    possible_sequences: int
    length: int = 1
    gated: bool = False
    noise_on_actions: bool = False
    action_names: tuple[str, ...] = ()
    renderer: str = ""  # of its table
    connected: Connected | None = None  # of given dynamics

    @property
    def density(self) -> float:
        """The share of the possible sequences that is rewardable: the density achieved."""
        return len(self.sequences) / self.possible_sequences if self.possible_sequences else math.nan


@lru_cache(maxsize=128)  # a pack of 64 cells, with noise and without
def toy(task: Task) -> Toy:
    """The parts of a task."""
    values = task.values
    relevant, irrelevant = action_sizes(values)
    sets = values["diameter"]
    succ, probs = _dynamics(task, values, relevant, sets)
    connected = None if values["transition_function"] is None else _connected(succ, probs)
    if connected is not None and values["transition_noise"] > 0 and np.diff(connected.indptr).max() < 2:
        raise UsageError("transition_noise must be 0 where every state leads to one state only: there is no other.")
    num_states = len(succ if succ is not None else probs)  # type: ignore[arg-type]
    set_size = num_states if values["transition_function"] is not None else relevant
    terminal = _terminals(task, values, num_states, set_size)
    initial = _initial(values, terminal)
    rewardable, rewards, possible, reward, machine = _rewards(
        task, values, terminal, set_size, sets, relevant, connected
    )
    other = _permutations(task, "irrelevant", irrelevant, sets) if irrelevant else None
    return Toy(
        num_states,
        relevant,
        set_size,
        sets,
        succ,
        probs,
        terminal,
        initial,
        rewardable,
        rewards,
        machine,
        reward,
        other,
        possible,
        values["sequence_length"],
        values["reward_every_n_steps"] and values["sequence_length"] > 1,
        connected=connected,
    )


def _permutations(task: Task, part: str, size: int, sets: int) -> npt.NDArray[np.int32]:
    """Dynamics in which the actions of each state are a permutation of the next set."""
    local = seeding.ranking(seeding.key(seeding.child(task.seed, part)), sets * size, size)
    next_set = (np.arange(sets * size) // size + 1) % sets
    return (local + next_set[:, None] * size).astype(np.int32)


def _dynamics(
    task: Task, values: dict[str, Any], actions: int, sets: int
) -> tuple[npt.NDArray[np.int32] | None, Float | None]:
    function = values["transition_function"]
    if function is None:
        return _permutations(task, "dynamics", actions, sets), None
    if isinstance(function, FunctionRef):
        size = values["state_space_size"]
        function = transition_array(
            "transition_function", [[function(s, a) for a in range(actions)] for s in range(size)]
        )
    array = np.asarray(function)
    if array.shape[0] != values["state_space_size"]:
        raise UsageError(f"transition_function has {array.shape[0]} states, not {values['state_space_size']}.")
    return (array.astype(np.int32), None) if array.ndim == 2 else (None, array.astype(np.float64))


def _connected(succ: npt.NDArray[np.int32] | None, probs: Float | None) -> Connected:
    """Which states some action leads to, from every state."""
    if probs is not None:
        before, after = np.nonzero(probs.max(axis=1) > 0)
    else:
        assert succ is not None  # exactly one of both is set
        states = len(succ)
        before, after = np.divmod(np.unique(np.arange(states)[:, None] * states + succ), states)
    counts = np.bincount(before, minlength=len(succ if succ is not None else probs))  # type: ignore[arg-type]
    return Connected(np.concatenate([[0], np.cumsum(counts)]), after)


def _terminals(task: Task, values: dict[str, Any], num_states: int, set_size: int) -> npt.NDArray[np.bool_]:
    terminal = np.zeros(num_states, dtype=np.bool_)
    if values["terminal_states"] is not None:
        terminal[list(values["terminal_states"])] = True
        return terminal
    count = floor_share(values["terminal_state_density"], set_size)
    if count == set_size:
        raise UsageError(
            f"terminal_state_density {values['terminal_state_density']:g} makes all {set_size} states of a set "
            "terminal; at least one must not be."
        )
    ranks = seeding.ranking(seeding.key(seeding.child(task.seed, "terminals")), num_states // set_size, set_size)
    for first, ranked in zip(range(0, num_states, set_size), ranks, strict=True):
        terminal[first + ranked[:count]] = True
    return terminal


def _initial(values: dict[str, Any], terminal: npt.NDArray[np.bool_]) -> Float:
    if values["init_state_dist"] is None:
        return np.asarray(~terminal / (~terminal).sum(), dtype=np.float64)
    given = np.asarray(values["init_state_dist"], dtype=np.float64)
    if given.sum() <= 0 or abs(given.sum() - 1) > 1e-9:
        raise UsageError(f"init_state_dist sums to {given.sum():g}, but must sum to 1.")
    if given[terminal].any():
        raise UsageError(f"init_state_dist starts in terminal state {np.flatnonzero(given * terminal)[0]}.")
    return np.asarray(given / given.sum(), dtype=np.float64)


def _rewards(
    task: Task,
    values: dict[str, Any],
    terminal: npt.NDArray[np.bool_],
    set_size: int,
    sets: int,
    actions: int,
    connected: Connected | None,
) -> tuple[Int, Float, int, Float | None, Automaton | None]:
    if values["reward_function"] is not None:
        table = _reward_table(values["reward_function"], len(terminal), actions)
        return np.empty((0, 1), dtype=np.int64), np.empty(0), 0, table, None
    if values["rewardable_sequences"] is not None:
        given = values["rewardable_sequences"]
        found = np.array([states for states, _ in given], dtype=np.int64)
        rewards = np.array([reward for _, reward in given], dtype=np.float64)
        possible = 0
    else:
        found, possible = _sequences(task, values, terminal, set_size, sets, connected)
        rewards = _sequence_rewards(task, values["reward_dist"], len(found))
    if found.size * len(terminal) > MAX_AUTOMATON:
        raise UsageError(
            f"{len(found):,} rewardable sequences of length {found.shape[1]} over {len(terminal)} states are "
            "too many to recognise; lower reward_density or sequence_length."
        )
    machine = automaton.build(found, rewards, len(terminal))
    if not values["make_denser"]:
        machine = Automaton(machine.step, machine.full, np.zeros_like(machine.partial))
    return found, rewards, possible, None, machine


def _reward_table(function: Any, states: int, actions: int) -> Float:
    if isinstance(function, FunctionRef):
        function = [[float(function(s, a)) for a in range(actions)] for s in range(states)]
    table = np.asarray(function, dtype=np.float64)
    if table.shape != (states, actions):
        raise UsageError(
            f"reward_function has shape {table.shape}, but must have [states, actions] = [{states}, {actions}]."
        )
    if not np.all(np.isfinite(table)):
        raise UsageError("reward_function must hold finite numbers.")
    return table


def _sequences(
    task: Task,
    values: dict[str, Any],
    terminal: npt.NDArray[np.bool_],
    set_size: int,
    sets: int,
    connected: Connected | None,
) -> tuple[Int, int]:
    length, density = values["sequence_length"], values["reward_density"]
    # The default is meant for 8 states. Fewer get one sequence; another density says what it asks for.
    least = int(density == task.environment.parameters["reward_density"].default)
    if connected is None:
        free = np.stack([np.flatnonzero(~of_set) for of_set in terminal.reshape(sets, set_size)])
        return sequences.through_sets(task.seed, free, set_size, length, density, least)
    return sequences.along_paths(task.seed, connected.matrix(), terminal, length, density, least)


def _sequence_rewards(task: Task, dist: Any, count: int) -> Float:
    if dist is None:
        return np.ones(count)
    stream = seeding.child(task.seed, "sequence rewards")
    if isinstance(dist, FunctionRef):
        rewards = np.asarray(dist(np.random.default_rng(stream), count), dtype=np.float64)
        if rewards.shape != (count,) or not np.all(np.isfinite(rewards)):
            raise UsageError(f"reward_dist must return {count} finite rewards, one for each sequence.")
        return rewards
    low, high = dist
    support: Float = np.linspace(low, high, count)
    return support[seeding.ranking(seeding.key(stream), count)]
