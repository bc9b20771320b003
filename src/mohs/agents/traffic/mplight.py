"""MPLight and MPLight*: Q-learning by the competition of phases (FRAP), on the pressure of movements or all features.

MPLight (Chen et al. 2020) with RESCO's settings (Ault and Sharon 2021): the pressure of a movement is the number of
vehicles that queue on its lanes, since the roads behind the intersection are empty. MPLight* also sees who approaches,
how long vehicles have waited and how fast they are. RESCO's published code takes overlapping parts of the state for
these features; here each movement has those of its own lanes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from gymnasium import spaces

from mohs.agents.deep.networks.layers import Generators
from mohs.agents.deep.spaces import Observations
from mohs.agents.traffic.frap import Frap
from mohs.agents.traffic.idqn import RescoConfig, SignalDqn
from mohs.agents.traffic.rewards import reward_setting
from mohs.agents.traffic.signals import signals_of
from mohs.core.cell import Cell

PRESSURE = ("queue",)
SENSING = ("queue", "approaching", "wait", "speed")


@dataclass(frozen=True)
class MplightConfig(RescoConfig):
    reward: str = reward_setting("queue")


def _pack(
    cells: Sequence[Cell],
    config: MplightConfig,
    observation_space: spaces.Space[Any],
    action_space: spaces.Space[Any],
    device: torch.device,
    features: Sequence[str],
) -> SignalDqn:
    """A pack of MPLight that sees these features of each movement."""
    signals = signals_of(cells)

    def network(init: Generators, sees: Observations, actions: int, c: MplightConfig) -> Frap:
        return Frap(init, signals, features)

    return SignalDqn(cells, config, observation_space, action_space, device, network, signals, config.reward)


mplight = partial(_pack, features=PRESSURE)
mplight_star = partial(_pack, features=SENSING)
