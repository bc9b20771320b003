"""Verdicts made of invented runs, so that every law is tested in seconds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mohs.core.cell import Agent
from mohs.core.task import Task
from mohs.protocols.diagnose.verdict import Study, Verdict, plan, verdict

# Ordered, noisy, unordered, two-sided on a logarithmic axis, and without any harder dose.
DIALS = ["delay", "reward_noise", "irrelevant_features", "reward_scale", "reward_density"]
Keep = Callable[[Task, int], bool]


def invented(
    seeds: int = 5,
    keep: Keep = lambda task, seed: True,
    dials: list[str] | None = None,
    pairs: tuple[tuple[str, str], ...] = (("delay", "sequence_length"),),
    agent: str = "invented",
    level: float = 60.0,
) -> Verdict:
    """An agent that loses with delay and reward noise; runs that `keep` refuses are missing."""
    study = Study.make(Agent.make(agent), "standard", dials or DIALS, pairs, seeds, 1000)
    rng = np.random.default_rng(0)
    steps = np.arange(100, 1001, 100)
    scores: dict[str, Any] = {}
    for cell in plan(study).cells:
        task = cell.segments[0].source
        assert isinstance(task, Task)
        if not keep(task, cell.seed):
            continue
        size = level * task["reward_scale"] / (1 + task["delay"] + task["reward_noise"] / 5)
        curve = size * (steps / 1000 + 0.05 * rng.standard_normal(len(steps)))
        end = (steps[-1:], curve[-1:])
        scores[cell.key] = {"train/return": (steps, curve), "eval/return": end, "noise_free/return": end}
    return verdict(study, scores)


@pytest.fixture(scope="session")
def whole() -> Verdict:
    return invented()


@pytest.fixture(scope="session")
def holed() -> Verdict:
    """All of delay 8 is missing, and some of delay 2."""
    return invented(keep=lambda task, seed: task["delay"] != 8 and not (task["delay"] == 2 and seed < 2))


@pytest.fixture(scope="session")
def single() -> Verdict:
    return invented(seeds=1)


@pytest.fixture(scope="session")
def invent() -> Callable[..., Verdict]:
    return invented
