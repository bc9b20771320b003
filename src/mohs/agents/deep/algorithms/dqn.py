"""Deep Q-learning with the six parts of Rainbow, each a switch of its own.

DQN (Mnih et al. 2015); double (van Hasselt et al. 2016), dueling (Wang et al. 2016), prioritised replay (Schaul et al.
2016), n-step returns, noisy nets (Fortunato et al. 2018), distributional C51 (Bellemare et al. 2017); all of them are
Rainbow (Hessel et al. 2018).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from mohs.agents.deep.draws import Draws
from mohs.agents.deep.exploration import falling
from mohs.agents.deep.lifelong.consolidation import likelihood_of_actions, likelihood_of_values
from mohs.agents.deep.lifelong.new_tasks import DeepConfig
from mohs.agents.deep.networks.encoders import Encoder, encoder
from mohs.agents.deep.networks.layers import Generators, Linear, Mlp, Network, NoisyLinear, generators
from mohs.agents.deep.networks.policies import Categoricals
from mohs.agents.deep.optimise import Adam, move_toward
from mohs.agents.deep.spaces import choices, observations, seen
from mohs.agents.deep.stage import Array, Step
from mohs.agents.hyperparameters import setting
from mohs.agents.streams import keys
from mohs.core.cell import Cell
from mohs.core.domain import Choice, Each, Flag, Integer, Optional, Real
from mohs.core.errors import UsageError


@dataclass(frozen=True)
class DqnConfig(DeepConfig):
    learning_rate: float = setting(5e-4, Real(0, low_open=True), "step size of Adam")
    adam_epsilon: float = setting(1e-8, Real(0, low_open=True), "what Adam adds to its denominators")
    discount: float = setting(0.99, Real(0, 1), "γ")
    hidden: tuple[int, ...] = setting((64, 64), Each(Integer(1)), "widths of the hidden layers")
    activation: str = setting("relu", Choice(("relu", "tanh")), "of the hidden layers")
    filters: tuple[tuple[int, ...], ...] = setting(
        ((16, 8, 4), (32, 4, 2)), Each(Each(Integer(1), 3)), "convolutions before images: channels, kernel, stride"
    )
    batch_size: int = setting(32, Integer(1), "transitions in an update")
    memory: int = setting(20_000, Integer(1), "transitions that are remembered")
    learning_starts: int = setting(500, Integer(0), "steps before the first update")
    update_every: int = setting(4, Integer(1), "steps between updates")
    target_every: int = setting(500, Integer(1), "steps between copies to the target network")
    gradient_clip: float = setting(10.0, Real(0, low_open=True), "largest norm of the gradient")
    epsilon_start: float = setting(1.0, Real(0, 1), "share of random actions at first")
    epsilon_end: float = setting(0.02, Real(0, 1), "and at last,")
    epsilon_steps: int = setting(2000, Integer(0), "after so many steps,")
    epsilon_share: float | None = setting(None, Optional(Real(0, 1)), "or, where given, after this share of the run")
    double: bool = setting(False, Flag(), "the online network chooses, the target network values")
    dueling: bool = setting(False, Flag(), "values and advantages in streams of their own")
    prioritised: bool = setting(False, Flag(), "replay in proportion to errors")
    priority_alpha: float = setting(0.5, Real(0, 1), "how much priorities count in drawing")
    priority_beta: float = setting(0.4, Real(0, 1), "how much of that is made up for; rises to 1")
    priority_steps: int = setting(20_000, Integer(1), "in so many steps")
    n_step: int = setting(1, Integer(1), "rewards that are added before a value is trusted")
    noisy: bool = setting(False, Flag(), "noise in the weights explores instead of random actions")
    noise: float = setting(0.5, Real(0, low_open=True), "how noisy nets begin")
    distributional: bool = setting(False, Flag(), "distributions of returns instead of means")
    atoms: int = setting(51, Integer(2), "of a distribution,")
    value_min: float = setting(-10.0, Real(), "from here")
    value_max: float = setting(100.0, Real(), "to here")
    broken: str = setting("", Choice(("", "noisy")), "a part that is broken on purpose: for tests of ablation studies")

    @classmethod
    def presets(cls) -> Mapping[str, Mapping[str, Any]]:
        return DQN_PRESETS


@dataclass(frozen=True)
class RainbowConfig(DqnConfig):
    learning_rate: float = setting(1e-3, Real(0, low_open=True), "step size of Adam")
    target_every: int = setting(100, Integer(1), "steps between copies to the target network")
    double: bool = setting(True, Flag(), "the online network chooses, the target network values")
    dueling: bool = setting(True, Flag(), "values and advantages in streams of their own")
    prioritised: bool = setting(True, Flag(), "replay in proportion to errors")
    n_step: int = setting(3, Integer(1), "rewards that are added before a value is trusted")
    noisy: bool = setting(True, Flag(), "noise in the weights explores instead of random actions")
    distributional: bool = setting(True, Flag(), "distributions of returns instead of means")

    @classmethod
    def presets(cls) -> Mapping[str, Mapping[str, Any]]:
        return RAINBOW_PRESETS


class QNetwork(Network):
    """Values [cells, batch, actions], or logits of their distributions [cells, batch, actions, atoms]."""

    def __init__(self, init: Generators, sees: Encoder, actions: int, config: DqnConfig) -> None:
        super().__init__()
        c = config
        self.actions, self.atoms = actions, c.atoms if c.distributional else 1
        self.sees = sees
        noise = c.noise if c.noisy else 0.0

        def last(inputs: int, outputs: int) -> NoisyLinear | Linear:
            if not noise:
                return Linear(init, inputs, outputs)
            # A mistake one might make: noise that is not scaled by the number of inputs.
            return NoisyLinear(init, inputs, outputs, noise * inputs**0.5 if c.broken == "noisy" else noise)

        def stream(outputs: int) -> nn.Module:
            if not c.dueling:
                return last(self.body.outputs, outputs)
            own = Mlp(init, self.body.outputs, c.hidden[-1:], c.activation, noisy=noise)
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


class Dqn:
    """A pack of deep Q-learners."""

    copies = 1

    def __init__(
        self,
        cells: Sequence[Cell],
        config: DqnConfig,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        device: torch.device,
    ) -> None:
        self.config = c = config
        if c.distributional and c.value_min >= c.value_max:
            raise UsageError(f"atoms go from value_min={c.value_min} to value_max={c.value_max}, which must be larger.")
        self._device = device
        self._sees = observations(observation_space)
        self._choices = choices(action_space, cells[0].agent.name)
        init = generators(keys(cells, "agent", "weights"))
        sees = encoder(init, self._sees, c.filters)
        self._online = QNetwork(init, sees, self._choices.count, c).to(device)
        self._target = deepcopy(self._online).requires_grad_(False)
        self._adam = Adam(self._online.parameters(), c.learning_rate, c.adam_epsilon, c.gradient_clip)
        memory = min(c.memory, cells[0].steps)
        stored = self._sees.stored
        self._replay = Replay(
            len(cells), memory, stored, ((), np.int64), prioritised=c.prioritised, alpha=c.priority_alpha
        )
        self._draws = Draws(keys(cells, "agent", "draws"))
        self._clock = Clock(cells[0].steps)
        self._atoms = torch.linspace(c.value_min, c.value_max, c.atoms, device=device)
        self._chosen: npt.NDArray[np.int64] = np.zeros(len(cells), dtype=np.int64)
        self.parts = {
            "online": self._online, "target": self._target, "adam": self._adam, "replay": self._replay,
            "draws": self._draws, "clock": self._clock,
        }  # fmt: skip

    def enter(self) -> None:
        self._replay.cut()

    def act(self, now: Array) -> Array:
        c = self.config
        if c.noisy:
            self._online.resample(self._draws)
            self._chosen = self._greedy(now[:, None])[:, 0]
        else:
            self._chosen = self._explore(now[:, None], self._epsilon(), self._draws)[:, 0]
        return self._choices.act(self._choices.joint(self._chosen))

    def play(self, now: Array, memory: None, greedy: bool, draws: Draws) -> tuple[Array, None]:
        if self.config.noisy and not greedy:
            self._online.resample(draws)
        else:
            self._online.quiet()
        each = now.reshape(len(draws.keys), -1, *now.shape[1:])
        epsilon = 0.0 if greedy or self.config.noisy else self._epsilon()
        chosen = self._explore(each, epsilon, draws) if epsilon else self._greedy(each)
        return self._choices.act(self._choices.joint(chosen.reshape(-1))), None

    def forget(self, memory: None, step: Step) -> None:
        return None

    def likelihood(self, draws: Draws, steps: int) -> Tensor:
        self._online.quiet()  # not by the noise that the last evaluation happened to leave
        seen = self._replay.sample(draws, steps, 1, 1.0).before
        out = self._online(self._sees.features(seen, self._device))
        if not self.config.distributional:
            return likelihood_of_values(out, draws)
        return likelihood_of_actions(Categoricals((out.flatten(1, 2).log_softmax(-1),)), draws)

    def finite(self) -> npt.NDArray[np.bool_]:
        return self._online.finite().cpu().numpy()

    def learn(self, step: Step) -> None:
        c, clock = self.config, self._clock
        before, after = self._sees.store(step.before), self._sees.store(step.after)
        self._replay.add(before, self._chosen, step._replace(after=after))
        clock.steps += 1
        if clock.steps > c.learning_starts and clock.steps % c.update_every == 0:
            self._update()
        if clock.steps % c.target_every == 0:
            move_toward(self._target, self._online, 1)

    def _epsilon(self) -> float:
        c = self.config
        most = c.epsilon_steps if c.epsilon_share is None else c.epsilon_share * self._clock.total
        return falling(c.epsilon_start, c.epsilon_end, self._clock.steps / most if most else 1.0)

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
        return (out.softmax(-1) * self._atoms).sum(-1) if self.config.distributional else out

    def _update(self) -> None:
        c = self.config
        beta = falling(c.priority_beta, 1.0, self._clock.steps / c.priority_steps)
        batch = self._replay.sample(self._draws, c.batch_size, c.n_step, c.discount, beta)
        if c.noisy:
            self._online.resample(self._draws)
            self._target.resample(self._draws)
        errors, losses = self._distances(batch) if c.distributional else self._differences(batch)
        self._adam.step((losses * self._tensor(batch.weight)).mean(1))
        if c.prioritised:
            self._replay.prioritise(batch.slot, errors.cpu().numpy())

    def _differences(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Errors and losses [cells, batch] of values."""
        with torch.no_grad():
            later = self._sees.features(batch.after, self._device)
            values = self._target(later)
            best = self._online(later).argmax(-1, keepdim=True) if self.config.double else values.argmax(-1, True)
            goal = self._tensor(batch.gain) + self._tensor(batch.discount) * values.gather(-1, best)[..., 0]
        now = self._online(self._sees.features(batch.before, self._device))
        value = now.gather(-1, self._tensor(batch.action)[..., None])[..., 0]
        return (value.detach() - goal).abs(), functional.smooth_l1_loss(value, goal, reduction="none")

    def _distances(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Errors and losses [cells, batch] of distributions: relative entropies, which priorities follow (Rainbow), and
        cross-entropies, which have the same gradients (C51)."""
        c = self.config
        with torch.no_grad():
            later = self._sees.features(batch.after, self._device)
            logits = self._target(later)
            best = self._means(self._online(later) if c.double else logits).argmax(-1)
            chances = logits.softmax(-1)[*_where(best), best]
            goals = self._tensor(batch.gain)[..., None] + self._tensor(batch.discount)[..., None] * self._atoms
            goal = projected(chances, goals.clamp(c.value_min, c.value_max), c.value_min, c.value_max)
        logits = self._online(self._sees.features(batch.before, self._device))
        action = self._tensor(batch.action)
        losses = -(goal * logits[*_where(action), action].log_softmax(-1)).sum(-1)
        own = torch.special.entr(goal).sum(-1)
        return (losses.detach() - own).clamp(min=0), losses

    def _tensor(self, array: Array) -> Tensor:
        return torch.from_numpy(array).to(self._device)


def projected(chances: Tensor, goals: Tensor, low: float, high: float) -> Tensor:
    """Chances of goals that lie between atoms, shared among the atoms on both sides in proportion to nearness."""
    atoms = chances.shape[-1]
    place = (goals - low) / (high - low) * (atoms - 1)
    below = place.floor().clamp(0, atoms - 1)
    above = (below + 1).clamp(max=atoms - 1)
    share = place - below
    found = torch.zeros_like(chances)
    found.scatter_add_(-1, below.long(), chances * (1 - share))
    return found.scatter_add_(-1, above.long(), chances * share)


def _where(index: Tensor) -> tuple[Tensor, Tensor]:
    """Places [cells, batch] beside which `index` chooses one more."""
    cells, batch = (torch.arange(size, device=index.device) for size in index.shape)
    return cells[:, None], batch
