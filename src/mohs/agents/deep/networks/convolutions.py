"""How does a pack see images? By convolutions: a few plain ones, or the residual network of IMPALA.

Convolutions of batches go from cell to cell, because grouped ones do not give a cell the same bits in any pack.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

from mohs.agents.deep.networks.activations import ACTIVATIONS
from mohs.agents.deep.networks.layers import Generators, Linear, Network, affine, fan_in, padded


class Cnn(Network):
    """A small convolutional encoder: [cells, batch, channels, height, width] of bytes → [cells, batch, features].

    `filters` are (channels, kernel, stride) of each layer, without a margin, each followed by an activation; `top` is
    the largest value of a pixel, which counts as 1.
    """

    def __init__(
        self,
        init: Generators,
        shape: Sequence[int],
        filters: Sequence[Sequence[int]],
        activation: str = "relu",
        top: int = 255,
    ) -> None:
        super().__init__()
        self.activation = ACTIVATIONS[activation]
        self.top = top
        self.strides = [stride for _, _, stride in filters]
        channels, height, width = shape
        planes, drawn = channels, []
        for outputs, kernel, stride in filters:
            drawn.append(_drawn(init, channels, planes, outputs, kernel))
            channels, planes = outputs, padded(outputs)
            height, width = (height - kernel) // stride + 1, (width - kernel) // stride + 1
        weights, biases = zip(*drawn, strict=True)
        self.weights, self.biases = nn.ParameterList(weights), nn.ParameterList(biases)
        self.outputs = planes * height * width

    def forward(self, x: Tensor) -> Tensor:
        cells, batch = x.shape[:2]
        pixels, first, stride = first_layer(x.flatten(0, 1), self.weights[0].flatten(0, 1) / self.top, self.strides[0])
        weights = [first.view(cells, -1, *first.shape[1:]), *self.weights[1:]]
        strides = [stride, *self.strides[1:]]
        if batch == 1 and not torch.is_grad_enabled():
            return self._single(pixels, weights, strides)
        # Unbound at once: slices one by one would make a gradient of all cells for each.
        layers = [zip(w.unbind(0), b.unbind(0), strict=True) for w, b in zip(weights, self.biases, strict=True)]
        each = zip(pixels.view(cells, -1, *pixels.shape[1:]).unbind(0), zip(*layers, strict=True), strict=True)
        return torch.stack([self._batch(one, mine, strides) for one, mine in each])

    def _batch(self, x: Tensor, layers: Sequence[tuple[Tensor, Tensor]], strides: Sequence[int]) -> Tensor:
        """The features [batch, features] of a cell, pixel by pixel with their channels side by side."""
        x = x.float()
        for (weight, bias), stride in zip(layers, strides, strict=True):
            x = self.activation(functional.conv2d(x, weight, bias, stride))
        return x.permute(0, 2, 3, 1).flatten(1)

    def _single(self, x: Tensor, weights: Sequence[Tensor], strides: Sequence[int]) -> Tensor:
        """The features [cells, 1, features] of an image of each cell: all cells at once, as products with patches."""
        x = x.permute(0, 2, 3, 1).float()
        for weight, bias, stride in zip(weights, self.biases, strides, strict=True):
            kernel = weight.shape[-1]
            patches = x.unfold(1, kernel, stride).unfold(2, kernel, stride).permute(0, 1, 2, 4, 5, 3)
            cells, height, width = patches.shape[:3]
            filters = _padded(weight.permute(0, 1, 3, 4, 2).flatten(2))
            x = affine(_padded(patches.reshape(cells, height * width, -1)), filters, bias[:, None])
            x = self.activation(x).view(cells, height, width, -1)
        return x.flatten(1)[:, None]


class Impala(Network):
    """The residual encoder of IMPALA (Espeholt et al. 2018, Figure 3), from images as `Cnn` takes them.

    Each of `channels` is a stage: a convolution, the maximum over 3 × 3 pixels at every other one, and residual blocks.
    All convolutions are 3 × 3 with a margin. A dense layer comes last: [cells, batch, width].
    """

    def __init__(
        self,
        init: Generators,
        shape: Sequence[int],
        channels: Sequence[int],
        blocks: int,
        width: int,
        top: int = 255,
    ) -> None:
        super().__init__()
        self.top, self._convolutions = top, 1 + 2 * blocks  # of a stage
        inputs, *size = shape
        planes, drawn = inputs, []
        for outputs in channels:
            drawn.append(_drawn(init, inputs, planes, outputs, 3))
            drawn += [_drawn(init, outputs, padded(outputs), outputs, 3) for _ in range(2 * blocks)]
            inputs, planes, size = outputs, padded(outputs), [(n + 1) // 2 for n in size]
        weights, biases = zip(*drawn, strict=True)
        self.weights, self.biases = nn.ParameterList(weights), nn.ParameterList(biases)
        self.dense = Linear(init, planes * math.prod(size), width)
        self.outputs = width

    def forward(self, x: Tensor) -> Tensor:
        weights = [self.weights[0] / self.top, *self.weights[1:]]
        layers = [zip(w.unbind(0), b.unbind(0), strict=True) for w, b in zip(weights, self.biases, strict=True)]
        each = zip(x.unbind(0), zip(*layers, strict=True), strict=True)
        features = torch.stack([self._batch(one, mine) for one, mine in each])
        return torch.relu_(self.dense(features))

    def _batch(self, x: Tensor, layers: Sequence[tuple[Tensor, Tensor]]) -> Tensor:
        """The features [batch, features] of a cell, pixel by pixel with their channels side by side."""
        x = x.to(torch.float32, memory_format=torch.channels_last)
        for start in range(0, len(layers), self._convolutions):
            first, *residual = layers[start : start + self._convolutions]
            x = functional.max_pool2d(functional.conv2d(x, *first, padding=1), 3, 2, 1)
            for one, two in zip(residual[::2], residual[1::2], strict=True):
                inside = torch.relu_(functional.conv2d(torch.relu(x), *one, padding=1))
                x = x + functional.conv2d(inside, *two, padding=1)
        return torch.relu_(x).permute(0, 2, 3, 1).flatten(1)


def _drawn(init: Generators, channels: int, planes: int, outputs: int, kernel: int) -> tuple[Tensor, Tensor]:
    """First filters [cells, padded outputs, planes, kernel, kernel] and biases; only `channels` planes count."""
    size = channels * kernel * kernel
    weight = torch.zeros(len(init), padded(outputs), planes, kernel, kernel)
    bias = torch.zeros(len(init), padded(outputs))
    for i, generator in enumerate(init):
        drawn = fan_in(generator, size, outputs).T.reshape(outputs, channels, kernel, kernel)
        weight[i, :outputs, :channels] = drawn
        bias[i, :outputs] = fan_in(generator, size, outputs)[0]
    return weight, bias


def _padded(x: Tensor) -> Tensor:
    """The last dimension padded with zeros."""
    size = x.shape[-1]
    return x if size == padded(size) else functional.pad(x, (0, padded(size) - size))


def first_layer(x: Tensor, weight: Tensor, stride: int) -> tuple[Tensor, Tensor, int]:
    """Pixels, filters and stride of an equal convolution that is faster where images have few channels.

    Blocks of stride × stride pixels become the channels of one, in images and filters alike.
    """
    kernel = weight.shape[-1]
    if kernel % stride:
        return x.contiguous(memory_format=torch.channels_last), weight, stride
    height, width = ((size - kernel) // stride * stride + kernel for size in x.shape[-2:])
    return blocks(x[..., :height, :width], stride), blocks(weight, stride), 1


# What holds a row of a block of so many bytes: it is moved at once.
WORDS = {2: torch.int16, 4: torch.int32, 8: torch.int64}


def blocks(x: Tensor, size: int) -> Tensor:
    """[n, channels, height, width] → [n, channels × size², height / size, width / size]."""
    n, channels, height, width = x.shape
    parts = x.reshape(n, channels, height // size, size, width // size, size)
    if x.dtype == torch.uint8 and size in WORDS:
        parts = _gathered(parts.contiguous().view(WORDS[size])).view(x.dtype)
    else:
        parts = _gathered(parts)
    return parts.flatten(3).permute(0, 3, 1, 2)


def _gathered(parts: Tensor) -> Tensor:
    """[n, channels, rows, row, columns, column] → [n, rows, columns, channels, row, column]."""
    return parts.permute(0, 2, 4, 1, 3, 5).contiguous()
