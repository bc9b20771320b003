"""Twin delayed deep deterministic policy gradients (TD3, Fujimoto et al. 2018): DDPG that trusts its critics less.

The lesser of two critics counts, their targets are smoothed by noise, and the actor follows more slowly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import torch
from gymnasium import spaces
from torch import Tensor

from mohs.agents.deep.clock import Clock
from mohs.agents.deep.critics import Actor, Critics
from mohs.agents.deep.draws import Draws
from mohs.agents.deep.exploration import Noise
from mohs.agents.deep.learner import Part
from mohs.agents.deep.networks import Generators
from mohs.agents.deep.off_policy import OffPolicy, OffPolicyConfig, Sample
from mohs.agents.deep.optimise import Adam, move_toward
from mohs.agents.deep.spaces import Observations
from mohs.agents.hyperparameters import setting
from mohs.core.cell import Cell
from mohs.core.domain import Integer, Real


@dataclass(frozen=True)
class Td3Config(OffPolicyConfig):
    noise_scale: float = setting(0.1, Real(0), "standard deviation of the noise that explores; actions are -1 to 1")
    target_noise: float = setting(0.2, Real(0), "standard deviation of the noise in the actions of targets")
    target_noise_clip: float = setting(0.5, Real(0), "and its largest size")
    policy_delay: int = setting(2, Integer(1), "updates of the critics between updates of the actor and the targets")

    @classmethod
    def presets(cls) -> Mapping[str, Mapping[str, Any]]:
        return {
            # The tuned values of MDP Playground's experiments, with RLlib's exploration. Their limit of the noise is
            # relative to it: 0.05 × 0.02.
            "mdp_playground": {
                "learning_rate": 1e-3, "hidden": (32, 32), "batch_size": 30, "memory": 50_000, "target_rate": 0.02,
                "learning_starts": 2000, "random_steps": 10_000, "n_step": 4, "target_noise": 0.02,
                "target_noise_clip": 0.001,
            },
            "stable_baselines3": {
                "learning_rate": 1e-3, "hidden": (400, 300), "batch_size": 256, "memory": 1_000_000,
                "learning_starts": 100, "noise_scale": 0.0,
            },
        }  # fmt: skip


class Td3:
    """The rule of TD3: see `off_policy.Rule`."""

    def __init__(
        self, init: Generators, sees: Observations, actions: int, config: Td3Config, device: torch.device
    ) -> None:
        self.config = config
        self.actor = Actor(init, sees, actions, config).to(device)
        self.critics = Critics(init, sees, actions, config, 2).to(device)
        self._target_actor, self._target_critics = (
            deepcopy(network).requires_grad_(False) for network in (self.actor, self.critics)
        )
        self._actor_adam = Adam(self.actor.parameters(), config.actor_rate)
        self._critic_adam = Adam(self.critics.parameters(), config.learning_rate)
        self._updates = Clock()
        self.parts: Mapping[str, Part] = {
            "actor": self.actor, "critics": self.critics, "target_actor": self._target_actor,
            "target_critics": self._target_critics, "actor_adam": self._actor_adam, "critic_adam": self._critic_adam,
            "updates": self._updates,
        }  # fmt: skip

    def choose(self, seen: Tensor, draws: Draws | None) -> Tensor:
        return torch.tanh(self.actor(seen))

    def judge(self, seen: Tensor, actions: Tensor) -> Tensor:
        values: Tensor = self.critics(seen, actions)
        return values.amin(1)

    def finite(self) -> Tensor:
        return self.actor.finite() & self.critics.finite()

    def update(self, batch: Sample, draws: Draws) -> None:
        c = self.config
        goal = self._goal(batch, draws)
        values = self.critics(batch.before, batch.action)
        self._critic_adam.step((values - goal[:, None]).square().mean(2).sum(1))
        self._updates.steps += 1
        if self._updates.steps % c.policy_delay == 0:
            value = self.critics(batch.before, torch.tanh(self.actor(batch.before)), 1)[:, 0]
            self._actor_adam.step(-value.mean(1))
            move_toward(self._target_actor, self.actor, c.target_rate)
            move_toward(self._target_critics, self.critics, c.target_rate)

    @torch.no_grad()
    def _goal(self, batch: Sample, draws: Draws) -> Tensor:
        c = self.config
        normals = torch.from_numpy(draws.normal(*batch.action.shape[1:])).to(batch.action.device)
        noise = (c.target_noise * normals).clamp(-c.target_noise_clip, c.target_noise_clip)
        then = (torch.tanh(self._target_actor(batch.after)) + noise).clamp(-1, 1)
        values: Tensor = self._target_critics(batch.after, then)
        return batch.gain + batch.discount * values.amin(1)


def make_td3(
    cells: Sequence[Cell],
    config: Td3Config,
    observation_space: spaces.Space[Any],
    action_space: spaces.Space[Any],
    device: torch.device,
) -> OffPolicy:
    noise = Noise.white(config.noise_scale) if config.noise_scale else None
    return OffPolicy(Td3, cells, config, observation_space, action_space, device, noise)
