"""Which hyperparameters may be given to an agent? Those it names, each with its domain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mohs.core.domain import Domain
from mohs.core.errors import unknown


def read(agent: str, domains: Mapping[str, Domain], given: Mapping[str, Any]) -> dict[str, Any]:
    """The given values, checked."""
    for name in given:
        if name not in domains:
            raise unknown(f"hyperparameter of {agent}", name, domains)
    return {name: domains[name].parse(name, value) for name, value in given.items()}
