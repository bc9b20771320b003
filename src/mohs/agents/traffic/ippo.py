"""Independent PPO for a traffic signal: the network of IDQN with two last layers, and RESCO's settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from gymnasium import spaces
from torch import Tensor

from mohs.agents.deep.algorithms.actor_critic import PolicyGradient, PolicyNetwork, optimiser
from mohs.agents.deep.algorithms.ppo import PpoConfig, update
from mohs.agents.deep.draws import Draws
from mohs.agents.deep.networks.layers import Generators, Linear, Mlp, orthogonal
from mohs.agents.deep.networks.policies import Actions, Distribution, Head
from mohs.agents.deep.spaces import Observations
from mohs.agents.hyperparameters import setting
from mohs.agents.stage import Array, Step
from mohs.agents.traffic.lanes import channels_setting, lane_encoder
from mohs.agents.traffic.rewards import paid, reward_setting
from mohs.agents.traffic.signals import signals_of
from mohs.core.cell import Cell
from mohs.core.domain import Choice, Each, Flag, Integer, Real
from mohs.engines.traffic.signal import Signal


@dataclass(frozen=True)
class IppoConfig(PpoConfig):
    learning_rate: float = setting(2.5e-4, Real(0, low_open=True), "learning rate")
    n_steps: int = setting(1024, Integer(1), "rollout length: steps of each environment per update")
    batch_size: int = setting(256, Integer(1), "minibatch size, in steps")
    n_epochs: int = setting(4, Integer(1), "epochs over each rollout")
    clip_range: float = setting(0.1, Real(0, low_open=True), "clipping range of the probability ratio")
    ent_coef: float = setting(0.001, Real(0), "coefficient of the entropy bonus")
    vf_coef: float = setting(1.0, Real(0), "coefficient of the value loss")
    hidden: tuple[int, ...] = setting((64, 64), Each(Integer(1)), "hidden layer widths, shared by actor and critic")
    activation: str = setting("relu", Choice(("relu", "tanh")), "activation of the hidden layers")
    channels: int = channels_setting(0)
    reward: str = reward_setting("wait")
    deterministic: bool = setting(
        False,
        Flag(),
        "greedy evaluations take the likeliest phase; otherwise phases are sampled there too, as in RESCO",
    )

    @classmethod
    def presets(cls) -> Mapping[str, Mapping[str, Any]]:
        return {"resco": {"channels": 64}}


class SharedActorCritic(PolicyNetwork):
    """An actor and a critic on the same hidden layers."""

    def __init__(self, init: Generators, signal: Signal, of: Actions, config: IppoConfig) -> None:
        super().__init__()
        self.sees = lane_encoder(init, signal, config.channels)
        self.body = Mlp(init, self.sees.outputs, config.hidden, config.activation, orthogonal(2**0.5))
        self.actor = Head(init, self.body.outputs, of)
        self.critic = Linear(init, self.body.outputs, 1, orthogonal(1.0))

    def forward(self, x: Tensor) -> tuple[Distribution, Tensor]:
        x = self.body(self.sees(x))
        return self.actor(x), self.critic(x)[..., 0]

    def policy(self, x: Tensor) -> Distribution:
        found: Distribution = self.actor(self.body(self.sees(x)))
        return found

    def value(self, x: Tensor) -> Tensor:
        found: Tensor = self.critic(self.body(self.sees(x)))[..., 0]
        return found


class SignalPpo(PolicyGradient):
    """A pack that learns by PPO, each agent of which controls a signal and is paid for what it observes."""

    def __init__(
        self,
        cells: Sequence[Cell],
        config: IppoConfig,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        device: torch.device,
    ) -> None:
        self._reward, self._signal = config.reward, signals_of(cells)[0]  # whose features mean the same in all cells
        self._deterministic = config.deterministic

        def network(init: Generators, sees: Observations, of: Actions, c: IppoConfig) -> SharedActorCritic:
            return SharedActorCritic(init, self._signal, of, c)

        super().__init__(cells, config, observation_space, action_space, device, update, optimiser, network)

    def play(self, now: Array, memory: None, greedy: bool, draws: Draws) -> tuple[Array, None]:
        """After few updates the likeliest phase is often the same in all states: vehicles of others would never go."""
        return super().play(now, memory, greedy and self._deterministic, draws)

    def learn(self, step: Step) -> None:
        super().learn(paid(self._reward, self._signal, step))
