"""Proximal policy optimisation: several passes over every rollout, held near the policy that played it by clipping.

PPO (Schulman et al. 2017, equation 7) with generalised advantages, normalised in every minibatch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from torch import Tensor

from mohs.agents.deep.algorithms.actor_critic import (
    ActorCriticConfig,
    PolicyGradient,
    before_update,
    losses,
    normalised,
    optimiser,
    scheduled,
)
from mohs.agents.deep.buffers.rollouts import flat, minibatches
from mohs.agents.hyperparameters import setting
from mohs.core.cell import Cell
from mohs.core.domain import Choice, Flag, Integer, Optional, Real

# Short episodes with sparse rewards: many environments, short rollouts, an entropy bonus; filters for small images.
CTGRAPH = {
    "learning_rate": 2e-3, "num_envs": 8, "n_steps": 32, "n_epochs": 4, "ent_coef": 0.01,
    "filters": ((16, 4, 2), (32, 3, 1)),
}  # fmt: skip


@dataclass(frozen=True)
class PpoConfig(ActorCriticConfig):
    learning_rate: float = setting(5e-4, Real(0, low_open=True), "learning rate")
    n_steps: int = setting(512, Integer(1), "rollout length: steps of each environment per update")
    batch_size: int = setting(64, Integer(1), "minibatch size, in steps")
    n_epochs: int = setting(10, Integer(1), "epochs over each rollout")
    clip_range: float = setting(0.2, Real(0, low_open=True), "clipping range of the probability ratio")
    clip_range_schedule: str = setting(
        "constant", Choice(("constant", "linear")), "clipping range schedule; linear falls to 0 over the run"
    )
    clip_range_vf: float | None = setting(
        None, Optional(Real(0, low_open=True)), "clipping range of the value function; None is no clipping"
    )
    normalize_advantage: bool = setting(True, Flag(), "normalise the advantages of every minibatch")

    @classmethod
    def presets(cls) -> Mapping[str, Mapping[str, Any]]:
        atari = {
            "learning_rate": 2.5e-4, "learning_rate_schedule": "linear", "num_envs": 8, "batch_size": 256,
            "n_epochs": 4, "clip_range": 0.1, "clip_range_schedule": "linear", "ent_coef": 0.01,
        }  # fmt: skip
        return {
            "ctgraph": CTGRAPH,
            "stable_baselines3": {
                "learning_rate": 3e-4, "num_envs": 1, "n_steps": 2048, "batch_size": 64, "n_epochs": 10,
            },
            # The Effective Horizon Challenge: stable-baselines3's settings for Atari, with rollouts of three lengths.
            **{f"effective_horizon_{steps}": {**atari, "n_steps": steps} for steps in (128, 1280, 12800)},
        }  # fmt: skip


def ppo(
    cells: Sequence[Cell],
    config: PpoConfig,
    observation_space: spaces.Space[Any],
    action_space: spaces.Space[Any],
    device: torch.device,
) -> PolicyGradient:
    """A pack that learns by proximal policy optimisation."""
    return PolicyGradient(cells, config, observation_space, action_space, device, update, optimiser)


def update(agent: PolicyGradient, config: PpoConfig) -> None:
    c, rollout = config, agent.rollout
    clip = scheduled(c.clip_range, c.clip_range_schedule, agent.left)
    values, log_probs = before_update(agent)
    found = rollout.advantages(values.reshape(rollout.seen.shape[:3]), c.gamma, c.gae_lambda)
    total = log_probs.shape[1]
    advantages, returns = flat(found), flat(found) + values[:, :total]
    seen, actions, rows = flat(rollout.seen), flat(rollout.actions), np.arange(len(values))[:, None]
    for _ in range(c.n_epochs):
        for at in minibatches(agent.draws, total, c.batch_size):
            policy, now = agent.network(agent.features(seen[rows, at]))
            mine = agent.tensor(advantages[rows, at])
            ratio = (policy.log_prob(agent.tensor(actions[rows, at])) - agent.tensor(log_probs[rows, at])).exp()
            objective = clipped_objective(ratio, normalised(mine) if c.normalize_advantage else mine, clip)
            if c.clip_range_vf is not None:
                was = agent.tensor(values[rows, at])
                now = was + (now - was).clamp(-c.clip_range_vf, c.clip_range_vf)
            agent.optimiser.step(losses(c, objective, policy, now, agent.tensor(returns[rows, at])))


def clipped_objective(ratio: Tensor, advantages: Tensor, clip: float) -> Tensor:
    """The clipped surrogate objective (PPO, equation 7) of probability ratios [cells, batch]."""
    return torch.minimum(ratio * advantages, ratio.clamp(1 - clip, 1 + clip) * advantages)
