"""What are the networks of a pack? Layers whose parameters have one more dimension in front: the cells.

A pack goes through a layer in one batched product. Its result for a cell is the same, bit for bit, in a pack of any
size, if all widths are multiples of 8: they are padded with zeros (never to the widths of other cells).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn

from mohs.agents.deep.networks.activations import ACTIVATIONS

Generators = Sequence[torch.Generator]
# Draws the weights [inputs, outputs] of one cell.
Init = Callable[[torch.Generator, int, int], Tensor]


def generators(keys: Sequence[int]) -> list[torch.Generator]:
    """One generator for the first weights of each cell."""
    return [torch.Generator().manual_seed(key & (2**63 - 1)) for key in keys]


def padded(width: int) -> int:
    """The next multiple of 8."""
    return -(-width // 8) * 8


def fan_in(generator: torch.Generator, inputs: int, outputs: int) -> Tensor:
    """Uniform within ±1/√inputs, as torch's linear layers begin."""
    bound = 1 / math.sqrt(inputs)
    return (torch.rand(inputs, outputs, generator=generator) * 2 - 1) * bound


def orthogonal(gain: float) -> Init:
    """Orthogonal weights and no bias, as policy gradients like to begin."""

    def draw(generator: torch.Generator, inputs: int, outputs: int) -> Tensor:
        tall = torch.randn(max(inputs, outputs), min(inputs, outputs), generator=generator)
        q, r = torch.linalg.qr(tall)
        q = q * torch.sign(torch.diagonal(r))
        weights: Tensor = gain * (q if inputs >= outputs else q.T)
        return weights

    return draw


class Network(nn.Module):
    """A module whose parameters and buffers all begin with the dimension of the cells."""

    def save(self, i: int) -> dict[str, Any]:
        return {name: value[i].cpu().numpy().copy() for name, value in self.state_dict().items()}

    def load(self, i: int, state: dict[str, Any]) -> None:
        with torch.no_grad():
            for name, value in self.state_dict().items():
                value[i] = torch.from_numpy(state[name]).to(value.device)

    def finite(self) -> Tensor:
        """For each cell, whether all its parameters are numbers: then their sums are."""
        return torch.stack([p.detach().flatten(1).sum(1).isfinite() for p in self.parameters()]).all(0)


class Affine(torch.autograd.Function):
    """Products with weights [cells, outputs, inputs]: of that layout all three are fast, and in torch's own gradient of
    a batched product the one of the weights would have to be transposed."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        ctx.save_for_backward(x, weight)
        return torch.baddbmm(bias, x, weight.mT)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
        (gradient,) = gradients
        x, weight = ctx.saved_tensors
        of_x, of_weight, of_bias = ctx.needs_input_grad
        return (
            torch.bmm(gradient, weight) if of_x else None,
            torch.bmm(gradient.mT, x) if of_weight else None,
            gradient.sum(1, keepdim=True) if of_bias else None,
        )


def affine(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """[cells, batch, inputs] → [cells, batch, outputs], by weights [cells, outputs, inputs]."""
    if not torch.is_grad_enabled():
        return torch.baddbmm(bias, x, weight.mT)
    out: Tensor = Affine.apply(x, weight, bias)  # type: ignore[no-untyped-call]
    return out


class Linear(Network):
    """[cells, batch, inputs] → [cells, batch, outputs], both padded."""

    def __init__(self, init: Generators, inputs: int, outputs: int, draw: Init = fan_in) -> None:
        super().__init__()
        self.inputs, self.outputs = inputs, outputs
        weight = torch.zeros(len(init), padded(outputs), padded(inputs))
        bias = torch.zeros(len(init), 1, padded(outputs))
        for i, generator in enumerate(init):
            weight[i, :outputs, :inputs] = draw(generator, inputs, outputs).T
            if draw is fan_in:
                bias[i, 0, :outputs] = fan_in(generator, inputs, outputs)[0]
        self.weight, self.bias = nn.Parameter(weight), nn.Parameter(bias)

    def forward(self, x: Tensor) -> Tensor:
        return affine(x, self.weight, self.bias)


class NoisyLinear(Network):
    """A linear layer that explores: factorised noise on every weight (Fortunato et al. 2018).

    `resample` gives it new noise, `quiet` none.
    """

    def __init__(self, init: Generators, inputs: int, outputs: int, sigma: float = 0.5) -> None:
        super().__init__()
        self.inputs, self.outputs = inputs, outputs
        self.mean = Linear(init, inputs, outputs)
        scale = torch.zeros_like(self.mean.weight)
        scale[:, :outputs, :inputs] = sigma / math.sqrt(inputs)
        self.scale = nn.Parameter(scale)
        self.bias_scale = nn.Parameter(scale[:, None, :, 0].clone())
        # Not part of the state: noise is drawn anew before every use.
        self.register_buffer("_inputs", torch.zeros(len(init), 1, scale.shape[2]), persistent=False)
        self.register_buffer("_outputs", torch.zeros(len(init), scale.shape[1], 1), persistent=False)
        self._inputs: Tensor
        self._outputs: Tensor

    @property
    def width(self) -> int:
        """How many normals `resample` takes for each cell."""
        return self._inputs.shape[2] + self._outputs.shape[1]

    def resample(self, normals: Tensor) -> None:
        """New noise from normals [cells, width]."""
        shaped = normals.sign() * normals.abs().sqrt()
        inputs = self._inputs.shape[2]
        self._inputs.copy_(shaped[:, None, :inputs])
        self._outputs.copy_(shaped[:, inputs:, None])

    def quiet(self) -> None:
        self._inputs.zero_()
        self._outputs.zero_()

    def forward(self, x: Tensor) -> Tensor:
        weight = self.mean.weight + self.scale * (self._outputs * self._inputs)
        return affine(x, weight, self.mean.bias + self.bias_scale * self._outputs.mT)


class Mlp(Network):
    """Hidden layers with an activation after each; the last is as wide as `outputs` says."""

    def __init__(
        self,
        init: Generators,
        inputs: int,
        hidden: Sequence[int],
        activation: str = "relu",
        draw: Init = fan_in,
        noisy: float = 0.0,
    ) -> None:
        super().__init__()
        self.outputs = hidden[-1] if hidden else inputs
        self.activation = ACTIVATIONS[activation]
        widths = list(pairwise([inputs, *hidden]))
        layers = [NoisyLinear(init, a, b, noisy) if noisy else Linear(init, a, b, draw) for a, b in widths]
        self.layers = nn.ModuleList(layers)

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = self.activation(layer(x))
        return x
