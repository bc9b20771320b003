"""How do the networks of a pack take a gradient step? Adam, with the gradient of every cell clipped on its own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn


class Adam:
    """One Adam for each cell. A step minimises the sum of the cells' losses, whose gradients do not mix."""

    def __init__(
        self, parameters: Iterable[nn.Parameter], rate: float, epsilon: float = 1e-8, clip: float | None = None
    ) -> None:
        self._parameters = list(parameters)
        self._clip = clip
        self._adam = torch.optim.Adam(self._parameters, lr=rate, eps=epsilon, fused=True)

    def step(self, losses: Tensor) -> None:
        """Takes a step down the losses [cells]."""
        self._adam.zero_grad()
        torch.autograd.backward(losses.sum())
        if self._clip is not None:
            clip_each(self._parameters, self._clip)
        self._adam.step()

    def set_rate(self, rate: float) -> None:
        for group in self._adam.param_groups:
            group["lr"] = rate

    def save(self, i: int) -> list[dict[str, Any]]:
        return [
            {name: (value if value.dim() == 0 else value[i]).cpu().numpy().copy() for name, value in state.items()}
            for state in (self._adam.state[p] for p in self._parameters)
        ]

    def load(self, i: int, state: list[dict[str, Any]]) -> None:
        for parameter, kept in zip(self._parameters, state, strict=True):
            mine = self._adam.state[parameter]
            for name, value in kept.items():
                new = torch.from_numpy(value).to(parameter.device)
                if new.dim() == 0:
                    mine[name] = new
                else:
                    mine.setdefault(name, torch.zeros_like(parameter))[i] = new


def clip_each(parameters: Iterable[nn.Parameter], most: float) -> None:
    """Scales the gradient of every cell to a norm of at most `most`."""
    gradients = [p.grad for p in parameters if p.grad is not None]
    squares = torch.stack([g.flatten(1).square().sum(1) for g in gradients]).sum(0)
    scale = (most / (squares.sqrt() + 1e-6)).clamp(max=1.0)
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
