"""How do phases compete for the green? The network of FRAP, with the same weights for all movements and phases.

FRAP (Zheng et al. 2019), as MPLight uses it (Chen et al. 2020): the demand of a phase is the sum of those of its
movements; the value of a phase adds up how its demand compares with that of each other phase. So values are permuted as
phases are, and do not change if the streets are mirrored. A phase here may serve any movements: a permissive green
counts half. Embeddings pass through tanh, which is the published sigmoid up to scale.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional

from mohs.agents.deep.algorithms.dqn import ActionValues
from mohs.agents.deep.networks.activations import tanh_
from mohs.agents.deep.networks.layers import Generators, Linear, affine, padded
from mohs.engines.traffic.signal import Signal

EMBEDDED, MOVEMENT, PAIR = 4, 16, 20  # widths of the layers, as published


class Frap(ActionValues):
    """[cells, batch, padded slots · features] → values of the phases [cells, batch, phases].

    Args:
        init: Draws the first weights.
        signals: One for each cell, with equally many slots and phases.
        features: What is seen of each movement beside its light, summed over the lanes that permit it.
    """

    def __init__(self, init: Generators, signals: Sequence[Signal], features: Sequence[str]) -> None:
        super().__init__()
        self.features = len(features)
        self.phases, self.movements = signals[0].greens.shape
        for name, value in _constants(signals, features).items():
            self.register_buffer(name, value, persistent=False)
        self._sums: Tensor
        self._lights: Tensor
        self._bias: Tensor
        self._greens: Tensor
        self._serves: Tensor
        self._shares: Tensor
        p, q = np.nonzero(~np.eye(self.phases, dtype=np.bool_))
        self._first, self._second = torch.from_numpy(p), torch.from_numpy(q)
        # The light and the features are embedded apart, by the blocks of one layer.
        self.embedding = Linear(init, 1 + self.features, 2 * EMBEDDED)
        blocks = torch.zeros(self.embedding.weight.shape[1:])
        blocks[:EMBEDDED, 0], blocks[EMBEDDED:, 1:] = 1.0, 1.0
        self.register_buffer("_blocks", blocks, persistent=False)
        self._blocks: Tensor
        self.movement = Linear(init, 2 * EMBEDDED, MOVEMENT)
        self.pair = Linear(init, 2 * MOVEMENT, PAIR)
        self.relation = Linear(init, 2, EMBEDDED)
        self.related = Linear(init, EMBEDDED, PAIR)
        self.compared = Linear(init, PAIR, PAIR)
        self.value = Linear(init, PAIR, 1)

    def forward(self, x: Tensor) -> Tensor:
        cells, batch = x.shape[:2]
        demands = self._phase_demands(x)
        pairs = torch.cat([demands[:, :, self._first], demands[:, :, self._second]], -1)
        relation = torch.relu(self.related(torch.relu(self.relation(self._shares))))  # [cells, pairs, padded PAIR]
        out = torch.relu_(self.pair(pairs.flatten(1, 2))).view(cells, batch, len(self._first), -1) * relation[:, None]
        out = self.value(torch.relu_(self.compared(out.flatten(1, 2))))[..., 0]
        values: Tensor = out.view(cells, batch, self.phases, self.phases - 1).sum(-1)
        return values

    def seen(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """The light [cells, batch, movements] and the features [cells, batch, movements, features] of movements."""
        cells, batch = x.shape[:2]
        sums = torch.bmm(x, self._sums)[..., : self.movements * self.features]
        shown = torch.baddbmm(self._bias, x, self._lights)[..., : self.phases].argmax(-1)
        rows = torch.arange(cells, device=x.device)[:, None]
        return self._greens[rows, shown], sums.reshape(cells, batch, self.movements, self.features)

    def _phase_demands(self, x: Tensor) -> Tensor:
        """[cells, batch, phases, MOVEMENT]."""
        cells, batch = x.shape[:2]
        light, numbers = self.seen(x)
        known = functional.pad(
            torch.cat([light[..., None], numbers], -1), (0, padded(1 + self.features) - 1 - self.features)
        )
        embedded = affine(known.flatten(1, 2), self.embedding.weight * self._blocks, self.embedding.bias)
        each = torch.relu_(self.movement(tanh_(embedded))).view(cells, batch, 1, self.movements, -1)
        return (each * self._serves).sum(3)


def _constants(signals: Sequence[Signal], features: Sequence[str]) -> dict[str, Tensor]:
    """Matrices of each cell: from what is observed to movements and to phases, and which phases share movements."""
    found: dict[str, list[npt.NDArray[np.float64]]] = {
        name: [] for name in ("_sums", "_lights", "_bias", "_greens", "_serves", "_shares")
    }
    for signal in signals:
        slots, movements = signal.permits.shape
        phases, width = len(signal.greens), slots * len(signal.features)
        sums = np.zeros((padded(width), padded(movements * len(features))))
        for f, name in enumerate(features):
            rows = np.arange(slots) * len(signal.features) + signal.features.index(name)
            sums[rows[:, None], np.arange(movements) * len(features) + f] = signal.permits
        # The phase whose lights are nearest to those observed: |a − b|² without |a|², which is the same for all.
        lights = np.zeros((padded(width), padded(phases)))
        lights[np.arange(slots) * len(signal.features) + signal.features.index("green"), :phases] = 2 * signal.served.T
        bias = np.zeros((1, padded(phases)))
        bias[0, :phases] = -(signal.served**2).sum(1)
        serves = signal.greens * signal.permits.any(0)
        shares = (np.minimum(serves[:, None], serves[None]).sum(2) > 0)[~np.eye(phases, dtype=np.bool_)]
        relation = np.zeros((len(shares), padded(2)))
        relation[np.arange(len(shares)), shares.astype(int)] = 1
        row = (sums, lights, bias, signal.greens, serves[None, :, :, None], relation)
        for kept, value in zip(found.values(), row, strict=True):
            kept.append(value)
    return {name: torch.from_numpy(np.stack(values)).float() for name, values in found.items()}
