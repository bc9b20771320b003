"""Independent deep Q-learning for a traffic signal, with RESCO's settings (Ault and Sharon 2021)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from gymnasium import spaces

from mohs.agents.deep.algorithms.dqn import Dqn, DqnConfig, NetworkMaker, QNetwork, ReplayConfig
from mohs.agents.deep.networks.layers import Generators
from mohs.agents.deep.spaces import Observations
from mohs.agents.hyperparameters import setting
from mohs.agents.stage import Step
from mohs.agents.traffic.lanes import channels_setting, lane_encoder
from mohs.agents.traffic.rewards import paid, reward_setting
from mohs.agents.traffic.signals import signals_of
from mohs.core.cell import Cell
from mohs.core.domain import Integer, Optional, Real
from mohs.engines.traffic.signal import Signal


@dataclass(frozen=True)
class RescoConfig(ReplayConfig):
    """RESCO's settings of Q-learning."""

    learning_rate: float = setting(1e-3, Real(0, low_open=True), "learning rate of Adam")
    buffer_size: int = setting(10_000, Integer(1), "capacity of the replay buffer, in transitions")
    learning_starts: int = setting(32, Integer(0), "environment steps before the first update")
    train_freq: int = setting(1, Integer(1), "environment steps between updates")
    exploration_final_eps: float = setting(0.0, Real(0, 1), "final exploration rate")
    exploration_fraction: float | None = setting(
        0.8, Optional(Real(0, 1)), "fraction of the run over which exploration falls; overrides exploration_steps"
    )


@dataclass(frozen=True)
class IdqnConfig(RescoConfig, DqnConfig):
    channels: int = channels_setting(0)
    reward: str = reward_setting("wait")

    @classmethod
    def presets(cls) -> Mapping[str, Mapping[str, Any]]:
        return {"resco": {"channels": 64}}


class SignalDqn(Dqn):
    """A pack of Q-learners, each of which controls a signal and is paid for what it observes."""

    def __init__(
        self,
        cells: Sequence[Cell],
        config: ReplayConfig,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        device: torch.device,
        network: NetworkMaker,
        signals: Sequence[Signal],
        reward: str,
    ) -> None:
        super().__init__(cells, config, observation_space, action_space, device, network)
        self._reward, self._signal = reward, signals[0]  # whose features mean the same in all cells

    def learn(self, step: Step) -> None:
        super().learn(paid(self._reward, self._signal, step))


def idqn(
    cells: Sequence[Cell],
    config: IdqnConfig,
    observation_space: spaces.Space[Any],
    action_space: spaces.Space[Any],
    device: torch.device,
) -> SignalDqn:
    """A pack of DQN that sees lanes."""
    signals = signals_of(cells)

    def network(init: Generators, sees: Observations, actions: int, c: IdqnConfig) -> QNetwork:
        return QNetwork(init, lane_encoder(init, signals[0], c.channels), actions, c)

    return SignalDqn(cells, config, observation_space, action_space, device, network, signals, config.reward)
