"""How do several agents get their hyperparameters from one list of words?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mohs.agents.hyperparameters import PRESET
from mohs.agents.registry import agent_entry, as_agent, describe
from mohs.core.cell import Agent
from mohs.core.errors import UsageError

Hyperparameters = Mapping[str, Any]


def agents_of(given: Sequence[str | Agent], hyperparameters: Hyperparameters) -> tuple[Agent, ...]:
    """Agents with hyperparameters: `NAME` is set in all that have it, `AGENT.NAME` in one.

    Raises:
        UsageError: no agent has a hyperparameter of a name.
    """
    names = [agent if isinstance(agent, str) else agent.name for agent in given]
    own: dict[str, dict[str, Any]] = {name: {} for name in names}
    for key, value in hyperparameters.items():
        agent, _, setting = key.rpartition(".")
        if agent:
            if agent not in own:
                raise UsageError(f"{key} is set, but {agent} is not among the methods: {', '.join(own)}.")
            own[agent][setting] = value
            continue
        taking = [name for name in own if _takes(name, key)] or names[:1]  # the first says what it can be set
        for name in taking:
            own[name].setdefault(key, value)
    return tuple(as_agent(agent, own[name]) for agent, name in zip(given, names, strict=True))


def with_preset(given: Sequence[str | Agent], hyperparameters: Hyperparameters, preset: str) -> dict[str, Any]:
    """The hyperparameters, and this preset for the agents by name that have it and for which none is set."""
    found = dict(hyperparameters)
    for agent in given:
        if isinstance(agent, str) and PRESET not in hyperparameters and preset in _presets(agent):
            found.setdefault(f"{agent}.{PRESET}", preset)
    return found


def _takes(name: str, setting: str) -> bool:
    """Whether an agent has a hyperparameter; a custom agent takes any."""
    if _takes_any(name):
        return True
    return bool(_presets(name)) if setting == PRESET else setting in describe(name)["hyperparameters"]


def _presets(name: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = {} if _takes_any(name) else describe(name).get("presets", {})
    return found


def _takes_any(name: str) -> bool:
    entry = agent_entry(name)
    return entry.config is None and entry.describe is None
