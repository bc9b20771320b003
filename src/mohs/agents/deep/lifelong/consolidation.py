"""Which weights mattered, and how are they held? Elastic weight consolidation (EWC, Kirkpatrick et al. 2017).

When a task is over, the information that the networks' outputs have on each weight is estimated: F, the diagonal of
Fisher's matrix, from outputs sampled from the networks' own distributions (actions; values with deviation 1) for
stored steps. From then on every gradient gets weight × F × (θ − θ then) more, for each task before.
Gradients of independent draws do not correlate, so those of several steps may be squared together.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from mohs.agents.deep.algorithm import Algorithm
from mohs.agents.deep.draws import Draws
from mohs.agents.deep.networks.policies import Distribution
from mohs.agents.deep.optimise import Anchor, Optimiser

TOGETHER = 16  # steps whose gradients are squared together


class Consolidation:
    """What a pack holds on to."""

    def __init__(self, algorithm: Algorithm, draws: Draws, weight: float, samples: int) -> None:
        self._algorithm, self._draws, self._weight = algorithm, draws, weight
        self._rounds = -(-samples // TOGETHER)
        self._optimisers = [part for part in algorithm.parts.values() if isinstance(part, Optimiser)]

    def hold(self) -> None:
        """Holds the weights as they are now, beside all that is held already."""
        for optimiser, information in zip(self._optimisers, self._information(), strict=True):
            if optimiser.anchor is None:
                optimiser.anchor = Anchor(optimiser.parameters)
            optimiser.anchor.add([self._weight * each for each in information], optimiser.parameters)

    def _information(self) -> list[list[Tensor]]:
        """For the parameters of every optimiser the mean squared gradient of one step's likelihood."""
        parameters = [p for optimiser in self._optimisers for p in optimiser.parameters]
        sums = [torch.zeros_like(p) for p in parameters]
        for _ in range(self._rounds):
            likelihood = self._algorithm.likelihood(self._draws, TOGETHER)
            gradients = torch.autograd.grad(likelihood.sum(), parameters, allow_unused=True)
            for total, gradient in zip(sums, gradients, strict=True):
                if gradient is not None:
                    total.addcmul_(gradient, gradient)
        each = iter(total / (self._rounds * TOGETHER) for total in sums)
        return [[next(each) for _ in optimiser.parameters] for optimiser in self._optimisers]

    def save(self, i: int) -> dict[str, Any]:
        anchors = [None if o.anchor is None else o.anchor.save(i) for o in self._optimisers]
        return {"draws": self._draws.save(i), "anchors": anchors}

    def load(self, i: int, state: dict[str, Any]) -> None:
        self._draws.load(i, state["draws"])
        for optimiser, held in zip(self._optimisers, state["anchors"], strict=True):
            if held is None:
                continue
            if optimiser.anchor is None:
                optimiser.anchor = Anchor(optimiser.parameters)
            optimiser.anchor.load(i, held)


def likelihood_of_values(values: Tensor, draws: Draws) -> Tensor:
    """The logarithms [cells] of the density of values [cells, ...] drawn with deviation 1 around those that are said.

    Up to what does not depend on the networks, to first order: its gradient is that of the density.
    """
    each = values.flatten(1)
    return (each * torch.from_numpy(draws.normal(each.shape[1])).to(each.device)).sum(1)


def likelihood_of_actions(policy: Distribution, draws: Draws) -> Tensor:
    """The logarithms [cells] of how likely actions drawn by a policy are."""
    return policy.log_prob(policy.sample(draws).detach()).sum(1)
