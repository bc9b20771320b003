"""Twin delayed deep deterministic policy gradients (TD3, Fujimoto et al. 2018): DDPG that trusts its critics less.

The lesser of two critics counts, their targets are smoothed by noise, and the actor follows more slowly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from gymnasium import spaces
from torch import Tensor

from mohs.agents.deep.algorithms.deterministic import Deterministic
from mohs.agents.deep.algorithms.off_policy import OffPolicy, OffPolicyConfig, Sample
from mohs.agents.deep.draws import Draws
from mohs.agents.deep.exploration import Noise
from mohs.agents.hyperparameters import setting
from mohs.core.cell import Cell
from mohs.core.domain import Integer, Real


@dataclass(frozen=True)
class Td3Config(OffPolicyConfig):
    action_noise_sigma: float = setting(
        0.1, Real(0), "standard deviation of the exploration noise, for actions in [-1, 1]"
    )
    target_policy_noise: float = setting(0.2, Real(0), "standard deviation of the target policy smoothing noise")
    target_noise_clip: float = setting(0.5, Real(0), "limit of the absolute value of the smoothing noise")
    policy_delay: int = setting(2, Integer(1), "critic updates per update of the actor and the target networks")

    @classmethod
    def presets(cls) -> Mapping[str, Mapping[str, Any]]:
        return {
            # The tuned values of MDP Playground's experiments, with RLlib's exploration. Their limit of the noise is
            # relative to it: 0.05 × 0.02.
            "mdp_playground": {
                "learning_rate": 1e-3, "hidden": (32, 32), "batch_size": 30, "buffer_size": 50_000, "tau": 0.02,
                "learning_starts": 2000, "random_steps": 10_000, "n_step": 4, "target_policy_noise": 0.02,
                "target_noise_clip": 0.001,
            },
            "stable_baselines3": {
                "learning_rate": 1e-3, "hidden": (400, 300), "batch_size": 256, "buffer_size": 1_000_000,
                "learning_starts": 100, "action_noise_sigma": 0.0,
            },
        }  # fmt: skip


def update(rule: Deterministic, config: Td3Config, batch: Sample, draws: Draws) -> None:
    td_target = _td_target(rule, config, batch, draws)
    values = rule.critics(batch.before, batch.action)
    rule.critic_adam.step((values - td_target[:, None]).square().mean(2).sum(1))
    if rule.updates.steps % config.policy_delay == 0:
        rule.climb(batch.before)


@torch.no_grad()
def _td_target(rule: Deterministic, config: Td3Config, batch: Sample, draws: Draws) -> Tensor:
    c = config
    normals = torch.from_numpy(draws.normal(*batch.action.shape[1:])).to(batch.action.device)
    noise = (c.target_policy_noise * normals).clamp(-c.target_noise_clip, c.target_noise_clip)
    then = (torch.tanh(rule.target_actor(batch.after)) + noise).clamp(-1, 1)
    value: Tensor = rule.target_critics(batch.after, then).amin(1)
    return batch.n_step_return + batch.discount * value


def make_td3(
    cells: Sequence[Cell],
    config: Td3Config,
    observation_space: spaces.Space[Any],
    action_space: spaces.Space[Any],
    device: torch.device,
) -> OffPolicy:
    noise = Noise.white(config.action_noise_sigma) if config.action_noise_sigma else None
    rule = partial(Deterministic, critics=2, update=update)
    return OffPolicy(rule, cells, config, observation_space, action_space, device, noise)
