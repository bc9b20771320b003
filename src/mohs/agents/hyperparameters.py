"""How are hyperparameters declared? As fields of a frozen dataclass, each with its domain and a sentence for people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from typing import Any, Self

from mohs.core.cell import Agent
from mohs.core.domain import Choice, Domain
from mohs.core.errors import UsageError, unknown

PRESET = "preset"


def setting(default: Any, domain: Domain, text: str) -> Any:
    """A hyperparameter of a config."""
    return field(default=default, metadata={"domain": domain, "text": text})


@dataclass(frozen=True)
class Config:
    """Hyperparameters of an agent. `presets` are sets of values by name, taken with `preset=NAME`."""

    @classmethod
    def presets(cls) -> Mapping[str, Mapping[str, Any]]:
        return {}

    @classmethod
    def of(cls, agent: Agent) -> Self:
        """Defaults, then those of the preset, then those given; checked."""
        given = dict(agent.params)
        preset = given.pop(PRESET, None)
        known = cls.presets()
        if preset is not None:
            if not known:
                raise UsageError(f"{agent.name} has no presets.")
            given = {**known[Choice(tuple(known)).parse(PRESET, preset)], **given}
        domains = {f.name: domain_of(f) for f in fields(cls)}
        if given and not domains:
            raise UsageError(f"the {agent.name} agent has no hyperparameters.")
        for name in given:
            if name not in domains:
                raise unknown(f"hyperparameter of {agent.name}", name, [*domains, *([PRESET] if known else [])])
        return cls(**{name: domains[name].parse(name, value) for name, value in given.items()})


def domain_of(f: Field[Any]) -> Domain:
    domain: Domain = f.metadata["domain"]
    return domain
