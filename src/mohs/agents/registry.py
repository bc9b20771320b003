"""Which agent is meant by a name, what can be set, what can it play, and which learner trains it?

Names are looked up among the agents of mohs, those registered in this process, `sb3:NAME`, custom agents
(`file.py:function`), and the entry points `mohs.agents` of installed packages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import cache
from typing import Any

from mohs.agents.entries import ENTRIES, FINDERS
from mohs.agents.entry import AgentEntry
from mohs.agents.hyperparameters import Config, domain_of
from mohs.agents.protocol import Learner
from mohs.core.arguments import checked
from mohs.core.cell import Agent, Cell
from mohs.core.errors import UsageError, unknown
from mohs.core.plugins import load, skipping
from mohs.core.task import Source, Task

GROUP = "mohs.agents"  # of entry points
_BUILT_IN = {entry.name: entry for entry in ENTRIES}
_REGISTERED: dict[str, AgentEntry] = {}


@checked
def register_agent(entry: AgentEntry) -> None:
    """Makes an agent known by its name, in this process.

    Worker processes learn of it; they import the modules that the entry names.

    Args:
        entry: What is known of the agent. An entry of the same name is replaced.

    Raises:
        UsageError: The name is that of a built-in agent, or contains a colon.

    Example:
        >>> from mohs.agents.entry import AgentEntry
        >>> from mohs.agents.registry import agent_entry, register_agent
        >>> register_agent(AgentEntry("my_agent", "my first agent", maker="my_package:make_agent"))
        >>> agent_entry("my_agent").text
        'my first agent'
    """
    if entry.name in _BUILT_IN:
        raise UsageError(f"{entry.name} is an agent of mohs: choose another name.")
    if ":" in entry.name:
        raise UsageError(f"the name {entry.name!r} of an agent must not contain a colon.")
    _REGISTERED[entry.name] = entry


def registered_agents() -> dict[str, AgentEntry]:
    """The agents that were registered in this process, by name."""
    return dict(_REGISTERED)


def agent_entry(name: str) -> AgentEntry:
    """The entry of an agent."""
    for known in (_BUILT_IN, _REGISTERED):
        if name in known:
            return known[name]
    for finder in FINDERS:
        if (found := finder.find(name)) is not None:
            return found
    if name in _installed():
        return _installed()[name]
    raise unknown("agent", name, [*_BUILT_IN, *_REGISTERED, *_installed(), *(finder.form for finder in FINDERS)])


def agent_entries() -> tuple[AgentEntry, ...]:
    """All agents that can be listed."""
    named = (agent_entry(name) for finder in FINDERS for name in finder.names())
    return (*{**_BUILT_IN, **_installed(), **_REGISTERED}.values(), *named)


@cache
def _installed() -> dict[str, AgentEntry]:
    """The agents of installed packages: each entry point is an entry, or a function that returns entries."""
    found: dict[str, AgentEntry] = {}
    for point, offered in load(GROUP):
        with skipping(GROUP, point):
            for entry in [offered] if isinstance(offered, AgentEntry) else offered():
                if not isinstance(entry, AgentEntry):
                    raise UsageError(f"{entry!r} is not an AgentEntry.")
                if entry.name in _BUILT_IN:
                    raise UsageError(f"{entry.name} is an agent of mohs: choose another name.")
                found[entry.name] = entry
    return found


def agent(name: str, **params: Any) -> Agent:
    """An agent by name with hyperparameters, checked."""
    entry = agent_entry(name)
    if entry.make is not None:
        made: Agent = entry.realisation("make")(name, **params)
    else:
        pinned = params if entry.config is None else config_class(name).pinned(params)
        made = Agent.make(name, entry.version, **pinned)
    if entry.config is not None:
        config(made)
    return made


def as_agent(given: str | Agent, hyperparameters: Mapping[str, Any] | None = None) -> Agent:
    """An agent by name, or as it is; with these hyperparameters set beside its own, checked."""
    if isinstance(given, str):
        return agent(given, **(hyperparameters or {}))
    if not isinstance(given, Agent):
        raise UsageError(f"an agent is a name, file.py:function or a mohs.Agent, not {given!r}.")
    if not hyperparameters:
        return given
    return agent(given.name, **{**dict(given.params), **hyperparameters})


def config_class(name: str) -> type[Config]:
    """The class of an agent's hyperparameters."""
    found: Any = agent_entry(name).realisation("config")
    return found  # type: ignore[no-any-return]


def config(agent: Agent) -> Any:
    """The hyperparameters of an agent: defaults, then its preset, then those given; checked."""
    return config_class(agent.name).of(agent)


def history_of(agent: Agent) -> int:
    """The number of latest observations that an agent acts on; 0: all of them."""
    history = agent_entry(agent.name).history
    return getattr(config(agent), history) if isinstance(history, str) else history


def describe(name: str) -> dict[str, Any]:
    """An agent for people: text, hyperparameters (those that all deep agents share last) and presets."""
    entry = agent_entry(name)
    if entry.describe is not None:
        described: dict[str, Any] = entry.realisation("describe")(name)
        return described
    if entry.config is None:
        raise UsageError(f"the hyperparameters of {name} are the keywords of its function.")
    declared = config_class(name)
    settings = {
        f.name: {"default": f.default, "allowed": domain_of(f).describe(), "text": f.metadata["text"]}
        for f in sorted(fields(declared), key=lambda f: f.name in declared.shared())
    }
    presets = {preset: dict(values) for preset, values in declared.presets().items()}
    return {"name": name, "text": entry.text, "hyperparameters": settings, "presets": presets}


def check_sees(agent: Agent, source: Source) -> None:
    """Raises where an agent cannot use the observations of a source."""
    entry = agent_entry(agent.name)
    if entry.check_sees is not None:
        entry.realisation("check_sees")(agent, source)


def check_plays(agent: Agent, task: Task, steps: int | None = None) -> None:
    """Raises where an agent cannot play a task, or learn it in that many steps, before anything is run."""
    check_sees(agent, task)
    entry = agent_entry(agent.name)
    if entry.check_plays is not None:
        entry.realisation("check_plays")(agent, task, steps)


def learner(cells: Sequence[Cell], device: str = "cpu") -> Learner:
    """The learner of a pack; deep agents train on the device."""
    agent = cells[0].agent
    for source in cells[0].sources:
        check_sees(agent, source)
    made: Learner = agent_entry(agent.name).realisation("learner")(cells, device)
    return made
