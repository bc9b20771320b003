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

from mohs.agents.deep.algorithms.actor_critic import ActorCriticConfig, PolicyGradient, losses, normalised, scheduled
from mohs.agents.deep.buffers.rollouts import Floats, flat, minibatches
from mohs.agents.hyperparameters import setting
from mohs.core.cell import Cell
from mohs.core.domain import Choice, Flag, Integer, Optional, Real

# Short episodes that seldom pay: many environments, short rollouts, a price on certainty; filters for small images.
CTGRAPH = {
    "learning_rate": 2e-3, "copies": 8, "steps": 32, "epochs": 4, "entropy_weight": 0.01,
    "filters": ((16, 4, 2), (32, 3, 1)),
}  # fmt: skip
AT_ONCE = 512  # frames of a cell that are valued together: what they pass through stays in cache


@dataclass(frozen=True)
class PpoConfig(ActorCriticConfig):
    learning_rate: float = setting(5e-4, Real(0, low_open=True), "step size of the optimiser")
    steps: int = setting(512, Integer(1), "of each environment between updates")
    batch_size: int = setting(64, Integer(1), "steps in an update")
    epochs: int = setting(10, Integer(1), "passes over a rollout")
    clip: float = setting(0.2, Real(0, low_open=True), "how far the odds of an action may move from 1")
    clip_schedule: str = setting(
        "constant", Choice(("constant", "linear")), "whether that stays or falls to 0 in the course of training"
    )
    value_clip: float | None = setting(
        None, Optional(Real(0, low_open=True)), "how far a value may move, or None: as far as it likes"
    )
    normalise: bool = setting(True, Flag(), "advantages with mean 0 and deviation 1 in every minibatch")

    @classmethod
    def presets(cls) -> Mapping[str, Mapping[str, Any]]:
        atari = {
            "learning_rate": 2.5e-4, "learning_rate_schedule": "linear", "copies": 8, "batch_size": 256, "epochs": 4,
            "clip": 0.1, "clip_schedule": "linear", "entropy_weight": 0.01,
        }  # fmt: skip
        return {
            "ctgraph": CTGRAPH,
            "stable_baselines3": {
                "learning_rate": 3e-4, "copies": 1, "steps": 2048, "batch_size": 64, "epochs": 10,
            },
            # The Effective Horizon Challenge: stable-baselines3's settings for Atari, with rollouts of three lengths.
            **{f"effective_horizon_{steps}": {**atari, "steps": steps} for steps in (128, 1280, 12800)},
        }  # fmt: skip


def ppo(
    cells: Sequence[Cell],
    config: PpoConfig,
    observation_space: spaces.Space[Any],
    action_space: spaces.Space[Any],
    device: torch.device,
) -> PolicyGradient:
    """A pack that learns by proximal policy optimisation."""
    return PolicyGradient(cells, config, observation_space, action_space, device, update)


def update(agent: PolicyGradient, config: PpoConfig) -> None:
    c, rollout = config, agent.rollout
    clip = scheduled(c.clip, c.clip_schedule, agent.left)
    values, log_probs = _before(agent)
    found = rollout.advantages(values.reshape(rollout.seen.shape[:3]), c.discount, c.trace)
    total = log_probs.shape[1]
    advantages, goals = flat(found), flat(found) + values[:, :total]
    seen, actions, rows = flat(rollout.seen), flat(rollout.actions), np.arange(len(values))[:, None]
    for _ in range(c.epochs):
        for at in minibatches(agent.draws, total, c.batch_size):
            policy, now = agent.network(agent.features(seen[rows, at]))
            mine = agent.tensor(advantages[rows, at])
            ratio = (policy.log_prob(agent.tensor(actions[rows, at])) - agent.tensor(log_probs[rows, at])).exp()
            gains = clipped_gains(ratio, normalised(mine) if c.normalise else mine, clip)
            if c.value_clip is not None:
                was = agent.tensor(values[rows, at])
                now = was + (now - was).clamp(-c.value_clip, c.value_clip)
            agent.optimiser.step(losses(c, gains, policy, now, agent.tensor(goals[rows, at])))


def clipped_gains(ratio: Tensor, advantages: Tensor, clip: float) -> Tensor:
    """The smaller of what a change of the odds promises and of what it promises within the clip."""
    return torch.minimum(ratio * advantages, ratio.clamp(1 - clip, 1 + clip) * advantages)


@torch.no_grad()
def _before(agent: PolicyGradient) -> tuple[Floats, Floats]:
    """Values of all frames of the rollout, and logarithms of the chances that its actions had."""
    seen, actions = flat(agent.rollout.seen), flat(agent.rollout.actions)
    total = actions.shape[1]
    values, log_probs = [], []
    for start in range(0, total, AT_ONCE):
        part = slice(start, min(start + AT_ONCE, total))
        policy, value = agent.network(agent.features(seen[:, part]))
        values.append(value.cpu().numpy())
        log_probs.append(policy.log_prob(agent.tensor(actions[:, part])).cpu().numpy())
    values.append(agent.values(agent.rollout.now))
    return np.concatenate(values, 1), np.concatenate(log_probs, 1)
