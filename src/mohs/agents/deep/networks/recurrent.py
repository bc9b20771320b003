"""How does a network remember? With a layer whose output is also an input of the next step: a GRU or an LSTM.

GRU: Cho et al. 2014; LSTM: Hochreiter and Schmidhuber 1997; both with torch's gates, in torch's order. All cells of a
pack go through the layer in one batched product for each step of time. What a layer remembers is one row of numbers; it
is dropped wherever a new episode begins, also inside a sequence.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from mohs.agents.deep.networks.encoders import Encoder
from mohs.agents.deep.networks.layers import Generators, Mlp, Network, padded
from mohs.agents.stage import Array


def sigmoid(x: Tensor) -> Tensor:
    """By way of tanh: torch's own sigmoid rounds the last few numbers of an array unlike the others."""
    return torch.tanh(x * 0.5) * 0.5 + 0.5


def gru(given: Tensor, recalled: Tensor, memory: Tensor) -> Tensor:
    """The new memory [cells, batch, width] from what input and memory say to the gates [cells, batch, 3 · width]."""
    parts = [2 * memory.shape[-1], memory.shape[-1]]
    gates, new = torch.split(given, parts, -1)
    of_gates, of_new = torch.split(recalled, parts, -1)
    reset, update = sigmoid(gates + of_gates).chunk(2, -1)
    candidate = torch.tanh(new + reset * of_new)
    return candidate + update * (memory - candidate)


def lstm(given: Tensor, recalled: Tensor, memory: Tensor) -> Tensor:
    """The same with four gates; the memory is output and cell state side by side."""
    take, keep, new, show = (given + recalled).chunk(4, -1)
    state = sigmoid(keep) * memory.chunk(2, -1)[1] + sigmoid(take) * torch.tanh(new)
    return torch.cat([sigmoid(show) * torch.tanh(state), state], -1)


# The law of each layer, how many gates it has, and how many numbers it remembers for each of its outputs.
Law = Callable[[Tensor, Tensor, Tensor], Tensor]
LAYERS: dict[str, tuple[Law, int, int]] = {"gru": (gru, 3, 1), "lstm": (lstm, 4, 2)}


class Recurrent(Network):
    """[cells, batch, time, inputs] → [cells, batch, time, outputs], both padded, and the memory after the last step."""

    def __init__(self, init: Generators, inputs: int, outputs: int, layer: str = "gru") -> None:
        super().__init__()
        self.inputs, self.outputs = inputs, outputs
        self._law, self._gates, states = LAYERS[layer]
        self.memory = states * padded(outputs)
        each = [[self._draw(generator, n) for n in (inputs, outputs, 1, 1)] for generator in init]
        weight, recalls, bias, recalled_bias = (torch.stack(drawn) for drawn in zip(*each, strict=True))
        self.weight = nn.Parameter(functional.pad(weight, (0, 0, 0, padded(inputs) - inputs)))
        self.recalls = nn.Parameter(functional.pad(recalls, (0, 0, 0, padded(outputs) - outputs)))
        self.bias, self.recalled_bias = nn.Parameter(bias), nn.Parameter(recalled_bias)

    def _draw(self, generator: torch.Generator, rows: int) -> Tensor:
        """Uniform within ±1/√outputs as torch's layers begin, every gate padded: [rows, gates · padded outputs]."""
        drawn = torch.rand(rows, self._gates, self.outputs, generator=generator) * 2 - 1
        return functional.pad(drawn / math.sqrt(self.outputs), (0, padded(self.outputs) - self.outputs)).flatten(1)

    def forward(self, x: Tensor, memory: Tensor, begins: Tensor) -> tuple[Tensor, Tensor]:
        """Goes on from a memory [cells, batch, ...]; from none where an episode begins [cells, batch, time]."""
        batch, time = x.shape[1:3]
        given = torch.unflatten(torch.baddbmm(self.bias, x.flatten(1, 2), self.weight), 1, (batch, time))
        keeps = (~begins)[..., None].to(x.dtype)
        width, shown = padded(self.outputs), []
        for of_step, keep in zip(given.unbind(2), keeps.unbind(2), strict=True):
            memory = memory * keep
            recalled = torch.baddbmm(self.recalled_bias, memory[..., :width], self.recalls)
            memory = self._law(of_step, recalled, memory)
            shown.append(memory[..., :width])
        return torch.stack(shown, 2), memory


