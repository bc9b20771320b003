"""What do the fleets of all engines share? Instances that play tasks, seeded, saved and loaded one by one."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from mohs.core.errors import UsageError
from mohs.core.task import Source, Task, members
from mohs.core.values import FunctionRef
from mohs.engines.law import Law
from mohs.engines.memory import Arena, Memory, allocate, cumulative, splitter


@dataclass(frozen=True)
class Roster:
    """Who plays what: the tasks by number, and of each distinct source the tasks that it plays."""

    numbers: dict[Task, int]
    plays: list[list[int]]
    choices: npt.NDArray[np.int64]  # of each instance, the offset of what its tasks are drawn by; 0: a single one
    place: npt.NDArray[np.int64]  # of each instance, the number of its source

    def first(self) -> npt.NDArray[np.int64]:
        """The first task of each instance."""
        return np.array([tasks[0] for tasks in self.plays])[self.place]

    def most(self, amounts: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """For each instance the largest of the amounts of the tasks that it plays."""
        return np.array([amounts[tasks].max() for tasks in self.plays])[self.place]


def roster(sources: Sequence[Source], ints: Arena, floats: Arena) -> Roster:
    """Numbers the tasks of one instance for each source; what they are drawn by goes into the arenas."""
    if not sources:
        raise UsageError("a fleet must have at least one instance.")
    known: dict[int, int] = {}  # sources by identity: a source may be large to hash, and is often given many times
    which: dict[Source, int] = {}
    for source in sources:
        if id(source) not in known:
            known[id(source)] = which.setdefault(source, len(which))
    place = np.array([known[id(source)] for source in sources])
    numbers: dict[Task, int] = {}
    plays, choices = [], []
    for source in which:
        tasks, weights = members(source)
        plays.append([numbers.setdefault(task, len(numbers)) for task in tasks])
        single = len(tasks) == 1
        odds = 0 if single else floats.put(cumulative(np.array(weights)))
        choices.append(0 if single else ints.put(np.array([len(tasks), odds, *plays[-1]])))
    kinds = sorted({task.env for task in numbers})
    if len(kinds) > 1:
        raise UsageError(f"the tasks of one fleet must be of one environment, not of {' and '.join(kinds)}.")
    return Roster(numbers, plays, np.array(choices)[place], place)


def common_spaces(words: str, spaces: Sequence[Hashable], tasks: Sequence[Task]) -> Any:
    """The one value that all tasks have for their spaces, which `words` name; an error where they differ."""
    distinct = dict(zip(spaces, tasks, strict=True))
    if len(distinct) > 1:
        (one, first), (other, second) = list(distinct.items())[:2]
        raise UsageError(
            f"the tasks of one fleet must have the same spaces, but {first} has {words} = {one} and {second} has "
            f"{other}."
        )
    return spaces[0]


@dataclass
class Fleet:
    """Instances, tasks and arenas, which are views into one memory. An engine's own adds its law and its spaces."""

    memory: Memory
    spaces: tuple[Any, ...]  # the same for all tasks
    noise: dict[int, Any]  # noise given as functions, by task number
    numbers: dict[Task, int]  # of the tasks
    instances: npt.NDArray[Any] = field(init=False, repr=False)
    tasks: npt.NDArray[Any] = field(init=False, repr=False)
    ints: npt.NDArray[np.int32] = field(init=False, repr=False)
    floats: npt.NDArray[np.float64] = field(init=False, repr=False)

    law: ClassVar[Law]
    offsets: ClassVar[tuple[str, ...]] = ()  # the fields of an instance that say where in the arenas its parts lie
    observed: ClassVar[npt.DTypeLike] = np.int64  # the type of the numbers that the law observes
    state_fields: ClassVar[tuple[str, ...]] = ()  # the fields that `reset(options={"state": ...})` may set

    def __post_init__(self) -> None:
        self.instances, self.tasks, self.ints, self.floats = splitter(self.law.instance, self.law.task)(self.memory)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.memory, self.spaces, self.noise, self.numbers)  # the views are made anew

    def __len__(self) -> int:
        return len(self.instances)

    @classmethod
    def build(
        cls, roster: Roster, spaces: tuple[Any, ...], noise: dict[int, Any],
        instances: npt.NDArray[Any], tasks: npt.NDArray[Any], ints: Arena, floats: Arena,
    ) -> Self:  # fmt: skip
        """A fleet with these records, unseeded."""
        instances["choices"], instances["task"] = roster.choices, roster.first()
        built = cls(allocate(instances, tasks, ints, floats, cls.law.block), spaces, noise, roster.numbers)
        built.seed(0)
        return built

    @classmethod
    def from_records(
        cls, sources: Sequence[Source], write: Callable[[Any, Task], None], spaces: Callable[[Task], Any], words: str
    ) -> Self:
        """A fleet whose tasks need no more than their records.

        Args:
            sources: One for each instance.
            write: Writes a task into its record.
            spaces: The spaces of a task, which must be the same for all.
            words: What the numbers of the spaces stand for, in an error message.
        """
        ints, floats = Arena(np.int32), Arena(np.float64)
        who = roster(sources, ints, floats)
        records = np.zeros(len(who.numbers), dtype=cls.law.task)
        for task, number in who.numbers.items():
            write(records[number], task)
        common = common_spaces(words, [spaces(task) for task in who.numbers], list(who.numbers))
        return cls.build(who, common, {}, np.zeros(len(sources), dtype=cls.law.instance), records, ints, floats)

    @property
    def width(self) -> int:
        """How many numbers the law observes of an instance."""
        return 1

    def new_observations(self) -> npt.NDArray[Any]:
        """Room for what the law observes of all instances."""
        return np.empty((len(self), self.width), dtype=self.observed)

    @property
    def arrays(self) -> tuple[Any, ...]:
        """What a kernel takes that does not take the memory as a whole."""
        return self.instances, self.tasks, self.ints, self.floats

    def seed(self, keys: npt.NDArray[np.uint64] | int, chosen: Any = slice(None)) -> None:
        """New random streams; the next `begin` starts their first episode."""
        self.instances["key"][chosen] = keys
        self.instances["episode"][chosen] = -1

    def set_states(self, states: Any, chosen: npt.NDArray[np.bool_]) -> None:
        """Sets the `state_fields` of the chosen instances: one state for all, or [N, fields]."""
        try:
            read = np.asarray(states, dtype=np.float64)
        except (TypeError, ValueError):
            read = np.empty(0)
        shape = (len(self), len(self.state_fields))
        if read.shape not in (shape, shape[1:]) or not np.isfinite(read).all():
            raise UsageError(f"the state must be {', '.join(self.state_fields)}, finite numbers, not {states!r}.")
        for name, values in zip(self.state_fields, np.broadcast_to(read, shape).T, strict=True):
            self.instances[name][chosen] = values[chosen]

    def draw_noise(self, actions: npt.NDArray[Any] | None = None, *, unlimited: bool = False) -> None:
        """Draws noise that is given as functions for the step to come; a caller may not know the actions.

        An instance whose episode is over has no such step, unless it is played beyond its time limit.
        """
        self._draw(self.instances["over"] == 0 if not unlimited else np.ones(len(self), dtype=np.bool_), actions)

    def _draw(self, playing: npt.NDArray[np.bool_], actions: npt.NDArray[Any] | None) -> None:
        """Draws the noise of the instances that are playing; by default no noise is given as a function."""

    def blocks(self, i: int) -> dict[str, npt.NDArray[np.float64]]:
        """The parts of the float arena that belong to an instance and that it needs to continue, as views."""
        return {}

    def save(self, i: int) -> dict[str, Any]:
        """All that an instance needs to continue, in this fleet or in another one that holds the same source."""
        inst = self.instances[i]
        elsewhere = ("task", "choices", *self.offsets)
        names = [name for name in self.law.instance.names or () if name not in elsewhere and not name.startswith("_")]
        fields = {name: inst[name].item() for name in names}
        kept = {name: block.copy() for name, block in self.blocks(i).items()}
        return {"fields": fields, "choice": self._choices(i).index(inst["task"]), **kept}

    def load(self, i: int, state: dict[str, Any]) -> None:
        """Continues an instance as it was saved."""
        inst = self.instances[i]
        for name, value in state["fields"].items():
            inst[name] = value
        inst["task"] = self._choices(i)[state["choice"]]
        for name, block in self.blocks(i).items():
            block[:] = state[name]

    def _choices(self, i: int) -> list[int]:
        """The tasks that an instance plays."""
        first = int(self.instances["choices"][i])
        if first == 0:
            return [int(self.instances["task"][i])]
        return self.ints[first + 2 : first + 2 + self.ints[first]].tolist()  # type: ignore[no-any-return]


class NumberedFleet(Fleet):
    """A fleet whose observations and actions are numbers: see `engines/numbered.py`."""

    @property
    @abstractmethod
    def sizes(self) -> tuple[int, int]:
        """How many observations and actions there are."""


def delay_line(fleet: Fleet, i: int) -> npt.NDArray[np.float64]:
    """The rewards that an instance has earned and not been given yet, as a view."""
    inst = fleet.instances[i]
    line: npt.NDArray[np.float64] = fleet.floats[inst["line"] :][: fleet.tasks[inst["task"]]["delay"]]
    return line


def write_reward_dials(record: Any, values: dict[str, Any]) -> None:
    """What `common_law.handed_out` needs to know of a task, and when its episodes are truncated."""
    record["delay"], record["horizon"] = values["delay"], values["max_episode_steps"]
    record["pay_at_end"] = values["delay_at_end"] == "terminated"
    record["reward_noise"] = 0.0 if isinstance(values["reward_noise"], FunctionRef) else values["reward_noise"]
    record["scale"], record["shift"] = values["reward_scale"], values["reward_shift"]
    record["terminal_bonus"] = values["term_state_reward"] * values["reward_scale"]
