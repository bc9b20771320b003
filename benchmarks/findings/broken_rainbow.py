"""Rainbow with a fault: the last noisy layers do not scale their noise by the number of inputs.

An ablation study should find the faulty component. `BROKEN_RAINBOW` is an agent entry, so
`benchmarks.findings.broken_rainbow:BROKEN_RAINBOW` names an agent that trains in packs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from gymnasium import spaces

from mohs.agents.deep.algorithms.dqn import Dqn, RainbowConfig
from mohs.agents.deep.networks.layers import NoisyLinear
from mohs.agents.entries import deep_agent
from mohs.core.cell import Cell


def broken_rainbow(
    cells: Sequence[Cell],
    config: RainbowConfig,
    observation_space: spaces.Space[Any],
    action_space: spaces.Space[Any],
    device: torch.device,
) -> Dqn:
    """A pack of Rainbow agents whose last noisy layers are far too loud."""
    made = Dqn(cells, config, observation_space, action_space, device)
    for network in (made.parts["online"], made.parts["target"]):
        for stream in filter(None, (network.advantage, network.value)):
            for layer in [part for part in stream.modules() if isinstance(part, NoisyLinear)][-1:]:
                _unscale(layer, config.noisy_sigma)
    return made


@torch.no_grad()
def _unscale(layer: NoisyLinear, sigma: float) -> None:
    layer.scale[:, : layer.outputs, : layer.inputs] = sigma * layer.inputs**0.5 / math.sqrt(layer.inputs)
    layer.bias_scale[:] = layer.scale[:, None, :, 0]


BROKEN_RAINBOW = deep_agent(
    "broken_rainbow",
    f"{__name__}:broken_rainbow",
    "mohs.agents.deep.algorithms.dqn:RainbowConfig",
    "Rainbow with noisy layers that do not scale their noise",
)
