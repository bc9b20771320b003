"""Which environments are there, which parameters do they take, and where is each realisation found?

An entry names its realisations as `module:attribute`, so that registering one imports nothing. Finders make entries
for names that are not registered: third-party environments, which are too many to list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from mohs.core.dial import Applies
from mohs.core.dials import DIALS
from mohs.core.domain import Domain
from mohs.core.errors import UsageError, unknown
from mohs.core.values import attribute

if TYPE_CHECKING:
    from mohs.core.task import Task


@dataclass(frozen=True)
class Parameter:
    """A parameter of an environment: the values it may have, its default, and a sentence on what it does."""

    domain: Domain
    default: Any
    text: str


@dataclass(frozen=True)
class Similarity:
    """How similar two tasks are, in [0, 1]. `measure` is NaN where it is not defined for them."""

    title: str
    measure: Callable[[Task, Task], float]


@dataclass(frozen=True)
class Environment:
    """One environment: its parameters, and where each part of it is found.

    Parts are named as `module:attribute` and imported when they are used. A part that an environment does not have is
    None. A third-party environment is made by its own Gymnasium constructor; mohs injects the dials. Build the entry of
    one with `mohs.envs.entries.third_party.third_party_entry`.

    Args:
        id: The name in mohs, such as `toy/discrete`.
        gym_id: The id in Gymnasium, such as `mohs/Discrete-v0`.
        title: What it is, in a few words.
        parameters: Its parameters by name. `max_episode_steps` must be among them.
        check: `(values, given) -> implied`: gets all values and the names that were given. It raises where they
            contradict each other, and returns the parameters that follow from them.
        face: `(source=, render_mode=, seed=, **params) -> gymnasium.Env`.
        vector_face: `(sources=, autoreset_mode=, history=) -> gymnasium.vector.VectorEnv`.
        spaces: `task -> tuple`, equal for tasks that can share a fleet.
        parts: `task -> parts` that the discrete engine and the table are made of.
        fleet: `sources -> fleet` with numbered states (`mohs.engines.numbered`).
        table: `(task, limit=) -> Table`: the task as a finite MDP.
        score: `task -> Score`: its return, with the references that normalise it.
        unsolvable: `task -> str | None`: why no policy can solve the task, where that is proved.
        place: Where its dials are read. None if a diagnosis has no dials to turn.
        batteries: Mapping of names to batteries of doses, for diagnoses.
        scaling: `task -> float`: the factor by which MDP Playground scales returns.
        similarity: Mapping of names to `Similarity` records.
        align: `Mapping[str, Task] -> dict[str, Task]`: the same tasks with equal observation spaces.
        formulas: `task -> Mapping[str, float]`: analytic quantities for the hardness card.
        renderer: `episode -> uint8 array [height, width, 3]`.
        noise: Parameters that a noise-free evaluation switches off.
        implied: Parameters that follow from others unless they are given.
        third_party: Whether another package makes the environment.
        refused: Dials that it must not have, each with the reason.
        levels: What numbers the levels that it generates: `seed`, the structure seed, or a parameter. Empty: none.
        check_context: `task -> None`: raises where the parameter `context` of the task does not fit the environment.
        held_out: `task -> Source`: the same task on levels that training does not have.
        classes: `task -> Classes`: what its masks tell apart, where it has the parameter `view` (`mohs.core.views`).
        shown: Whether reports show an episode of each agent, played by the actions that were recorded.

    Example:
        >>> import mohs
        >>> from mohs.core.registry import environment
        >>> environment("toy/grid").title
        'the grid of MDP Playground'
        >>> environment("toy/grid").realisation("table")(mohs.Task.make("toy/grid"))
        <deterministic table: 64 states × 4 actions, horizon 100>
    """

    id: str
    gym_id: str
    title: str
    parameters: Mapping[str, Parameter]
    check: str
    face: str
    vector_face: str
    spaces: str
    parts: str | None = None
    fleet: str | None = None
    table: str | None = None
    score: str | None = None
    unsolvable: str | None = None
    place: Applies | None = None
    batteries: str | None = None
    scaling: str | None = None
    similarity: str | None = None
    align: str | None = None
    formulas: str | None = None
    renderer: str | None = None
    noise: tuple[str, ...] = ()
    implied: tuple[str, ...] = ()
    third_party: bool = False
    refused: Mapping[str, str] = field(default_factory=dict)
    levels: str = ""
    check_context: str | None = None
    held_out: str | None = None
    classes: str | None = None
    shown: bool = False

    @property
    def owns_id(self) -> bool:
        """Whether the id in Gymnasium stands for this entry, and not for an environment of another package.

        Example:
            >>> import mohs
            >>> mohs.Task.make("traffic/sumo").environment.owns_id
            True
            >>> mohs.Task.make("CartPole-v1").environment.owns_id
            False
        """
        return not self.third_party or self.gym_id.startswith("mohs/")

    def realisation(self, name: str) -> Any:
        """A part of the environment, such as `face` or `table`, imported.

        Raises:
            UsageError: The environment has no such part.

        Example:
            >>> import mohs
            >>> task = mohs.Task.make("toy/discrete")
            >>> task.environment.realisation("score")(task).low.value >= 0
            True
        """
        target = getattr(self, name)
        if target is None:
            raise UsageError(f"{self.id} has no {name}.")
        return _part(target)

    def normalise(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Canonical parameters: parsed, completed with what they imply, defaults left out.

        Raises:
            UsageError: A parameter is unknown or does not apply, or a value is not allowed.

        Example:
            >>> import mohs
            >>> mohs.Task.make("toy/discrete").environment.normalise({"delay": 2, "reward_noise": 0.0})
            {'delay': 2}
        """
        for name in given:
            if name in self.refused:
                raise UsageError(f"{name} does not apply to {self.id}: {self.refused[name]}")
            if name in DIALS and name not in self.parameters:
                raise UsageError(
                    f"the dial {name} does not apply to {self.id}: it is for {', '.join(DIALS[name].applies)}."
                )
            if name not in self.parameters:
                raise unknown(f"parameter of {self.id}", name, self.parameters)
        parsed = {name: self.parameters[name].domain.parse(name, value) for name, value in given.items()}
        implied = self.realisation("check")(self.complete(parsed), frozenset(parsed))
        parsed.update({name: self.parameters[name].domain.parse(name, value) for name, value in implied.items()})
        return {name: value for name, value in parsed.items() if value != self.parameters[name].default}

    def complete(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Every parameter with its value, defaults included.

        Example:
            >>> import mohs
            >>> mohs.Task.make("toy/discrete").environment.complete({"delay": 2})["reward_noise"]
            0.0
        """
        return {name: params.get(name, spec.default) for name, spec in self.parameters.items()}


@cache
def _own_part(target: str) -> Any:
    return attribute(target)


def _part(target: str) -> Any:
    """What a target names. Those of mohs itself stay the same; a user's file may change."""
    return _own_part(target) if target.startswith("mohs.") else attribute(target)


@dataclass(frozen=True)
class Finder:
    """Makes entries on demand.

    `find` makes the entry of a name, or None. `names` lists the names it knows, to suggest the nearest to a wrong one.
    `name_of` is the name under which an object is found (a class or a factory), or None.
    """

    find: Callable[[str], Environment | None]
    names: Callable[[], Iterable[str]]
    name_of: Callable[[Any], str | None] | None = None


_ENVIRONMENTS: dict[str, Environment] = {}
_CONFIGURATIONS: dict[str, tuple[str, Mapping[str, Any]]] = {}
_FINDERS: list[Finder] = []
_DEFERRED: list[Callable[[], None]] = []


def register(environment: Environment) -> None:
    _ENVIRONMENTS[environment.id] = environment


def register_configuration(name: str, env: str, params: Mapping[str, Any]) -> None:
    """A name for an environment with certain parameters."""
    _CONFIGURATIONS[name] = env, params


def add_finder(finder: Finder) -> None:
    if finder not in _FINDERS:
        _FINDERS.append(finder)


def defer(load: Callable[[], None]) -> None:
    """Runs `load` once, when a name is not registered or when all environments are listed."""
    if load not in _DEFERRED:
        _DEFERRED.append(load)


def configuration(name: str) -> tuple[str, Mapping[str, Any]]:
    """The environment and the parameters that a name stands for: none where it is an environment's own."""
    return _CONFIGURATIONS.get(name, (name, {}))


def name_of(env: Any) -> str:
    """The name of an environment that is given by name, by its class or by a factory."""
    if isinstance(env, str):
        return env
    names = (finder.name_of(env) for finder in _FINDERS if finder.name_of is not None)
    found = next((name for name in names if name is not None), None)
    if found is None:
        raise _unknown(env)
    return found


def canonical(env: Any) -> tuple[str, Mapping[str, Any]]:
    """The id in mohs of an environment that is given by any of its names, by its class or by a factory.

    The name of a configuration comes with parameters.
    """
    name = name_of(env)
    return configuration({e.gym_id: e.id for e in environments() if e.owns_id}.get(name, name))


def environments() -> tuple[Environment, ...]:
    """All registered environments, sorted by id."""
    _load_deferred()
    return tuple(_ENVIRONMENTS[name] for name in sorted(_ENVIRONMENTS))


def environment(name: str) -> Environment:
    """The entry of an environment.

    Raises:
        UsageError: No environment has this name. The message names the nearest one.
    """
    if name not in _ENVIRONMENTS:
        _load_deferred()
    if name in _ENVIRONMENTS:
        return _ENVIRONMENTS[name]
    for finder in _FINDERS:
        if (found := finder.find(name)) is not None:
            return found
    raise _unknown(name)


def _load_deferred() -> None:
    while _DEFERRED:
        _DEFERRED.pop()()  # removed first: what it loads may look environments up


def _unknown(name: object) -> UsageError:
    found = (known for finder in _FINDERS for known in finder.names())
    return unknown("environment", name, [*_ENVIRONMENTS, *_CONFIGURATIONS, *found])
