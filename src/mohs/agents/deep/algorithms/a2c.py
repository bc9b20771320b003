"""Advantage actor-critic: one gradient step on every rollout of a few steps, then the rollout is forgotten.

The synchronous form of A3C (Mnih et al. 2016): instead of threads that act and update at their own pace, the
parallel environments of a cell are stepped together. Advantages are generalised ones (Schulman et al. 2016); λ = 1
gives the n-step returns of the paper.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from gymnasium import spaces

from mohs.agents.deep.algorithms.actor_critic import ActorCriticConfig, PolicyGradient, losses, normalised, optimiser
from mohs.agents.deep.buffers.rollouts import flat
from mohs.agents.hyperparameters import setting
from mohs.core.cell import Cell
from mohs.core.domain import Flag, Integer, Real


@dataclass(frozen=True)
class A2cConfig(ActorCriticConfig):
    learning_rate: float = setting(3e-3, Real(0, low_open=True), "learning rate")
    gae_lambda: float = setting(0.9, Real(0, 1), "λ of generalised advantage estimation")
    num_envs: int = setting(4, Integer(1), "parallel environments")
    n_steps: int = setting(5, Integer(1), "rollout length: steps of each environment per update")
    ent_coef: float = setting(0.01, Real(0), "coefficient of the entropy bonus")
    normalize_advantage: bool = setting(False, Flag(), "normalise the advantages of every update")

    @classmethod
    def presets(cls) -> Mapping[str, Mapping[str, Any]]:
        return {
            # The tuned values of MDP Playground's experiments with A3C. Its losses were sums over the 50 steps of one
            # of three workers, with half the squared error of the critic, where ours are means.
            "mdp_playground": {
                "learning_rate": 1e-4, "optimiser": "adam", "optimiser_epsilon": 1e-8, "gae_lambda": 0.0, "num_envs": 5,
                "n_steps": 10, "hidden": (128, 128, 128), "vf_coef": 0.25, "ent_coef": 0.1,
                "max_grad_norm": 0.2,
            },
            # The same for its Atari games: RLlib's network, whose last filter covers what is left of 84 × 84 pixels.
            "mdp_playground_atari": {
                "learning_rate": 1e-4, "optimiser": "adam", "optimiser_epsilon": 1e-8, "gae_lambda": 1.0, "num_envs": 5,
                "n_steps": 10, "filters": ((16, 8, 4), (32, 4, 2), (256, 9, 1)), "hidden": (), "activation": "relu",
                "vf_coef": 1.25, "ent_coef": 0.01, "max_grad_norm": 0.8,
            },
            "stable_baselines3": {
                "learning_rate": 7e-4, "optimiser": "rmsprop", "gae_lambda": 1.0, "num_envs": 1, "n_steps": 5,
                "ent_coef": 0.0,
            },
        }  # fmt: skip


def a2c(
    cells: Sequence[Cell],
    config: A2cConfig,
    observation_space: spaces.Space[Any],
    action_space: spaces.Space[Any],
    device: torch.device,
) -> PolicyGradient:
    """A pack of advantage actor-critics."""
    return PolicyGradient(cells, config, observation_space, action_space, device, update, optimiser)


def update(agent: PolicyGradient, config: A2cConfig) -> None:
    c, rollout = config, agent.rollout
    policy, values = agent.network(agent.features(flat(rollout.seen[:, :-1])))
    known = np.concatenate([values.detach().cpu().numpy(), agent.values(rollout.now)], 1)
    found = rollout.advantages(known.reshape(rollout.seen.shape[:3]), c.gamma, c.gae_lambda)
    advantages = agent.tensor(flat(found))
    returns = advantages + values.detach()
    objective = policy.log_prob(agent.tensor(flat(rollout.actions))) * (
        normalised(advantages) if c.normalize_advantage else advantages
    )
    agent.optimiser.step(losses(c, objective, policy, values, returns))
