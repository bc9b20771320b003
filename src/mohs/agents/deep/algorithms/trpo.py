"""Trust region policy optimisation: the largest step along the natural gradient that stays near the old policy.

TRPO (Schulman et al. 2015, section 6 and Appendix C). Conjugate gradients solve F x = g with products with the Fisher
matrix F only, which is the Hessian of the KL divergence. The step is scaled to the trust region, then shortened until
the divergence is small enough and the surrogate objective has grown. Everything is per cell: the Hessian-vector product
of the sum over cells keeps their gradients apart, and a cell whose search is over keeps its step while others continue.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from torch import Tensor

from mohs.agents.deep.algorithms.actor_critic import (
    ActorCritic,
    PolicyConfig,
    PolicyGradient,
    before_update,
    normalised,
)
from mohs.agents.deep.buffers.rollouts import Floats, flat, minibatches
from mohs.agents.deep.networks.policies import kl_divergence
from mohs.agents.deep.optimise import Adam
from mohs.agents.hyperparameters import setting
from mohs.core.cell import Cell
from mohs.core.domain import Flag, Integer, Real
from mohs.core.errors import UsageError

TOLERANCE = 1e-10  # squared residual at which conjugate gradients stop
EPSILON = 1e-5  # of the critic's Adam

Product = Callable[[Tensor], Tensor]  # with a matrix of each cell


@dataclass(frozen=True)
class TrpoConfig(PolicyConfig):
    learning_rate: float = setting(1e-3, Real(0, low_open=True), "learning rate of the critic")
    batch_size: int = setting(128, Integer(1), "minibatch size of the critic, in steps")
    n_critic_updates: int = setting(10, Integer(1), "epochs of the critic over each rollout")
    target_kl: float = setting(0.01, Real(0, low_open=True), "largest mean KL divergence of a policy from the last one")
    cg_max_steps: int = setting(15, Integer(1), "most steps of conjugate gradients")
    cg_damping: float = setting(0.1, Real(0), "number added to the diagonal of the Fisher matrix")
    line_search_shrinking_factor: float = setting(
        0.8, Real(0, 1, low_open=True), "factor by which the line search shortens a step"
    )
    line_search_max_iter: int = setting(10, Integer(1), "steps that the line search tries; if all fail, none is taken")
    sub_sampling_factor: int = setting(
        1, Integer(1), "the Fisher matrix is estimated from every n-th step of the rollout; a larger n is faster"
    )
    normalize_advantage: bool = setting(True, Flag(), "normalise the advantages of every rollout")

    def __post_init__(self) -> None:
        if self.lifelong == "ewc":
            raise UsageError("trpo has no lifelong=ewc: its policy takes no gradient steps that weights could resist.")


def trpo(
    cells: Sequence[Cell],
    config: TrpoConfig,
    observation_space: spaces.Space[Any],
    action_space: spaces.Space[Any],
    device: torch.device,
) -> PolicyGradient:
    """A pack that learns by trust region policy optimisation. The optimiser is that of the critic."""
    return PolicyGradient(cells, config, observation_space, action_space, device, update, _of_critic)


def _of_critic(network: ActorCritic, c: TrpoConfig) -> Adam:
    """Convolutions that both share belong to the policy, so that the critic cannot leave the trust region with them."""
    return Adam([*network.critic_body.parameters(), *network.critic.parameters()], c.learning_rate, EPSILON)


def update(agent: PolicyGradient, config: TrpoConfig) -> None:
    c, rollout = config, agent.rollout
    values, log_probs = before_update(agent)
    found = rollout.advantages(values.reshape(rollout.seen.shape[:3]), c.gamma, c.gae_lambda)
    total = log_probs.shape[1]
    seen, advantages = flat(rollout.seen)[:, :total], flat(found)
    improve(agent, c, seen, advantages, log_probs)
    returns, rows = advantages + values[:, :total], np.arange(len(values))[:, None]
    for _ in range(c.n_critic_updates):
        for at in minibatches(agent.draws, total, c.batch_size):
            now = agent.network.value(agent.features(seen[rows, at]))
            agent.optimiser.step((agent.tensor(returns[rows, at]) - now).square().mean(1))


def improve(agent: PolicyGradient, c: TrpoConfig, seen: Any, advantages: Floats, log_probs: Floats) -> None:
    """One step of every policy, within its trust region, or none."""
    network, inputs = agent.network, agent.features(seen)
    assert isinstance(network, ActorCritic)
    parameters = [*network.sees.parameters(), *network.actor_body.parameters(), *network.actor.parameters()]
    actions, was = agent.tensor(flat(agent.rollout.actions)), agent.tensor(log_probs)
    gains = agent.tensor(advantages)
    gains = normalised(gains) if c.normalize_advantage else gains

    policy = network.policy(inputs)
    old = policy.at(slice(None))
    objective = ((policy.log_prob(actions) - was).exp() * gains).mean(1)
    gradient = joined(torch.autograd.grad(objective.sum(), parameters))
    some = slice(None, None, c.sub_sampling_factor)
    near = network.policy(inputs[:, some].contiguous())
    fisher = hessian_product(kl_divergence(old.at(some), near).mean(1), parameters, c.cg_damping)
    natural = conjugate_gradients(fisher, gradient, c.cg_max_steps)
    longest = (2 * c.target_kl / dot(natural, fisher(natural))).sqrt()

    @torch.no_grad()
    def better() -> Tensor:
        """Which policies, as they are now, lie in the trust region of the old one and are better by its rollout."""
        policy = network.policy(inputs)
        gained = ((policy.log_prob(actions) - was).exp() * gains).mean(1) > objective
        return gained & (kl_divergence(old, policy).mean(1) <= c.target_kl)

    line_search(parameters, longest[:, None] * natural, better, c.line_search_shrinking_factor, c.line_search_max_iter)


def hessian_product(values: Tensor, parameters: Sequence[Tensor], damping: float) -> Product:
    """Products of vectors [cells, parameters] with the Hessian of each cell's value plus damping × identity."""
    slope = joined(torch.autograd.grad(values.sum(), parameters, create_graph=True))

    def product(vectors: Tensor) -> Tensor:
        curved = torch.autograd.grad(slope, parameters, vectors, retain_graph=True)
        return joined(curved) + damping * vectors

    return product


