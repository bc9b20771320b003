"""How does a network see lanes? As a picture of lanes × features that small filters pass over, as in RESCO.

RESCO (Ault and Sharon 2021): filters of 2 × 2 with 64 channels. Fewer cost less; none leaves the numbers as they are.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from mohs.agents.deep.networks.encoders import Encoder
from mohs.agents.deep.networks.layers import Generators, Linear, padded
from mohs.agents.hyperparameters import setting
from mohs.core.domain import Integer
from mohs.engines.traffic.signal import Signal

KERNEL = 2


def channels_setting(default: int) -> int:
    """The hyperparameter."""
    text = "channels of the 2 × 2 convolution over the picture of lanes × features; 0: none. RESCO has 64"
    chosen: int = setting(default, Integer(0), text)
    return chosen


class LaneEncoder(Encoder):
    """[cells, batch, padded lanes · features] → [cells, batch, places · channels], as products with patches."""

    def __init__(self, init: Generators, lanes: int, features: int, channels: int) -> None:
        rows, columns = lanes - KERNEL + 1, features - KERNEL + 1
        super().__init__(rows * columns * padded(channels))
        self.filters = Linear(init, KERNEL * KERNEL, channels)
        corners = torch.arange(rows)[:, None] * features + torch.arange(columns)
        offsets = torch.arange(KERNEL)[:, None] * features + torch.arange(KERNEL)
        self._places = corners.reshape(-1, 1) + offsets.reshape(-1)  # [places, numbers of a patch]

    def forward(self, x: Tensor) -> Tensor:
        cells, batch = x.shape[:2]
        patches = x[..., self._places.to(x.device)]
        patches = functional.pad(patches, (0, self.filters.weight.shape[-1] - patches.shape[-1]))
        seen = torch.relu_(self.filters(patches.flatten(1, 2)))
        return seen.view(cells, batch, -1)


def lane_encoder(init: Generators, signal: Signal, channels: int) -> Encoder:
    """What comes before the hidden layers of a controller."""
    lanes, features = len(signal.permits), len(signal.features)
    return LaneEncoder(init, lanes, features, channels) if channels else Encoder(lanes * features)
