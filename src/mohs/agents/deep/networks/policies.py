"""What distribution over actions does a policy give? One choice or several at once, or numbers with Gaussian noise.

All is batched: outputs of a network [cells, batch, ...] in, one number for each [cells, batch] out. Distributions are
factorised: the parts of an action are independent, given what is seen. A Gaussian is not squashed; its actions are
clipped only where the environment takes them, and their probabilities are those of the numbers before.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from gymnasium import spaces
from torch import Tensor, nn

from mohs.agents.deep.draws import Draws
from mohs.agents.deep.networks.layers import Generators, Linear, Network, orthogonal, padded
from mohs.agents.deep.spaces import Choices, choices

# Some of a batch: the same for all cells, or numbers [cells, n].
Places = slice | Tensor
# Space for the kinds of actions: how they are kept (shape and type), and how the environment takes them.
Kept = tuple[tuple[int, ...], npt.DTypeLike]


@dataclass(frozen=True, eq=False)
class Reals:
    """Continuous actions, bounded or not."""

    low: npt.NDArray[np.float32]
    high: npt.NDArray[np.float32]
    shape: tuple[int, ...]

    @property
    def width(self) -> int:
        return len(self.low)

    def act(self, numbers: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Numbers [n, width] as the environment takes them."""
        # What a cell that has diverged plays is no matter, but it must not stop the others.
        clipped: npt.NDArray[np.float32] = np.clip(np.nan_to_num(numbers), self.low, self.high)
        return clipped.reshape(len(numbers), *self.shape)


Actions = Choices | Reals


def actions(space: spaces.Space[Any], agent: str) -> Actions:
    """How a policy plays an action space."""
    if isinstance(space, spaces.Box):
        low, high = (np.asarray(bound, dtype=np.float32).ravel() for bound in (space.low, space.high))
        return Reals(low, high, space.shape)
    return choices(space, agent)


def kept(of: Actions) -> Kept:
    """The shape and type of an action as a rollout keeps it."""
    return ((of.width,), np.float32) if isinstance(of, Reals) else ((len(of.sizes),), np.int64)


@dataclass(frozen=True, eq=False)
class Categoricals:
    """Independent choices: for each log probabilities [cells, batch, options]."""

    parts: tuple[Tensor, ...]

    def sample(self, draws: Draws) -> Tensor:
        """Choices [cells, batch, parts]."""
        drawn = _on(self.parts[0], draws.uniform(self.parts[0].shape[1], len(self.parts)))
        return torch.stack([_invert(part, drawn[..., i]) for i, part in enumerate(self.parts)], -1)

    def mode(self) -> Tensor:
        return torch.stack([part.argmax(-1) for part in self.parts], -1)

    def log_prob(self, action: Tensor) -> Tensor:
        chosen = [part.gather(-1, action[..., i : i + 1])[..., 0] for i, part in enumerate(self.parts)]
        return _total(chosen)

    def entropy(self) -> Tensor:
        return _total([-(part.exp() * part).sum(-1) for part in self.parts])

    def at(self, places: Places) -> Categoricals:
        """The distributions at some places of the batch, apart from the graph that they were computed by."""
        return Categoricals(tuple(_taken(part, places) for part in self.parts))


@dataclass(frozen=True, eq=False)
class Gaussian:
    """Independent normals: means [cells, batch, width], logarithms of deviations [cells, 1, width]."""

    mean: Tensor
    log_std: Tensor

    def sample(self, draws: Draws) -> Tensor:
        """Numbers [cells, batch, width]."""
        return self.mean + self.log_std.exp() * _on(self.mean, draws.normal(*self.mean.shape[1:]))

    def mode(self) -> Tensor:
        return self.mean

    def log_prob(self, action: Tensor) -> Tensor:
        scaled = (action - self.mean) * (-self.log_std).exp()
        return (-0.5 * scaled.square() - self.log_std - 0.5 * math.log(2 * math.pi)).sum(-1)

    def entropy(self) -> Tensor:
        each = (self.log_std + 0.5 * math.log(2 * math.pi * math.e)).sum(-1)
        return each.expand(self.mean.shape[:2])

    def at(self, places: Places) -> Gaussian:
        """The distributions at some places of the batch, apart from the graph that they were computed by.

        Deviations are copied: they are parameters, which may change.
        """
        return Gaussian(_taken(self.mean, places), self.log_std.detach().clone())


Distribution = Categoricals | Gaussian


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """The Kullback-Leibler divergences [cells, batch] of q from p, two distributions of one kind."""
    if isinstance(p, Categoricals) and isinstance(q, Categoricals):
        return _total([(of_p.exp() * (of_p - of_q)).sum(-1) for of_p, of_q in zip(p.parts, q.parts, strict=True)])
    if isinstance(p, Gaussian) and isinstance(q, Gaussian):
        off = (p.mean - q.mean).square() + (2 * p.log_std).exp()
        return (q.log_std - p.log_std + 0.5 * off * (-2 * q.log_std).exp() - 0.5).sum(-1)
    raise TypeError(f"a {type(p).__name__} and a {type(q).__name__} have no divergence.")


def joined(batches: Sequence[Distribution]) -> Distribution:
    """Distributions of one kind, and Gaussians with the same deviations, as one batch."""
    first = batches[0]
    if isinstance(first, Gaussian):
        return Gaussian(torch.cat([one.mean for one in batches if isinstance(one, Gaussian)], 1), first.log_std)
    parts = zip(*(one.parts for one in batches if isinstance(one, Categoricals)), strict=True)
    return Categoricals(tuple(torch.cat(part, 1) for part in parts))


class Head(Network):
    """The last layer of an actor: features [cells, batch, inputs] → a distribution over actions.

    The deviations of continuous actions are parameters that do not depend on what is seen.
    """

    def __init__(self, init: Generators, inputs: int, of: Actions, gain: float = 0.01, log_std: float = 0.0) -> None:
        super().__init__()
        self.sizes = () if isinstance(of, Reals) else of.sizes
        self.width = of.width if isinstance(of, Reals) else sum(of.sizes)
        self.last = Linear(init, inputs, self.width, orthogonal(gain))
        if isinstance(of, Reals):
            self.log_std = nn.Parameter(torch.full((len(init), 1, padded(self.width)), log_std))

    def forward(self, x: Tensor) -> Distribution:
        out = self.last(x)[..., : self.width]
        if not self.sizes:
            return Gaussian(out, self.log_std[..., : self.width])
        return Categoricals(tuple(part.log_softmax(-1) for part in out.split(self.sizes, -1)))


def _invert(logs: Tensor, uniform: Tensor) -> Tensor:
    """The first option up to which the cumulated probabilities exceed a uniform number."""
    below = logs.exp().cumsum(-1) <= uniform[..., None]
    # Probabilities may add up to a little less than one.
    return below.sum(-1).clamp(max=logs.shape[-1] - 1)


def _taken(x: Tensor, places: Places) -> Tensor:
    rows = slice(None) if isinstance(places, slice) else torch.arange(len(x), device=x.device)[:, None]
    return x[rows, places].detach()


def _total(parts: list[Tensor]) -> Tensor:
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def _on(like: Tensor, numbers: npt.NDArray[np.float32]) -> Tensor:
    return torch.from_numpy(numbers).to(like.device)
