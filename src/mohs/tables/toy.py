"""What does a discrete toy task consist of? Its generated or given parts as plain arrays.

The states are `diameter` independent sets of `actions` states each; the actions of a state are a permutation of the
next set (Algorithm 1 of MDP Playground). Each part is generated from its own stream, so a dial moves only what it
names: terminals are the first of one ranking, rewardable sequences the first of another.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.core import seeding
from mohs.core.errors import UsageError
from mohs.core.task import Task
from mohs.core.values import FunctionRef
from mohs.tables import automaton
from mohs.tables.automaton import Automaton, Float, Int

MAX_SEQUENCES = 2**24
MAX_AUTOMATON = 2**28


@dataclass(frozen=True)
class Toy:
    """The parts of a discrete toy. Exactly one of `succ` and `cdf`, and one of `automaton` and `reward`, is set."""

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

    @property
    def density(self) -> float:
        """The share of the possible sequences that is rewardable: the density achieved."""
        return len(self.sequences) / self.possible_sequences if self.possible_sequences else math.nan


def check(values: dict[str, Any], given: frozenset[str]) -> dict[str, Any]:
    """What the parameters imply; an error where they contradict each other."""
    implied: dict[str, Any] = {}
    relevant, irrelevant = action_sizes(values)
    custom = values["transition_function"] is not None
    if custom:
        states = _custom_sizes(values, relevant, "action_space_size" in given)
        implied["state_space_size"] = states[0]
        implied["action_space_size"] = states[1] if not irrelevant else (states[1], irrelevant)
        if values["diameter"] != 1:
            raise UsageError("diameter must be 1 with a transition_function: only generated dynamics have sets.")
        num_states, set_size = states[0], states[0]
    else:
        num_states, set_size = relevant * values["diameter"], relevant
        size = values["state_space_size"]
        if size is not None and size != num_states:
            raise UsageError(
                f"state_space_size is {size}, but generated dynamics have action_space_size × diameter = "
                f"{relevant} × {values['diameter']} = {num_states} states."
            )
        implied["state_space_size"] = None
        if num_states * relevant > 10_000_000:
            raise UsageError(
                f"action_space_size {relevant} with diameter {values['diameter']} needs {num_states * relevant:,} "
                "transitions; at most 10,000,000 are allowed."
            )
    if values["transition_noise"] > 0 and set_size < 2:
        raise UsageError("transition_noise must be 0 where a set has a single state: there is no other to land in.")
    if values["transition_noise"] > 0 and irrelevant == 1:
        raise UsageError("transition_noise must be 0 where the irrelevant part has a single action.")
    terminals = values["terminal_states"]
    if terminals is not None:
        if "terminal_state_density" in given:
            raise UsageError("give either terminal_states or terminal_state_density, not both.")
        _check_states("terminal_states", terminals, num_states)
        if len(set(terminals)) == num_states:
            raise UsageError("terminal_states names every state; at least one must not be terminal.")
    initial = values["init_state_dist"]
    if initial is not None and len(initial) != num_states:
        raise UsageError(f"init_state_dist has {len(initial)} probabilities for {num_states} states.")
    _check_reward(values, given, num_states, implied)
    return implied


def action_sizes(values: dict[str, Any]) -> tuple[int, int]:
    """The number of relevant and of irrelevant actions (0 where there is no irrelevant part)."""
    size = values["action_space_size"]
    if isinstance(size, tuple):
        if not values["irrelevant_features"]:
            raise UsageError("action_space_size has two values, which needs irrelevant_features=True.")
        return int(size[0]), int(size[1])
    return int(size), int(size) if values["irrelevant_features"] else 0


def spaces(task: Task) -> tuple[int, int, int, int]:
    """The numbers of states, actions, irrelevant states and irrelevant actions."""
    values = task.values
    relevant, irrelevant = action_sizes(values)
    states = values["state_space_size"] or relevant * values["diameter"]
    return states, relevant, irrelevant * values["diameter"], irrelevant


def _custom_sizes(values: dict[str, Any], actions: int, actions_given: bool) -> tuple[int, int]:
    function = values["transition_function"]
    if isinstance(function, FunctionRef):
        if values["state_space_size"] is None or not actions_given:
            raise UsageError("a callable transition_function needs state_space_size and action_space_size.")
        return values["state_space_size"], actions
    shape = np.shape(np.asarray(function))
    if values["state_space_size"] not in (None, shape[0]):
        raise UsageError(
            f"state_space_size is {values['state_space_size']}, but transition_function has {shape[0]} states."
        )
    if actions_given and actions != shape[1]:
        raise UsageError(f"action_space_size is {actions}, but transition_function has {shape[1]} actions.")
    return int(shape[0]), int(shape[1])


def _check_reward(values: dict[str, Any], given: frozenset[str], num_states: int, implied: dict[str, Any]) -> None:
    function, sequences = values["reward_function"], values["rewardable_sequences"]
    if function is not None and sequences is not None:
        raise UsageError("give either reward_function or rewardable_sequences, not both.")
    own = "reward_function" if function is not None else "rewardable_sequences" if sequences is not None else None
    if own is not None:
        for name in ("reward_density", "reward_dist"):
            if name in given and values[name] is not None:
                raise UsageError(f"{name} cannot be set with a {own}: it steers generated rewards only.")
    if function is not None and (values["sequence_length"] != 1 or values["make_denser"]):
        raise UsageError("sequence_length must be 1 and make_denser False with a reward_function.")
    if sequences is not None:
        lengths = {len(states) for states, _ in sequences}
        if len(lengths) != 1:
            raise UsageError("rewardable_sequences must be one or more sequences of the same length.")
        length = lengths.pop()
        if "sequence_length" in given and values["sequence_length"] != length:
            raise UsageError(
                f"sequence_length is {values['sequence_length']}, but rewardable_sequences have length {length}."
            )
        implied["sequence_length"] = length
        for states, _ in sequences:
            _check_states("rewardable_sequences", states, num_states)


def _check_states(name: str, states: tuple[int, ...], num_states: int) -> None:
    for state in states:
        if not 0 <= state < num_states:
            raise UsageError(f"{name} names state {state}, but the states are 0 to {num_states - 1}.")


@lru_cache(maxsize=4096)
def toy(task: Task) -> Toy:
    """The parts of a task."""
    values = task.values
    relevant, irrelevant = action_sizes(values)
    sets = values["diameter"]
    succ, probs = _dynamics(task, values, relevant, sets)
    num_states = len(succ if succ is not None else probs)  # type: ignore[arg-type]
    set_size = num_states if values["transition_function"] is not None else relevant
    terminal = _terminals(task, values, num_states, set_size)
    initial = _initial(values, terminal)
    sequences, rewards, possible, reward, machine = _rewards(task, values, terminal, set_size, sets, relevant)
    other = _permutations(task, "irrelevant", irrelevant, sets) if irrelevant else None
    return Toy(
        num_states, relevant, set_size, sets, succ, probs, terminal, initial, sequences, rewards, machine, reward,
        other, possible,
    )


def floor_share(share: float, count: int) -> int:
    """floor(share · count), exact in decimals: .29 of 100 is 29, and 1/6 of 6 is 1."""
    return math.floor(Fraction(share).limit_denominator(10**9) * count)


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


def transition_array(name: str, value: Any) -> tuple[Any, ...]:
    """A transition function as nested tuples: [S, A] next states or [S, A, S] probabilities."""
    from mohs.core.values import freeze

    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{name} must be an array of [S, A] next states or [S, A, S] probabilities.") from error
    if array.ndim not in (2, 3) or 0 in array.shape or (array.ndim == 3 and array.shape[0] != array.shape[2]):
        raise UsageError(
            f"{name} has shape {array.shape}, but must be [S, A] next states or [S, A, S] probabilities."
        )
    if array.ndim == 2:
        if not np.all(np.isfinite(array)) or np.any(array != np.floor(array)):
            raise UsageError(f"{name} of shape [S, A] must hold whole numbers, the next states.")
        if array.min() < 0 or array.max() >= array.shape[0]:
            raise UsageError(f"{name} leads to state {array.max():g}, but the states are 0 to {array.shape[0] - 1}.")
        return freeze(array.astype(int))  # type: ignore[no-any-return]
    if not np.all(np.isfinite(array)) or array.min() < 0 or np.abs(array.sum(axis=2) - 1).max() > 1e-9:
        raise UsageError(f"the probabilities of {name} must be ≥ 0 and sum to 1 for every state and action.")
    return freeze(array)  # type: ignore[no-any-return]


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
    task: Task, values: dict[str, Any], terminal: npt.NDArray[np.bool_], set_size: int, sets: int, actions: int
) -> tuple[Int, Float, int, Float | None, Automaton | None]:
    if values["reward_function"] is not None:
        table = _reward_table(values["reward_function"], len(terminal), actions)
        return np.empty((0, 1), dtype=np.int64), np.empty(0), 0, table, None
    if values["rewardable_sequences"] is not None:
        given = values["rewardable_sequences"]
        sequences = np.array([states for states, _ in given], dtype=np.int64)
        rewards = np.array([reward for _, reward in given], dtype=np.float64)
        possible = 0
    else:
        sequences, possible = _generate_sequences(task, values, terminal, set_size, sets)
        rewards = _sequence_rewards(task, values["reward_dist"], len(sequences))
    if sequences.size * len(terminal) > MAX_AUTOMATON:
        raise UsageError(
            f"{len(sequences):,} rewardable sequences of length {sequences.shape[1]} over {len(terminal)} states are "
            "too many to recognise; lower reward_density or sequence_length."
        )
    machine = automaton.build(sequences, rewards, len(terminal))
    if not values["make_denser"]:
        machine = Automaton(machine.step, machine.full, np.zeros_like(machine.partial))
    return sequences, rewards, possible, None, machine


def _reward_table(function: Any, states: int, actions: int) -> Float:
    if isinstance(function, FunctionRef):
        function = [[float(function(s, a)) for a in range(actions)] for s in range(states)]
    table = np.asarray(function, dtype=np.float64)
    if table.shape != (states, actions):
        raise UsageError(f"reward_function has shape {table.shape}, but must have [states, actions] = "
                         f"[{states}, {actions}].")
    if not np.all(np.isfinite(table)):
        raise UsageError("reward_function must hold finite numbers.")
    return table


def _generate_sequences(
    task: Task, values: dict[str, Any], terminal: npt.NDArray[np.bool_], set_size: int, sets: int
) -> tuple[Int, int]:
    """floor(density · possible) sequences of non-repeating, non-terminal states, spread equally over the sets."""
    length, density = values["sequence_length"], values["reward_density"]
    if values["transition_function"] is not None:
        possible_list = _admissible_sequences(task, terminal, length)
        count = _count(density, len(possible_list), length)
        ranks = seeding.ranking(seeding.key(seeding.child(task.seed, "sequences", 0)), len(possible_list))
        return possible_list[ranks[:count]], len(possible_list)
    free = np.stack([np.flatnonzero(~terminal[i * set_size : (i + 1) * set_size]) for i in range(sets)])
    # Position j is in set start + j; a set is visited again every `sets` positions, with one state fewer to choose.
    radices = [free.shape[1] - j // sets for j in range(length)]
    per_set = math.prod(max(r, 0) for r in radices)
    if per_set > MAX_SEQUENCES:
        raise UsageError(
            f"sequence_length {length} allows {per_set * sets:,} sequences; at most {MAX_SEQUENCES:,} per independent "
            "set can be ranked. Lower sequence_length or action_space_size, or give rewardable_sequences."
        )
    count = _count(density, per_set * sets, length)
    order = seeding.ranking(seeding.key(seeding.child(task.seed, "sequence sets")), sets)
    parts = []
    for place, start in enumerate(order):
        share = count // sets + (place < count % sets)
        ranks = seeding.ranking(seeding.key(seeding.child(task.seed, "sequences", int(start))), per_set)[:share]
        parts.append(_unrank(ranks, radices, free, int(start), set_size))
    return np.concatenate(parts), per_set * sets


def _count(density: float, possible: int, length: int) -> int:
    count = floor_share(density, possible)
    if count == 0:
        raise UsageError(
            f"reward_density {density:g} of {possible:,} possible sequences of length {length} makes none rewardable; "
            + (f"it must be at least {1 / possible:.3g}." if possible else "sequence_length must be smaller.")
        )
    return count


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


def _admissible_sequences(task: Task, terminal: npt.NDArray[np.bool_], length: int) -> Int:
    """All sequences of non-repeating, non-terminal states that given dynamics can follow."""
    succ, probs = _dynamics(task, task.values, action_sizes(task.values)[0], 1)
    reach = np.zeros((len(terminal), len(terminal)), dtype=np.bool_)
    if succ is not None:
        np.put_along_axis(reach, succ.astype(np.int64), True, axis=1)
    elif probs is not None:
        reach = probs.max(axis=1) > 0
    entered = reach.any(axis=0) & ~terminal
    paths = np.flatnonzero(entered)[:, None]
    for _ in range(length - 1):
        follow = reach[paths[:, -1]] & ~terminal
        np.put_along_axis(follow, paths, False, axis=1)
        path, state = np.nonzero(follow)
        if len(path) > MAX_SEQUENCES // 4:
            raise UsageError(f"sequence_length {length} allows too many sequences; give rewardable_sequences instead.")
        paths = np.concatenate([paths[path], state[:, None]], axis=1)
    return paths


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
