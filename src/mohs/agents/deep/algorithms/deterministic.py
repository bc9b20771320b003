"""What do DDPG and TD3 share? A deterministic actor, critics, and target networks of both.

How a batch changes them is an update, in a file of its own for each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any

import torch
from torch import Tensor

from mohs.agents.deep.algorithm import Part
from mohs.agents.deep.algorithms.off_policy import OffPolicyConfig, Sample
from mohs.agents.deep.clock import Clock
from mohs.agents.deep.draws import Draws
from mohs.agents.deep.networks.critics import Actor, Critics
from mohs.agents.deep.networks.layers import Generators
from mohs.agents.deep.optimise import Adam, move_toward
from mohs.agents.deep.spaces import Observations


class Deterministic:
    """A rule (see `off_policy.Rule`) with so many critics for each cell."""

    def __init__(
        self,
        init: Generators,
        sees: Observations,
        actions: int,
        config: OffPolicyConfig,
        device: torch.device,
        critics: int,
        update: Update,
    ) -> None:
        self.config, self._update = config, update
        self.actor = Actor(init, sees, actions, config).to(device)
        self.critics = Critics(init, sees, actions, config, critics).to(device)
        self.target_actor, self.target_critics = (
            deepcopy(network).requires_grad_(False) for network in (self.actor, self.critics)
        )
        self.actor_adam = Adam(self.actor.parameters(), config.actor_rate)
        self.critic_adam = Adam(self.critics.parameters(), config.learning_rate)
        self.updates = Clock()
        self.parts: Mapping[str, Part] = {
            "actor": self.actor, "critics": self.critics, "target_actor": self.target_actor,
            "target_critics": self.target_critics, "actor_adam": self.actor_adam, "critic_adam": self.critic_adam,
            "updates": self.updates,
        }  # fmt: skip

    def choose(self, seen: Tensor, draws: Draws | None) -> Tensor:
        return torch.tanh(self.actor(seen))

    def judge(self, seen: Tensor, actions: Tensor) -> Tensor:
        worst: Tensor = self.critics(seen, actions).amin(1)
        return worst

    def outputs(self, seen: Tensor, actions: Tensor) -> tuple[Tensor, ...]:
        return self.actor(seen), self.critics(seen, actions)

    def finite(self) -> Tensor:
        return self.actor.finite() & self.critics.finite()

    def update(self, batch: Sample, draws: Draws) -> None:
        self.updates.steps += 1
        self._update(self, self.config, batch, draws)

    def climb(self, seen: Tensor) -> None:
        """The actor takes a step up the values of the first critic, and the targets follow."""
        value = self.critics(seen, torch.tanh(self.actor(seen)), 1)[:, 0]
        self.actor_adam.step(-value.mean(1))
        move_toward(self.target_actor, self.actor, self.config.tau)
        move_toward(self.target_critics, self.critics, self.config.tau)


# Learns from a batch of every cell.
Update = Callable[[Deterministic, Any, Sample, Draws], None]