class Moments(NamedTuple):
    """Steps of time [cells, batch, time]: what is seen, where episodes begin, what was done and earned just before."""

    seen: Tensor
    begins: Tensor
    action: Tensor
    reward: Tensor


@dataclass(frozen=True)
class Echo:
    """The last action and reward as inputs of a network; zeros where an episode begins.

    An action is choices among `sizes`, or `width` numbers.
    """

    sizes: tuple[int, ...] = ()
    width: int = 0

    @property
    def outputs(self) -> int:
        return sum(self.sizes) + self.width + 1

    def features(self, moments: Moments) -> Tensor:
        chosen = moments.action.long().unbind(-1) if self.sizes else ()
        hot = [functional.one_hot(of_part, size).float() for of_part, size in zip(chosen, self.sizes, strict=True)]
        echo = torch.cat([*(hot or [moments.action]), moments.reward[..., None]], -1)
        return echo * (~moments.begins)[..., None].float()


class RecurrentBody(Network):
    """Convolutions where images are seen, hidden layers, and as the last of them the one that remembers."""

    def __init__(
        self, init: Generators, sees: Encoder, echo: Echo | None, hidden: Sequence[int], activation: str, layer: str
    ) -> None:
        super().__init__()
        self.sees, self._echo = sees, echo
        inputs = sees.outputs + (echo.outputs if echo else 0)
        self.before = Mlp(init, inputs, hidden[:-1], activation)
        self.layer = Recurrent(init, self.before.outputs, hidden[-1], layer)
        self.outputs, self.memory = hidden[-1], self.layer.memory

    def forward(self, moments: Moments, memory: Tensor) -> tuple[Tensor, Tensor]:
        """Features [cells, batch, time, outputs], padded, and the memory after the last step."""
        times = moments.begins.shape[1:]
        x = self.sees(moments.seen.flatten(1, 2)).unflatten(1, times)
        if self._echo is not None:
            x = torch.cat([x[..., : self.sees.outputs], self._echo.features(moments)], -1)
            x = functional.pad(x, (0, padded(x.shape[-1]) - x.shape[-1]))
        x = self.before(x.flatten(1, 2)).unflatten(1, times)
        out: tuple[Tensor, Tensor] = self.layer(x, memory, moments.begins)
        return out


class Recall:
    """What is known of the episodes under way [cells, instances]: the layer's memory, the last action and reward."""

    def __init__(
        self, cells: int, instances: int, memory: int, action: tuple[int, npt.DTypeLike], device: torch.device
    ) -> None:
        self.memory = torch.zeros(cells, instances, memory, device=device)
        self.action = np.zeros((cells, instances, action[0]), dtype=action[1])
        self.reward = np.zeros((cells, instances), dtype=np.float32)
        self.begins = np.ones((cells, instances), dtype=np.bool_)

    def moments(self, seen: Tensor) -> Moments:
        """The present, in which features [cells, instances, ...] are seen, as sequences of one step."""
        known = (torch.from_numpy(x).to(seen.device)[:, :, None] for x in (self.begins, self.action, self.reward))
        return Moments(seen[:, :, None], *known)

    def after(self, reward: Array, over: npt.NDArray[np.bool_]) -> None:
        """A step of all instances has been taken; where an episode is over another begins."""
        self.reward = reward.astype(np.float32).reshape(self.reward.shape)
        self.begins = over.reshape(self.begins.shape)

    def restart(self) -> None:
        self.begins = np.ones_like(self.begins)

    def save(self, i: int) -> tuple[Array, ...]:
        return self.memory[i].cpu().numpy().copy(), self.action[i].copy(), self.reward[i].copy(), self.begins[i].copy()

    def load(self, i: int, state: tuple[Array, ...]) -> None:
        memory, self.action[i], self.reward[i], self.begins[i] = state
        self.memory[i] = torch.from_numpy(memory).to(self.memory.device)
