"""PPG: its phases are those of the paper, written plainly for a single network; each trunk learns what it should."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from pictures import cells as picture_cells
from single_networks import Single, advantages_of

from mohs import Cell, Probe, Segment, Task
from mohs.agents.deep.algorithms import ppg
from mohs.agents.deep.algorithms.ppg import PpgConfig, joint_losses
from mohs.agents.deep.algorithms.ppo import experience
from mohs.agents.deep.buffers.rollouts import minibatches
from mohs.agents.deep.draws import Draws
from mohs.agents.deep.networks.policies import Categoricals, Gaussian, joined
from mohs.agents.deep.packs import eager, pack_size
from mohs.agents.registry import agent, config, learner

STEPS, COPIES, PI = 6, 3, 2
C = {
    "n_steps": STEPS, "num_envs": COPIES, "batch_size": 10, "ent_coef": 0.02, "clip_range": 0.05, "hidden": (9, 5),
    "learning_rate": 0.01, "n_pi": PI, "n_epochs_aux": 2, "aux_batch_size": 16, "beta_clone": 0.7,
    "optimiser_epsilon": 0.01,  # the first gradient of the KL divergence is rounding, which Adam must not blow up
}  # fmt: skip


def pack_of(seeds, steps, task="toy/discrete", name="ppg", **hyperparameters):
    tasks = [Task.make(task, seed=s) for s in seeds]
    made = agent(name, **hyperparameters)
    probes = [(Probe("eval", t, (steps,), 10),) for t in tasks]
    return learner([Cell(made, s, (Segment(t, steps),), p) for s, t, p in zip(seeds, tasks, probes, strict=True)])


@pytest.mark.parametrize(("epochs", "value_epochs"), [(2, 2), (1, 3), (3, 1)])
@pytest.mark.parametrize("task", ["toy/discrete", "toy/continuous"])
def test_phases_are_those_of_single_networks(task, epochs, value_epochs):
    c = C | {"n_epochs_policy": epochs, "n_epochs_value": value_epochs}
    pack = pack_of(range(2), 1000, task, **c)
    algorithm = pack._algorithm
    plain = []
    for i in range(2):
        one = Single(algorithm.network, i)
        draws = Draws(algorithm.draws.keys[i : i + 1])
        plain.append(Plain(one, draws, c))
    for _ in range(PI * 2):  # two policy phases, each with its auxiliary phase
        pack.train(STEPS * COPIES)
        for i, single in enumerate(plain):
            single.draws.count += STEPS
            single.update(algorithm, i)
            assert single.draws.count == algorithm.draws.count
            single.one.assert_close(algorithm.network, i)
    assert algorithm.phase.size == 0


class Plain:
    """Algorithm 1 of the paper, in single precision with torch's own modules, on the rollouts of a pack's cell."""

    def __init__(self, one, draws, c):
        self.one, self.draws, self.c, self.memory = one, draws, c, []
        make = lambda: torch.optim.Adam(one.parameters(), lr=c["learning_rate"], eps=c["optimiser_epsilon"])  # noqa: E731
        self.of_policy, self.of_value, self.of_aux = make(), make(), make()

    def update(self, algorithm, i):
        c, one = self.c, self.one
        advantages, returns = advantages_of(one, algorithm, i, 0.99, 0.95)
        seen, actions = one.batch(algorithm, i)
        with torch.no_grad():
            old = one.log_prob(one(seen)[0], actions)

        def of_actor(at):
            policy, _ = one(seen[at])
            a = advantages[at]
            a = (a - a.mean()) / (a.std() + 1e-8)
            ratio = (one.log_prob(policy, actions[at]) - old[at]).exp()
            objective = torch.min(ratio * a, ratio.clamp(1 - c["clip_range"], 1 + c["clip_range"]) * a)
            return -objective.mean() - c["ent_coef"] * one.entropy(policy).mean()

        def of_critic(at):
            return 0.5 * (one(seen[at])[1] - returns[at]).square().mean()

        total, size = len(old), c["batch_size"]
        if c["n_epochs_policy"] == c["n_epochs_value"]:
            # Gradients are clipped together, so the two are one step.
            self.epochs(c["n_epochs_policy"], total, size, self.of_policy, lambda at: of_actor(at) + of_critic(at))
        else:
            self.epochs(c["n_epochs_value"], total, size, self.of_value, of_critic)
            self.epochs(c["n_epochs_policy"], total, size, self.of_policy, of_actor)
        self.memory.append((seen.clone(), returns))  # the rollout is written over
        if len(self.memory) == c["n_pi"]:
            self.auxiliary(*(torch.cat(parts) for parts in zip(*self.memory, strict=True)))
            self.memory.clear()

    def auxiliary(self, seen, returns):
        one = self.one
        with torch.no_grad():
            logits = one.actor(seen)
            # The deviations of continuous actions are parameters: those before the phase.
            deviation = None if one.log_std is None else one.log_std.detach().clone()

        def before(at):
            if deviation is None:
                return torch.distributions.Categorical(logits=logits[at])
            return torch.distributions.Independent(torch.distributions.Normal(logits[at], deviation.exp()), 1)

        def joint(at):
            policy, values = one(seen[at])
            aux = one.auxiliary(one.actor[:-1](seen[at]))[:, 0]
            divergence = torch.distributions.kl_divergence(before(at), policy).mean()
            errors = 0.5 * (aux - returns[at]).square().mean() + 0.5 * (values - returns[at]).square().mean()
            return errors + self.c["beta_clone"] * divergence

        self.epochs(self.c["n_epochs_aux"], len(returns), self.c["aux_batch_size"], self.of_aux, joint)

    def epochs(self, count, total, size, inner, loss):
        for _ in range(count):
            for at in minibatches(self.draws, total, size):
                inner.zero_grad()
                loss(torch.from_numpy(at[0])).backward()
                torch.nn.utils.clip_grad_norm_([p for p in self.one.parameters() if p.grad is not None], 0.5)
                inner.step()


def test_without_auxiliary_phases_it_is_ppo():
    same = {"n_steps": 16, "num_envs": 2, "batch_size": 10, "normalize_reward": True}
    ours = pack_of(range(2), 400, n_epochs_policy=3, n_epochs_value=3, n_epochs_aux=0, **same)
    ppo = pack_of(range(2), 400, name="ppo", n_epochs=3, **same)
    for pack in (ours, ppo):
        pack.train(400)
    mine, theirs = ours._algorithm.network.state_dict(), ppo._algorithm.network.state_dict()
    assert set(mine) - set(theirs) == {"auxiliary.weight", "auxiliary.bias"}
    assert all(torch.equal(mine[name], theirs[name]) for name in theirs)


def test_the_joint_loss_is_that_of_the_paper():
    g = torch.Generator().manual_seed(0)
    returns, values, aux = torch.randn(3, 2, 5, generator=g)
    logits = torch.randn(2, 2, 5, 4, generator=g)
    before, policy = (Categoricals((one.log_softmax(-1),)) for one in logits)
    found = joint_losses(before, policy, values, aux, returns, 0.3)
    for i in range(2):
        divergence = torch.nn.functional.kl_div(
            policy.parts[0][i], before.parts[0][i], log_target=True, reduction="batchmean"
        )
        mse = torch.nn.functional.mse_loss
        expected = 0.5 * mse(aux[i], returns[i]) + 0.5 * mse(values[i], returns[i]) + 0.3 * divergence
        torch.testing.assert_close(found[i], expected)


def reached(network, loss):
    """The parts of a network that the gradient of a loss reaches."""
    network.zero_grad()
    loss.backward()
    named = network.named_parameters()
    return {name.split(".")[0] for name, p in named if p.grad is not None and p.grad.count_nonzero()}


ACTOR, CRITIC = {"sees", "actor_body", "actor"}, {"critic_body", "critic"}


@pytest.mark.parametrize(("trunk", "of_critic"), [("separate", {"critic_sees"}), ("detached", set())])
def test_each_loss_reaches_its_own_trunk(trunk, of_critic):
    pack = learner(picture_cells("ppg", "pixels", 100, filters=((8, 4, 4),), value_trunk=trunk, n_steps=20))
    pack.train(19)
    algorithm = pack._algorithm
    network, seen = algorithm.network, algorithm.features(algorithm.rollout.seen[:, :16, 0])
    policy, value = network(seen)
    assert reached(network, policy.entropy().sum()) == ACTOR
    assert reached(network, network(seen)[1].sum()) == CRITIC | of_critic
    torch.testing.assert_close(network.value(seen), value)
    assert reached(network, network.value(seen).sum()) == CRITIC | of_critic
    _, value, aux = network.all_heads(seen)
    assert reached(network, aux.sum()) == {"sees", "actor_body", "auxiliary"}
    policy, value, aux = network.all_heads(seen)
    before = Categoricals((policy.parts[0].detach().flip(1),))
    loss = joint_losses(before, policy, value, aux, torch.ones_like(aux), 1.0)
    assert reached(network, loss.sum()) == ACTOR | CRITIC | of_critic | {"auxiliary"}


def test_an_auxiliary_phase_teaches_the_trunk_and_the_kl_divergence_holds_the_policy():
    """From the same policy phase: the head learns in either case, and the policy moves less the larger beta is."""
    moved, errors = [], []
    for beta in (0.0, 1.0, 100.0):
        pack = pack_of(range(3), 2000, n_steps=64, num_envs=2, n_pi=4, n_epochs_aux=20, beta_clone=beta, hidden=(24,))
        pack.train(64 * 2 * 4 - 2)
        algorithm = pack._algorithm
        algorithm.network.actor.last.weight.data.mul_(100)  # far from uniform
        seen = algorithm.phase.seen[:, :384].copy()
        returns = algorithm.tensor(algorithm.phase.returns[:, :384].copy())

        def error(algorithm=algorithm, seen=seen, returns=returns):
            with torch.no_grad():
                return (algorithm.network.all_heads(algorithm.features(seen))[2] - returns).square().mean()

        policies, first = [], error()
        original = ppg.auxiliary_phase

        def spied(agent, config, policies=policies, seen=seen, original=original):
            policies.append(ppg.policies(agent, seen))
            original(agent, config)
            policies.append(ppg.policies(agent, seen))

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(ppg, "auxiliary_phase", spied)
            pack.train(2)
        moved.append(ppg.kl_divergence(*policies).mean())
        errors.append(error() / first)
    assert moved[0] > 2 * moved[1] > 2 * moved[2]
    assert max(errors) < 0.9


def test_a_policy_phase_keeps_frames_and_returns():
    pack = pack_of([0], 1000, n_steps=8, num_envs=2, n_pi=3)
    algorithm = pack._algorithm
    known = []

    def spied(agent, config):
        known.append(experience(agent, config))
        return known[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ppg, "experience", spied)
        for rollouts in (1, 2):
            pack.train(16)
            assert algorithm.phase.size == rollouts
    phase = algorithm.phase
    np.testing.assert_array_equal(phase.returns[0, 16:32], known[1].returns[0])
    np.testing.assert_array_equal(phase.seen[0, 16:32], known[1].seen[0, :16])
    pack.train(16)
    assert phase.size == 0


def test_distributions_are_joined_and_picked():
    g = torch.Generator().manual_seed(0)
    logs = torch.randn(2, 7, 3, generator=g).log_softmax(-1)
    at = torch.tensor([[3, 0], [6, 6]])
    whole = joined([Categoricals((logs[:, :4],)), Categoricals((logs[:, 4:],))])
    assert torch.equal(whole.parts[0], logs)
    assert torch.equal(whole.at(at).parts[0], torch.stack([logs[0, [3, 0]], logs[1, [6, 6]]]))
    means, deviation = torch.randn(2, 7, 3, generator=g), torch.zeros(2, 1, 3)
    of_numbers = joined([Gaussian(means[:, :4], deviation), Gaussian(means[:, 4:], deviation)])
    assert torch.equal(of_numbers.at(at).mean, torch.stack([means[0, [3, 0]], means[1, [6, 6]]]))


def test_vanilla_is_learnt():
    epochs = {"n_epochs_policy": 2, "n_epochs_value": 2}
    pack = pack_of(range(3), 4096, learning_rate=2e-3, num_envs=4, n_steps=64, n_pi=4, **epochs)
    pack.train(4096)
    assert (pack.evaluate(0)["return"] > 90).all()


@pytest.mark.parametrize("preset", PpgConfig.presets())
def test_presets_are_valid(preset):
    assert agent("ppg", preset=preset)


def test_the_papers_preset_has_16_auxiliary_minibatches_for_each_rollout():
    c = config(agent("ppg", preset="procgen"))
    assert c.n_steps * c.num_envs / c.aux_batch_size == 16
    assert c.n_steps * c.num_envs / c.batch_size == 8


def test_packs_are_small_enough_for_what_policy_phases_keep():
    assert pack_size(agent("ppg", preset="procgen"), True) == 1
    assert pack_size(agent("ppg", preset="arcade"), True) > 8
    trial = config(eager(agent("ppg", preset="arcade"), 100))
    assert trial.n_steps * trial.num_envs == 256
    assert trial.n_pi == 1
