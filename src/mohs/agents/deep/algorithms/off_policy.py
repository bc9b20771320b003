"""What do off-policy learners of continuous actions share? All act, store transitions and update on schedule.

Which action to take and how to learn from a batch is said by a *rule*, in a file of its own for each algorithm.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
import torch
from gymnasium import spaces
from torch import Tensor

from mohs.agents.deep.algorithm import Part
from mohs.agents.deep.buffers.replay import Replay
from mohs.agents.deep.clock import Clock
from mohs.agents.deep.config import DeepConfig
from mohs.agents.deep.draws import Draws
from mohs.agents.deep.exploration import Floats, Noise, NoiseState
from mohs.agents.deep.front_end.observed import with_front_end
from mohs.agents.deep.lifelong.consolidation import likelihood_of_values
from mohs.agents.deep.networks.layers import Generators, generators
from mohs.agents.deep.spaces import Observations, action_range, observations, seen
from mohs.agents.hyperparameters import setting
from mohs.agents.stage import Array, Step
from mohs.agents.streams import keys
from mohs.core.cell import Cell
from mohs.core.domain import Choice, Each, Integer, Optional, Real


@dataclass(frozen=True)
class OffPolicyConfig(DeepConfig):
    learning_rate: float = setting(1e-3, Real(0, low_open=True), "learning rate of Adam")
    actor_learning_rate: float | None = setting(
        None, Optional(Real(0, low_open=True)), "learning rate of the actor; None is learning_rate"
    )
    gamma: float = setting(0.99, Real(0, 1), "discount factor")
    hidden: tuple[int, ...] = setting((64, 64), Each(Integer(1)), "hidden layer widths of actor and critics")
    activation: str = setting("relu", Choice(("relu", "tanh")), "activation of the hidden layers")
    batch_size: int = setting(64, Integer(1), "minibatch size, in transitions")
    buffer_size: int = setting(50_000, Integer(1), "capacity of the replay buffer, in transitions")
    learning_starts: int = setting(500, Integer(0), "environment steps before the first update")
    random_steps: int | None = setting(
        None, Optional(Integer(0)), "environment steps with uniformly random actions; None is learning_starts"
    )
    train_freq: int = setting(1, Integer(1), "environment steps between updates")
    gradient_steps: int = setting(1, Integer(1), "gradient steps of each update")
    tau: float = setting(0.005, Real(0, 1, low_open=True), "soft update coefficient of the target networks (τ)")
    n_step: int = setting(1, Integer(1), "n-step return length")

    @property
    def actor_rate(self) -> float:
        return self.learning_rate if self.actor_learning_rate is None else self.actor_learning_rate

    @property
    def random_until(self) -> int:
        return self.learning_starts if self.random_steps is None else self.random_steps


class Sample(NamedTuple):
    """A batch of every cell on the device: features before and after, actions from -1 to 1; see `replay.Batch`."""

    before: Tensor
    action: Tensor
    n_step_return: Tensor
    after: Tensor
    discount: Tensor


class Rule(Protocol):
    """What an algorithm does with its networks. Tensors are [cells, batch, ...]."""

    parts: Mapping[str, Part]

    def choose(self, seen: Tensor, draws: Draws | None) -> Tensor:
        """Actions from -1 to 1: the best ones, or drawn where the policy is random and draws are given."""
        ...

    def judge(self, seen: Tensor, actions: Tensor) -> Tensor:
        """The critics' values of actions: [cells, batch]."""
        ...

    def update(self, batch: Sample, draws: Draws) -> None: ...

    def outputs(self, seen: Tensor, actions: Tensor) -> tuple[Tensor, ...]:
        """All that the networks say of what is seen and done: [cells, ...] each."""
        ...

    def finite(self) -> Tensor:
        """For each cell, whether all weights of its networks are finite."""
        ...


class RuleMaker(Protocol):
    def __call__(
        self, init: Generators, sees: Observations, actions: int, config: Any, device: torch.device
    ) -> Rule: ...


