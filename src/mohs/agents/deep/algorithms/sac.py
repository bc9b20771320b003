"""Soft actor-critic (SAC, Haarnoja et al. 2018): the actor is random, and being random is worth something to it.

How much is learnt, for each cell, so that the policy keeps a given entropy.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import torch
from gymnasium import spaces
from torch import Tensor, nn

from mohs.agents.deep.algorithm import Part
from mohs.agents.deep.algorithms.off_policy import OffPolicy, OffPolicyConfig, Sample
from mohs.agents.deep.draws import Draws
from mohs.agents.deep.networks.critics import Actor, Critics
from mohs.agents.deep.networks.layers import Generators, Network, padded
from mohs.agents.deep.optimise import Adam, move_toward
from mohs.agents.deep.spaces import Observations
from mohs.agents.hyperparameters import setting
from mohs.core.cell import Cell
from mohs.core.domain import Flag, Optional, Real

# Bounds of the logarithm of the policy's standard deviation before it is squashed.
LOG_STD_MIN, LOG_STD_MAX = -20.0, 2.0


@dataclass(frozen=True)
class SacConfig(OffPolicyConfig):
    learning_rate: float = setting(3e-4, Real(0, low_open=True), "learning rate of Adam")
    ent_coef: float = setting(1.0, Real(0, low_open=True), "entropy coefficient (α); initial value where it is learned")
    learn_ent_coef: bool = setting(True, Flag(), "learn the entropy coefficient")
    target_entropy: float | None = setting(
        None, Optional(Real()), "target entropy of the policy; None is minus the number of action dimensions"
    )

    @classmethod
    def presets(cls) -> Mapping[str, Mapping[str, Any]]:
        return {
            # The tuned values of MDP Playground's experiments; RLlib's SAC takes no random actions at first.
            "mdp_playground": {
                "learning_rate": 3e-4, "hidden": (32, 32), "batch_size": 30, "buffer_size": 50_000, "tau": 0.0002,
                "learning_starts": 2000, "random_steps": 0, "ent_coef": 0.1,
            },
            "stable_baselines3": {
                "learning_rate": 3e-4, "hidden": (256, 256), "batch_size": 256, "buffer_size": 1_000_000,
                "learning_starts": 100,
            },
        }  # fmt: skip


class Entropy(Network):
    """The logarithm of what entropy is worth to each cell: the first of 8 numbers, as wide as all that Adam moves."""

    def __init__(self, cells: int, value: float) -> None:
        super().__init__()
        self.logs = nn.Parameter(torch.full((cells, padded(1)), math.log(value)))

    def log(self) -> Tensor:
        return self.logs[:, :1]


class Sac:
    """The rule of SAC: see `off_policy.Rule`."""

    def __init__(
        self, init: Generators, sees: Observations, actions: int, config: SacConfig, device: torch.device
    ) -> None:
        self.config = config
        self.actor = Actor(init, sees, 2 * actions, config).to(device)
        self.critics = Critics(init, sees, actions, config, 2).to(device)
        self.entropy = Entropy(len(init), config.ent_coef).to(device)
        self._target_entropy = -float(actions) if config.target_entropy is None else config.target_entropy
        self._target_critics = deepcopy(self.critics).requires_grad_(False)
        self._actor_adam = Adam(self.actor.parameters(), config.actor_rate)
        self._critic_adam = Adam(self.critics.parameters(), config.learning_rate)
        self._entropy_adam = Adam(self.entropy.parameters(), config.learning_rate)
        self.parts: Mapping[str, Part] = {
            "actor": self.actor, "critics": self.critics, "entropy": self.entropy,
            "target_critics": self._target_critics, "actor_adam": self._actor_adam, "critic_adam": self._critic_adam,
            "entropy_adam": self._entropy_adam,
        }  # fmt: skip

    def choose(self, seen: Tensor, draws: Draws | None) -> Tensor:
        mean, log_std = halves(self.actor(seen))
        return torch.tanh(mean) if draws is None else torch.tanh(mean + log_std.exp() * _normals(draws, mean))

    def judge(self, seen: Tensor, actions: Tensor) -> Tensor:
        values: Tensor = self.critics(seen, actions)
        return values.amin(1)

    def outputs(self, seen: Tensor, actions: Tensor) -> tuple[Tensor, ...]:
        return self.actor(seen), self.critics(seen, actions)

    def finite(self) -> Tensor:
        return self.actor.finite() & self.critics.finite() & self.entropy.finite()

    def update(self, batch: Sample, draws: Draws) -> None:
        action, log_prob = self._drawn(batch.before, draws)
        worth = self.entropy.log().detach().exp()
        if self.config.learn_ent_coef:
            lack = (log_prob.detach() + self._target_entropy).mean(1)
            self._entropy_adam.step(-self.entropy.log()[:, 0] * lack)
        with torch.no_grad():
            then, log_prob_then = self._drawn(batch.after, draws)
            value = self._target_critics(batch.after, then).amin(1) - worth * log_prob_then
            td_target = batch.n_step_return + batch.discount * value
        values = self.critics(batch.before, batch.action)
        self._critic_adam.step((values - td_target[:, None]).square().mean(2).sum(1) * 0.5)
        value = self.judge(batch.before, action)
        self._actor_adam.step((worth * log_prob - value).mean(1))
        move_toward(self._target_critics, self.critics, self.config.tau)

    def _drawn(self, seen: Tensor, draws: Draws) -> tuple[Tensor, Tensor]:
        mean, log_std = halves(self.actor(seen))
        return squashed(mean, log_std, _normals(draws, mean))


def halves(out: Tensor) -> tuple[Tensor, Tensor]:
    """The means and the logarithms of the standard deviations that an actor says."""
    mean, log_std = out.chunk(2, -1)
    return mean, log_std.clamp(LOG_STD_MIN, LOG_STD_MAX)


def squashed(mean: Tensor, log_std: Tensor, normals: Tensor) -> tuple[Tensor, Tensor]:
    """Actions tanh(mean + std × normals) [..., width], and the logarithms of their densities [...]."""
    wide = mean + log_std.exp() * normals
    log_density = -0.5 * normals.square() - log_std - 0.5 * math.log(2 * math.pi)
    # log(1 - tanh²), precise far from 0 too. (Not by softplus: its bits depend on the size of the pack.)
    far = wide.abs()
    log_slope = 2 * (math.log(2) - far - torch.log1p(torch.exp(-2 * far)))
    return torch.tanh(wide), (log_density - log_slope).sum(-1)


def _normals(draws: Draws, like: Tensor) -> Tensor:
    return torch.from_numpy(draws.normal(*like.shape[1:])).to(like.device)


def make_sac(
    cells: Sequence[Cell],
    config: SacConfig,
    observation_space: spaces.Space[Any],
    action_space: spaces.Space[Any],
    device: torch.device,
) -> OffPolicy:
    return OffPolicy(Sac, cells, config, observation_space, action_space, device)
