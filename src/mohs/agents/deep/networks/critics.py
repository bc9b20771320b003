"""What are continuous actions made and judged by? Actors, and critics of which a cell may have several."""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn

from mohs.agents.deep.algorithms.off_policy import OffPolicyConfig
from mohs.agents.deep.networks.activations import ACTIVATIONS
from mohs.agents.deep.networks.encoders import encoder
from mohs.agents.deep.networks.layers import Generators, Linear, Mlp, Network, affine, padded
from mohs.agents.deep.spaces import Observations


class Actor(Network):
    """[cells, batch, features] → [cells, batch, outputs], not yet squashed."""

    def __init__(self, init: Generators, sees: Observations, outputs: int, config: OffPolicyConfig) -> None:
        super().__init__()
        self.outputs = outputs
        self.sees = encoder(init, sees, config)
        self.body = Mlp(init, self.sees.outputs, config.hidden, config.activation)
        self.last = Linear(init, self.body.outputs, outputs)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.last(self.body(self.sees(x)))
        return out[..., : self.outputs]


class Critics(Network):
    """Values [cells, critics, batch] of actions [cells, batch, width]; all critics go through one product.

    They share an encoder of images, which no actor shares.
    """

    def __init__(self, init: Generators, sees: Observations, actions: int, config: OffPolicyConfig, count: int) -> None:
        super().__init__()
        self.sees = encoder(init, sees, config)
        self.activation = ACTIVATIONS[config.activation]
        widths = list(pairwise([self.sees.outputs + actions, *config.hidden]))
        layers = [[Linear(init, a, b) for a, b in widths] for _ in range(count)]
        self.weights = nn.ParameterList(_stacked([layer.weight for layer in of]) for of in zip(*layers, strict=True))
        self.biases = nn.ParameterList(_stacked([layer.bias for layer in of]) for of in zip(*layers, strict=True))
        last = [Linear(init, widths[-1][1], 1) for _ in range(count)]
        # The weights of a single output as a row: the sum of a product is faster than so narrow a matrix.
        self.row = nn.Parameter(_stacked([one.weight[:, :1] for one in last]))
        self.shift = nn.Parameter(_stacked([one.bias for one in last]))

    def forward(self, x: Tensor, actions: Tensor, count: int | None = None) -> Tensor:
        """Values by the first `count` critics, or by all."""
        row, shift = self.row[:, :count], self.shift[:, :count]
        x = self._joined(self.sees(x), actions)[:, None]
        x = x.expand(-1, row.shape[1], -1, -1).flatten(0, 1)
        for weight, bias in zip(self.weights, self.biases, strict=True):
            weight, bias = (p[:, :count].flatten(0, 1) for p in (weight, bias))
            x = self.activation(affine(x, weight, bias))
        each = x.view(*row.shape[:2], *x.shape[1:])
        return (each * row).sum(-1) + shift[..., 0]

    def _joined(self, x: Tensor, actions: Tensor) -> Tensor:
        used = self.sees.outputs + actions.shape[-1]
        nothing = x.new_zeros(*x.shape[:2], padded(used) - used)
        return torch.cat([x[..., : self.sees.outputs], actions, nothing], -1)


def _stacked(critics: list[Tensor]) -> Tensor:
    """Parameters [cells, ...] of several critics as [cells, critics, ...]."""
    return torch.stack([one.detach() for one in critics], 1).contiguous()
