"""How does SUMO control a signal? By one of its own logics, to which this agent leaves every decision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mohs.agents.hyperparameters import Config, setting
from mohs.agents.traffic.signals import signal_of
from mohs.core.cell import Agent
from mohs.core.domain import Choice
from mohs.core.errors import UsageError
from mohs.core.task import Task

NAME = "actuated"
ENVIRONMENT = "traffic/sumo"


@dataclass(frozen=True)
class ActuatedConfig(Config):
    logic: str = setting(
        "actuated",
        Choice(("actuated", "delay_based")),
        "SUMO's logic: a green lasts while vehicles follow each other closely, or while those that come have lost time",
    )


class Actuated:
    """Learns nothing: an action is the name of the logic."""

    def __init__(self, env: Any, seed: int, config: ActuatedConfig) -> None:
        signal_of(env, NAME)
        self._logic = config.logic

    def train(self, env: Any, steps: int) -> None:
        for _ in range(steps):
            if env.over:
                env.reset()
            env.step(self._logic)

    def act(self, observation: Any, memory: Any, deterministic: bool) -> tuple[str, None]:
        return self._logic, None

    def save(self) -> bytes:
        return b""

    def load(self, state: bytes) -> None:
        pass


def check_plays(agent: Agent, task: Task, steps: int | None = None) -> None:
    """Raises where SUMO does not simulate the task."""
    if task.env != ENVIRONMENT:
        raise UsageError(f"{NAME} leaves the signal to SUMO, which does not simulate {task.env}: use {ENVIRONMENT}.")


def make_actuated(env: Any, seed: int, **params: Any) -> Actuated:
    return Actuated(env, seed, ActuatedConfig.of(Agent.make(NAME, **params)))
