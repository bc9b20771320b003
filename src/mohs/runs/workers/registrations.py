"""How do workers learn of what the user registered? It travels with the work.

A worker is a fresh interpreter. It knows what mohs, Gymnasium and installed plugins register, and mohs loads the known
suites. What a script or a notebook registered, it does not know: Gymnasium ids, environments and agents.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable
from functools import lru_cache

import gymnasium
from gymnasium.envs.registration import EnvSpec

from mohs.agents.entry import AgentEntry
from mohs.agents.registry import register_agent, registered_agents
from mohs.core.cell import Cell
from mohs.core.errors import UsageError
from mohs.core.registry import Environment
from mohs.core.task import Source, members
from mohs.envs.registration import register_environment, registered_environments
from mohs.envs.suites.packages import NONE, suite_of

_Packed = tuple[list[EnvSpec], list[Environment], list[AgentEntry]]


def pack(cells: Iterable[Cell]) -> bytes:
    """What these cells need of what was registered in this process, with classes and functions of a script by value.

    Raises:
        UsageError: an entry point, or an argument that was registered with it, cannot be pickled.
    """
    sources: set[Source] = set()
    names: set[str] = set()
    for cell in cells:
        sources.update(cell.sources)
        names.add(cell.agent.name)
    entries = {task.env: task.environment for source in sources for task in members(source)[0]}
    ids = {entry.gym_id for entry in entries.values() if entry.third_party}
    specs = [_pickled(gymnasium.registry[gym_id]) for gym_id in sorted(ids) if suite_of(gym_id) is NONE]
    environments = [entry for name, entry in registered_environments().items() if name in entries]
    agents = [entry for name, entry in registered_agents().items() if name in names]
    return pickle.dumps((specs, environments, agents)) if specs or environments or agents else b""


def register(packed: bytes) -> None:
    """Registers what `pack` packed. It overrides what is registered here by the same names."""
    if packed:
        specs, environments, agents = _unpacked(packed)
        gymnasium.registry.update({spec.id: spec for spec in specs})
        for environment in environments:
            register_environment(environment)
        for agent in agents:
            register_agent(agent)


def _pickled(spec: EnvSpec) -> bytes:
    import cloudpickle  # a dependency of Gymnasium

    try:
        return bytes(cloudpickle.dumps(spec))
    except (pickle.PicklingError, TypeError, AttributeError, ValueError, RecursionError) as error:
        raise UsageError(
            f"{spec.id} cannot be sent to worker processes ({error}): register it with an entry point 'module:Class', "
            "or run with workers=0."
        ) from error


@lru_cache(maxsize=1)  # the same objects for every pack: unpickling by value creates a class anew each time
def _unpacked(packed: bytes) -> _Packed:
    specs, environments, agents = pickle.loads(packed)
    return [pickle.loads(spec) for spec in specs], environments, agents
