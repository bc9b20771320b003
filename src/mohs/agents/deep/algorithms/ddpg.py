"""Deep deterministic policy gradients (DDPG, Lillicrap et al. 2016): an actor climbs the values of a critic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from gymnasium import spaces

from mohs.agents.deep.algorithms.deterministic import Deterministic
from mohs.agents.deep.algorithms.off_policy import OffPolicy, OffPolicyConfig, Sample
from mohs.agents.deep.draws import Draws
from mohs.agents.deep.exploration import Noise
from mohs.agents.hyperparameters import setting
from mohs.core.cell import Cell
from mohs.core.domain import Choice, Real


@dataclass(frozen=True)
class DdpgConfig(OffPolicyConfig):
    action_noise: str = setting("gaussian", Choice(("gaussian", "ornstein_uhlenbeck")), "type of the exploration noise")
    action_noise_sigma: float = setting(
        0.1, Real(0), "standard deviation of the exploration noise, for actions in [-1, 1]; 0 is no noise"
    )
    action_noise_theta: float = setting(0.15, Real(0), "mean reversion rate of Ornstein-Uhlenbeck noise (θ)")
    action_noise_dt: float = setting(0.01, Real(0, low_open=True), "time step of Ornstein-Uhlenbeck noise")

    @classmethod
    def presets(cls) -> Mapping[str, Mapping[str, Any]]:
        return {
            # The tuned values of MDP Playground's experiments without their decay of weights (1e-6), and RLlib's noise,
            # which is 0.1 × 0.2 of the range.
            "mdp_playground": {
                "learning_rate": 1e-3, "hidden": (32, 32), "batch_size": 30, "buffer_size": 50_000, "tau": 0.02,
                "learning_starts": 2000, "random_steps": 1000, "action_noise": "ornstein_uhlenbeck",
                "action_noise_sigma": 0.04, "action_noise_dt": 1.0,
            },
            "stable_baselines3": {
                "learning_rate": 1e-3, "hidden": (400, 300), "batch_size": 256, "buffer_size": 1_000_000,
                "learning_starts": 100, "action_noise_sigma": 0.0,
            },
        }  # fmt: skip


def update(rule: Deterministic, config: DdpgConfig, batch: Sample, draws: Draws) -> None:
    with torch.no_grad():
        then = torch.tanh(rule.target_actor(batch.after))
        td_target = batch.n_step_return + batch.discount * rule.target_critics(batch.after, then)[:, 0]
    value = rule.critics(batch.before, batch.action)[:, 0]
    rule.critic_adam.step((value - td_target).square().mean(1))
    rule.climb(batch.before)


def make_ddpg(
    cells: Sequence[Cell],
    config: DdpgConfig,
    observation_space: spaces.Space[Any],
    action_space: spaces.Space[Any],
    device: torch.device,
) -> OffPolicy:
    c = config
    noise = None
    if c.action_noise_sigma:
        correlated = c.action_noise == "ornstein_uhlenbeck"
        noise = (
            Noise.ornstein_uhlenbeck(c.action_noise_sigma, c.action_noise_theta, c.action_noise_dt)
            if correlated
            else Noise.white(c.action_noise_sigma)
        )
    rule = partial(Deterministic, critics=1, update=update)
    return OffPolicy(rule, cells, c, observation_space, action_space, device, noise)
