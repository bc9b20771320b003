"""Agents that see images of any kind, by either encoder: what they learn, and the same bits in any pack."""

from __future__ import annotations

import numpy as np
import pytest
from pictures import VIEWS, cells

from mohs import UsageError
from mohs.agents.registry import config_class, learner

SMALL = {"encoder": "impala", "impala_channels": (8, 8), "impala_blocks": 1, "impala_width": 20, "hidden": (12,)}
ROLLOUTS = {"num_envs": 3, "n_steps": 8}
SHORT = {
    "ppo": ROLLOUTS | {"batch_size": 10, "n_epochs": 2},
    "ppg": ROLLOUTS | {"batch_size": 10, "n_pi": 2, "n_epochs_aux": 1, "aux_batch_size": 20},
    "a2c": ROLLOUTS,
    "trpo": ROLLOUTS | {"n_critic_updates": 1},
    "recurrent_ppo": ROLLOUTS | {"batch_size": 2, "n_epochs": 1, "sequence": 4},
    "dqn": {"learning_starts": 20, "target_update_interval": 16},
    "recurrent_dqn": {"learning_starts": 20, "target_update_interval": 16, "batch_size": 2, "sequence": 4},
}
SCALED = [name for name in SHORT if "normalize_reward" in {*config_class(name).__dataclass_fields__}]


def weights(pack, i):
    parts = pack._algorithm.parts
    return parts["online" if "online" in parts else "network"].save(i)


def same(a, b):
    return all(np.array_equal(a[name], b[name]) for name in a)


@pytest.mark.parametrize("name", SHORT)
def test_impala_has_the_same_bits_in_any_pack(name):
    of, steps = cells(name, "planes", 60, **SMALL, **SHORT[name]), 60
    together, alone = learner(of), learner(of[1:])
    first = weights(together, 1)
    for pack in (together, alone):
        pack.train(steps)
        assert pack.failed == {}
    assert same(weights(together, 1), weights(alone, 0))
    assert not same(weights(together, 1), first)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", ["ppo", "ppg", "recurrent_ppo", "dqn"])
def test_presets_of_the_arcade_learn_every_view(name, view):
    steps = 2500 if name == "dqn" else 6144
    pack = learner(cells(name, view, steps, preset="arcade"))
    pack.train(steps)
    assert (pack.evaluate(0)["return"] > 2.5).all()


def test_impala_learns():
    quick = {"num_envs": 8, "n_steps": 16, "batch_size": 64, "n_epochs": 4, "learning_rate": 2e-3}
    pack = learner(cells("ppo", "pixels", 2048, (0,), **SMALL, **quick))
    pack.train(2048)
    assert (pack.evaluate(0)["return"] > 2.5).all()


def test_an_impala_without_stages_is_refused():
    with pytest.raises(UsageError, match="impala_channels must not be empty"):
        learner(cells("ppo", "pixels", 10, encoder="impala", impala_channels=()))


@pytest.mark.parametrize("name", SCALED)
def test_scaled_rewards_change_what_is_learnt_but_not_what_is_reported(name):
    of = [cells(name, "planes", 60, normalize_reward=flag, **SHORT[name]) for flag in (False, True)]
    packs = [learner(each) for each in of]
    for pack in packs:
        pack.train(24)  # before the first update, as many rewards: the same policy
    plain, scaled = ([points["train/return"] for points in pack.curves()] for pack in packs)
    np.testing.assert_array_equal(plain, scaled)
    for pack in packs:
        pack.train(36)
    assert not same(weights(packs[0], 0), weights(packs[1], 0))


def test_agents_of_procgen_have_the_network_of_the_paper():
    """15 convolutions and a layer of 256, and nothing else before the heads."""
    pack = learner(cells("ppo", "pixels", 10, (0,), preset="procgen", num_envs=1, n_steps=1))
    sees = pack._algorithm.network.sees.convolutions
    assert [tuple(w.shape[1:3]) for w in sees.weights] == (
        [(16, 3)] + [(16, 16)] * 4 + [(32, 16)] + [(32, 32)] * 9
    )  # fmt: skip
    assert sees.dense.weight.shape == (1, 256, 32 * 3 * 3)
    assert sum(1 for _ in pack._algorithm.network.actor_body.parameters()) == 0
