"""How is a pack of deep agents made, checked and sized, and on which devices can it train?

torch is loaded on demand.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import fields, replace

from mohs.agents.protocol import Learner
from mohs.agents.registry import agent_entry, config
from mohs.core.cell import Agent, Cell, Segment
from mohs.core.errors import UsageError
from mohs.core.images import is_image
from mohs.core.task import Task, members
from mohs.envs.make import make

# The entries of the largest layer that a pack may have in all: weights, gradients, moments and targets stay in cache.
CACHED = 2**21
LARGEST, LARGEST_OF_IMAGES = 128, 12
FEWEST_INPUTS = 16  # of a network whose inputs are not known yet
FRAMES = 2**17  # images that the rollouts of a pack may hold: 3.7 GB of Atari's


def learner(cells: Sequence[Cell], device: str = "cpu") -> Learner:
    """The learner of a pack."""
    from mohs.agents.deep.learner import DeepLearner

    agent = cells[0].agent
    return DeepLearner(cells, agent_entry(agent.name).realisation("maker"), config(agent), device)


def check_plays(agent: Agent, task: Task, steps: int | None = None) -> None:
    """Raises where the agent cannot play the task: a learner of one cell is constructed."""
    learner([Cell(agent, 0, (Segment(task, 1),))])


def eager(agent: Agent, steps: int) -> Agent:
    """The agent with hyperparameters with which its first update comes soon.

    Off-policy agents start to learn after `steps`. A rollout has one minibatch; an environment step costs the same.
    """
    c = config(agent)
    names = {f.name for f in fields(c)}
    sooner = {"learning_starts": min(c.learning_starts, steps)} if "learning_starts" in names else {}
    if {"n_steps", "batch_size"} <= names:
        each = c.sequence if "sequence" in names else 1  # minibatches of recurrent agents count sequences
        size = max(c.batch_size, getattr(c, "aux_batch_size", 0))
        sooner["n_steps"] = min(c.n_steps, each * math.ceil(size / c.num_envs))
    if "n_pi" in names:
        sooner["n_pi"] = 1  # with an auxiliary phase after every rollout, a step still costs the same
    return replace(agent, params=tuple(sorted({**dict(agent.params), **sooner}.items())))


def most_cells(cell: Cell) -> int:
    """How many cells like this one make the best pack."""
    return pack_size(cell.agent, any(_shows_images(task) for task in members(cell.segments[0].source)[0]))


def pack_size(agent: Agent, images: bool) -> int:
    """How many cells make the best pack: fewer of larger networks."""
    c = config(agent)
    largest = max((a * b for a, b in itertools.pairwise((FEWEST_INPUTS, *c.hidden))), default=1)
    size = max(4, min(LARGEST, CACHED // largest))
    if not images:
        return size
    rollout = c.n_steps * c.num_envs if hasattr(c, "num_envs") else 1
    rollout *= 1 + getattr(c, "n_pi", 0)  # those of a whole policy phase are kept
    return max(1, min(size, LARGEST_OF_IMAGES, FRAMES // rollout))


def _shows_images(task: Task) -> bool:
    env = make(task)
    env.close()
    return is_image(env.observation_space)


def devices() -> list[str]:
    """The devices that torch can use here."""
    import torch

    accelerator = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else None
    if accelerator is None:
        return ["cpu"]
    numbers = range(torch.accelerator.device_count())
    return ["cpu", accelerator.type, *(f"{accelerator.type}:{number}" for number in numbers)]


def check_device(device: str) -> None:
    """Raises where torch cannot use a device."""
    if device == "cpu":  # always there; torch need not be loaded to know
        return
    found = devices()
    if device not in found:
        raise UsageError(f"device is {device!r}, but torch has only {', '.join(found)} here.")
