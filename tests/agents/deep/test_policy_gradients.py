"""What A2C, PPO, PPG and TRPO have in common: independent of packs and pauses, all spaces, probes with known values."""

from __future__ import annotations

import numpy as np
import pytest
from probes import cell as probe_cell
from probes import expected, learnt, trained

from mohs import Cell, Probe, Segment, Task
from mohs.agents.registry import agent, learner

# Rollouts so short that several end in a test; sizes that are no multiples of 8 anywhere.
SMALL = {
    "a2c": {"num_envs": 3, "n_steps": 5, "hidden": (13, 7), "normalize_advantage": True, "ent_coef": 0.01},
    "ppo": {"num_envs": 3, "n_steps": 13, "hidden": (13, 7), "batch_size": 10, "n_epochs": 2, "normalize_reward": True},
    "ppg": {
        "num_envs": 3,
        "n_steps": 13,
        "hidden": (13, 7),
        "batch_size": 10,
        "n_pi": 2,
        "n_epochs_aux": 2,
        "aux_batch_size": 20,
    },
    "trpo": {"num_envs": 3, "n_steps": 13, "hidden": (13, 7), "batch_size": 10, "n_critic_updates": 2},
}
STEPS = 210
TASKS = {
    "states": lambda s: Task.make("toy/discrete", seed=s, max_episode_steps=9, transition_noise=0.1),
    "choices": lambda s: Task.make("toy/discrete", seed=s, irrelevant_features=True, delay=1),
    "numbers": lambda s: Task.make("toy/continuous", seed=s, make_denser=True, max_episode_steps=11, state_space_dim=3),
    "others": lambda s: Task.make("CartPole-v1"),
    "pendulums": lambda s: Task.make("control/pendulum", m=(0.4, 1, 4)[s], l=(0.5, 2, 10)[s], max_episode_steps=20),
}


def cell(name, task, seed, steps=STEPS, **hyperparameters):
    probe = Probe("eval", task, (steps,), 3, mode="sample")
    return Cell(agent(name, **{**SMALL[name], **hyperparameters}), seed, (Segment(task, steps),), (probe,), 30)


def outcome(pack):
    """All that came of each cell: its curve, its evaluation, its networks."""
    evaluated = pack.evaluate(0)["return"]
    curves = [points["train/return"][1] for points in pack.curves()]
    networks = [pack._algorithm.network.save(i) for i in range(len(pack.cells))]
    return [{"curve": c, "evaluated": e, **n} for c, e, n in zip(curves, evaluated, networks, strict=True)]


def same(a, b):
    return all(np.array_equal(a[name], b[name], equal_nan=True) for name in a)


@pytest.mark.parametrize("kind", TASKS)
@pytest.mark.parametrize("name", SMALL)
def test_a_cell_does_not_depend_on_its_pack_nor_on_pauses(name, kind):
    cells = [cell(name, TASKS[kind](s), s) for s in range(3)]
    together = trained(cells)
    all_of_them = outcome(together)

    alone = learner(cells[1:2])
    for part in (1, 99, STEPS - 100):
        alone.train(part)
    assert same(outcome(alone)[0], all_of_them[1])
    assert not np.array_equal(all_of_them[0]["actor.last.weight"], all_of_them[1]["actor.last.weight"])

    paused = learner(cells)
    paused.train(107)
    states = paused.save()
    again = learner([cells[2], cells[0]])
    again.load([states[2], states[0]])
    again.train(STEPS - 107)
    for found, wanted in zip(outcome(again), (all_of_them[2], all_of_them[0]), strict=True):
        assert same(found, wanted)


@pytest.mark.parametrize("name", SMALL)
def test_images_have_the_same_bits_in_any_pack(name):
    tasks = [Task.make("toy/discrete", seed=s, image_representations=True) for s in range(2)]
    cells = [cell(name, task, s, 90, filters=((8, 16, 8), (8, 3, 2))) for s, task in enumerate(tasks)]
    assert same(outcome(trained(cells[1:]))[0], outcome(trained(cells))[1])


@pytest.mark.parametrize("name", SMALL)
def test_a_new_segment_cuts_off_what_is_under_way(name):
    """The same environment again is no continuation; the cell still has the same bits in any pack and after a pause."""
    tasks = [Task.make("toy/discrete", seed=s) for s in range(2)]
    cells = [
        Cell(
            agent(name, **SMALL[name]), s, (Segment(task, 25), Segment(task, 92)), (Probe("eval", task, (117,), 3),), 30
        )
        for s, task in enumerate(tasks)
    ]

    def train(pack, parts):
        for part in parts:
            pack.train(part)
        return outcome(pack)

    together = train(learner(cells), (25, 92))
    first = learner(cells)
    first.train(25)
    rollout = first._algorithm.rollout
    newest = rollout.size - 1
    under_way = ~rollout.over[:, newest]
    first.train(3)
    assert under_way.any()
    assert rollout.over[:, newest].all()
    assert (rollout.later[:, newest][under_way] != 0).all()
    second = learner(cells[1:])
    second.load(first.save()[1:])
    assert same(train(second, (89,))[0], together[1])


@pytest.mark.parametrize("kind", ["states", "numbers"])
@pytest.mark.parametrize("name", SMALL)
def test_a_cell_that_diverges_fails_alone(name, kind):
    cells = [cell(name, TASKS[kind](s), s) for s in range(2)]
    pack = learner(cells)
    pack._algorithm.network.actor.last.weight.data[0] = np.nan
    pack.train(STEPS)
    assert list(pack.failed) == [0]
    assert same(outcome(pack)[1], outcome(trained(cells[1:]))[0])


# What the default settings are too slow or too careful for in a test of seconds.
QUICK = {
    "a2c": {"num_envs": 4, "learning_rate": 5e-3, "hidden": (32,)},
    "ppo": {"num_envs": 4, "n_steps": 32, "batch_size": 32, "n_epochs": 4, "learning_rate": 5e-3, "hidden": (32,)},
    "ppg": {
        "num_envs": 4,
        "n_steps": 32,
        "batch_size": 32,
        "n_epochs_policy": 4,
        "n_epochs_value": 4,
        "n_pi": 3,
        "learning_rate": 5e-3,
        "hidden": (32,),
        "normalize_reward": False,
    },
    "trpo": {"num_envs": 4, "n_steps": 32, "batch_size": 32, "target_kl": 0.05, "learning_rate": 5e-3, "hidden": (32,)},
}


@pytest.mark.parametrize("probe", ["Constant", "Observed", "Delayed", "Chosen", "Matched", "Chain"])
@pytest.mark.parametrize("name", QUICK)
def test_probes(name, probe):
    pack = trained([probe_cell(name, probe, 2400, seed=s, **QUICK[name]) for s in range(2)])
    observations, actions = expected(probe)
    found = learnt(pack, observations)
    np.testing.assert_allclose(found, np.broadcast_to(actions.max(1), found.shape), atol=0.15)


@pytest.mark.parametrize("name", QUICK)
def test_a_probe_with_a_best_number(name):
    # With deviations of 1 most numbers are clipped, and those beyond the bound really are the better ones.
    narrow = {**QUICK[name], "log_std": -1.0}
    pack = trained([probe_cell(name, "Chosen", 3000, seed=s, continuous=True, **narrow) for s in range(2)])
    assert (pack.evaluate(0)["return"] > 0.95).all()
