"""Phasic policy gradient: PPO, interrupted by phases in which the policy's trunk learns from the returns, too.

PPG (Cobbe et al. 2021, Algorithm 1). A policy phase of several rollouts trains actor and critic as PPO does, but no
gradient of the critic reaches the actor's trunk. An auxiliary phase then trains a second value head on that trunk on
all frames of the policy phase, while the KL divergence from the policy before the phase holds the policy in place.
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
    AT_ONCE,
    ActorCritic,
    PolicyGradient,
    optimiser,
    policy_losses,
    value_losses,
)
from mohs.agents.deep.algorithms.ppo import (
    ARCADE,
    PROCGEN,
    ClippedConfig,
    Experience,
    clip_range,
    estimate,
    experience,
    improve,
    surrogate,
)
from mohs.agents.deep.buffers.phases import Phase
from mohs.agents.deep.buffers.rollouts import minibatches
from mohs.agents.deep.networks.encoders import encoder
from mohs.agents.deep.networks.layers import Generators, Linear, orthogonal
from mohs.agents.deep.networks.policies import Actions, Distribution, joined, kl_divergence
from mohs.agents.deep.spaces import Observations
from mohs.agents.hyperparameters import setting
from mohs.core.cell import Cell
from mohs.core.domain import Choice, Flag, Integer, Real


@dataclass(frozen=True)
class PpgConfig(ClippedConfig):
    # The joint loss weighs errors of values against a KL divergence, so their scale matters.
    normalize_reward: bool = setting(
        True, Flag(), "divide rewards by the running standard deviation of discounted returns, and clip them to ±10"
    )
    n_epochs_policy: int = setting(1, Integer(1), "epochs of the actor over each rollout (E_π)")
    n_epochs_value: int = setting(
        1, Integer(1), "epochs of the critic over each rollout (E_V); those of actor and critic are apart if unequal"
    )
    n_pi: int = setting(8, Integer(1), "rollouts of a policy phase (N_π)")
    n_epochs_aux: int = setting(6, Integer(0), "epochs of an auxiliary phase (E_aux)")
    aux_batch_size: int = setting(256, Integer(1), "minibatch size of the auxiliary phase, in steps")
    beta_clone: float = setting(1.0, Real(0), "coefficient of the KL divergence from the policy before the phase")
    value_trunk: str = setting(
        "separate",
        Choice(("separate", "detached")),
        "with images the critic has an encoder of its own, or that of the actor, which its gradients do not reach",
    )

    @classmethod
    def presets(cls) -> Mapping[str, Mapping[str, Any]]:
        return {
            "arcade": ARCADE | {"batch_size": 64, "value_trunk": "detached"},  # a third faster, and as good
            # 16 auxiliary minibatches for each rollout. The authors' code clips no gradients.
            "procgen": PROCGEN | {
                "n_pi": 32, "aux_batch_size": 1024, "max_grad_norm": None, "optimiser_epsilon": 1e-8,
            },
        }  # fmt: skip


class PhasicActorCritic(ActorCritic):
    """Actor and critic, whose gradients do not meet, and a second head for values on the actor's trunk."""

    def __init__(self, init: Generators, sees: Observations, of: Actions, config: PpgConfig) -> None:
        super().__init__(init, sees, of, config)
        self.critic_sees = encoder(init, sees, config) if config.value_trunk == "separate" else None
        self.auxiliary = Linear(init, self.actor_body.outputs, 1, orthogonal(1.0))

    def forward(self, x: Tensor) -> tuple[Distribution, Tensor]:
        policy, value, _ = self.all_heads(x)
        return policy, value

    def value(self, x: Tensor) -> Tensor:
        return self._judged(x, None)

    def all_heads(self, x: Tensor) -> tuple[Distribution, Tensor, Tensor]:
        """Policy, values, and values by the auxiliary head."""
        seen = self.sees(x)
        trunk = self.actor_body(seen)
        return self.actor(trunk), self._judged(x, seen), self.auxiliary(trunk)[..., 0]

    def _judged(self, x: Tensor, seen: Tensor | None) -> Tensor:
        """The critic's values of inputs, which the actor's encoder may have seen already."""
        if self.critic_sees is not None:
            mine = self.critic_sees(x)
        else:
            mine = (self.sees(x) if seen is None else seen).detach()
        found: Tensor = self.critic(self.critic_body(mine))[..., 0]
        return found


class Ppg(PolicyGradient):
    """A pack that learns by phasic policy gradients."""

    network: PhasicActorCritic

    def __init__(
        self,
        cells: Sequence[Cell],
        config: PpgConfig,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        device: torch.device,
    ) -> None:
        c = config
        super().__init__(cells, c, observation_space, action_space, device, update, optimiser, PhasicActorCritic)
        rollouts = c.n_pi if c.n_epochs_aux else 0
        self.phase = Phase(len(cells), rollouts, c.n_steps * c.num_envs, self._sees.stored)
        self.auxiliary = optimiser(self.network, c)
        self.parts |= {"phase": self.phase, "auxiliary": self.auxiliary}


def update(agent: Ppg, config: PpgConfig) -> None:
    known = experience(agent, config)
    policy_phase(agent, config, known)
    if config.n_epochs_aux:
        agent.phase.add(known.seen[:, : known.returns.shape[1]], known.returns)
        if agent.phase.full:
            auxiliary_phase(agent, config)
            agent.phase.clear()


def policy_phase(agent: Ppg, config: PpgConfig, known: Experience) -> None:
    """What a policy phase does with each of its rollouts. The critic comes first, as in the authors' code."""
    c, clip = config, clip_range(agent, config)
    if c.n_epochs_policy == c.n_epochs_value:
        for _ in range(c.n_epochs_policy):
            improve(agent, c, known, clip)
        return
    for _ in range(c.n_epochs_value):
        for batch in known.minibatches(agent, c.batch_size):
            values = estimate(c, agent.network.value(batch.seen), batch)
            agent.optimiser.step(value_losses(c, values, batch.returns).mean(1))
    for _ in range(c.n_epochs_policy):
        for batch in known.minibatches(agent, c.batch_size):
            policy = agent.network.policy(batch.seen)
            agent.optimiser.step(policy_losses(c, surrogate(c, policy, batch, clip), policy).mean(1))


def auxiliary_phase(agent: Ppg, config: PpgConfig) -> None:
    c, phase = config, agent.phase
    before = policies(agent, phase.seen)
    rows = np.arange(len(phase.returns))[:, None]
    for _ in range(c.n_epochs_aux):
        for at in minibatches(agent.draws, phase.returns.shape[1], c.aux_batch_size):
            found = agent.network.all_heads(agent.features(phase.seen[rows, at]))
            returns = agent.tensor(phase.returns[rows, at])
            agent.auxiliary.step(joint_losses(before.at(agent.tensor(at)), *found, returns, c.beta_clone))


def joint_losses(
    before: Distribution, policy: Distribution, values: Tensor, auxiliary: Tensor, returns: Tensor, beta_clone: float
) -> Tensor:
    """The losses of an auxiliary phase [cells]: L^joint (section 2), and that of the critic."""
    errors = 0.5 * (auxiliary - returns).square() + 0.5 * (values - returns).square()
    return (errors + beta_clone * kl_divergence(before, policy)).mean(1)


@torch.no_grad()
def policies(agent: Ppg, seen: Any) -> Distribution:
    """The policies for frames [cells, batch, ...] as they are now."""
    parts = range(0, seen.shape[1], AT_ONCE)
    each = [agent.network.policy(agent.features(seen[:, start : start + AT_ONCE])) for start in parts]
    return joined(each).at(slice(None))
