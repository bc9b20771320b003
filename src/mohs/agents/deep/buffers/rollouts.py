"""What does a policy gradient learn from? From a rollout: the newest steps of every instance, used for one update.

Arrays are [cells, steps, num_envs, ...]. One frame more than steps is kept, so that the values of all frames bootstrap
all steps: within an episode the value of the next frame, at a cut (a time limit) the value of what the episode was cut
off in, at a true end nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.agents.deep.draws import Draws
from mohs.agents.deep.networks.policies import Kept
from mohs.agents.stage import Array, Step
from mohs.core.kernel import kernel
from mohs.engines.draws import as_uniform, bits, nth

Floats = npt.NDArray[np.float32]


class Rollout:
    """The rollouts of a pack. `frame` and `action` are the shape and type of what is kept of each.

    A rollout that is `kept_whole` is saved with what is left in it of the last one, which may then be looked at again.
    """

    def __init__(
        self, cells: int, steps: int, num_envs: int, frame: Kept, action: Kept, *, kept_whole: bool = False
    ) -> None:
        self.steps, self.size = steps, 0
        self.filled = 0  # steps that are there, of this rollout or the last
        self._kept_whole = kept_whole
        shape = cells, steps, num_envs
        self.seen = np.zeros((cells, steps + 1, num_envs, *frame[0]), dtype=frame[1])
        self.actions = np.zeros((*shape, *action[0]), dtype=action[1])
        self.rewards = np.zeros(shape, dtype=np.float32)
        self.over = np.zeros(shape, dtype=np.bool_)
        self.later = np.zeros(shape, dtype=np.float32)  # the value of what an episode was cut off in

    @property
    def full(self) -> bool:
        return self.size == self.steps

    @property
    def now(self) -> Array:
        """What is seen after the newest step, [cells, num_envs, ...]."""
        return self.seen[:, self.size]

    def add(self, before: Array, action: Array, step: Step, now: Array, later: Array | None = None) -> None:
        """Keeps a step of all instances.

        `before`, `action` and `now` are as they are kept; `later` are the values of `step.after`, which count where an
        episode was cut off (see `was_cut`) and need not be given where none was.
        """
        t, (cells, _, num_envs) = self.size, self.rewards.shape

        def each(x: Array) -> Array:
            return x.reshape(cells, num_envs, *x.shape[1:])

        self.seen[:, t] = before.reshape(self.seen[:, t].shape)
        self.seen[:, t + 1] = now.reshape(self.seen[:, t].shape)
        self.actions[:, t] = action.reshape(self.actions[:, t].shape)
        self.rewards[:, t] = each(step.reward)
        self.over[:, t] = each(step.terminated | step.truncated)
        self.later[:, t] = 0.0 if later is None else np.where(each(was_cut(step)), later.reshape(cells, num_envs), 0.0)
        self.size += 1
        self.filled = max(self.filled, self.size)

    def cut(self, later: Array) -> None:
        """What comes next does not follow from what came last: `later` are the values of `now`."""
        newest = self.size - 1
        under_way = ~self.over[:, newest]
        self.later[:, newest][under_way] = later.reshape(under_way.shape)[under_way]
        self.over[:, newest] = True

    def clear(self) -> None:
        self.size = 0

    def advantages(self, values: Floats, gamma: float, gae_lambda: float) -> Floats:
        """Advantages [cells, steps, num_envs] from the values of all frames [cells, steps + 1, num_envs]."""
        found = np.empty_like(self.rewards)
        _advantages(self.rewards, self.over, self.later, values, gamma, gae_lambda, found)
        return found

    def save(self, i: int) -> dict[str, Any]:
        steps = self.filled if self._kept_whole else self.size
        kept = {name: getattr(self, name)[i, :steps].copy() for name in ("actions", "rewards", "over", "later")}
        return {"size": self.size, "seen": self.seen[i, : steps + 1].copy(), **kept}

    def load(self, i: int, state: dict[str, Any]) -> None:
        self.size, self.filled = state["size"], len(state["rewards"])
        self.seen[i, : self.filled + 1] = state["seen"]
        for name in ("actions", "rewards", "over", "later"):
            getattr(self, name)[i, : self.filled] = state[name]


def was_cut(step: Step) -> npt.NDArray[np.bool_]:
    """Which episodes were cut off, so that what they ended in still has a value."""
    return step.truncated & ~step.terminated


def flat(array: Array) -> Array:
    """[cells, steps, num_envs, ...] as [cells, steps × num_envs, ...], without a copy."""
    return array.reshape(array.shape[0], -1, *array.shape[3:])


def minibatches(draws: Draws, total: int, size: int) -> Iterator[npt.NDArray[np.int64]]:
    """Numbers below `total` in an order of each cell's own, [cells, size] at a time; what is left over comes last."""
    order = np.empty((len(draws.keys), total), dtype=np.int64)
    _shuffle(draws.keys, draws.next(), order)
    for start in range(0, total, size):
        yield order[:, start : start + size]


@kernel
def _shuffle(keys, count, order):
    """A permutation for each cell (Fisher and Yates, from the inside out)."""
    for i in range(order.shape[0]):
        first = bits(keys[i], count, 0, 0)
        for j in range(order.shape[1]):
            place = np.int64(as_uniform(nth(first, j)) * (j + 1))
            order[i, j] = order[i, place]
            order[i, place] = j


@kernel
def _advantages(rewards, over, later, values, gamma, gae_lambda, out):
    """Generalised advantage estimation (Schulman et al. 2016, equation 16), from the last step to the first."""
    cells, steps, num_envs = rewards.shape
    for i in range(cells):
        for k in range(num_envs):
            advantage = 0.0
            for back in range(steps):
                t = steps - 1 - back
                if over[i, t, k]:
                    after, advantage = later[i, t, k], 0.0
                else:
                    after = values[i, t + 1, k]
                advantage = rewards[i, t, k] + gamma * after - values[i, t, k] + gamma * gae_lambda * advantage
                out[i, t, k] = advantage
