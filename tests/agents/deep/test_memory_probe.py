"""Do recurrent learners solve what cannot be solved without memory, and are their values those of the best policy?"""

from __future__ import annotations

import numpy as np
import probes  # noqa: F401 (registers the environments of other probes)
import pytest
from memory_probe import DISCOUNT, earned, memory_cell

DELAY = 3
DQN = {
    "hidden": (16, 16), "learning_rate": 3e-3, "learning_starts": 100, "exploration_steps": 1000,
    "target_update_interval": 50, "sequence": 6, "burn_in": 0, "batch_size": 16,
}  # fmt: skip
PPO = {
    "hidden": (16, 16), "learning_rate": 8e-3, "learning_rate_schedule": "linear", "num_envs": 8, "n_steps": 64,
    "n_epochs": 4, "sequence": 8, "batch_size": 16,
}  # fmt: skip
SIZES = {"recurrent_dqn": (2000, DQN), "recurrent_ppo": (8192, PPO)}


def played(name, seeds=2, **given):
    """A pack with the sizes of this file, trained and evaluated."""
    budget, small = SIZES[name]
    return earned([memory_cell(name, budget, seed=s, **{**small, **given}) for s in range(seeds)])


@pytest.mark.parametrize(("name", "layer", "more"), [
    ("recurrent_dqn", "gru", {}),
    pytest.param("recurrent_dqn", "lstm", {"stored_state": False, "double": True}, marks=pytest.mark.slow),
    ("recurrent_ppo", "gru", {}),
    pytest.param("recurrent_ppo", "lstm", {}, marks=pytest.mark.slow),
])  # fmt: skip
def test_a_cue_is_remembered(name, layer, more):
    pack, returns = played(name, task={"delay": DELAY}, layer=layer, **more)
    assert returns.min() == 1
    cues = np.tile([0, 1], (2, 1))
    np.testing.assert_allclose(pack._algorithm.values(cues), DISCOUNT**DELAY, atol=0.12)


@pytest.mark.parametrize(("name", "budget", "hyperparameters"), [
    ("dqn", 2000, {"hidden": (16, 16), "learning_rate": 3e-3, "learning_starts": 100, "exploration_steps": 1000}),
    ("ppo", 8192, {"hidden": (16, 16), "learning_rate": 8e-3, "num_envs": 8, "n_steps": 64, "n_epochs": 4}),
])  # fmt: skip
def test_without_memory_a_cue_is_forgotten(name, budget, hyperparameters):
    """Chance is 0; the mean of 40 answers is beyond ±0.55 once in two thousand times."""
    _, returns = earned([memory_cell(name, budget, seed=s, **hyperparameters) for s in range(2)])
    assert np.abs(returns).max() < 0.55


def test_continuous_actions_are_remembered_too():
    _, returns = played("recurrent_ppo", task={"delay": DELAY, "continuous": True}, log_std=-1.0)
    assert returns.min() > 0.9


@pytest.mark.parametrize("name", [pytest.param("recurrent_dqn", marks=pytest.mark.slow), "recurrent_ppo"])
def test_a_cue_that_is_paid_is_remembered_by_those_who_hear_the_echo(name):
    task = {"delay": 2, "cue": "paid"}
    _, deaf = played(name, task=task, seeds=1)
    _, hearing = played(name, task=task, seeds=1, echo=True)
    assert abs(deaf[0]) < 0.55
    assert hearing[0] == 1


@pytest.mark.parametrize("name", SIZES)
def test_values_do_not_end_where_an_episode_is_cut_off(name):
    """The first step of the chain pays nothing, the others 1; with its 5 steps alone 0 would be worth 2.36, not 4."""
    pack, returns = played(name, seeds=1, env="probe/Chain-v0", gamma=0.8)
    assert returns[0] == 4
    assert np.max(pack._algorithm.values(np.zeros((1, 1, 1), dtype=np.float32))) == pytest.approx(4, abs=0.4)
