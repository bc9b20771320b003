"""Deep deterministic policy gradients (DDPG, Lillicrap et al. 2016): an actor climbs the values of a critic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import torch
from gymnasium import spaces
from torch import Tensor

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
from mohs.core.domain import Choice, Real


@dataclass(frozen=True)
class DdpgConfig(OffPolicyConfig):
    noise: str = setting("gaussian", Choice(("gaussian", "ornstein_uhlenbeck")), "what is added to actions to explore")
    noise_scale: float = setting(0.1, Real(0), "its standard deviation, where actions go from -1 to 1; 0: none")
    noise_pull: float = setting(0.15, Real(0), "how fast an Ornstein-Uhlenbeck process returns to 0 (θ)")
    noise_interval: float = setting(0.01, Real(0, low_open=True), "its time between steps")

    @classmethod
    def presets(cls) -> Mapping[str, Mapping[str, Any]]:
        return {
            # The tuned values of MDP Playground's experiments without their decay of weights (1e-6), and RLlib's noise,
            # which is 0.1 × 0.2 of the range.
            "mdp_playground": {
                "learning_rate": 1e-3, "hidden": (32, 32), "batch_size": 30, "memory": 50_000, "target_rate": 0.02,
                "learning_starts": 2000, "random_steps": 1000, "noise": "ornstein_uhlenbeck", "noise_scale": 0.04,
                "noise_interval": 1.0,
            },
            "stable_baselines3": {
                "learning_rate": 1e-3, "hidden": (400, 300), "batch_size": 256, "memory": 1_000_000,
                "learning_starts": 100, "noise_scale": 0.0,
            },
        }  # fmt: skip


class Ddpg:
    """The rule of DDPG: see `off_policy.Rule`."""

    def __init__(
        self, init: Generators, sees: Observations, actions: int, config: DdpgConfig, device: torch.device
    ) -> None:
        self.config = config
        self.actor = Actor(init, sees, actions, config).to(device)
        self.critics = Critics(init, sees, actions, config, 1).to(device)
        self._target_actor, self._target_critics = (
            deepcopy(network).requires_grad_(False) for network in (self.actor, self.critics)
        )
        self._actor_adam = Adam(self.actor.parameters(), config.actor_rate)
        self._critic_adam = Adam(self.critics.parameters(), config.learning_rate)
        self.parts: Mapping[str, Part] = {
            "actor": self.actor, "critics": self.critics, "target_actor": self._target_actor,
            "target_critics": self._target_critics, "actor_adam": self._actor_adam, "critic_adam": self._critic_adam,
        }  # fmt: skip

    def choose(self, seen: Tensor, draws: Draws | None) -> Tensor:
        return torch.tanh(self.actor(seen))

    def judge(self, seen: Tensor, actions: Tensor) -> Tensor:
        values: Tensor = self.critics(seen, actions)
        return values.amin(1)

    def finite(self) -> Tensor:
        return self.actor.finite() & self.critics.finite()

    def update(self, batch: Sample, draws: Draws) -> None:
        with torch.no_grad():
            then = torch.tanh(self._target_actor(batch.after))
            goal = batch.gain + batch.discount * self._target_critics(batch.after, then)[:, 0]
        value = self.critics(batch.before, batch.action)[:, 0]
        self._critic_adam.step((value - goal).square().mean(1))
        value = self.critics(batch.before, torch.tanh(self.actor(batch.before)))[:, 0]
        self._actor_adam.step(-value.mean(1))
        move_toward(self._target_actor, self.actor, self.config.target_rate)
        move_toward(self._target_critics, self.critics, self.config.target_rate)


def make_ddpg(
    cells: Sequence[Cell],
    config: DdpgConfig,
    observation_space: spaces.Space[Any],
    action_space: spaces.Space[Any],
    device: torch.device,
) -> OffPolicy:
    c = config
    noise = None
    if c.noise_scale:
        wanders = c.noise == "ornstein_uhlenbeck"
        noise = (
            Noise.ornstein_uhlenbeck(c.noise_scale, c.noise_pull, c.noise_interval)
            if wanders
            else Noise.white(c.noise_scale)
        )
    return OffPolicy(Ddpg, cells, c, observation_space, action_space, device, noise)
