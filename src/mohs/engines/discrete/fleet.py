"""How is a fleet built? Tasks and instances are written into records and arenas, each distinct task once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.core.errors import UsageError
from mohs.core.task import Source, Task, members
from mohs.core.values import FunctionRef
from mohs.engines.discrete.layout import INSTANCE, TASK, Memory, allocate, split
from mohs.engines.draws import LANE_REWARD
from mohs.tables.toy import Toy, toy

# What an instance is, apart from where in the arenas its parts lie.
_PORTABLE = ("key", "episode", "pushed", "t", "state", "irrelevant", "node", "place", "phase", "over")


@dataclass
class Fleet:
    """Instances, tasks and arenas, which are views into one memory.

    `spaces` is (states, actions, irrelevant states, irrelevant actions), the same for all tasks.
    """

    memory: Memory
    spaces: tuple[int, int, int, int]
    noise: dict[int, FunctionRef]  # reward noise given as a function, by task number
    numbers: dict[Task, int]  # of the tasks
    instances: npt.NDArray[Any] = field(init=False, repr=False)
    tasks: npt.NDArray[Any] = field(init=False, repr=False)
    ints: npt.NDArray[np.int32] = field(init=False, repr=False)
    floats: npt.NDArray[np.float64] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.instances, self.tasks, self.ints, self.floats = split(self.memory)

    def __reduce__(self) -> tuple[Any, ...]:
        return Fleet, (self.memory, self.spaces, self.noise, self.numbers)  # the views are made anew

    def __len__(self) -> int:
        return len(self.instances)

    @property
    def arrays(self) -> tuple[Any, ...]:
        """What a kernel takes that does not take the memory as a whole."""
        return self.instances, self.tasks, self.ints, self.floats

    @property
    def traces(self) -> npt.NDArray[np.int32]:
        """The last N-states of every instance, oldest first, -1 before the start of its episode."""
        width = int(self.instances["trace_length"][0])
        first = int(self.instances["trace"][0])
        return self.ints[first : first + len(self) * width].reshape(len(self), width)

    def seed(self, keys: npt.NDArray[np.uint64] | int, chosen: Any = slice(None)) -> None:
        """New random streams; the next `begin` starts their first episode."""
        self.instances["key"][chosen] = keys
        self.instances["episode"][chosen] = -1

    def save(self, i: int) -> dict[str, Any]:
        """All that an instance needs to go on, in this fleet or in another one that holds the same source."""
        inst = self.instances[i]
        line = self.floats[inst["line"] : inst["line"] + self.tasks[inst["task"]]["delay"]]
        fields = {name: inst[name].item() for name in _PORTABLE}
        return {"fields": fields, "choice": self._choices(i).index(inst["task"]), "line": line.copy()}

    def load(self, i: int, state: dict[str, Any]) -> None:
        inst = self.instances[i]
        for name, value in state["fields"].items():
            inst[name] = value
        inst["task"] = self._choices(i)[state["choice"]]
        self.floats[inst["line"] : inst["line"] + len(state["line"])] = state["line"]

    def _choices(self, i: int) -> list[int]:
        """The tasks that an instance plays."""
        first = int(self.instances["choices"][i])
        if first == 0:
            return [int(self.instances["task"][i])]
        return self.ints[first + 2 : first + 2 + self.ints[first]].tolist()  # type: ignore[no-any-return]

    def draw_noise(self) -> None:
        """Draws reward noise that is given as a function for the step to come, by its address."""
        self.instances["pushed"] = 0.0
        for number, function in self.noise.items():
            for i in np.flatnonzero(self.instances["task"] == number):
                inst = self.instances[i]
                counter = [LANE_REWARD, int(inst["t"]) + 1, int(inst["episode"]), 0]
                rng = np.random.Generator(np.random.Philox(key=int(inst["key"]), counter=counter))
                inst["pushed"] = float(function(rng))


def fleet(sources: Sequence[Source], history: bool = False) -> Fleet:
    """A fleet with one instance for each source; with `history` the last N-states of each are kept."""
    if not sources:
        raise UsageError("a fleet must have at least one instance.")
    known: dict[int, int] = {}  # sources by identity: a source may be large to hash, and is often given many times
    which: dict[Source, int] = {}
    for source in sources:
        if id(source) not in known:
            known[id(source)] = which.setdefault(source, len(which))
    place = np.array([known[id(source)] for source in sources])

    numbers: dict[Task, int] = {}
    ints, floats = _Arena(np.int32), _Arena(np.float64)
    plays = []  # of each source, the tasks it plays
    choices = []
    for source in which:
        tasks, weights = members(source)
        plays.append([numbers.setdefault(task, len(numbers)) for task in tasks])
        single = len(tasks) == 1
        odds = 0 if single else floats.put(cumulative(np.array(weights)))
        choices.append(0 if single else ints.put(np.array([len(tasks), odds, *plays[-1]])))
    records = np.zeros(len(numbers), dtype=TASK)
    for task, number in numbers.items():
        _write_task(records[number], task.values, toy(task), ints, floats)

    instances = np.zeros(len(sources), dtype=INSTANCE)
    instances["choices"] = np.array(choices)[place]
    instances["task"] = np.array([tasks[0] for tasks in plays])[place]
    instances["line"] = floats.reserve(np.array([records["delay"][tasks].max() for tasks in plays])[place])
    if history:
        width = int((records["delay"] + records["length"] + 1).max())
        instances["trace_length"] = width
        instances["trace"] = ints.reserve(np.full(len(sources), width))

    noise = {n: t["reward_noise"] for t, n in numbers.items() if isinstance(t["reward_noise"], FunctionRef)}
    memory = allocate(len(instances), len(records), ints.size, floats.size)
    built = Fleet(memory, _common_spaces(records, list(numbers)), noise, numbers)
    built.instances[:], built.tasks[:] = instances, records
    ints.write(built.ints)
    floats.write(built.floats)
    built.seed(0)
    return built


class _Arena:
    """Parts of one flat array, each at an offset above 0."""

    def __init__(self, dtype: Any) -> None:
        self._dtype = dtype
        self._parts: list[tuple[int, npt.NDArray[Any]]] = []
        self.size = 1

    def put(self, part: npt.NDArray[Any]) -> int:
        self._parts.append((self.size, part))
        return int(self.reserve(np.array([part.size]))[0])

    def reserve(self, sizes: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """Room for one part of each size, zeroed: their offsets."""
        offsets: npt.NDArray[np.int64] = self.size + np.cumsum(sizes, dtype=np.int64) - sizes
        self.size += int(sizes.sum())
        if self.size >= 2**31:
            raise UsageError("the tasks of this fleet need more than 2^31 entries; take fewer or smaller ones.")
        return offsets

    def write(self, array: npt.NDArray[Any]) -> None:
        for offset, part in self._parts:
            array[offset : offset + part.size] = part.ravel()


def _write_task(record: Any, values: dict[str, Any], parts: Toy, ints: _Arena, floats: _Arena) -> None:
    record["states"], record["actions"], record["set_size"] = parts.num_states, parts.num_actions, parts.set_size
    record["length"], record["delay"] = values["sequence_length"], values["delay"]
    record["horizon"] = values["max_episode_steps"]
    record["gated"] = values["reward_every_n_steps"] and values["sequence_length"] > 1
    record["pay_at_end"] = values["delay_at_end"] == "terminated"
    record["reward_noise"] = 0.0 if isinstance(values["reward_noise"], FunctionRef) else values["reward_noise"]
    noise = record["transition_noise"] = values["transition_noise"]
    if noise > 0:
        record["stretch"] = (parts.set_size - 1) / noise
    record["scale"], record["shift"] = values["reward_scale"], values["reward_shift"]
    record["terminal_bonus"] = values["term_state_reward"] * values["reward_scale"]
    record["terminal"] = ints.put(parts.terminal)
    starts = np.flatnonzero(parts.initial)
    if np.ptp(parts.initial[starts]) == 0:  # equally likely ones need no search
        record["equal_starts"], record["starts"] = len(starts), ints.put(starts)
    else:
        record["start_cdf"] = floats.put(cumulative(parts.initial))
    record["next_set"] = ints.put(_next_set(parts.num_states, parts.set_size))
    if parts.succ is not None:
        record["succ"] = ints.put(parts.succ)
    else:
        assert parts.probs is not None
        record["stochastic"] = 1
        record["cdf"] = floats.put(cumulative(parts.probs))
    if parts.reward is not None:
        record["has_rewards"] = 1
        record["reward"] = floats.put(parts.reward)
    else:
        machine = parts.automaton
        assert machine is not None
        record["node_step"] = ints.put(machine.step)
        record["pay"] = floats.put(np.stack([machine.partial, machine.partial + machine.full], axis=1))
    if parts.irrelevant is not None:
        record["irrelevant_states"], record["irrelevant_actions"] = parts.irrelevant.shape
        record["irrelevant_succ"] = ints.put(parts.irrelevant)
        record["irrelevant_next_set"] = ints.put(_next_set(*parts.irrelevant.shape))
        record["irrelevant_stretch"] = (parts.irrelevant.shape[1] - 1) / noise if noise > 0 else 0.0
    record["special"] = parts.irrelevant is not None or parts.reward is not None or parts.succ is None


def _next_set(states: int, set_size: int) -> npt.NDArray[np.int64]:
    """For each state the first state of the independent set that follows its own."""
    return (np.arange(states) // set_size + 1) * set_size % states


def cumulative(probabilities: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Cumulative sums whose last element with mass, and all after it, are above every draw."""
    sums = np.cumsum(probabilities, axis=-1)
    tail = np.flip(np.cumsum(np.flip(probabilities, -1), axis=-1), -1) - probabilities == 0
    return np.where(tail, 2.0, sums)


def _common_spaces(records: npt.NDArray[Any], tasks: list[Task]) -> tuple[int, int, int, int]:
    names = ("states", "actions", "irrelevant_states", "irrelevant_actions")
    spaces = {tuple(int(record[name]) for name in names): task for record, task in zip(records, tasks, strict=True)}
    if len(spaces) > 1:
        (one, first), (other, second) = list(spaces.items())[:2]
        raise UsageError(
            f"the tasks of one fleet must have the same spaces, but {first} has (states, actions, irrelevant states, "
            f"irrelevant actions) = {one} and {second} has {other}."
        )
    one = next(iter(spaces))
    return one[0], one[1], one[2], one[3]
