"""Which environments are there, which parameters do they take, and where is each realisation found?

An entry names its realisations as `module:attribute`, so that registering one imports nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

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
    raises where they contradict each other. `noise` lists the parameters that a noise-free evaluation switches off.
    """

    id: str
    gym_id: str
    title: str
    parameters: Mapping[str, Parameter]
    check: str
    face: str
    vector_face: str
    spaces: str  # task -> a tuple that is equal for tasks that can share a fleet
    table: str | None = None
    noise: tuple[str, ...] = ()

    def realisation(self, name: str) -> Callable[..., Any]:
        target = getattr(self, name)
        if target is None:
            raise UsageError(f"{self.id} has no {name}.")
        return resolve(target)

    def normalise(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Canonical parameters: parsed, completed with what they imply, defaults left out."""
        for name in given:
            if name not in self.parameters:
                raise unknown(f"parameter of {self.id}", name, self.parameters)
        parsed = {name: self.parameters[name].domain.parse(name, value) for name, value in given.items()}
        implied = self.realisation("check")(self.complete(parsed), frozenset(parsed))
        parsed.update({name: self.parameters[name].domain.parse(name, value) for name, value in implied.items()})
        return {name: value for name, value in parsed.items() if value != self.parameters[name].default}

    def complete(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Every parameter with its value, defaults included."""
        return {name: params.get(name, spec.default) for name, spec in self.parameters.items()}


_ENVIRONMENTS: dict[str, Environment] = {}


def register(environment: Environment) -> None:
    _ENVIRONMENTS[environment.id] = environment


def environments() -> tuple[Environment, ...]:
    return tuple(_ENVIRONMENTS[name] for name in sorted(_ENVIRONMENTS))


def environment(name: str) -> Environment:
    if name not in _ENVIRONMENTS:
        raise unknown("environment", name, _ENVIRONMENTS)
    return _ENVIRONMENTS[name]
