"""Which environments are there, which parameters do they take, and where is each realisation found?

An entry names its realisations as `module:attribute`, so that registering one imports nothing. Finders make entries
for names that are not registered: environments of others, which are too many to be listed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from mohs.core.dials import DIALS
from mohs.core.domain import Domain
from mohs.core.errors import UsageError, unknown
from mohs.core.values import resolve


@dataclass(frozen=True)
class Parameter:
    domain: Domain
    default: Any
    text: str


@dataclass(frozen=True)
class Environment:
    """One registered environment.

    `check` sees the parameters that were given and returns what they imply (a derived size, a sequence length); it
    raises where they contradict each other. `implied` lists the parameters that follow from others where they are not
    given, and that must follow anew when those change. `noise` lists what a noise-free evaluation switches off.
    `outside` says that the environment is somebody else's: its face makes all of it, the time limit and dials included.
    """

    id: str
    gym_id: str
    title: str
    parameters: Mapping[str, Parameter]
    check: str
    face: str
    vector_face: str
    spaces: str  # task -> a tuple that is equal for tasks that can share a fleet
    parts: str | None = None  # task -> the parts that the discrete engine and the table are made of
    fleet: str | None = None  # sources -> a fleet whose states can be numbered: see `engines/numbered.py`
    table: str | None = None
    score: str | None = None  # task -> its return as a Score, with the references that it is normalised by
    noise: tuple[str, ...] = ()
    implied: tuple[str, ...] = ()
    outside: bool = False
    refused: Mapping[str, str] = field(default_factory=dict)  # dials that it must not have, each with the reason

    def realisation(self, name: str) -> Callable[..., Any]:
        target = getattr(self, name)
        if target is None:
            raise UsageError(f"{self.id} has no {name}.")
        return resolve(target)

    def normalise(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Canonical parameters: parsed, completed with what they imply, defaults left out."""
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
        """Every parameter with its value, defaults included."""
        return {name: params.get(name, spec.default) for name, spec in self.parameters.items()}


@dataclass(frozen=True)
class Finder:
    """`find` makes the entry of a name, or None; `names` lists what it knows, to name the nearest to a wrong one."""

    find: Callable[[str], Environment | None]
    names: Callable[[], Iterable[str]]


_ENVIRONMENTS: dict[str, Environment] = {}
_CONFIGURATIONS: dict[str, tuple[str, Mapping[str, Any]]] = {}
_FINDERS: list[Finder] = []


def register(environment: Environment) -> None:
    _ENVIRONMENTS[environment.id] = environment


def register_configuration(name: str, env: str, params: Mapping[str, Any]) -> None:
    """A name for an environment with certain parameters."""
    _CONFIGURATIONS[name] = env, params


def configuration(name: str) -> tuple[str, Mapping[str, Any]]:
    """The environment and the parameters that a name stands for: none where it is an environment's own."""
    return _CONFIGURATIONS.get(name, (name, {}))


def add_finder(finder: Finder) -> None:
    if finder not in _FINDERS:
        _FINDERS.append(finder)


def environments() -> tuple[Environment, ...]:
    return tuple(_ENVIRONMENTS[name] for name in sorted(_ENVIRONMENTS))


def environment(name: str) -> Environment:
    if name in _ENVIRONMENTS:
        return _ENVIRONMENTS[name]
    for finder in _FINDERS:
        if (found := finder.find(name)) is not None:
            return found
    raise unknown(
        "environment",
        name,
        [*_ENVIRONMENTS, *_CONFIGURATIONS, *(known for finder in _FINDERS for known in finder.names())],
    )
