"""Proximal policy optimisation: several passes over every rollout, held near the policy that played it by clipping.

PPO (Schulman et al. 2017, equation 7) with generalised advantages, normalised in every minibatch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

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
from mohs.agents.deep.networks.policies import Distribution
from mohs.agents.hyperparameters import setting
from mohs.core.cell import Cell
from mohs.core.domain import Choice, Flag, Integer, Optional, Real

# Short episodes with sparse rewards: many environments, short rollouts, an entropy bonus; filters for small images.
CTGRAPH = {
    "learning_rate": 2e-3, "num_envs": 8, "n_steps": 32, "n_epochs": 4, "ent_coef": 0.01,
    "filters": ((16, 4, 2), (32, 3, 1)),
}  # fmt: skip
# Images of 24 to 32 pixels on cells of 4 pixels: a filter sees one cell, the layers after it the whole screen.
ARCADE = {
    "learning_rate": 1e-3, "num_envs": 16, "n_steps": 32, "ent_coef": 0.01, "normalize_reward": True,
    "filters": ((16, 4, 4),), "hidden": (64,), "activation": "relu",
}  # fmt: skip
# Procgen in hard mode (Cobbe et al. 2020, train-procgen), one worker: the encoder is all that comes before the heads.
PROCGEN = {
    "learning_rate": 5e-4, "gamma": 0.999, "num_envs": 64, "n_steps": 256, "batch_size": 2048, "ent_coef": 0.01,
    "normalize_reward": True, "encoder": "impala", "hidden": (),
}  # fmt: skip


@dataclass(frozen=True)
class ClippedConfig(ActorCriticConfig):
    """What those have that hold a policy near the one that played by clipping."""

    learning_rate: float = setting(5e-4, Real(0, low_open=True), "learning rate")
    n_steps: int = setting(512, Integer(1), "rollout length: steps of each environment per update")
    batch_size: int = setting(64, Integer(1), "minibatch size, in steps")
    clip_range: float = setting(0.2, Real(0, low_open=True), "clipping range of the probability ratio")
    clip_range_schedule: str = setting(
        "constant", Choice(("constant", "linear")), "clipping range schedule; linear falls to 0 over the run"
    )
    clip_range_vf: float | None = setting(
        None, Optional(Real(0, low_open=True)), "clipping range of the value function; None is no clipping"
    )
    normalize_advantage: bool = setting(True, Flag(), "normalise the advantages of every minibatch")


@dataclass(frozen=True)
class PpoConfig(ClippedConfig):
    n_epochs: int = setting(10, Integer(1), "epochs over each rollout")

    @classmethod
    def presets(cls) -> Mapping[str, Mapping[str, Any]]:
        atari = {
            "learning_rate": 2.5e-4, "learning_rate_schedule": "linear", "num_envs": 8, "batch_size": 256,
            "n_epochs": 4, "clip_range": 0.1, "clip_range_schedule": "linear", "ent_coef": 0.01,
        }  # fmt: skip
        return {
            "ctgraph": CTGRAPH,
            "arcade": ARCADE | {"batch_size": 256, "n_epochs": 3},
            # Its value loss is half the squared error, times 0.5.
            "procgen": PROCGEN | {"n_epochs": 3, "clip_range_vf": 0.2, "vf_coef": 0.25},
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
    clip, known = clip_range(agent, config), experience(agent, config)
    for _ in range(config.n_epochs):
        improve(agent, config, known, clip)


class Experience(NamedTuple):
    """A rollout, or a minibatch of it [cells, batch, ...]: what is known when an update begins."""

    seen: Any
    actions: Any
    log_probs: Any
    values: Any
    advantages: Any
    returns: Any

    def minibatches(self, agent: PolicyGradient, size: int) -> Iterator[Experience]:
        """An epoch over a rollout."""
        cells, total = self.returns.shape
        rows = np.arange(cells)[:, None]
        for at in minibatches(agent.draws, total, size):
            yield Experience(agent.features(self.seen[rows, at]), *(agent.tensor(x[rows, at]) for x in self[1:]))


def experience(agent: PolicyGradient, config: ClippedConfig) -> Experience:
    """The full rollout."""
    c, rollout = config, agent.rollout
    values, log_probs = before_update(agent)
    advantages = flat(rollout.advantages(values.reshape(rollout.seen.shape[:3]), c.gamma, c.gae_lambda))
    values = values[:, : log_probs.shape[1]]
    # There is one frame more than steps.
    return Experience(flat(rollout.seen), flat(rollout.actions), log_probs, values, advantages, advantages + values)


def clip_range(agent: PolicyGradient, config: ClippedConfig) -> float:
    """The clipping range of an update now."""
    return scheduled(config.clip_range, config.clip_range_schedule, agent.left)


def improve(agent: PolicyGradient, config: ClippedConfig, known: Experience, clip: float) -> None:
    """One epoch of actor and critic together."""
    for batch in known.minibatches(agent, config.batch_size):
        policy, values = agent.network(batch.seen)
        objective = surrogate(config, policy, batch, clip)
        agent.optimiser.step(losses(config, objective, policy, estimate(config, values, batch), batch.returns))


def surrogate(config: ClippedConfig, policy: Distribution, batch: Experience, clip: float) -> Tensor:
    """The clipped objective of a policy [cells, batch]."""
    ratio = (policy.log_prob(batch.actions) - batch.log_probs).exp()
    advantages = normalised(batch.advantages) if config.normalize_advantage else batch.advantages
    return clipped_objective(ratio, advantages, clip)


def estimate(config: ClippedConfig, values: Tensor, batch: Experience) -> Tensor:
    """Values [cells, batch], which may be held near those before the update."""
    most = config.clip_range_vf
    return values if most is None else batch.values + (values - batch.values).clamp(-most, most)


def clipped_objective(ratio: Tensor, advantages: Tensor, clip: float) -> Tensor:
    """The clipped surrogate objective (PPO, equation 7) of probability ratios [cells, batch]."""
    return torch.minimum(ratio * advantages, ratio.clamp(1 - clip, 1 + clip) * advantages)
