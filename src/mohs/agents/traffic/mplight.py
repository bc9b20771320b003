"""MPLight and MPLight*: Q-learning by the competition of phases (FRAP), on the pressure of movements or all features.

MPLight (Chen et al. 2020) with RESCO's settings (Ault and Sharon 2021): the pressure of a movement is the number of
vehicles that queue on its lanes, since the roads behind the intersection are empty. MPLight* also sees who approaches,
how long vehicles have waited and how fast they are. RESCO's published code takes overlapping parts of the state for
these features; here each movement has those of its own lanes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from gymnasium import spaces

from mohs.agents.deep.algorithms.dqn import ReplayConfig
from mohs.agents.deep.networks.layers import Generators
from mohs.agents.deep.spaces import Observations
from mohs.agents.hyperparameters import setting
from mohs.agents.traffic.frap import Frap
from mohs.agents.traffic.idqn import SignalDqn
from mohs.agents.traffic.rewards import reward_setting
from mohs.agents.traffic.signals import signals_of
from mohs.core.cell import Cell
from mohs.core.domain import Integer, Optional, Real

PRESSURE = ("queue",)
SENSING = ("queue", "approaching", "wait", "speed")


@dataclass(frozen=True)
class MplightConfig(ReplayConfig):
    learning_rate: float = setting(1e-3, Real(0, low_open=True), "learning rate of Adam")
    buffer_size: int = setting(10_000, Integer(1), "capacity of the replay buffer, in transitions")
    learning_starts: int = setting(32, Integer(0), "environment steps before the first update")
    train_freq: int = setting(1, Integer(1), "environment steps between updates")
    exploration_final_eps: float = setting(0.0, Real(0, 1), "final exploration rate")
    exploration_fraction: float | None = setting(
        0.8, Optional(Real(0, 1)), "fraction of the run over which exploration falls; overrides exploration_steps"
    )
    reward: str = reward_setting("queue")


def mplight(
    cells: Sequence[Cell],
    config: MplightConfig,
    observation_space: spaces.Space[Any],
    action_space: spaces.Space[Any],
    device: torch.device,
) -> SignalDqn:
    """A pack of MPLight."""
    return _pack(cells, config, observation_space, action_space, device, PRESSURE)


def mplight_star(
    cells: Sequence[Cell],
    config: MplightConfig,
    observation_space: spaces.Space[Any],
    action_space: spaces.Space[Any],
    device: torch.device,
) -> SignalDqn:
    """A pack of MPLight*."""
    return _pack(cells, config, observation_space, action_space, device, SENSING)


def _pack(
    cells: Sequence[Cell],
    config: MplightConfig,
    observation_space: spaces.Space[Any],
    action_space: spaces.Space[Any],
    device: torch.device,
    features: Sequence[str],
) -> SignalDqn:
    signals = signals_of(cells)

    def network(init: Generators, sees: Observations, actions: int, c: MplightConfig) -> Frap:
        return Frap(init, signals, features)

    return SignalDqn(cells, config, observation_space, action_space, device, network, signals, config.reward)
