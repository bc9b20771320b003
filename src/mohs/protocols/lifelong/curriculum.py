"""Which tasks is an agent trained on, one after the other? A curriculum: tasks by name, and blocks of training on one.

Tasks that no block names are held out: they are evaluated as all others are. A file in TOML, YAML or JSON has `title`,
`steps` (of a block), `blocks` (names, or [name, steps]), `base` (an environment with parameters) and `tasks` (by name,
what each has beside the base, another `env` included).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.core.arguments import checked_record
from mohs.core.data_files import find_file, read_table
from mohs.core.domain import Integer
from mohs.core.errors import UsageError, invalid, unknown
from mohs.core.task import Task, read_json, reading
from mohs.core.values import Json
from mohs.envs.make import make

SHIPPED = Path(__file__).parents[2] / "curricula"
KEYS = {"title", "text", "steps", "blocks", "base", "tasks"}
STEPS = Integer(1)


@dataclass(frozen=True)
class Block:
    """So many steps of learning one task."""

    task: str
    steps: int


@checked_record
@dataclass(frozen=True)
class Curriculum:
    """Tasks by name, and the blocks in which they are learnt; `make` checks them.

    Attributes:
        name: what users call it.
        title: a few words for the report.
        tasks: tasks by name, in the order of the report.
        blocks: so many steps on one task each, in the order of training.
        text: a sentence about it.

    Example:
        >>> import mohs
        >>> goals = {"one": mohs.Task.make("ctgraph", goal=[1, 1]), "two": mohs.Task.make("ctgraph", goal=[2, 1])}
        >>> mohs.Curriculum.make("mine", goals, ["one", "two"], steps=500).boundaries
        (0, 500, 1000)
    """

    name: str
    title: str
    tasks: tuple[tuple[str, Task], ...]
    blocks: tuple[Block, ...]
    text: str = ""

    @classmethod
    def make(
        cls,
        name: str,
        tasks: Mapping[str, Task],
        blocks: Iterable[str | Sequence[Any] | Block],
        *,
        steps: int = 20_000,
        title: str = "",
        text: str = "",
    ) -> Curriculum:
        """A curriculum, checked.

        Observation spaces are made equal where the entry of the environment says how (`align`).

        Args:
            name: what users call it.
            tasks: tasks by name. Those that no block names are held out.
            blocks: names of tasks, learnt for `steps` steps, or pairs of a name and steps of its own.
            steps: steps of a block.
            title: a few words for the report; the name by default.
            text: a sentence about it.

        Returns:
            The curriculum.

        Raises:
            UsageError: there is no block, a block names no task, or the tasks have different spaces.

        Example:
            >>> import mohs
            >>> goals = {"one": mohs.Task.make("ctgraph", goal=[1, 1]), "two": mohs.Task.make("ctgraph", goal=[2, 1])}
            >>> mohs.Curriculum.make("mine", goals, ["one", ("one", 100)]).held_out
            ('two',)
        """
        made = tuple(_block(block, tasks, STEPS.parse("steps", steps)) for block in blocks)
        if not made:
            raise UsageError(f"the curriculum {name} has no blocks; at least one task must be learnt.")
        fitted = aligned(tasks)
        _check_spaces(fitted)
        for label, value in (("title", title), ("text", text)):
            if not isinstance(value, str):
                raise invalid(label, value, "a text")
        return cls(name, title or name, tuple(fitted.items()), made, text)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all tasks.

        Example:
            >>> from mohs.protocols.lifelong.curriculum import read_curriculum
            >>> goals = read_curriculum("near_goals")
            >>> len(goals.names) == len(goals.tasks)
            True
        """
        return tuple(name for name, _ in self.tasks)

    def task(self, name: str) -> Task:
        """The task of this name.

        Example:
            >>> from mohs.protocols.lifelong.curriculum import read_curriculum
            >>> goals = read_curriculum("near_goals")
            >>> goals.task(goals.names[0]).env
            'ctgraph'
        """
        return dict(self.tasks)[name]

    @property
    def learnt(self) -> tuple[str, ...]:
        """The tasks of the blocks, in the order in which they are first met.

        Example:
            >>> from mohs.protocols.lifelong.curriculum import read_curriculum
            >>> goals = read_curriculum("near_goals")
            >>> set(goals.learnt) <= set(goals.names)
            True
        """
        return tuple(dict.fromkeys(block.task for block in self.blocks))

    @property
    def held_out(self) -> tuple[str, ...]:
        """The tasks that are evaluated, but of which there is no block.

        Example:
            >>> from mohs.protocols.lifelong.curriculum import read_curriculum
            >>> goals = read_curriculum("near_goals")
            >>> set(goals.held_out) == set(goals.names) - set(goals.learnt)
            True
        """
        return tuple(name for name in self.names if name not in self.learnt)

    @property
    def boundaries(self) -> tuple[int, ...]:
        """Steps before the first block, and after each.

        Example:
            >>> from mohs.protocols.lifelong.curriculum import read_curriculum
            >>> goals = read_curriculum("near_goals")
            >>> len(goals.boundaries) == len(goals.blocks) + 1
            True
        """
        ends = [0]
        for block in self.blocks:
            ends.append(ends[-1] + block.steps)
        return tuple(ends)

    def inside(self, steps: npt.NDArray[np.int64], window: int) -> Iterator[tuple[Block, npt.NDArray[np.bool_]]]:
        """Every block, and which points of a training curve belong to it.

        A point belongs to a block if its whole window does.

        Args:
            steps: where the windows of a curve end.
            window: how long they are.

        Returns:
            Pairs of a block and a mask over the points.

        Example:
            >>> import mohs, numpy as np
            >>> goals = {"one": mohs.Task.make("ctgraph", goal=[1, 1])}
            >>> twice = mohs.Curriculum.make("mine", goals, ["one", "one"], steps=200)
            >>> [mask.tolist() for _, mask in twice.inside(np.array([100, 200, 300]), 100)]
            [[True, True, False], [False, False, True]]
        """
        for block, (start, end) in zip(self.blocks, pairwise(self.boundaries), strict=True):
            yield block, (steps - window >= start) & (steps <= end)

    def to_json(self) -> dict[str, Json]:
        """The curriculum as plain data.

        Example:
            >>> from mohs.protocols.lifelong.curriculum import read_curriculum
            >>> goals = read_curriculum("near_goals")
            >>> goals.to_json()["name"]
            'near_goals'
        """
        return {
            "name": self.name,
            "title": self.title,
            "text": self.text,
            "tasks": [[name, task.to_json()] for name, task in self.tasks],  # their order counts
            "blocks": [[block.task, block.steps] for block in self.blocks],
        }

    @classmethod
    def from_json(cls, data: str | Mapping[str, Any]) -> Curriculum:
        """A curriculum that was checked when it was written: no environment is made.

        Example:
            >>> from mohs.protocols.lifelong.curriculum import read_curriculum
            >>> goals = read_curriculum("near_goals")
            >>> Curriculum.from_json(goals.to_json()) == goals
            True
        """
        data = read_json(data, "curriculum", {"name", "title", "text", "tasks", "blocks"})
        with reading("curriculum"):
            tasks = tuple((name, Task.from_json(task)) for name, task in data["tasks"])
            blocks = tuple(Block(task, steps) for task, steps in data["blocks"])
            return cls(data["name"], data["title"], tasks, blocks, data["text"])


