"""Deep Q-learning with the six parts of Rainbow, each a switch of its own.

DQN (Mnih et al. 2015); double (van Hasselt et al. 2016), dueling (Wang et al. 2016), prioritised replay (Schaul et al.
2016), n-step returns, noisy nets (Fortunato et al. 2018), distributional C51 (Bellemare et al. 2017); all of them are
Rainbow (Hessel et al. 2018).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from gymnasium import spaces
from torch import Tensor, nn
from torch.nn import functional

from mohs.agents.deep.algorithms.dqn_presets import DQN_PRESETS, RAINBOW_PRESETS
from mohs.agents.deep.buffers.replay import Batch, Replay
from mohs.agents.deep.clock import Clock
from mohs.agents.deep.config import DeepConfig
from mohs.agents.deep.draws import Draws
from mohs.agents.deep.exploration import linear_schedule
from mohs.agents.deep.front_end.observed import with_front_end
from mohs.agents.deep.lifelong.consolidation import likelihood_of_actions, likelihood_of_values
from mohs.agents.deep.networks.encoders import Encoder, encoder
from mohs.agents.deep.networks.layers import Generators, Linear, Mlp, Network, NoisyLinear, generators
from mohs.agents.deep.networks.policies import Categoricals
from mohs.agents.deep.optimise import Adam, move_toward
from mohs.agents.deep.spaces import Observations, choices, observations, seen
from mohs.agents.hyperparameters import setting
from mohs.agents.stage import Array, Step
from mohs.agents.streams import keys
from mohs.core.cell import Cell
from mohs.core.domain import Choice, Each, Flag, Integer, Optional, Real
from mohs.core.errors import UsageError


@dataclass(frozen=True)
class ReplayConfig(DeepConfig):
    """What Q-learning from a replay buffer has, whatever its network."""

    learning_rate: float = setting(5e-4, Real(0, low_open=True), "learning rate of Adam")
    adam_epsilon: float = setting(1e-8, Real(0, low_open=True), "epsilon of Adam")
    gamma: float = setting(0.99, Real(0, 1), "discount factor")
    batch_size: int = setting(32, Integer(1), "minibatch size, in transitions")
    buffer_size: int = setting(20_000, Integer(1), "capacity of the replay buffer, in transitions")
    learning_starts: int = setting(500, Integer(0), "environment steps before the first update")
    train_freq: int = setting(4, Integer(1), "environment steps between updates")
    target_update_interval: int = setting(500, Integer(1), "environment steps between updates of the target network")
    max_grad_norm: float = setting(10.0, Real(0, low_open=True), "maximum norm of the gradient")
    exploration_initial_eps: float = setting(1.0, Real(0, 1), "initial exploration rate")
    exploration_final_eps: float = setting(0.02, Real(0, 1), "final exploration rate")
    exploration_steps: int = setting(
        2000, Integer(0), "environment steps over which exploration falls linearly to its final rate"
    )
    exploration_fraction: float | None = setting(
        None, Optional(Real(0, 1)), "fraction of the run over which exploration falls; overrides exploration_steps"
    )
    double: bool = setting(
        False, Flag(), "double Q-learning: the online network selects the action, the target network evaluates it"
    )
    prioritised: bool = setting(False, Flag(), "prioritised experience replay")
    priority_alpha: float = setting(0.5, Real(0, 1), "exponent of the priorities (α)")
    priority_beta: float = setting(
        0.4, Real(0, 1), "initial exponent of the importance weights (β); rises linearly to 1"
    )
    priority_steps: int = setting(20_000, Integer(1), "environment steps over which priority_beta rises to 1")
    n_step: int = setting(1, Integer(1), "n-step return length")


@dataclass(frozen=True)
class DqnConfig(ReplayConfig):
    hidden: tuple[int, ...] = setting((64, 64), Each(Integer(1)), "hidden layer widths")
    activation: str = setting("relu", Choice(("relu", "tanh")), "activation of the hidden layers")
    dueling: bool = setting(False, Flag(), "dueling network: separate streams for value and advantages")
    noisy: bool = setting(False, Flag(), "noisy networks explore instead of ε-greedy actions")
    noisy_sigma: float = setting(0.5, Real(0, low_open=True), "initial noise of noisy networks (σ₀)")
    distributional: bool = setting(False, Flag(), "distributional values (C51)")
    atoms: int = setting(51, Integer(2), "number of atoms of the C51 value support")
    value_min: float = setting(-10.0, Real(), "lower end of the C51 value support")
    value_max: float = setting(100.0, Real(), "upper end of the C51 value support")

    @classmethod
    def presets(cls) -> Mapping[str, Mapping[str, Any]]:
        return DQN_PRESETS


@dataclass(frozen=True)
class RainbowConfig(DqnConfig):
    learning_rate: float = setting(1e-3, Real(0, low_open=True), "learning rate of Adam")
    target_update_interval: int = setting(100, Integer(1), "environment steps between updates of the target network")
    double: bool = setting(
        True, Flag(), "double Q-learning: the online network selects the action, the target network evaluates it"
    )
    dueling: bool = setting(True, Flag(), "dueling network: separate streams for value and advantages")
    prioritised: bool = setting(True, Flag(), "prioritised experience replay")
    n_step: int = setting(3, Integer(1), "n-step return length")
    noisy: bool = setting(True, Flag(), "noisy networks explore instead of ε-greedy actions")
    distributional: bool = setting(True, Flag(), "distributional values (C51)")

    @classmethod
    def presets(cls) -> Mapping[str, Mapping[str, Any]]:
        return RAINBOW_PRESETS


class ActionValues(Network):
    """Features [cells, batch, ...] → values of all actions [cells, batch, actions]. Some explore by noise."""

    def resample(self, draws: Draws) -> None:
        """New noise."""

    def quiet(self) -> None:
        """No noise."""


class QNetwork(ActionValues):
    """Values [cells, batch, actions], or logits of their distributions [cells, batch, actions, atoms]."""

    def __init__(self, init: Generators, sees: Encoder, actions: int, config: DqnConfig) -> None:
        super().__init__()
        c = config
        self.actions, self.atoms = actions, c.atoms if c.distributional else 1
        self.sees = sees
        sigma = c.noisy_sigma if c.noisy else 0.0

        def last(inputs: int, outputs: int) -> NoisyLinear | Linear:
            return NoisyLinear(init, inputs, outputs, sigma) if sigma else Linear(init, inputs, outputs)

        def stream(outputs: int) -> nn.Module:
            if not c.dueling:
                return last(self.body.outputs, outputs)
            own = Mlp(init, self.body.outputs, c.hidden[-1:], c.activation, noisy=sigma)
            return nn.Sequential(own, last(own.outputs, outputs))

        # Dueling streams have the last hidden layer each for themselves.
        self.body = Mlp(init, sees.outputs, c.hidden[:-1] if c.dueling else c.hidden, c.activation)
        self.advantage = stream(actions * self.atoms)
        self.value = stream(self.atoms) if c.dueling else None

    def forward(self, x: Tensor) -> Tensor:
        x = self.body(self.sees(x))
        out = self._shaped(self.advantage(x), self.actions)
        if self.value is not None:
            out = out - out.mean(2, keepdim=True) + self._shaped(self.value(x), 1)
        return out if self.atoms > 1 else out[..., 0]

    def _shaped(self, x: Tensor, actions: int) -> Tensor:
        return x[..., : actions * self.atoms].reshape(*x.shape[:2], actions, self.atoms)

    def noisy_layers(self) -> list[NoisyLinear]:
        return [layer for layer in self.modules() if isinstance(layer, NoisyLinear)]

    def resample(self, draws: Draws) -> None:
        """New noise in all noisy layers."""
        layers = self.noisy_layers()
        normals = torch.from_numpy(draws.normal(sum(layer.width for layer in layers)))
        for layer, mine in zip(layers, torch.split(normals, [layer.width for layer in layers], 1), strict=True):
            layer.resample(mine.to(layer.scale.device))

    def quiet(self) -> None:
        for layer in self.noisy_layers():
            layer.quiet()


def q_network(init: Generators, sees: Observations, actions: int, config: Any) -> QNetwork:
    """The network of DQN: an encoder where images are seen, and hidden layers."""
    return QNetwork(init, encoder(init, sees, config), actions, config)


NetworkMaker = Callable[[Generators, Observations, int, Any], ActionValues]


class Dqn:
    """A pack of deep Q-learners."""

    num_envs = 1

    def __init__(
        self,
        cells: Sequence[Cell],
        config: ReplayConfig,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        device: torch.device,
        network: NetworkMaker = q_network,
    ) -> None:
        self.config = c = config
        self._noisy = isinstance(c, DqnConfig) and c.noisy
        self._atoms = _support(c, device) if isinstance(c, DqnConfig) and c.distributional else None
        self._device = device
        self._sees = with_front_end(observations(observation_space), c.front_end)
        self._choices = choices(action_space, cells[0].agent.name)
        init = generators(keys(cells, "agent", "weights"))
        self._online = network(init, self._sees, self._choices.count, c).to(device)
        self._target = deepcopy(self._online).requires_grad_(False)
        self._adam = Adam(self._online.parameters(), c.learning_rate, c.adam_epsilon, c.max_grad_norm)
        capacity = min(c.buffer_size, cells[0].steps)
        stored = self._sees.stored
        self._replay = Replay(
            len(cells), capacity, stored, ((), np.int64), prioritised=c.prioritised, alpha=c.priority_alpha
        )
        self._draws = Draws(keys(cells, "agent", "draws"))
        self._clock = Clock(cells[0].steps)
        self._chosen: npt.NDArray[np.int64] = np.zeros(len(cells), dtype=np.int64)
        self.parts = {
            "online": self._online, "target": self._target, "adam": self._adam, "replay": self._replay,
            "draws": self._draws, "clock": self._clock,
        }  # fmt: skip

    def enter(self) -> None:
        self._replay.cut()

    def act(self, now: Array) -> Array:
        if self._noisy:
            self._online.resample(self._draws)
            self._chosen = self._greedy(now[:, None])[:, 0]
        else:
            self._chosen = self._explore(now[:, None], self._epsilon(), self._draws)[:, 0]
        return self._choices.act(self._choices.joint(self._chosen))

    def play(self, now: Array, memory: None, greedy: bool, draws: Draws) -> tuple[Array, None]:
        if self._noisy and not greedy:
            self._online.resample(draws)
        else:
            self._online.quiet()
        each = now.reshape(len(draws.keys), -1, *now.shape[1:])
        epsilon = 0.0 if greedy or self._noisy else self._epsilon()
        chosen = self._explore(each, epsilon, draws) if epsilon else self._greedy(each)
        return self._choices.act(self._choices.joint(chosen.reshape(-1))), None

    def forget(self, memory: None, step: Step) -> None:
        return None

    def likelihood(self, draws: Draws, steps: int) -> Tensor:
        self._online.quiet()  # not by the noise that the last evaluation happened to leave
        seen = self._replay.sample(draws, steps, 1, 1.0).before
        out = self._online(self._sees.features(seen, self._device))
        if self._atoms is None:
            return likelihood_of_values(out, draws)
        return likelihood_of_actions(Categoricals((out.flatten(1, 2).log_softmax(-1),)), draws)

    def finite(self) -> npt.NDArray[np.bool_]:
        return self._online.finite().cpu().numpy()

    def learn(self, step: Step) -> None:
        c, clock = self.config, self._clock
        before, after = self._sees.store(step.before), self._sees.store(step.after)
        self._replay.add(before, self._chosen, step._replace(after=after))
        clock.steps += 1
        if clock.steps > c.learning_starts and clock.steps % c.train_freq == 0:
            self._update()
        if clock.steps % c.target_update_interval == 0:
            move_toward(self._target, self._online, 1)

    def _epsilon(self) -> float:
        c = self.config
        most = c.exploration_steps if c.exploration_fraction is None else c.exploration_fraction * self._clock.total
        return linear_schedule(
            c.exploration_initial_eps, c.exploration_final_eps, self._clock.steps / most if most else 1.0
        )

    def _explore(self, each: Array, epsilon: float, draws: Draws) -> npt.NDArray[np.int64]:
        """The best actions [cells, instances], and random ones in place of a share of them."""
        shape = each.shape[1]
        random = draws.integers(self._choices.count, shape)
        explores = draws.uniform(shape) < epsilon
        return random if explores.all() else np.where(explores, random, self._greedy(each))

    def _greedy(self, each: Array) -> npt.NDArray[np.int64]:
        """The best actions [cells, instances] for observations [cells, instances, ...]."""
        return self._values(each).argmax(-1).cpu().numpy()

    def values(self, each: Array) -> npt.NDArray[np.float32]:
        """Values of all actions [cells, instances, actions] for observations [cells, instances, ...]."""
        return self._values(each).cpu().numpy()

    @torch.no_grad()
    def _values(self, each: Array) -> Tensor:
        return self._means(self._online(seen(self._sees, each, self._device)))

    def _means(self, out: Tensor) -> Tensor:
        return out if self._atoms is None else (out.softmax(-1) * self._atoms).sum(-1)

    def _update(self) -> None:
        c = self.config
        beta = linear_schedule(c.priority_beta, 1.0, self._clock.steps / c.priority_steps)
        batch = self._replay.sample(self._draws, c.batch_size, c.n_step, c.gamma, beta)
        if self._noisy:
            self._online.resample(self._draws)
            self._target.resample(self._draws)
        errors, losses = self._td_loss(batch) if self._atoms is None else self._distributional_td_loss(batch)
        self._adam.step((losses * self._tensor(batch.weight)).mean(1))
        if c.prioritised:
            self._replay.prioritise(batch.slot, errors.cpu().numpy())

    def _td_loss(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Absolute TD errors and Huber losses [cells, batch]."""
        with torch.no_grad():
            after = self._sees.features(batch.after, self._device)
            values = self._target(after)
            best = self._online(after).argmax(-1, keepdim=True) if self.config.double else values.argmax(-1, True)
            next_value = values.gather(-1, best)[..., 0]
            td_target = self._tensor(batch.n_step_return) + self._tensor(batch.discount) * next_value
        now = self._online(self._sees.features(batch.before, self._device))
        value = now.gather(-1, self._tensor(batch.action)[..., None])[..., 0]
        return (value.detach() - td_target).abs(), functional.smooth_l1_loss(value, td_target, reduction="none")

    def _distributional_td_loss(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """KL divergences, which are the priorities (Rainbow), and cross-entropy losses (C51), both [cells, batch]."""
        c = self.config
        assert isinstance(c, DqnConfig)
        assert self._atoms is not None
        with torch.no_grad():
            after = self._sees.features(batch.after, self._device)
            logits = self._target(after)
            best = self._means(self._online(after) if c.double else logits).argmax(-1)
            probs = logits.softmax(-1)[*_where(best), best]
            returns, discount = self._tensor(batch.n_step_return)[..., None], self._tensor(batch.discount)[..., None]
            support = (returns + discount * self._atoms).clamp(c.value_min, c.value_max)
            td_target = projected(probs, support, c.value_min, c.value_max)
        logits = self._online(self._sees.features(batch.before, self._device))
        action = self._tensor(batch.action)
        losses = -(td_target * logits[*_where(action), action].log_softmax(-1)).sum(-1)
        entropy = torch.special.entr(td_target).sum(-1)
        return (losses.detach() - entropy).clamp(min=0), losses

    def _tensor(self, array: Array) -> Tensor:
        return torch.from_numpy(array).to(self._device)


def projected(probs: Tensor, support: Tensor, low: float, high: float) -> Tensor:
    """Probabilities on a shifted support, projected onto the atoms: shared linearly by the two neighbours (C51)."""
    atoms = probs.shape[-1]
    place = (support - low) / (high - low) * (atoms - 1)
    below = place.floor().clamp(0, atoms - 1)
    above = (below + 1).clamp(max=atoms - 1)
    share = place - below
    found = torch.zeros_like(probs)
    found.scatter_add_(-1, below.long(), probs * (1 - share))
    return found.scatter_add_(-1, above.long(), probs * share)


def _support(c: DqnConfig, device: torch.device) -> Tensor:
    """The values that atoms stand for."""
    if c.value_min >= c.value_max:
        raise UsageError(f"atoms go from value_min={c.value_min} to value_max={c.value_max}, which must be larger.")
    return torch.linspace(c.value_min, c.value_max, c.atoms, device=device)


def _where(index: Tensor) -> tuple[Tensor, Tensor]:
    """Places [cells, batch] beside which `index` chooses one more."""
    cells, batch = (torch.arange(size, device=index.device) for size in index.shape)
    return cells[:, None], batch
