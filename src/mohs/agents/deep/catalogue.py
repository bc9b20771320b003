"""Which deep agents are there? Names, and where their hyperparameters and algorithms are; torch is loaded on demand."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from mohs.agents.deep.config import Config
from mohs.agents.protocol import Learner
from mohs.core.cell import Agent, Cell

PACKAGE = "mohs.agents.deep"
# The entries of the largest layer that a pack may have in all: weights, gradients, moments and targets stay in cache.
CACHED = 2**20
LARGEST, LARGEST_OF_IMAGES = 64, 8


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
}


def config_class(name: str) -> type[Config]:
    entry = AGENTS[name]
    found: type[Config] = getattr(import_module(f"{PACKAGE}.{entry.module}"), entry.config)
    return found


def config(agent: Agent) -> Any:
    """The hyperparameters of an agent, checked."""
    return config_class(agent.name).of(agent)


def learner(cells: Sequence[Cell], device: str = "cpu") -> Learner:
    """The learner of a pack."""
    from mohs.agents.deep.learner import DeepLearner

    agent = cells[0].agent
    maker = getattr(import_module(f"{PACKAGE}.{AGENTS[agent.name].module}"), AGENTS[agent.name].algorithm)
    return DeepLearner(cells, maker, config(agent), device)


def pack_size(agent: Agent, images: bool) -> int:
    """How many cells make the best pack: fewer of larger networks."""
    hidden = config(agent).hidden
    largest = max((a * b for a, b in itertools.pairwise(hidden)), default=1)
    return max(4, min(LARGEST_OF_IMAGES if images else LARGEST, CACHED // largest))
