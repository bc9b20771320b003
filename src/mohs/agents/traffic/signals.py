"""Which signal does an environment have? What a controller may know of it beside what it observes."""

from __future__ import annotations

from typing import Any

from mohs.core.cell import Agent
from mohs.core.errors import UsageError
from mohs.core.task import Task
from mohs.engines.traffic.signal import Signal
from mohs.envs.make import make


def signal_of(env: Any, name: str) -> Signal:
    """The signal of an environment.

    Args:
        env: A Gymnasium environment.
        name: The controller, for the message.

    Raises:
        UsageError: it has none.
    """
    found = getattr(env.unwrapped, "signal", None)
    if not isinstance(found, Signal):
        raise UsageError(f"{name} controls a traffic signal, which this environment has not: use traffic/intersection.")
    return found


def check_plays(agent: Agent, task: Task, steps: int | None = None) -> None:
    """Raises where a task is no traffic signal."""
    env = make(task)
    signal_of(env, agent.name)
    env.close()
