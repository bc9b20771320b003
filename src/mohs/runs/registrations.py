"""How do workers learn of environments that the user registered? Their Gymnasium specs travel with the work.

A worker is a fresh interpreter. It knows what Gymnasium and its plugins register at import, and mohs loads the known
suites. What a script or a notebook registered, it does not know.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable
from functools import lru_cache

import gymnasium
from gymnasium.envs.registration import EnvSpec

from mohs.core.cell import Cell
from mohs.core.errors import UsageError
from mohs.core.task import Source, members
from mohs.envs.suites.packages import NONE, suite_of


def pack(cells: Iterable[Cell]) -> bytes:
    """The specs of the third-party environments of these cells, with classes and functions of a script by value.

    Raises:
        UsageError: an entry point, or an argument that was registered with it, cannot be pickled.
    """
    sources: set[Source] = set()
    for cell in cells:
        sources.update(segment.source for segment in cell.segments)
        sources.update(probe.source for probe in cell.probes)
    tasks = {task for source in sources for task in members(source)[0]}
    ids = {task.environment.gym_id for task in tasks if task.environment.third_party}
    specs = [gymnasium.registry[gym_id] for gym_id in sorted(ids) if suite_of(gym_id) is NONE]
    return pickle.dumps([_pickled(spec) for spec in specs]) if specs else b""


def register(packed: bytes) -> None:
    """Registers the environments that `pack` packed. They override what is registered here by the same ids."""
    if packed:
        gymnasium.registry.update({spec.id: spec for spec in _specs(packed)})


def _pickled(spec: EnvSpec) -> bytes:
    import cloudpickle  # a dependency of Gymnasium

    try:
        return bytes(cloudpickle.dumps(spec))
    except (pickle.PicklingError, TypeError, AttributeError, ValueError, RecursionError) as error:
        raise UsageError(
            f"{spec.id} cannot be sent to worker processes ({error}): register it with an entry point 'module:Class', "
            "or run with workers=0."
        ) from error


@lru_cache(maxsize=1)  # the same objects for every pack: a class that is sent by value would be made anew each time
def _specs(packed: bytes) -> list[EnvSpec]:
    return [pickle.loads(spec) for spec in pickle.loads(packed)]
