"""TRPO: products with the Fisher matrix, conjugate gradients, the trust region; its step is that of sb3-contrib."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from single_networks import Single
from torch.func import functional_call

from mohs import Cell, Probe, Segment, Task, UsageError
from mohs.agents.deep.algorithms import trpo
from mohs.agents.deep.buffers.rollouts import flat
from mohs.agents.deep.networks.policies import kl_divergence
from mohs.agents.registry import agent, learner

TASKS = ("toy/discrete", "toy/continuous")
SMALL = {"n_steps": 40, "hidden": (5, 3), "batch_size": 16, "n_critic_updates": 2}


def pack_of(task, seeds=2, steps=1000, **hyperparameters):
    made = agent("trpo", **{**SMALL, **hyperparameters})
    tasks = [Task.make(task, seed=s) for s in range(seeds)]
    probes = [(Probe("eval", t, (steps,), 10),) for t in tasks]
    return learner([Cell(made, s, (Segment(t, steps),), p) for s, (t, p) in enumerate(zip(tasks, probes, strict=True))])


def policy_parameters(network):
    return [*network.actor_body.parameters(), *network.actor.parameters()]


def dense_fisher(single, inputs):
    """The Hessian of the mean KL divergence from the policy itself, in double precision, by torch's own Hessian."""
    named = {name: p.detach() for name, p in single.named_parameters() if not name.startswith("critic")}
    sizes = [p.numel() for p in named.values()]
    start = torch.cat([p.flatten() for p in named.values()])
    with torch.no_grad():
        old, _ = single(inputs)

    def divergence(vector):
        parts = vector.split(sizes)
        weights = {name: part.view(p.shape) for (name, p), part in zip(named.items(), parts, strict=True)}
        new, _ = functional_call(single, weights, inputs)
        return torch.distributions.kl_divergence(old, new).mean()

    return torch.autograd.functional.hessian(divergence, start).numpy()


def unpadded(single, network, vector):
    """A vector over the padded parameters of a cell, in the order of the plain network's."""
    pieces = dict(zip([n for n, _ in _named(network)], _split(network, vector), strict=True))
    found = [] if single.log_std is None else [pieces["log_std"][0, : single.log_std.numel()]]
    linear = [layer for layer in single.actor if isinstance(layer, torch.nn.Linear)]
    for k, layer in enumerate(linear):
        found += [pieces[f"weight{k}"][: layer.out_features, : layer.in_features].ravel()]
        found += [pieces[f"bias{k}"][0, : layer.out_features]]
    names = [name for name, _ in single.named_parameters() if not name.startswith("critic")]
    assert names[0] == "log_std" or single.log_std is None
    return np.concatenate([np.asarray(piece).ravel() for piece in found])


def _named(network):
    layers = [*network.actor_body.layers, network.actor.last]
    by_id = {id(p): f"{kind}{k}" for k, layer in enumerate(layers) for kind, p in layer.named_parameters()}
    return [(by_id.get(id(p), "log_std"), p) for p in policy_parameters(network)]


def _split(network, vector):
    ends = np.cumsum([p[0].numel() for _, p in _named(network)])[:-1]
    return [v.reshape(p[0].shape) for v, (_, p) in zip(np.split(vector, ends), _named(network), strict=True)]


@pytest.mark.parametrize("task", TASKS)
def test_products_are_those_with_the_hessian_of_the_divergence(task):
    pack = pack_of(task)
    pack.train(30)
    algorithm = pack._algorithm
    network, kept = algorithm.network, flat(algorithm.rollout.seen)[:, :30]
    parameters = policy_parameters(network)
    policy = network.policy(algorithm.features(kept))
    product = trpo.hessian_product(kl_divergence(policy.at(slice(None)), policy).mean(1), parameters, 0.25)
    vectors = torch.randn(2, trpo.joined(parameters).shape[1], generator=torch.Generator().manual_seed(0))
    found = product(vectors).numpy()
    for i in range(2):
        single = Single(network, i)
        inputs = single.features(kept[i]).double()
        fisher = dense_fisher(single.double(), inputs)
        vector = unpadded(single, network, vectors[i].numpy())
        expected = fisher @ vector + 0.25 * vector
        assert np.abs(fisher @ vector).max() > 1e-3
        np.testing.assert_allclose(unpadded(single, network, found[i]), expected, rtol=1e-4, atol=1e-5)


