"""What is a learned controller paid for? For what it observes, so that methods of one study may differ in it.

Evaluations and training curves show the reward of the task.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mohs.agents.hyperparameters import setting
from mohs.agents.stage import Step
from mohs.core.domain import Choice
from mohs.engines.traffic.law import CARS, CLIP, WAITING
from mohs.engines.traffic.signal import Signal

REWARDS = ("wait", "queue", "pressure", "task")
_COUNTED = {"wait": ("wait",), "queue": ("queue",), "pressure": ("queue", "approaching")}


def reward_setting(default: str) -> str:
    """The hyperparameter."""
    text = (
        "what it is paid for: wait (−waiting time / 224, at least −4), queue (−vehicles that queue), pressure "
        "(−vehicles), as far as observed, or task (the reward of the task)"
    )
    chosen: str = setting(default, Choice(REWARDS), text)
    return chosen


def paid(reward: str, signal: Signal, step: Step) -> Step:
    """The step with the reward of this name, of the intersections that are seen after it."""
    return step if reward == "task" else step._replace(reward=observed_reward(reward, signal, step.after))


def observed_reward(reward: str, signal: Signal, after: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """The reward for observations [n, width] of lanes."""
    total = np.zeros(len(after))
    for name in _COUNTED[reward]:
        total += signal.read(after, name).sum(-1, dtype=np.float64) * CARS
    return -np.minimum(total / WAITING, CLIP) if reward == "wait" else -total