class OffPolicy:
    """A pack of learners of continuous actions: an algorithm in the sense of `algorithm.py`."""

    num_envs = 1

    def __init__(
        self,
        rule: RuleMaker,
        cells: Sequence[Cell],
        config: OffPolicyConfig,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        device: torch.device,
        noise: Noise | None = None,
    ) -> None:
        self.config = c = config
        self._device = device
        self._sees = with_front_end(observations(observation_space), c.front_end)
        self._range = action_range(action_space, cells[0].agent.name)
        width = self._range.width
        self.rule = rule(generators(keys(cells, "agent", "weights")), self._sees, width, c, device)
        capacity = min(c.buffer_size, cells[0].steps)
        self._replay = Replay(len(cells), capacity, self._sees.stored, ((width,), np.float32))
        self._draws = Draws(keys(cells, "agent", "draws"))
        self._clock = Clock(cells[0].steps)
        self._noise = noise
        self._under_way = NoiseState(len(cells), width)
        self._chosen = np.zeros((len(cells), width), dtype=np.float32)
        self.parts: Mapping[str, Part] = {
            **self.rule.parts, "replay": self._replay, "draws": self._draws, "clock": self._clock,
            "noise": self._under_way,
        }  # fmt: skip

    def enter(self) -> None:
        self._replay.cut()
        self._under_way.value[:] = 0

    def act(self, now: Array) -> Array:
        width, draws = self._range.width, self._draws
        if self._clock.steps < self.config.random_until:
            unit = draws.uniform(width) * 2 - 1
        else:
            unit = self._choose(now[:, None], draws)[:, 0]
        if self._noise is not None:
            self._under_way.value = self._noise.following(self._under_way.value, draws.normal(width))
            unit = np.clip(unit + self._under_way.value, -1, 1)
        self._chosen = unit
        return self._range.act(unit)

    def play(self, now: Array, memory: Floats | None, greedy: bool, draws: Draws) -> tuple[Array, Floats | None]:
        """The memory is the noise under way in each instance."""
        each = now.reshape(len(draws.keys), -1, *now.shape[1:])
        unit = self._choose(each, None if greedy else draws).reshape(len(now), -1)
        if not greedy and self._noise is not None:
            before = np.zeros_like(unit) if memory is None else memory
            memory = self._noise.following(before, draws.normal(*each.shape[1:2], unit.shape[1]).reshape(unit.shape))
            unit = np.clip(unit + memory, -1, 1)
        return self._range.act(unit), memory

    def forget(self, memory: Floats | None, step: Step) -> Floats | None:
        if memory is not None:
            memory[step.terminated | step.truncated] = 0
        return memory

    def likelihood(self, draws: Draws, steps: int) -> Tensor:
        """The noise of the policy does not count: what is held is what the actor says."""
        batch = self._replay.sample(draws, steps, 1, 1.0)
        action = torch.from_numpy(batch.action).to(self._device)
        said = self.rule.outputs(self._sees.features(batch.before, self._device), action)
        return sum((likelihood_of_values(out, draws) for out in said), torch.zeros(len(action), device=self._device))

    def finite(self) -> npt.NDArray[np.bool_]:
        return self.rule.finite().cpu().numpy()

    def learn(self, step: Step) -> None:
        c, clock = self.config, self._clock
        before, after = self._sees.store(step.before), self._sees.store(step.after)
        self._replay.add(before, self._chosen, step._replace(after=after))
        self._under_way.value[step.terminated | step.truncated] = 0
        clock.steps += 1
        if clock.steps > c.learning_starts and clock.steps % c.train_freq == 0:
            for _ in range(c.gradient_steps):
                self.rule.update(self._sample(), self._draws)

    def _sample(self) -> Sample:
        c = self.config
        batch = self._replay.sample(self._draws, c.batch_size, c.n_step, c.gamma)
        before, after = (self._sees.features(seen, self._device) for seen in (batch.before, batch.after))
        action, n_step_return, discount = (
            torch.from_numpy(array).to(self._device) for array in (batch.action, batch.n_step_return, batch.discount)
        )
        return Sample(before, action, n_step_return, after, discount)

    @torch.no_grad()
    def values(self, each: Array) -> Floats:
        """What the critics say [cells, instances] of the best actions for observations [cells, instances, ...]."""
        features = self._features(each)
        return self.rule.judge(features, self.rule.choose(features, None)).cpu().numpy()

    @torch.no_grad()
    def _choose(self, each: Array, draws: Draws | None) -> Floats:
        """Actions [cells, instances, width] for observations [cells, instances, ...]."""
        chosen = self.rule.choose(self._features(each), draws)
        # A cell that has diverged plays on until that is noticed; no environment may see what is not a number.
        return chosen.nan_to_num(0.0).cpu().numpy()

    def _features(self, each: Array) -> Tensor:
        return seen(self._sees, each, self._device)