def _block(block: str | Sequence[Any] | Block, tasks: Mapping[str, Task], steps: int) -> Block:
    if isinstance(block, Block):
        block = (block.task, block.steps)
    elif isinstance(block, str):
        block = (block, steps)
    if not isinstance(block, list | tuple) or len(block) != 2:
        raise UsageError(f"a block is {block!r}, but must be the name of a task (a text), or [name, steps].")
    name, own = block[0], block[1]
    if name not in tasks:
        raise unknown("task of the curriculum", name, tasks)
    return Block(name, STEPS.parse(f"steps of a block of {name}", own))


def aligned(tasks: Mapping[str, Task]) -> dict[str, Task]:
    """The tasks with equal observation spaces, where their environment's entry says how."""
    found = dict(tasks)
    for env in dict.fromkeys(task.env for task in tasks.values()):
        own = {name: task for name, task in tasks.items() if task.env == env}
        entry = next(iter(own.values())).environment
        if entry.align is not None:
            found |= entry.realisation("align")(own)
    return found


def _check_spaces(tasks: Mapping[str, Task]) -> None:
    spaces = {name: _spaces(task) for name, task in tasks.items()}
    first = next(iter(tasks))
    for name, own in spaces.items():
        if own != spaces[first]:
            (a, b), (c, d) = spaces[first], own
            raise UsageError(
                f"the tasks of a curriculum must have the same spaces, but {first} has {a} and {b}, and {name} has {c} "
                f"and {d}."
            )


def _spaces(task: Task) -> tuple[Any, Any]:
    """What is seen in a task, and what can be done."""
    env = make(task)
    env.close()
    return env.observation_space, env.action_space


def read_curriculum(source: str) -> Curriculum:
    """The curriculum in a file, or the shipped one of this name."""
    path = find_file("curriculum", source, SHIPPED)
    data = read_table(path)
    try:
        return _read(path.stem, data)
    except UsageError as error:
        raise UsageError(f"{path.name}: {error}") from error


def _read(name: str, data: Mapping[str, Any]) -> Curriculum:
    for key in data:
        if key not in KEYS:
            raise unknown("key", key, KEYS)
    base, own, blocks = data.get("base", {}), data.get("tasks", {}), data.get("blocks", [])
    if not isinstance(base, Mapping) or not isinstance(own, Mapping) or not isinstance(blocks, list):
        raise UsageError("base and tasks must be tables, and blocks a list.")
    tasks = {}
    for task, params in own.items():
        if not isinstance(params, Mapping):
            raise UsageError(f"the task {task} must be a table of parameters.")
        given = {**base, **params}
        if not isinstance(given.get("env"), str):
            raise UsageError(f"the task {task} names no env, nor does the base.")
        tasks[str(task)] = Task.make(given.pop("env"), seed=given.pop("seed", 0), **given)
    return Curriculum.make(
        name, tasks, blocks, steps=data.get("steps", 20_000), title=data.get("title", ""), text=data.get("text", "")
    )
