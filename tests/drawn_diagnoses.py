"""Diagnoses to draw, made of invented runs, so that every law of a report is tested in seconds."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mohs.agents.protocol import Points
from mohs.core.cell import Agent
from mohs.core.task import Task
from mohs.protocols.diagnose.study import DiagnosisStudy, plan
from mohs.protocols.diagnose.verdict import Diagnosis, verdict
from mohs.runs.results import Results

# Ordered, noisy, unordered, two-sided on a logarithmic axis, and without any harder dose.
DIALS = ["delay", "reward_noise", "irrelevant_features", "reward_scale", "reward_density"]
LENGTH = 100.0  # of every episode
Keep = Callable[[Task, int], bool]


def diagnosis(
    seeds: int = 5,
    keep: Keep = lambda task, seed: True,
    dials: list[str] | None = None,
    pairs: tuple[tuple[str, str], ...] = (("delay", "sequence_length"),),
    agent: str = "invented",
    level: float = 60.0,
) -> Diagnosis:
    """An agent that loses with delay and reward noise; runs that `keep` refuses are missing."""
    study = DiagnosisStudy.make(Agent.make(agent), "standard", dials or DIALS, pairs, seeds, 1000)
    rng = np.random.default_rng(0)
    steps = np.arange(100, 1001, 100)
    found: dict[str, Points] = {}
    for cell in plan(study).cells:
        task = cell.segments[0].source
        assert isinstance(task, Task)
        if not keep(task, cell.seed):
            continue
        size = level * task["reward_scale"] / (1 + task["delay"] + task["reward_noise"] / 5)
        curve = size * (steps / 1000 + 0.05 * rng.standard_normal(len(steps)))
        returns = {"train": (steps, curve), "eval": (steps[-1:], curve[-1:]), "noise_free": (steps[-1:], curve[-1:])}
        lengths = {f"{name}/length": (at, np.full(len(at), LENGTH)) for name, (at, _) in returns.items()}
        found[cell.key] = {f"{name}/return": curve for name, curve in returns.items()} | lengths
    return verdict(study, Results.of(plan(study), found))