@torch.no_grad()
def conjugate_gradients(product: Product, of: Tensor, steps: int) -> Tensor:
    """Solves A x = b for each cell; a cell whose residual is small enough waits for the others."""
    x, residual, direction, square = torch.zeros_like(of), of, of, dot(of, of)
    for _ in range(steps):
        active = square > TOLERANCE
        if not bool(active.any()):
            break
        with torch.enable_grad():
            along = product(direction)
        length = torch.where(active, square / dot(direction, along), 0.0)[:, None]
        x, residual = x + length * direction, residual - length * along
        after = dot(residual, residual)
        direction = torch.where(active[:, None], residual + (after / square)[:, None] * direction, direction)
        square = torch.where(active, after, square)
    return x


@torch.no_grad()
def line_search(
    parameters: Sequence[Tensor], step: Tensor, accepts: Callable[[], Tensor], shrinking: float, most: int
) -> None:
    """Moves the parameters of each cell by the first of the steps 1, s, s², ... × `step` that is accepted, or not."""
    start = joined(parameters)
    accepted = torch.zeros(len(step), dtype=torch.bool, device=step.device)
    scale = torch.ones(len(step), device=step.device)
    for _ in range(most):
        put(start + scale[:, None] * step, parameters)
        accepted |= accepts()
        if bool(accepted.all()):
            return
        scale = torch.where(accepted, scale, shrinking * scale)
    put(torch.where(accepted[:, None], start + scale[:, None] * step, start), parameters)


def dot(a: Tensor, b: Tensor) -> Tensor:
    """Products [cells] of vectors [cells, parameters]."""
    return (a * b).sum(1)


def joined(parts: Sequence[Tensor]) -> Tensor:
    """Parameters or gradients [cells, ...] as vectors [cells, parameters]."""
    return torch.cat([part.flatten(1) for part in parts], 1)


def put(vectors: Tensor, parameters: Sequence[Tensor]) -> None:
    """Vectors [cells, parameters] as parameters [cells, ...]."""
    for parameter, part in zip(parameters, torch.split(vectors, [p[0].numel() for p in parameters], 1), strict=True):
        parameter.copy_(part.view_as(parameter))