def test_conjugate_gradients_solve_each_cell():
    """The second cell is done after one step, and the third has nothing to solve: they wait for the first."""
    generator = torch.Generator().manual_seed(0)
    root = torch.randn(12, 12, generator=generator, dtype=torch.float64)
    matrices = torch.stack([root @ root.T + torch.eye(12), 2 * torch.eye(12), torch.eye(12)])
    of = torch.randn(3, 12, generator=generator, dtype=torch.float64)
    of[2] = 0
    found = trpo.conjugate_gradients(lambda v: (matrices @ v[..., None])[..., 0], of, 30)
    np.testing.assert_allclose(found[:2], np.linalg.solve(matrices[:2], of[:2, :, None])[..., 0], atol=1e-6)
    assert (found[2] == 0).all()


def test_the_line_search_of_a_cell_does_not_wait_for_others():
    """Cells accept lengths up to 1, 0.3 and -1 of their steps: of 1, 0.5, 0.25, ... the first, the third and none."""
    parameters = [torch.zeros(3, 2), torch.zeros(3, 1, 1)]
    steps, limits = torch.ones(3, 3), torch.tensor([1.0, 0.3, -1.0])
    trpo.line_search(parameters, steps, lambda: trpo.joined(parameters).amax(1) <= limits, 0.5, 6)
    np.testing.assert_array_equal(trpo.joined(parameters)[:, 0], [1.0, 0.25, 0.0])


@pytest.mark.parametrize("factor", [1, 3])
@pytest.mark.parametrize("task", TASKS)
def test_a_step_is_better_and_stays_in_the_trust_region(task, factor):
    target = 0.02
    pack = pack_of(task, 4, sub_sampling_factor=factor, target_kl=target, cg_damping=0.01)
    pack.train(39)
    algorithm = pack._algorithm
    before = [Single(algorithm.network, i) for i in range(4)]
    pack.train(1)
    taken = 0
    for i, old in enumerate(before):
        new = Single(algorithm.network, i)
        inputs, _ = old.batch(algorithm, i)
        with torch.no_grad():
            divergence = torch.distributions.kl_divergence(old(inputs)[0], new(inputs)[0]).mean()
        assert divergence <= target * 1.001
        taken += int(divergence > target / 10)
    assert taken >= 3


def test_the_step_is_that_of_sb3_contrib():
    """One update from the same weights, on the same rollout. Theirs bounds the divergence the other way round."""
    pytest.importorskip("sb3_contrib")
    from sb3_contrib import TRPO

    steps = 128
    model = TRPO(
        "MlpPolicy", "CartPole-v1", n_steps=steps, seed=0, device="cpu", n_critic_updates=1, cg_damping=0.1,
        policy_kwargs={"net_arch": [16, 16]},
    )  # fmt: skip
    _, callback = model._setup_learn(steps)
    model.collect_rollouts(model.env, callback, model.rollout_buffer, n_rollout_steps=steps)
    theirs = model.policy
    actors = [theirs.mlp_extractor.policy_net[0], theirs.mlp_extractor.policy_net[2], theirs.action_net]

    task = Task.make("CartPole-v1")
    pack = learner([Cell(agent("trpo", n_steps=steps, hidden=(16, 16)), 0, (Segment(task, steps),))])
    algorithm = pack._algorithm
    ours = [*algorithm.network.actor_body.layers, algorithm.network.actor.last]
    with torch.no_grad():
        for mine, his in zip(ours, actors, strict=True):
            mine.weight[0, : his.out_features, : his.in_features] = his.weight
            mine.bias[0, 0, : his.out_features] = his.bias
    start = [his.weight.detach().clone() for his in actors]
    buffer = model.rollout_buffer
    algorithm.rollout.actions[0, :, 0, 0] = buffer.actions[:, 0, 0]
    batch = (np.ascontiguousarray(x[None, :, 0]) for x in (buffer.observations, buffer.advantages, buffer.log_probs))
    trpo.improve(algorithm, algorithm._config, *batch)
    model.train()
    for mine, his, was in zip(ours, actors, start, strict=True):
        moved = his.weight.detach() - was
        found = mine.weight[0, : his.out_features, : his.in_features].detach() - was
        assert moved.norm() > 1e-3
        assert (found - moved).norm() < 0.01 * moved.norm()


def test_cartpole_is_learnt():
    task = Task.make("control/cartpole")
    made, steps = agent("trpo", hidden=(32, 32), sub_sampling_factor=4), 16_384
    pack = learner([Cell(made, s, (Segment(task, steps),), (Probe("eval", task, (steps,), 10),)) for s in range(6)])
    pack.train(steps)
    assert np.median(pack.evaluate(0)["return"]) >= 400


def test_the_toy_is_learnt():
    pack = pack_of("toy/discrete", 6, 6000, n_steps=128, hidden=(32, 32), target_kl=0.03)
    pack.train(6000)
    assert pack.evaluate(0)["return"].mean() > 60


def test_consolidation_is_refused():
    with pytest.raises(UsageError, match="trpo has no lifelong=ewc"):
        agent("trpo", lifelong="ewc")
