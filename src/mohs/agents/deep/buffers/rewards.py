"""How are rewards brought to one scale? Each is divided by the running deviation of discounted returns.

The return of an instance discounts what it has earned so far in its episode, not what is still to come. A cell keeps
one mean and variance over all its instances (VecNormalize of Dhariwal et al. 2017 and stable-baselines3).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.agents.stage import Step
from mohs.core.kernel import kernel

Floats64 = npt.NDArray[np.float64]
FIRST = 1e-4  # the weight of what is assumed before the first reward: mean 0 and variance 1
EPSILON = 1e-8  # added to the variance
MOST = 10.0  # the largest reward


class RewardScale:
    """The scale of each cell. `moments` are count, mean and variance of its returns."""

    def __init__(self, cells: int, num_envs: int, gamma: float) -> None:
        self._gamma = gamma
        self._returns: Floats64 = np.zeros((cells, num_envs))
        self.moments: Floats64 = np.tile([FIRST, 0.0, 1.0], (cells, 1))

    def __call__(self, step: Step) -> Step:
        """The step with rewards on the scale, which takes them into account first."""
        scaled = np.empty(self._returns.shape)
        over = (step.terminated | step.truncated).reshape(scaled.shape)
        _scale(step.reward.reshape(scaled.shape), over, self._gamma, self._returns, self.moments, scaled)
        return step._replace(reward=scaled.reshape(-1))

    def enter(self) -> None:
        """Episodes under way end."""
        self._returns[:] = 0.0

    def save(self, i: int) -> Any:
        return self._returns[i].copy(), self.moments[i].copy()

    def load(self, i: int, state: Any) -> None:
        self._returns[i], self.moments[i] = state


@kernel
def _scale(rewards, over, gamma, returns, moments, out):
    """Merges the returns of a step into the moments (Chan et al. 1979), then scales its rewards."""
    cells, num_envs = rewards.shape
    for i in range(cells):
        mean = 0.0
        for k in range(num_envs):
            returns[i, k] = returns[i, k] * gamma + rewards[i, k]
            mean += returns[i, k]
        mean /= num_envs
        squares = 0.0
        for k in range(num_envs):
            squares += (returns[i, k] - mean) ** 2
        count, before, variance = moments[i]
        total, off = count + num_envs, mean - before
        moments[i, 0] = total
        moments[i, 1] = before + off * num_envs / total
        moments[i, 2] = (variance * count + squares + off * off * count * num_envs / total) / total
        deviation = np.sqrt(moments[i, 2] + EPSILON)
        for k in range(num_envs):
            out[i, k] = min(max(rewards[i, k] / deviation, -MOST), MOST)
            if over[i, k]:
                returns[i, k] = 0.0
