"""What is an agent trained on? A task: an environment, its parameters and a structure seed."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

from mohs.core import registry
from mohs.core.domain import Integer
from mohs.core.errors import UsageError
from mohs.core.values import Json, canonical_json, content_hash, from_json, to_json

SEED = Integer(0, 2**63 - 1)
EnvFactory = Callable[..., Any]  # a subclass of `gymnasium.Env`, or a function that returns an environment


@dataclass(frozen=True)
class Task:
    """An immutable description of one task. Build it with `Task.make`, which checks every parameter.

    Only parameters that differ from their defaults are kept, so a new dial whose default is off changes no hash.
    `task["delay"]` is the value of a parameter, defaults included.

    Attributes:
        env: The id of the environment.
        params: The parameters that differ from their defaults, as sorted pairs (name, value).
        seed: The structure seed. It determines what is generated (dynamics, rewards, terminal states), each from its
            own stream. `reset(seed=)` seeds start states and noise.

    Example:
        >>> import mohs
        >>> task = mohs.Task.make("toy/discrete", delay=4)
        >>> task["delay"], task["sequence_length"]
        (4, 1)
    """

    env: str
    params: tuple[tuple[str, Any], ...] = ()
    seed: int = 0

    @classmethod
    def make(cls, env: str | EnvFactory, /, seed: int = 0, **params: Any) -> Task:
        """A task of an environment, with every parameter checked.

        Args:
            env: An id (`toy/discrete`, `CartPole-v1`), `file.py:attribute` or `module:attribute` of a Gymnasium
                environment class or of a function that returns an environment, or the class or function itself.
            seed: The structure seed.
            **params: Parameters of the environment.

        Raises:
            UsageError: The environment or a parameter is unknown, or a value is not allowed.

        Example:
            >>> import mohs
            >>> print(mohs.Task.make("CartPole-v1", delay=4))
            CartPole-v1 delay=4 seed=0
        """
        env, named = registry.configuration(registry.name_of(env))
        normal = registry.environment(env).normalise({**named, **params})
        return cls(env, tuple(sorted(normal.items())), SEED.parse("seed", seed))

    @property
    def environment(self) -> registry.Environment:
        """The registered entry of the environment.

        Example:
            >>> import mohs
            >>> mohs.Task.make("toy/discrete").environment.gym_id
            'mohs/Discrete-v0'
        """
        return registry.environment(self.env)

    @property
    def values(self) -> dict[str, Any]:
        """All parameters by name, defaults included.

        Example:
            >>> import mohs
            >>> mohs.Task.make("toy/discrete").values["delay"]
            0
        """
        return self.environment.complete(dict(self.params))

    def __getitem__(self, name: str) -> Any:
        # Without a dictionary of all values, which would take most of the time in which a fleet of many tasks is built.
        default = self.environment.parameters[name].default
        return next((value for given, value in self.params if given == name), default)

    def replace(self, seed: int | None = None, **params: Any) -> Task:
        """Returns the task with some parameters changed. Implied parameters follow the changed ones.

        Args:
            seed: The new structure seed; the same one by default.
            **params: The parameters to change.

        Returns:
            The changed task.

        Raises:
            UsageError: A parameter is unknown, out of range, or contradicts another one.

        Example:
            >>> import mohs
            >>> mohs.Task.make("toy/discrete", delay=4).replace(seed=1, delay=2)["delay"]
            2
        """
        own = dict(self.params)
        for name in self.environment.implied:
            others = {other: value for other, value in own.items() if other != name}
            if name in own and Task.make(self.env, **others)[name] == own[name]:
                own = others
        return Task.make(self.env, seed=self.seed if seed is None else seed, **{**own, **params})

    def noise_free(self) -> Task:
        """Returns the task with all noise switched off (section 6.2.4 of MDP Playground).

        Example:
            >>> import mohs
            >>> mohs.Task.make("toy/discrete", delay=4, transition_noise=0.1).noise_free().params
            (('delay', 4),)
        """
        noise = self.environment.noise
        return Task(self.env, tuple((k, v) for k, v in self.params if k not in noise), self.seed)

    def to_json(self) -> dict[str, Json]:
        """Returns the task as plain data.

        Raises:
            UsageError: A parameter is a function that cannot be imported again.

        Example:
            >>> import mohs
            >>> mohs.Task.make("toy/discrete", delay=4).to_json()
            {'env': 'toy/discrete', 'params': {'delay': 4}, 'seed': 0}
        """
        return {"env": self.env, "params": {k: to_json(v) for k, v in self.params}, "seed": self.seed}

    @classmethod
    def from_json(cls, data: str | Mapping[str, Any]) -> Task:
        """Reads a task that `to_json` wrote.

        Args:
            data: JSON text, or the mapping itself.

        Returns:
            The task.

        Raises:
            UsageError: The data is not a task, or `make` refuses its parameters.

        Example:
            >>> import mohs
            >>> mohs.Task.from_json('{"env": "toy/discrete", "params": {"delay": 4}, "seed": 0}')["delay"]
            4
        """
        data = read_json(data, "task", {"env", "params", "seed"})
        if not isinstance(data["params"], Mapping):
            raise UsageError("the params of a task must be a mapping of names to values.")
        with reading("task"):
            return cls.make(data["env"], seed=data["seed"], **{k: from_json(v) for k, v in data["params"].items()})

    @cached_property
    def key(self) -> str:
        """The content hash of the task.

        Example:
            >>> import mohs
            >>> mohs.Task.make("toy/discrete").key == mohs.Task.make("toy/discrete", delay=0).key
            True
        """
        return content_hash(self.to_json())

    def __str__(self) -> str:
        words = [f"{k}={_brief(v)}" for k, v in self.params]
        return " ".join([self.env, *words, f"seed={self.seed}"])


@dataclass(frozen=True)
class TaskSet:
    """A weighted set of tasks. One is drawn for every episode. Build it with `TaskSet.make`.

    Attributes:
        tasks: The tasks.
        weights: Their probabilities, which sum to 1.

    Example:
        >>> import mohs
        >>> levels = mohs.TaskSet.make([mohs.Task.make("toy/discrete", seed=seed) for seed in range(4)])
        >>> levels.weights
        (0.25, 0.25, 0.25, 0.25)
    """

    tasks: tuple[Task, ...]
    weights: tuple[float, ...]

    @classmethod
    def make(cls, tasks: Iterable[Task], weights: Iterable[float] | None = None) -> TaskSet:
        """Makes a task set with normalised weights.

        Args:
            tasks: The tasks.
            weights: One finite number ≥ 0 for each task; equal by default.

        Returns:
            The task set.

        Raises:
            UsageError: There are no tasks, or the weights do not fit.

        Example:
            >>> import mohs
            >>> tasks = mohs.Task.make("toy/discrete"), mohs.Task.make("toy/discrete", delay=4)
            >>> mohs.TaskSet.make(tasks, [3, 1]).weights
            (0.75, 0.25)
        """
        members = tuple(tasks)
        if not members or not all(isinstance(t, Task) for t in members):
            raise UsageError("a task set must have at least one task.")
        given = tuple(float(w) for w in weights) if weights is not None else (1.0,) * len(members)
        if len(given) != len(members) or not all(math.isfinite(w) and w >= 0 for w in given) or sum(given) <= 0:
            raise UsageError("weights must be one finite number ≥ 0 for each task, with a positive sum.")
        total = sum(given)
        return cls(members, tuple(w / total for w in given))

    def to_json(self) -> dict[str, Json]:
        """Returns the task set as plain data.

        Example:
            >>> import mohs
            >>> mohs.TaskSet.make([mohs.Task.make("toy/discrete")]).to_json()["weights"]
            [1.0]
        """
        return {"tasks": [t.to_json() for t in self.tasks], "weights": list(self.weights)}

    @classmethod
    def from_json(cls, data: str | Mapping[str, Any]) -> TaskSet:
        """Reads a task set that `to_json` wrote.

        Args:
            data: JSON text, or the mapping itself.

        Returns:
            The task set.

        Raises:
            UsageError: The data is not a task set.

        Example:
            >>> import mohs
            >>> levels = mohs.TaskSet.make([mohs.Task.make("toy/discrete")])
            >>> mohs.TaskSet.from_json(levels.to_json()) == levels
            True
        """
        data = read_json(data, "task set", {"tasks", "weights"})
        with reading("task set"):
            return cls.make([Task.from_json(t) for t in data["tasks"]], data["weights"])

    @cached_property
    def key(self) -> str:
        """The content hash of the task set.

        Example:
            >>> import mohs
            >>> len(mohs.TaskSet.make([mohs.Task.make("toy/discrete")]).key)
            32
        """
        return content_hash(self.to_json())


Source = Task | TaskSet


def members(source: Source) -> tuple[tuple[Task, ...], tuple[float, ...]]:
    """The tasks of a source with their weights."""
    return ((source,), (1.0,)) if isinstance(source, Task) else (source.tasks, source.weights)


def source_from_json(data: Mapping[str, Any]) -> Source:
    """Reads a task or a task set."""
    return TaskSet.from_json(data) if "tasks" in data else Task.from_json(data)


@contextmanager
def reading(what: str) -> Iterator[None]:
    """Turns an exception while reading a value into a `UsageError`."""
    try:
        yield
    except UsageError:
        raise
    except (TypeError, AttributeError, KeyError, ValueError) as error:
        raise UsageError(f"this {what} is malformed: {error}.") from error


def read_json(
    data: str | Mapping[str, Any], what: str, keys: set[str], since: Mapping[str, Any] = MappingProxyType({})
) -> Mapping[str, Any]:
    """Returns a mapping with exactly these keys, parsed from JSON text or as given.

    `since` has keys that older data lack, with the values that they then have.
    """
    if isinstance(data, str):
        try:
            data = json.loads(data)
        except json.JSONDecodeError as error:
            raise UsageError(f"this {what} is not JSON: {error}.") from error
    if not isinstance(data, Mapping):
        raise UsageError(f"a {what} must be a JSON object with the keys {', '.join(sorted(keys))}.")
    data, keys = {**since, **data}, keys | since.keys()
    if set(data) != keys:
        wrong = sorted(set(data) ^ keys)
        raise UsageError(
            f"a {what} must have exactly the keys {', '.join(sorted(keys))}; missing or unknown: {', '.join(wrong)}."
        )
    return data


def _brief(value: Any) -> str:
    text = canonical_json(to_json(value)) if not hasattr(value, "target") else value.target
    return text if len(text) <= 40 else text[:37] + "..."
