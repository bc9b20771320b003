"""How is a fleet built? Tasks and instances are written into records and arenas, each distinct task once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.core.errors import UsageError
from mohs.core.task import Source, Task, members
from mohs.core.values import FunctionRef
from mohs.engines.discrete.layout import INSTANCE, TASK
from mohs.engines.draws import LANE_REWARD
from mohs.tables.toy import toy


@dataclass
class Fleet:
    """Instances, tasks and arenas. `spaces` is (states, actions, irrelevant states, irrelevant actions)."""

    instances: npt.NDArray[Any]
    tasks: npt.NDArray[Any]
    ints: npt.NDArray[np.int32]
    floats: npt.NDArray[np.float64]
    spaces: tuple[int, int, int, int]
    noise: dict[int, FunctionRef]  # reward noise given as a function, by task number

    def __len__(self) -> int:
        return len(self.instances)

    @property
    def arrays(self) -> tuple[Any, ...]:
        """What every kernel takes first."""
        return self.instances, self.tasks, self.ints, self.floats

    def seed(self, keys: npt.NDArray[np.uint64] | int, chosen: Any = slice(None)) -> None:
        """New random streams; the next `begin` starts their first episode."""
        self.instances["key"][chosen] = keys
        self.instances["episode"][chosen] = -1

    def draw_noise(self) -> None:
        """Draws reward noise that is given as a function for the step to come, by its address."""
        for number, function in self.noise.items():
            for i in np.flatnonzero(self.instances["task"] == number):
                inst = self.instances[i]
                counter = [LANE_REWARD, int(inst["t"]) + 1, int(inst["episode"]), 0]
                rng = np.random.Generator(np.random.Philox(key=int(inst["key"]), counter=counter))
                inst["pushed"] = float(function(rng))


def fleet(sources: Sequence[Source], history: bool = False) -> Fleet:
    """A fleet with one instance for each source; with `history` the last N-states of each are kept."""
    numbers: dict[Task, int] = {}
    groups: dict[Source, _Group] = {}
    ints, floats = _Arena(np.int32), _Arena(np.float64)
    for source in sources:
        if source not in groups:
            tasks, weights = members(source)
            chosen = [numbers.setdefault(task, len(numbers)) for task in tasks]
            groups[source] = _Group(chosen, ints.put(np.array(chosen)), floats.put(np.cumsum(weights)))

    records = np.zeros(len(numbers), dtype=TASK)
    for task, number in numbers.items():
        _write_task(records[number], task, ints, floats)
    noise = {n: t["reward_noise"] for t, n in numbers.items() if isinstance(t["reward_noise"], FunctionRef)}

    instances = np.zeros(len(sources), dtype=INSTANCE)
    which = {source: place for place, source in enumerate(groups)}
    place = np.array([which[source] for source in sources])
    for name in ("choices", "weights"):
        instances[name] = np.array([getattr(g, name) for g in groups.values()])[place]
    instances["num_choices"] = np.array([len(g.tasks) for g in groups.values()])[place]
    instances["task"] = np.array([g.tasks[0] for g in groups.values()])[place]
    lines = np.array([records["delay"][g.tasks].max() for g in groups.values()], dtype=np.int64)[place]
    instances["line"] = floats.reserve(lines)
    if history:
        spans = records["delay"] + records["length"] + 1
        traces = np.array([spans[g.tasks].max() for g in groups.values()], dtype=np.int64)[place]
        instances["trace_length"] = traces
        instances["trace"] = ints.reserve(traces)
    built = Fleet(instances, records, ints.array(), floats.array(), _common_spaces(records, list(numbers)), noise)
    built.seed(0)
    return built


@dataclass(frozen=True)
class _Group:
    """The instances that play the same source: its task numbers and the offsets of those and of their weights."""

    tasks: list[int]
    choices: int
    weights: int


class _Arena:
    """Parts of one flat array, each at an offset."""

    def __init__(self, dtype: Any) -> None:
        self._dtype = dtype
        self._parts: list[npt.NDArray[Any]] = []
        self._size = 0

    def put(self, part: npt.NDArray[Any]) -> int:
        offset = self._size
        self._parts.append(np.asarray(part, dtype=self._dtype).ravel())
        self._size += self._parts[-1].size
        return offset

    def reserve(self, sizes: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Room for one part of each size, zeroed: their offsets."""
        return self.put(np.zeros(int(sizes.sum()))) + np.cumsum(sizes) - sizes

    def array(self) -> npt.NDArray[Any]:
        return np.concatenate([*self._parts, np.zeros(1, dtype=self._dtype)])


def _write_task(record: Any, task: Task, ints: _Arena, floats: _Arena) -> None:
    values, parts = task.values, toy(task)
    record["states"], record["actions"] = parts.num_states, parts.num_actions
    record["set_size"], record["sets"] = parts.set_size, parts.sets
    record["length"], record["delay"] = values["sequence_length"], values["delay"]
    record["horizon"] = values["max_episode_steps"]
    record["gated"] = values["reward_every_n_steps"] and values["sequence_length"] > 1
    record["pay_at_end"] = values["delay_at_end"] == "terminated"
    record["transition_noise"] = values["transition_noise"]
    noise = values["reward_noise"]
    record["reward_noise"] = 0.0 if isinstance(noise, FunctionRef) else noise
    record["scale"], record["shift"] = values["reward_scale"], values["reward_shift"]
    record["terminal_reward"] = values["term_state_reward"]
    record["terminal"] = ints.put(parts.terminal)
    record["start_cdf"] = floats.put(cumulative(parts.initial))
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
        assert parts.automaton is not None
        record["node_step"] = ints.put(parts.automaton.step)
        record["node_full"] = floats.put(parts.automaton.full)
        record["node_partial"] = floats.put(parts.automaton.partial)
    if parts.irrelevant is not None:
        record["irrelevant_states"], record["irrelevant_actions"] = parts.irrelevant.shape
        record["irrelevant_succ"] = ints.put(parts.irrelevant)


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
