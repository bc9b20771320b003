"""How do functions of mohs make environments in SUMO, and which tasks can be played together?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium

from mohs.core.task import Source, Task
from mohs.engines.traffic import fleet
from mohs.envs.third_party import DrawnEnv
from mohs.envs.traffic.sumo.env import SumoEnv
from mohs.envs.traffic.sumo.scene import scene


def face(
    *, source: Source | None = None, render_mode: str | None = None, seed: int = 0, **params: Any
) -> gymnasium.Env[Any, Any]:
    """The environment of a task, of parameters, or of a set of which one task is drawn for every episode."""
    if source is None:
        return SumoEnv(seed=seed, render_mode=render_mode, **params)
    if not isinstance(source, Task):
        return DrawnEnv(source, render_mode)
    limit = source["max_episode_steps"]
    made: gymnasium.Env[Any, Any] = gymnasium.make(
        source.environment.gym_id,
        max_episode_steps=limit,
        disable_env_checker=True,
        render_mode=render_mode,
        seed=source.seed,
        **{name: value for name, value in source.params if name != "max_episode_steps"},
    )
    assert isinstance(made.unwrapped, SumoEnv)
    made.unwrapped.set_limit(limit)
    return made


def spaces(task: Task) -> tuple[Any, ...]:
    """Equal for tasks that have the same spaces."""
    if not _is_own(task):
        return fleet.spaces(task)
    signal = scene(task).signal
    return task["net"] or task["osm"], *signal.permits.shape, *signal.features, len(signal.greens)


def aligned(tasks: Mapping[str, Task]) -> dict[str, Task]:
    """The same tasks, all observed with as many lanes as the largest has; those of networks as they are."""
    built = {name: task for name, task in tasks.items() if not _is_own(task)}
    return {**tasks, **(fleet.aligned(built) if built else {})}


def _is_own(task: Task) -> bool:
    """Whether a network or a map of the user's is simulated."""
    return bool(task["net"] or task["osm"])
