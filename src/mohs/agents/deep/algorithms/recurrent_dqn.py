"""Recurrent deep Q-learning: values of histories instead of observations.

DRQN (Hausknecht and Stone 2015) on sequences from the replay buffer. As in R2D2 (Kapturowski et al. 2019) a sequence
starts from the recurrent state stored when it was played, or from zeros, and its first steps only refresh the state.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from gymnasium import spaces
from torch import Tensor
from torch.nn import functional

from mohs.agents.deep.buffers.sequence_replay import SequenceReplay, Sequences
from mohs.agents.deep.clock import Clock
from mohs.agents.deep.config import DeepConfig
from mohs.agents.deep.draws import Draws
from mohs.agents.deep.exploration import linear_schedule
from mohs.agents.deep.front_end.observed import with_front_end
from mohs.agents.deep.lifelong.consolidation import likelihood_of_values
from mohs.agents.deep.networks.encoders import encoder
from mohs.agents.deep.networks.layers import Generators, Linear, Network, generators
from mohs.agents.deep.networks.recurrent import LAYERS, Echo, Moments, Recall, RecurrentBody
from mohs.agents.deep.optimise import Adam, move_toward
from mohs.agents.deep.spaces import choices, observations, seen
from mohs.agents.hyperparameters import setting
from mohs.agents.stage import Array, Step
from mohs.agents.streams import keys
from mohs.core.cell import Cell
from mohs.core.domain import Choice, Each, Flag, Integer, Real
from mohs.core.errors import UsageError


@dataclass(frozen=True)
class RecurrentDqnConfig(DeepConfig):
    learning_rate: float = setting(5e-4, Real(0, low_open=True), "learning rate of Adam")
    adam_epsilon: float = setting(1e-8, Real(0, low_open=True), "epsilon of Adam")
    gamma: float = setting(0.99, Real(0, 1), "discount factor")
    hidden: tuple[int, ...] = setting((64, 64), Each(Integer(1)), "hidden layer widths; the last layer is recurrent")
    activation: str = setting(
        "relu", Choice(("relu", "tanh")), "activation of the hidden layers before the recurrent one"
    )
    layer: str = setting("gru", Choice(tuple(LAYERS)), "type of the recurrent layer")
    echo: bool = setting(False, Flag(), "the last action and reward are inputs of the network")
    batch_size: int = setting(8, Integer(1), "minibatch size, in sequences")
    sequence: int = setting(12, Integer(1), "steps of a sequence that are trained on")
    burn_in: int = setting(
        4, Integer(0), "steps of a sequence before the trained ones, which only refresh the recurrent state"
    )
    stored_state: bool = setting(
        True, Flag(), "sequences start from the recurrent state stored in the replay buffer (R2D2), not from zeros"
    )
    buffer_size: int = setting(20_000, Integer(1), "capacity of the replay buffer, in environment steps")
    learning_starts: int = setting(500, Integer(0), "environment steps before the first update")
    train_freq: int = setting(4, Integer(1), "environment steps between updates")
    target_update_interval: int = setting(500, Integer(1), "environment steps between updates of the target network")
    max_grad_norm: float = setting(10.0, Real(0, low_open=True), "maximum norm of the gradient")
    exploration_initial_eps: float = setting(1.0, Real(0, 1), "initial exploration rate")
    exploration_final_eps: float = setting(0.02, Real(0, 1), "final exploration rate")
    exploration_steps: int = setting(
        2000, Integer(0), "environment steps over which exploration falls linearly to its final rate"
    )
    double: bool = setting(
        False, Flag(), "double Q-learning: the online network selects the action, the target network evaluates it"
    )


class RecurrentQNetwork(Network):
    """Values [cells, batch, time, actions] of histories, and the memory after the last step."""

    def __init__(self, init: Generators, body: RecurrentBody, actions: int) -> None:
        super().__init__()
        self.body, self.actions = body, actions
        self.head = Linear(init, body.outputs, actions)

    def forward(self, moments: Moments, memory: Tensor) -> tuple[Tensor, Tensor]:
        x, memory = self.body(moments, memory)
        values = self.head(x.flatten(1, 2)).unflatten(1, x.shape[1:3])
        return values[..., : self.actions], memory


class RecurrentDqn:
    """A pack of recurrent deep Q-learners."""

    num_envs = 1

    def __init__(
        self,
        cells: Sequence[Cell],
        config: RecurrentDqnConfig,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        device: torch.device,
    ) -> None:
        self.config = c = config
        name = cells[0].agent.name
        if not c.hidden:
            raise UsageError(f"the last hidden layer of {name} is recurrent: hidden must not be empty.")
        if c.burn_in + c.sequence > c.buffer_size:
            raise UsageError(
                f"{name} trains on {c.burn_in + c.sequence} consecutive steps (burn_in + sequence), but "
                f"buffer_size={c.buffer_size} holds fewer."
            )
        self._device, self._cells = device, len(cells)
        self._sees = with_front_end(observations(observation_space), c.front_end)
        self._choices = choices(action_space, name)
        init = generators(keys(cells, "agent", "weights"))
        echo = Echo((self._choices.count,)) if c.echo else None
        sees = encoder(init, self._sees, c)
        body = RecurrentBody(init, sees, echo, c.hidden, c.activation, c.layer)
        self._online = RecurrentQNetwork(init, body, self._choices.count).to(device)
        self._target = deepcopy(self._online).requires_grad_(False)
        self._adam = Adam(self._online.parameters(), c.learning_rate, c.adam_epsilon, c.max_grad_norm)
        capacity = min(c.buffer_size, max(cells[0].steps, c.burn_in + c.sequence))
        self._replay = SequenceReplay(len(cells), capacity, self._sees.stored, body.memory if c.stored_state else 0)
        self._recall = self._nothing(1)
        self._before = self._recall.memory
        self._draws = Draws(keys(cells, "agent", "draws"))
        self._clock = Clock(cells[0].steps)
        self.parts = {
            "online": self._online, "target": self._target, "adam": self._adam, "replay": self._replay,
            "recall": self._recall, "draws": self._draws, "clock": self._clock,
        }  # fmt: skip

    def enter(self) -> None:
        self._replay.cut()
        self._recall.restart()

    def act(self, now: Array) -> Array:
        self._before = self._recall.memory
        return self._chosen(now, self._recall, self._epsilon(), self._draws)

    def play(self, now: Array, memory: Recall | None, greedy: bool, draws: Draws) -> tuple[Array, Recall]:
        recall = memory or self._nothing(len(now) // self._cells)
        return self._chosen(now, recall, 0.0 if greedy else self._epsilon(), draws), recall

    def forget(self, memory: Recall, step: Step) -> Recall:
        memory.after(step.reward, step.terminated | step.truncated)
        return memory

    def likelihood(self, draws: Draws, steps: int) -> Tensor:
        """Of one sequence, whose first steps only refresh the recurrent state."""
        burn_in = self.config.burn_in
        drawn = self._replay.sample(draws, 1, max(min(burn_in + steps, self._clock.steps) - 1, burn_in))
        return likelihood_of_values(self._unrolled(self._online, self._moments(drawn), drawn), draws)

    def finite(self) -> npt.NDArray[np.bool_]:
        return self._online.finite().cpu().numpy()

    def learn(self, step: Step) -> None:
        c, clock = self.config, self._clock
        self._replay.add(
            self._sees.store(step.before), self._before[:, 0].cpu().numpy(), self._recall.action[:, 0, 0], step.reward,
            self._sees.store(step.after), step.terminated, step.truncated,
        )  # fmt: skip
        self._recall.after(step.reward, step.terminated | step.truncated)
        clock.steps += 1
        # Steps, not slots in use: how many of those there are depends on the episodes of each cell.
        if clock.steps > max(c.learning_starts, c.burn_in + c.sequence) and clock.steps % c.train_freq == 0:
            self._update()
        if clock.steps % c.target_update_interval == 0:
            move_toward(self._target, self._online, 1)

    def _nothing(self, instances: int) -> Recall:
        """The recall of instances that have seen nothing yet."""
        return Recall(self._cells, instances, self._online.body.memory, (1, np.int64), self._device)

    def _epsilon(self) -> float:
        c = self.config
        progress = self._clock.steps / c.exploration_steps if c.exploration_steps else 1.0
        return linear_schedule(c.exploration_initial_eps, c.exploration_final_eps, progress)

    def _chosen(self, now: Array, recall: Recall, epsilon: float, draws: Draws) -> Array:
        """The best actions, and random ones in place of a share of them; recalled from now on."""
        each = now.reshape(self._cells, -1, *now.shape[1:])
        best = self._values(each, recall).argmax(-1).cpu().numpy()
        if epsilon:
            random = draws.integers(self._choices.count, best.shape[1])
            best = np.where(draws.uniform(best.shape[1]) < epsilon, random, best)
        recall.action = best[..., None]
        return self._choices.act(self._choices.joint(best.reshape(-1)))

    def values(self, each: Array) -> npt.NDArray[np.float32]:
        """Values of all actions [cells, instances, actions] if episodes begin with these observations."""
        return self._values(each, self._nothing(each.shape[1])).cpu().numpy()

    @torch.no_grad()
    def _values(self, each: Array, recall: Recall) -> Tensor:
        """Values of all actions after what is recalled and these observations, which are recalled from now on."""
        moments = recall.moments(seen(self._sees, each, self._device))
        found, recall.memory = self._online(moments, recall.memory)
        values: Tensor = found[:, :, 0]
        return values

    def _update(self) -> None:
        c = self.config
        drawn = self._replay.sample(self._draws, c.batch_size, c.burn_in + c.sequence)
        learnt = slice(c.burn_in, -1)
        counts = self._tensor(drawn.acts[..., learnt]).float()
        losses = counts * self._td_loss(drawn, learnt)
        self._adam.step(losses.flatten(1).sum(1) / counts.flatten(1).sum(1).clamp(min=1))

    def _td_loss(self, drawn: Sequences, learnt: slice) -> Tensor:
        """Losses [cells, batch, time] of the steps that are learnt from."""
        moments = self._moments(drawn)
        values = self._unrolled(self._online, moments, drawn)
        action = self._tensor(drawn.action[..., learnt])[..., None]
        value = values[:, :, :-1].gather(-1, action)[..., 0]
        with torch.no_grad():
            next_values = self._unrolled(self._target, moments, drawn)[:, :, 1:]
            best = (values[:, :, 1:] if self.config.double else next_values).argmax(-1, keepdim=True)
            lives = self._tensor(drawn.lives[..., learnt]).float()
            reward = self._tensor(drawn.reward[..., learnt])
            td_target = reward + self.config.gamma * lives * next_values.gather(-1, best)[..., 0]
        return functional.smooth_l1_loss(value, td_target, reduction="none")

    def _unrolled(self, network: RecurrentQNetwork, moments: Moments, drawn: Sequences) -> Tensor:
        """Values along sequences, without those of the first steps, which only refresh the recurrent state."""
        burn_in = self.config.burn_in
        memory = self._tensor(drawn.memory) if self.config.stored_state else self._no_memory(len(drawn.frame[0]))
        if burn_in:
            with torch.no_grad():
                _, memory = network(Moments(*(x[:, :, :burn_in] for x in moments)), memory)
        values, _ = network(Moments(*(x[:, :, burn_in:] for x in moments)), memory)
        found: Tensor = values
        return found

    def _moments(self, drawn: Sequences) -> Moments:
        return Moments(
            seen=self._sees.features(drawn.frame, self._device),
            begins=self._tensor(drawn.begins),
            action=self._tensor(drawn.last_action)[..., None],
            reward=self._tensor(drawn.last_reward),
        )

    def _no_memory(self, batch: int) -> Tensor:
        return torch.zeros(self._cells, batch, self._online.body.memory, device=self._device)

    def _tensor(self, array: Array) -> Tensor:
        return torch.from_numpy(array).to(self._device)
