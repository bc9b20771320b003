"""Which deep agents are there? Names, and where their hyperparameters and algorithms are; torch is loaded on demand."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, fields
from importlib import import_module
from typing import Any

from mohs.agents.hyperparameters import Config
from mohs.agents.protocol import Learner
from mohs.core.cell import Agent, Cell, Segment
from mohs.core.errors import UsageError
from mohs.core.task import Task

PACKAGE = "mohs.agents.deep.algorithms"
# The entries of the largest layer that a pack may have in all: weights, gradients, moments and targets stay in cache.
CACHED = 2**21
LARGEST, LARGEST_OF_IMAGES = 128, 12
FEWEST_INPUTS = 16  # of a network whose inputs are not known yet
FRAMES = 2**17  # images that the rollouts of a pack may hold: 3.7 GB of Atari's


@dataclass(frozen=True)
class Entry:
    """An agent: the module, its class, the class of its hyperparameters, and a sentence for people."""

    module: str
    algorithm: str
    config: str
    text: str


AGENTS = {
    "dqn": Entry("dqn", "Dqn", "DqnConfig", "deep Q-learning, with Rainbow's parts as switches"),
    "rainbow": Entry("dqn", "Dqn", "RainbowConfig", "DQN with all six parts of Rainbow"),
    "a2c": Entry("a2c", "a2c", "A2cConfig", "advantage actor-critic, the synchronous form of A3C"),
    "ppo": Entry("ppo", "ppo", "PpoConfig", "proximal policy optimisation"),
    "recurrent_dqn": Entry("recurrent_dqn", "RecurrentDqn", "RecurrentDqnConfig", "DQN that remembers: DRQN"),
    "recurrent_ppo": Entry("recurrent_ppo", "RecurrentPpo", "RecurrentPpoConfig", "PPO that remembers"),
    "ddpg": Entry("ddpg", "make_ddpg", "DdpgConfig", "deep deterministic policy gradients, for continuous actions"),
    "td3": Entry("td3", "make_td3", "Td3Config", "DDPG with twin critics, a slower actor and smoothed targets"),
    "sac": Entry("sac", "make_sac", "SacConfig", "soft actor-critic, for continuous actions"),
}


def config_class(name: str) -> type[Config]:
    entry = AGENTS[name]
    found: type[Config] = getattr(import_module(f"{PACKAGE}.{entry.module}"), entry.config)
    return found


def shared_settings() -> tuple[str, ...]:
    """The hyperparameters that all deep agents have."""
    from mohs.agents.deep.lifelong.new_tasks import DeepConfig

    return tuple(f.name for f in fields(DeepConfig))


def config(agent: Agent) -> Any:
    """The hyperparameters of an agent, checked."""
    return config_class(agent.name).of(agent)


def learner(cells: Sequence[Cell], device: str = "cpu") -> Learner:
    """The learner of a pack."""
    from mohs.agents.deep.learner import DeepLearner

    agent = cells[0].agent
    maker = getattr(import_module(f"{PACKAGE}.{AGENTS[agent.name].module}"), AGENTS[agent.name].algorithm)
    return DeepLearner(cells, maker, config(agent), device)


def check_plays(agent: Agent, task: Task) -> None:
    """Raises where the agent cannot play the task. The learner itself is asked, with one cell."""
    learner([Cell(agent, 0, (Segment(task, 1),))])


def devices() -> list[str]:
    """The devices that torch can use here."""
    import torch

    accelerator = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else None
    if accelerator is None:
        return ["cpu"]
    numbers = range(torch.accelerator.device_count())
    return ["cpu", accelerator.type, *(f"{accelerator.type}:{number}" for number in numbers)]


def check_device(device: str) -> None:
    if device == "cpu":  # always there; torch need not be loaded to know
        return
    found = devices()
    if device not in found:
        raise UsageError(f"device is {device!r}, but torch has only {', '.join(found)} here.")


def pack_size(agent: Agent, images: bool) -> int:
    """How many cells make the best pack: fewer of larger networks."""
    c = config(agent)
    largest = max((a * b for a, b in itertools.pairwise((FEWEST_INPUTS, *c.hidden))), default=1)
    size = max(4, min(LARGEST, CACHED // largest))
    if not images:
        return size
    rollout = c.n_steps * c.num_envs if hasattr(c, "num_envs") else 1
    return max(1, min(size, LARGEST_OF_IMAGES, FRAMES // rollout))
