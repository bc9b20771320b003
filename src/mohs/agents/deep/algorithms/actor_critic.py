"""How does a policy gradient play and gather experience? The same for all; they differ in how they learn from it.

An actor and a critic of every cell, apart from each other but for the convolutions where images are seen, play until a
rollout is full; then an update learns from it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from gymnasium import spaces
from torch import Tensor

from mohs.agents.deep.buffers.rewards import RewardScale
from mohs.agents.deep.buffers.rollouts import Floats, Rollout, flat, was_cut
from mohs.agents.deep.clock import Clock
from mohs.agents.deep.config import DeepConfig
from mohs.agents.deep.draws import Draws
from mohs.agents.deep.front_end.observed import with_front_end
from mohs.agents.deep.lifelong.consolidation import likelihood_of_actions, likelihood_of_values
from mohs.agents.deep.networks.encoders import encoder
from mohs.agents.deep.networks.layers import Generators, Linear, Mlp, Network, generators, orthogonal
from mohs.agents.deep.networks.policies import Actions, Distribution, Head, actions, kept
from mohs.agents.deep.optimise import Adam, Optimiser, RmsProp
from mohs.agents.deep.spaces import Observations, observations
from mohs.agents.hyperparameters import setting
from mohs.agents.stage import Array, Step
from mohs.agents.streams import keys
from mohs.core.cell import Cell
from mohs.core.domain import Choice, Each, Flag, Integer, Optional, Real


@dataclass(frozen=True)
class PolicyConfig(DeepConfig):
    """What all policy gradients have."""

    learning_rate: float = setting(3e-4, Real(0, low_open=True), "learning rate")
    learning_rate_schedule: str = setting(
        "constant", Choice(("constant", "linear")), "learning rate schedule; linear falls to 0 over the run"
    )
    gamma: float = setting(0.99, Real(0, 1), "discount factor")
    gae_lambda: float = setting(0.95, Real(0, 1), "λ of generalised advantage estimation")
    num_envs: int = setting(1, Integer(1), "parallel environments")
    n_steps: int = setting(512, Integer(1), "rollout length: steps of each environment per update")
    hidden: tuple[int, ...] = setting((64, 64), Each(Integer(1)), "hidden layer widths of actor and critic")
    activation: str = setting("tanh", Choice(("relu", "tanh")), "activation of the hidden layers")
    log_std: float = setting(0.0, Real(), "initial log standard deviation of continuous actions")
    normalize_reward: bool = setting(
        False, Flag(), "divide rewards by the running standard deviation of discounted returns, and clip them to ±10"
    )


@dataclass(frozen=True)
class ActorCriticConfig(PolicyConfig):
    """What those have that take gradient steps on the sum of the losses of actor and critic."""

    optimiser: str = setting("adam", Choice(("adam", "rmsprop")), "optimiser")
    optimiser_epsilon: float = setting(1e-5, Real(0, low_open=True), "epsilon of the optimiser")
    vf_coef: float = setting(0.5, Real(0), "coefficient of the value loss")
    ent_coef: float = setting(0.0, Real(0), "coefficient of the entropy bonus")
    max_grad_norm: float | None = setting(
        0.5, Optional(Real(0, low_open=True)), "maximum norm of the gradient; None is no clipping"
    )


class PolicyNetwork(Network, ABC):
    """Features [cells, batch, ...] → a distribution over actions, and values [cells, batch]."""

    @abstractmethod
    def forward(self, x: Tensor) -> tuple[Distribution, Tensor]: ...

    @abstractmethod
    def policy(self, x: Tensor) -> Distribution: ...

    @abstractmethod
    def value(self, x: Tensor) -> Tensor: ...


class ActorCritic(PolicyNetwork):
    """Actor and critic with hidden layers of their own."""

    def __init__(self, init: Generators, sees: Observations, of: Actions, config: PolicyConfig) -> None:
        super().__init__()
        c, hidden = config, orthogonal(2**0.5)
        self.sees = encoder(init, sees, c)
        self.actor_body = Mlp(init, self.sees.outputs, c.hidden, c.activation, hidden)
        self.actor = Head(init, self.actor_body.outputs, of, log_std=c.log_std)
        self.critic_body = Mlp(init, self.sees.outputs, c.hidden, c.activation, hidden)
        self.critic = Linear(init, self.critic_body.outputs, 1, orthogonal(1.0))

    def forward(self, x: Tensor) -> tuple[Distribution, Tensor]:
        x = self.sees(x)
        return self.actor(self.actor_body(x)), self.critic(self.critic_body(x))[..., 0]

    def policy(self, x: Tensor) -> Distribution:
        found: Distribution = self.actor(self.actor_body(self.sees(x)))
        return found

    def value(self, x: Tensor) -> Tensor:
        found: Tensor = self.critic(self.critic_body(self.sees(x)))[..., 0]
        return found


NetworkMaker = Callable[[Generators, Observations, Actions, Any], PolicyNetwork]


class PolicyGradient:
    """A pack of agents that play by a policy and improve it with each rollout."""

    def __init__(
        self,
        cells: Sequence[Cell],
        config: PolicyConfig,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        device: torch.device,
        update: Update,
        optimiser: Callable[[Any, Any], Optimiser],
        network: NetworkMaker = ActorCritic,
    ) -> None:
        c = config
        self.num_envs = c.num_envs
        self._config, self._update, self._device = config, update, device
        self._sees = with_front_end(observations(observation_space), c.front_end)
        self._actions = actions(action_space, cells[0].agent.name)
        init = generators(keys(cells, "agent", "weights"))
        self.network = network(init, self._sees, self._actions, c).to(device)
        self.optimiser = optimiser(self.network, c)
        self.rollout = Rollout(
            len(cells), c.n_steps, c.num_envs, self._sees.stored, kept(self._actions), kept_whole=c.lifelong == "ewc"
        )
        self.draws = Draws(keys(cells, "agent", "draws"))
        self._clock = Clock(cells[0].steps)
        self._before: Array = np.empty(0)  # of the step under way,
        self._chosen: Array = np.empty(0)  # as the rollout keeps them
        self.parts = {
            "network": self.network, "optimiser": self.optimiser, "rollout": self.rollout, "draws": self.draws,
            "clock": self._clock,
        }  # fmt: skip
        self._scale = RewardScale(len(cells), c.num_envs, c.gamma) if c.normalize_reward else None
        if self._scale is not None:
            self.parts["reward_scale"] = self._scale

    @property
    def left(self) -> float:
        """The share of training that is still to come."""
        return self._clock.left

    def enter(self) -> None:
        if self.rollout.size:
            self.rollout.cut(self.values(self.rollout.now))
        if self._scale is not None:
            self._scale.enter()

    def act(self, now: Array) -> Array:
        self._before = self._sees.store(now)
        self._chosen = self._choose(self._before, False, self.draws)
        return self._actions.act(self._chosen)

    def play(self, now: Array, memory: None, greedy: bool, draws: Draws) -> tuple[Array, None]:
        return self._actions.act(self._choose(self._sees.store(now), greedy, draws)), None

    def forget(self, memory: None, step: Step) -> None:
        return None

    def likelihood(self, draws: Draws, steps: int) -> Tensor:
        at = draws.integers(self.rollout.filled * self.num_envs, steps)
        seen = flat(self.rollout.seen)[np.arange(len(at))[:, None], at]
        policy, value = self.network(self.features(seen))
        return likelihood_of_actions(policy, draws) + likelihood_of_values(value, draws)

    def finite(self) -> npt.NDArray[np.bool_]:
        return self.network.finite().cpu().numpy()

    def learn(self, step: Step) -> None:
        if self._scale is not None:
            step = self._scale(step)
        later = self.values(self._each(self._sees.store(step.after))) if was_cut(step).any() else None
        self.rollout.add(self._before, self._chosen, step, self._sees.store(step.now), later)
        self._clock.steps += self.num_envs
        if self.rollout.full:
            self.optimiser.set_rate(
                scheduled(self._config.learning_rate, self._config.learning_rate_schedule, self.left)
            )
            self._update(self, self._config)
            self.rollout.clear()

    def features(self, frames: Array) -> Tensor:
        """Kept frames [cells, batch, ...] as the network takes them."""
        return self._sees.features(frames, self._device)

    def tensor(self, array: Array) -> Tensor:
        return torch.from_numpy(array).to(self._device)

    @torch.no_grad()
    def values(self, frames: Array) -> npt.NDArray[np.float32]:
        """Values [cells, batch] of kept frames [cells, batch, ...]."""
        return self.network.value(self.features(frames)).cpu().numpy()

    @torch.no_grad()
    def _choose(self, kept: Array, greedy: bool, draws: Draws) -> Array:
        """Actions [instances, parts], as a rollout keeps them."""
        policy = self.network.policy(self.features(self._each(kept)))
        chosen = (policy.mode() if greedy else policy.sample(draws)).cpu().numpy()
        return chosen.reshape(-1, chosen.shape[-1])

    def _each(self, kept: Array) -> Array:
        """Rows of instances as [cells, instances of a cell, ...]."""
        return kept.reshape(len(self.draws.keys), -1, *kept.shape[1:])


# Learns from the full rollout of a pack.
Update = Callable[[Any, Any], None]
AT_ONCE = 512  # frames of a cell that are valued together: what they pass through stays in cache


@torch.no_grad()
def before_update(agent: PolicyGradient) -> tuple[Floats, Floats]:
    """Values of all frames of the rollout, and log probabilities of its actions."""
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


def scheduled(value: float, schedule: str, left: float) -> float:
    """A hyperparameter with so much of the training left."""
    return value * left if schedule == "linear" else value


def normalised(advantages: Tensor) -> Tensor:
    """Advantages [cells, batch] with mean 0 and deviation 1 in every cell; a single one stays as it is."""
    if advantages.shape[1] == 1:
        return advantages
    return (advantages - advantages.mean(1, keepdim=True)) / (advantages.std(1, keepdim=True) + 1e-8)


def losses(
    config: ActorCriticConfig, objective: Tensor, policy: Distribution, values: Tensor, returns: Tensor
) -> Tensor:
    """The losses [cells]: minus the policy objective [cells, batch], plus value loss, minus entropy bonus."""
    total = config.vf_coef * (returns - values).square() - objective
    if config.ent_coef:
        total = total - config.ent_coef * policy.entropy()
    return total.mean(1)


def policy_losses(config: ActorCriticConfig, objective: Tensor, policy: Distribution) -> Tensor:
    """The losses of an actor alone [cells, batch]."""
    return -objective - config.ent_coef * policy.entropy()


def value_losses(config: ActorCriticConfig, values: Tensor, returns: Tensor) -> Tensor:
    """The losses of a critic alone [cells, batch]."""
    return config.vf_coef * (returns - values).square()


def optimiser(network: Network, c: ActorCriticConfig) -> Optimiser:
    """One optimiser for actor and critic."""
    maker = {"adam": Adam, "rmsprop": RmsProp}[c.optimiser]
    return maker(network.parameters(), c.learning_rate, c.optimiser_epsilon, c.max_grad_norm)
