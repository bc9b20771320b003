"""How do the networks of a pack take a gradient step? Each with its own moments, its gradient clipped on its own."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from typing import Any

import torch
from torch import Tensor, nn


class Optimiser:
    """One optimiser for each cell. A step minimises the sum of the cells' losses, whose gradients do not mix."""

    def __init__(self, parameters: list[nn.Parameter], inner: torch.optim.Optimizer, clip: float | None) -> None:
        self.parameters, self._inner, self._clip = parameters, inner, clip
        self.anchor: Anchor | None = None

    def step(self, losses: Tensor) -> None:
        """Takes a step down the losses [cells]."""
        self._inner.zero_grad()
        # Other networks that the losses pass through (critics, for an actor) get no gradients, nor cost any.
        torch.autograd.backward(losses.sum(), inputs=self.parameters)
        if self.anchor is not None:
            self.anchor.pull(self.parameters)
        if self._clip is not None:
            clip_each(self.parameters, self._clip)
        self._inner.step()

    def set_rate(self, rate: float) -> None:
        for group in self._inner.param_groups:
            group["lr"] = rate

    def save(self, i: int) -> list[dict[str, Any]]:
        return [
            {name: (value if value.dim() == 0 else value[i]).cpu().numpy().copy() for name, value in state.items()}
            for state in (self._inner.state[p] for p in self.parameters)
        ]

    def load(self, i: int, state: list[dict[str, Any]]) -> None:
        for parameter, kept in zip(self.parameters, state, strict=True):
            mine = self._inner.state[parameter]
            if not kept:  # of an optimiser that has taken no step yet
                mine.clear()
            for name, value in kept.items():
                new = torch.from_numpy(value).to(parameter.device)
                if new.dim() == 0:
                    mine[name] = new
                else:
                    mine.setdefault(name, torch.zeros_like(parameter))[i] = new


class Anchor:
    """Where weights are held, and how strongly: the gradient of Σ strength / 2 × (θ − θ then)² over all that was added.

    Kept as the sums of the strengths and of strength × θ then.
    """

    def __init__(self, like: list[nn.Parameter]) -> None:
        self._strengths = [torch.zeros_like(p) for p in like]
        self._places = [torch.zeros_like(p) for p in like]

    @torch.no_grad()
    def add(self, strengths: list[Tensor], at: list[nn.Parameter]) -> None:
        torch._foreach_add_(self._strengths, strengths)
        torch._foreach_addcmul_(self._places, strengths, list(at))

    @torch.no_grad()
    def pull(self, parameters: list[nn.Parameter]) -> None:
        """Adds to the gradients."""
        for p, strength, place in zip(parameters, self._strengths, self._places, strict=True):
            if p.grad is not None:
                p.grad.addcmul_(strength, p).sub_(place)

    def save(self, i: int) -> list[tuple[Any, Any]]:
        each = zip(self._strengths, self._places, strict=True)
        return [(a[i].cpu().numpy().copy(), b[i].cpu().numpy().copy()) for a, b in each]

    def load(self, i: int, state: list[tuple[Any, Any]]) -> None:
        for strength, place, (a, b) in zip(self._strengths, self._places, state, strict=True):
            strength[i], place[i] = torch.from_numpy(a).to(strength.device), torch.from_numpy(b).to(place.device)


class Adam(Optimiser):
    def __init__(
        self, parameters: Iterable[nn.Parameter], rate: float, epsilon: float = 1e-8, clip: float | None = None
    ) -> None:
        all_of_them = list(parameters)
        super().__init__(all_of_them, torch.optim.Adam(all_of_them, lr=rate, eps=epsilon, fused=True), clip)


class RmsProp(Optimiser):
    def __init__(
        self, parameters: Iterable[nn.Parameter], rate: float, epsilon: float = 1e-8, clip: float | None = None
    ) -> None:
        all_of_them = list(parameters)
        super().__init__(all_of_them, torch.optim.RMSprop(all_of_them, lr=rate, eps=epsilon), clip)


def clip_each(parameters: Iterable[nn.Parameter], most: float) -> None:
    """Scales the gradient of every cell to a norm of at most `most`."""
    gradients = [p.grad for p in parameters if p.grad is not None]
    norms = [torch.linalg.vector_norm(g.flatten(1), dim=1) for g in gradients]
    # One after the other: torch's sums of few numbers have another order in a pack of one.
    whole = reduce(torch.hypot, norms)
    scale = (most / (whole + 1e-6)).clamp(max=1.0)
    if bool((scale == 1).all()):
        return  # as it mostly is; what is multiplied by 1 stays the same
    for g in gradients:
        g.mul_(scale.view(-1, *[1] * (g.dim() - 1)))


def move_toward(targets: nn.Module, sources: nn.Module, rate: float) -> None:
    """Target networks follow: wholly (rate 1), or by a part of the way."""
    with torch.no_grad():
        for target, source in zip(targets.state_dict().values(), sources.state_dict().values(), strict=True):
            if rate == 1:
                target.copy_(source)
            else:
                target.lerp_(source, rate)
