"""Recurrent proximal policy optimisation: actor and critic share a body whose last layer is recurrent.

A rollout is cut into sequences. Each starts from the recurrent state of the time it was played and is one element of a
minibatch: gradients reach back to the start of a sequence, the recurrent state reaches further.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from gymnasium import spaces
from torch import Tensor

from mohs.agents.deep.algorithms.actor_critic import losses, normalised, optimiser, scheduled
from mohs.agents.deep.algorithms.ppo import ARCADE, CTGRAPH, PpoConfig, clipped_objective
from mohs.agents.deep.buffers.rewards import RewardScale
from mohs.agents.deep.buffers.rollouts import Floats, Rollout, minibatches, was_cut
from mohs.agents.deep.clock import Clock
from mohs.agents.deep.draws import Draws
from mohs.agents.deep.front_end.observed import with_front_end
from mohs.agents.deep.lifelong.consolidation import likelihood_of_actions, likelihood_of_values
from mohs.agents.deep.networks.encoders import encoder
from mohs.agents.deep.networks.layers import Generators, Linear, Network, generators, orthogonal
from mohs.agents.deep.networks.policies import Actions, Distribution, Head, Kept, Reals, actions, kept
from mohs.agents.deep.networks.recurrent import LAYERS, Echo, Moments, Recall, RecurrentBody
from mohs.agents.deep.spaces import observations
from mohs.agents.hyperparameters import setting
from mohs.agents.stage import Array, Step
from mohs.agents.streams import keys
from mohs.core.cell import Cell
from mohs.core.domain import Choice, Each, Flag, Integer
from mohs.core.errors import UsageError


@dataclass(frozen=True)
class RecurrentPpoConfig(PpoConfig):
    num_envs: int = setting(8, Integer(1), "parallel environments")
    n_steps: int = setting(128, Integer(1), "rollout length: steps of each environment per update")
    sequence: int = setting(16, Integer(1), "truncation length of backpropagation through time; divides n_steps")
    batch_size: int = setting(8, Integer(1), "minibatch size, in sequences")
    hidden: tuple[int, ...] = setting((64, 64), Each(Integer(1)), "hidden layer widths; the last layer is recurrent")
    layer: str = setting("gru", Choice(tuple(LAYERS)), "type of the recurrent layer")
    echo: bool = setting(False, Flag(), "the last action and reward are inputs of the network")

    @classmethod
    def presets(cls) -> Mapping[str, Mapping[str, Any]]:
        return {"ctgraph": CTGRAPH, "arcade": ARCADE | {"batch_size": 16, "n_epochs": 3}}


class RecurrentActorCritic(Network):
    """Moments [cells, batch, time] → policy and values [cells, batch × time], and the memory after the last step."""

    def __init__(self, init: Generators, body: RecurrentBody, of: Actions, log_std: float) -> None:
        super().__init__()
        self.body = body
        self.actor = Head(init, body.outputs, of, log_std=log_std)
        self.critic = Linear(init, body.outputs, 1, orthogonal(1.0))

    def forward(self, moments: Moments, memory: Tensor) -> tuple[Distribution, Tensor, Tensor]:
        x, memory = self.body(moments, memory)
        x = x.flatten(1, 2)
        return self.actor(x), self.critic(x)[..., 0], memory


class Played:
    """What was known at each step of a rollout [cells, steps, num_envs, ...]; memories where sequences start."""

    NAMES = ("begins", "last_action", "last_reward", "value", "log_prob", "memory")

    def __init__(self, cells: int, c: RecurrentPpoConfig, action: Kept, memory: int) -> None:
        shape = cells, c.n_steps, c.num_envs
        self._sequence = c.sequence
        self.begins = np.zeros(shape, dtype=np.bool_)
        self.last_action = np.zeros((*shape, *action[0]), dtype=action[1])
        self.last_reward = np.zeros(shape, dtype=np.float32)
        self.value, self.log_prob = np.zeros(shape, dtype=np.float32), np.zeros(shape, dtype=np.float32)
        self.memory = np.zeros((cells, c.n_steps // c.sequence, c.num_envs, memory), dtype=np.float32)

    def recall(self, t: int, recall: Recall) -> None:
        """Keeps what is recalled before step t."""
        self.begins[:, t], self.last_action[:, t], self.last_reward[:, t] = recall.begins, recall.action, recall.reward
        if t % self._sequence == 0:
            self.memory[:, t // self._sequence] = recall.memory.cpu().numpy()

    def save(self, i: int) -> dict[str, Array]:
        return {name: getattr(self, name)[i].copy() for name in self.NAMES}

    def load(self, i: int, state: dict[str, Array]) -> None:
        for name in self.NAMES:
            getattr(self, name)[i] = state[name]


class RecurrentPpo:
    """A pack that learns by recurrent proximal policy optimisation."""

    def __init__(
        self,
        cells: Sequence[Cell],
        config: RecurrentPpoConfig,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        device: torch.device,
    ) -> None:
        self._config = c = config
        name = cells[0].agent.name
        if not c.hidden:
            raise UsageError(f"the last hidden layer of {name} is recurrent: hidden must not be empty.")
        if c.n_steps % c.sequence:
            raise UsageError(
                f"{name} cuts rollouts into sequences: sequence={c.sequence} must divide n_steps={c.n_steps}."
            )
        self.num_envs = c.num_envs
        self._device, self._cells = device, len(cells)
        self._sees = with_front_end(observations(observation_space), c.front_end)
        self._actions = actions(action_space, name)
        init = generators(keys(cells, "agent", "weights"))
        sees = encoder(init, self._sees, c)
        body = RecurrentBody(init, sees, _echo(self._actions) if c.echo else None, c.hidden, c.activation, c.layer)
        self._network = RecurrentActorCritic(init, body, self._actions, c.log_std).to(device)
        self._optimiser = optimiser(self._network, c)
        self._rollout = Rollout(
            len(cells), c.n_steps, c.num_envs, self._sees.stored, kept(self._actions), kept_whole=c.lifelong == "ewc"
        )
        self._played = Played(len(cells), c, kept(self._actions), body.memory)
        self._recall = self._nothing(c.num_envs)
        self._draws = Draws(keys(cells, "agent", "draws"))
        self._clock = Clock(cells[0].steps)
        self._before: Array = np.empty(0)  # of the step under way,
        self._chosen: Array = np.empty(0)  # as the rollout keeps them
        self.parts = {
            "network": self._network, "optimiser": self._optimiser, "rollout": self._rollout, "played": self._played,
            "recall": self._recall, "draws": self._draws, "clock": self._clock,
        }  # fmt: skip
        self._scale = RewardScale(len(cells), c.num_envs, c.gamma) if c.normalize_reward else None
        if self._scale is not None:
            self.parts["reward_scale"] = self._scale

    def enter(self) -> None:
        if self._rollout.size:
            self._rollout.cut(self._peek(self._rollout.now))
        self._recall.restart()
        if self._scale is not None:
            self._scale.enter()

    @torch.no_grad()
    def act(self, now: Array) -> Array:
        t, played = self._rollout.size, self._played
        played.recall(t, self._recall)
        self._before = self._sees.store(now)
        policy, value = self._look(self._each(self._before), self._recall)
        action = policy.sample(self._draws)
        played.value[:, t], played.log_prob[:, t] = value.cpu().numpy(), policy.log_prob(action).cpu().numpy()
        self._chosen = self._recalled(action, self._recall)
        return self._actions.act(self._chosen)

    @torch.no_grad()
    def play(self, now: Array, memory: Recall | None, greedy: bool, draws: Draws) -> tuple[Array, Recall]:
        recall = memory or self._nothing(len(now) // self._cells)
        policy, _ = self._look(self._each(self._sees.store(now)), recall)
        return self._actions.act(self._recalled(policy.mode() if greedy else policy.sample(draws), recall)), recall

    def forget(self, memory: Recall, step: Step) -> Recall:
        memory.after(step.reward, step.terminated | step.truncated)
        return memory

    def likelihood(self, draws: Draws, steps: int) -> Tensor:
        """Of whole sequences that are in the rollout, or in the one before."""
        c, played = self._config, self._played
        known = {
            "seen": self._rollout.seen[:, :-1], "begins": played.begins, "last_action": played.last_action,
            "last_reward": played.last_reward,
        }  # fmt: skip
        count = max(self._rollout.filled // c.sequence, 1) * c.num_envs
        at, rows = draws.integers(count, -(-steps // c.sequence)), np.arange(self._cells)[:, None]
        share = steps / (at.shape[1] * c.sequence)  # whole sequences may be more than was asked for
        batch = {name: in_sequences(array, c.sequence)[rows, at] for name, array in known.items()}
        memories = played.memory.reshape(self._cells, -1, played.memory.shape[-1])
        policy, value, _ = self._network(self._moments(batch), self._tensor(memories[rows, at]))
        # Scaled so that its squared gradient is that of so many steps.
        return (likelihood_of_actions(policy, draws) + likelihood_of_values(value, draws)) * math.sqrt(share)

    def finite(self) -> npt.NDArray[np.bool_]:
        return self._network.finite().cpu().numpy()

    def learn(self, step: Step) -> None:
        over, later = step.terminated | step.truncated, None
        if was_cut(step).any():
            self._recall.after(step.reward, np.zeros_like(over))
            later = self._peek(self._each(self._sees.store(step.after)))
        self._recall.after(step.reward, over)
        if self._scale is not None:  # what the network recalls are rewards as they are, in evaluations too
            step = self._scale(step)
        self._rollout.add(self._before, self._chosen, step, self._sees.store(step.now), later)
        self._clock.steps += self.num_envs
        if self._rollout.full:
            self._update()
            self._rollout.clear()

    def values(self, each: Array) -> Floats:
        """Values [cells, instances] if episodes begin with these observations."""
        frames = self._sees.store(each.reshape(-1, *each.shape[2:]))
        return self._peek(self._each(frames), self._nothing(each.shape[1]))

    def _update(self) -> None:
        c, played, rollout = self._config, self._played, self._rollout
        left = self._clock.left
        self._optimiser.set_rate(scheduled(c.learning_rate, c.learning_rate_schedule, left))
        clip = scheduled(c.clip_range, c.clip_range_schedule, left)
        values = np.concatenate([played.value, self._peek(rollout.now)[:, None]], 1)
        advantages = rollout.advantages(values, c.gamma, c.gae_lambda)
        steps = {
            "seen": rollout.seen[:, :-1], "begins": played.begins, "last_action": played.last_action,
            "last_reward": played.last_reward, "action": rollout.actions, "log_prob": played.log_prob,
            "value": played.value, "advantage": advantages, "return": advantages + played.value,
        }  # fmt: skip
        drawn_from = {name: in_sequences(array, c.sequence) for name, array in steps.items()}
        memories = played.memory.reshape(self._cells, -1, played.memory.shape[-1])
        rows = np.arange(self._cells)[:, None]
        for _ in range(c.n_epochs):
            for at in minibatches(self._draws, memories.shape[1], c.batch_size):
                batch = {name: array[rows, at] for name, array in drawn_from.items()}
                self._optimiser.step(self._losses(batch, memories[rows, at], clip))

    def _losses(self, batch: Mapping[str, Array], memory: Floats, clip: float) -> Tensor:
        """The losses [cells] of sequences [cells, batch, time]."""
        c = self._config
        policy, value, _ = self._network(self._moments(batch), self._tensor(memory))
        action, log_prob, was, advantage, returns = (
            self._tensor(batch[name]).flatten(1, 2) for name in ("action", "log_prob", "value", "advantage", "return")
        )
        ratio = (policy.log_prob(action) - log_prob).exp()
        objective = clipped_objective(ratio, normalised(advantage) if c.normalize_advantage else advantage, clip)
        if c.clip_range_vf is not None:
            value = was + (value - was).clamp(-c.clip_range_vf, c.clip_range_vf)
        return losses(c, objective, policy, value, returns)

    def _moments(self, batch: Mapping[str, Array]) -> Moments:
        return Moments(
            self._sees.features(batch["seen"], self._device), self._tensor(batch["begins"]),
            self._tensor(batch["last_action"]), self._tensor(batch["last_reward"]),
        )  # fmt: skip

    def _look(self, frames: Array, recall: Recall) -> tuple[Distribution, Tensor]:
        """Policy and values after what is recalled and these frames [cells, instances, ...]; they are recalled too."""
        moments = recall.moments(self._sees.features(frames, self._device))
        policy, value, recall.memory = self._network(moments, recall.memory)
        return policy, value

    @torch.no_grad()
    def _peek(self, frames: Array, recall: Recall | None = None) -> Floats:
        """Values [cells, instances] of frames that come after what is recalled, which stays as it is."""
        recall = recall or self._recall
        _, value, _ = self._network(recall.moments(self._sees.features(frames, self._device)), recall.memory)
        return np.asarray(value.cpu().numpy())

    def _recalled(self, action: Tensor, recall: Recall) -> Array:
        """Actions [instances, parts] as a rollout keeps them; they are the last ones from now on."""
        recall.action = action.cpu().numpy()
        return recall.action.reshape(-1, recall.action.shape[-1])

    def _nothing(self, instances: int) -> Recall:
        """The recall of instances that have seen nothing yet."""
        (parts,), kind = kept(self._actions)
        return Recall(self._cells, instances, self._network.body.memory, (parts, kind), self._device)

    def _each(self, frames: Array) -> Array:
        """Rows of instances as [cells, instances of a cell, ...]."""
        return frames.reshape(self._cells, -1, *frames.shape[1:])

    def _tensor(self, array: Array) -> Tensor:
        return torch.from_numpy(array).to(self._device)


def in_sequences(array: Array, length: int) -> Array:
    """[cells, steps, num_envs, ...] as [cells, sequences, length, ...], those of one stretch of time side by side."""
    cells, steps, num_envs, *rest = array.shape
    cut = array.reshape(cells, steps // length, length, num_envs, *rest).swapaxes(2, 3)
    return cut.reshape(cells, steps // length * num_envs, length, *rest)


def _echo(of: Actions) -> Echo:
    return Echo(width=of.width) if isinstance(of, Reals) else Echo(of.sizes)
