"""One actor and critic as plain torch modules, to hold a pack of them against."""

from __future__ import annotations

import numpy as np
import torch
from torch import distributions, nn


class Single(nn.Module):
    """The actor and critic of one cell: tanh layers without padding."""

    def __init__(self, network, i):
        super().__init__()
        self.actor = nn.Sequential(*_layers(network.actor_body, i), _linear(network.actor.last, i))
        self.critic = nn.Sequential(*_layers(network.critic_body, i), _linear(network.critic, i))
        self.auxiliary = _linear(network.auxiliary, i) if hasattr(network, "auxiliary") else None
        self.log_std = None
        if not network.actor.sizes:
            self.log_std = nn.Parameter(network.actor.log_std[i, 0, : network.actor.width].detach().clone())

    def forward(self, x):
        return self._policy(self.actor(x)), self.critic(x)[:, 0]

    def _policy(self, out):
        if self.log_std is None:
            return distributions.Categorical(logits=out)
        return distributions.Independent(distributions.Normal(out, self.log_std.exp()), 1)

    def log_prob(self, policy, actions):
        return policy.log_prob(actions if self.log_std is not None else actions[:, 0])

    def entropy(self, policy):
        return policy.entropy()

    def features(self, kept):
        """Kept frames [n, ...]: numbers, or one state as a one-hot vector."""
        kept = torch.from_numpy(kept)
        width = self.actor[0].in_features
        return kept if kept.is_floating_point() else nn.functional.one_hot(kept[:, 0].long(), width).float()

    def batch(self, algorithm, i):
        """All features and actions of the rollout, in order."""
        r = algorithm.rollout
        seen, actions = r.seen[i, :-1], r.actions[i]
        flat = seen.reshape(-1, *seen.shape[2:])
        return self.features(flat), torch.from_numpy(actions.reshape(-1, actions.shape[-1]))

    def assert_close(self, network, i):
        """The same weights as those of a cell of the pack, but for rounding: a step moves them by about 0.01."""
        other = Single(network, i)
        for mine, theirs in zip(self.parameters(), other.parameters(), strict=True):
            torch.testing.assert_close(mine, theirs, rtol=1e-3, atol=1e-4)


def advantages_of(one, algorithm, i, discount, trace):
    """Advantages and returns of values [steps × copies], by the recursion, in double precision."""
    r = algorithm.rollout
    frames = r.seen[i].reshape(-1, *r.seen.shape[3:])
    with torch.no_grad():
        values = one(one.features(frames))[1].double().numpy().reshape(r.seen.shape[1:3])
    found, carried = np.zeros(r.rewards.shape[1:]), np.zeros(r.rewards.shape[2])
    for t in reversed(range(len(found))):
        on = 1.0 - r.over[i, t]
        after = np.where(r.over[i, t], r.later[i, t], values[t + 1])
        carried = r.rewards[i, t] + discount * after - values[t] + discount * trace * on * carried
        found[t] = carried
    returns = found + values[:-1]
    return torch.from_numpy(found.ravel()).float(), torch.from_numpy(returns.ravel()).float()


def _linear(layer, i):
    made = nn.Linear(layer.inputs, layer.outputs)
    with torch.no_grad():
        made.weight.copy_(layer.weight[i, : layer.outputs, : layer.inputs])
        made.bias.copy_(layer.bias[i, 0, : layer.outputs])
    return made


def _layers(body, i):
    return [module for layer in body.layers for module in (_linear(layer, i), nn.Tanh())]
