"""DQN and the parts of Rainbow: known values, the same bits in any pack and after a pause, failures of single cells."""

from __future__ import annotations

from dataclasses import replace

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium import spaces
from hypothesis import given
from hypothesis import strategies as st
from probes import PROBES, cell, expected, learnt, trained

from mohs import Cell, Probe, Segment, Task, UsageError
from mohs.agents.deep.algorithms.dqn import DqnConfig, RainbowConfig, projected
from mohs.agents.registry import agent, learner

PARTS = ("double", "dueling", "prioritised", "noisy", "distributional")
SWITCHES = [{}, *({part: True} for part in PARTS), {"n_step": 3}, dict.fromkeys(PARTS, True)]
QUICK = {
    "learning_rate": 3e-3,
    "target_update_interval": 50,
    "learning_starts": 100,
    "hidden": (32,),
    "exploration_steps": 500,
}
SMALL = {"hidden": (16,), "learning_starts": 50, "batch_size": 8, "target_update_interval": 40}
TINY_IMAGES = {"image_representations": True, "image_width": 44, "image_height": 40}


def cells_of(env, steps, name="dqn", params=None, seeds=3, **hyperparameters):
    made = agent(name, **{**SMALL, **hyperparameters})
    tasks = [Task.make(env, seed=seed, **(params or {})) for seed in range(seeds)]
    return [
        Cell(made, seed, (Segment(task, steps),), (Probe("eval", task, (steps,), 2),), max(1, steps // 5))
        for seed, task in enumerate(tasks)
    ]


def outcome(pack):
    """All that is known of every cell: its curves, its evaluation and its networks."""
    points = [{name: of.tolist() for name, (_, of) in curve.items()} for curve in pack.curves()]
    weights = [pack._algorithm.parts["online"].save(i) for i in range(len(pack.cells))]
    returns = pack.evaluate(0)["return"]
    return [
        (str(a), b.tolist(), sorted((k, v.tobytes()) for k, v in c.items()))
        for a, b, c in zip(points, returns, weights, strict=True)
    ]


@pytest.mark.parametrize("probe", PROBES)
def test_the_values_of_probes(probe):
    pack = trained([cell("dqn", probe, 1200, seed=seed, **QUICK) for seed in range(2)])
    seen, values = expected(probe)
    np.testing.assert_allclose(learnt(pack, seen), values[None].repeat(2, 0), atol=0.05)


@pytest.mark.parametrize("switches", SWITCHES[1:], ids=str)
def test_every_part_finds_the_best_actions(switches):
    """And their values, where noise and longer sums of what others chose do not blur them."""
    made = {**QUICK, **switches, "value_min": -2.0, "value_max": 4.0}
    pack = trained([cell("dqn", "Matched", 1000, seed=seed, **made) for seed in range(2)])
    pack._algorithm._online.quiet()
    seen, values = expected("Matched")
    found = learnt(pack, seen)
    assert (found.argmax(-1) == values.argmax(-1)).all()
    np.testing.assert_allclose(found.max(-1), values.max(-1)[None].repeat(2, 0), atol=0.15)


PACKS = {
    "states": {"env": "toy/discrete", "steps": 300, "params": {"delay": 1, "transition_noise": 0.1}},
    "rainbow": {"env": "toy/discrete", "steps": 200, "name": "rainbow"},
    "several states": {"env": "toy/discrete", "steps": 200, "params": {"irrelevant_features": True}},
    "images": {"env": "toy/discrete", "steps": 120, "params": TINY_IMAGES, "buffer_size": 60},
    "environments of others": {"env": "CartPole-v1", "steps": 200, "n_step": 3, "double": True, "buffer_size": 90},
}


@pytest.mark.parametrize("of", PACKS)
def test_a_cell_does_not_depend_on_its_pack_nor_on_pauses(of):
    cells = cells_of(**PACKS[of])
    steps = cells[0].steps
    pack = learner(cells)
    pack.train(steps)
    expected_ = outcome(pack)

    alone = learner(cells[1:2])
    for part in (1, steps // 2, steps - steps // 2 - 1):
        alone.train(part)
    assert outcome(alone)[0] == expected_[1]

    paused = learner(cells)
    paused.train(steps // 2 + 1)
    states = paused.save()
    again = learner([cells[2], cells[0]])
    again.load([states[2], states[0]])
    again.train(steps - steps // 2 - 1)
    assert outcome(again) == [expected_[2], expected_[0]]


def test_segments_do_not_run_into_each_other():
    """The last step before a new segment leads to the frame that was seen then."""
    first, second = (Task.make("probe/Delayed-v0"), Task.make("probe/Chain-v0"))
    made = agent("dqn", **SMALL)
    pack = learner([Cell(made, 0, (Segment(first, 51), Segment(second, 50)), (), 50)])
    pack.train(51)
    pack.train(50)
    batch = pack._algorithm._replay.sample(pack._algorithm._draws, 500, 1, 0.9)
    odd = (batch.before[0, :, 0] == 0) & (batch.slot[0] == 50)
    assert odd.any()
    assert (batch.after[0, odd, 0] == 1).all()
    assert (batch.discount[0, odd] == np.float32(0.9)).all()


def test_what_diverges_fails_alone():
    cells = cells_of("toy/discrete", 200)
    pack = learner(cells)
    pack.train(60)
    expected_ = learner(cells[:1])
    expected_.train(200)
    with torch.no_grad():
        pack._algorithm._online.body.layers[0].weight[1] = torch.nan
    pack.train(140)
    assert list(pack.failed) == [1]
    assert outcome(pack)[0] == outcome(expected_)[0]


def test_a_huge_step_size_is_a_failure_not_a_result():
    pack = learner(cells_of("toy/discrete", 200, seeds=1, learning_rate=1e38, max_grad_norm=1e30, train_freq=1))
    pack.train(200)
    assert list(pack.failed) == [0]
    assert "200" in pack.failed[0]


class Breaks(gymnasium.Env):
    """Raises at a step that depends on its seed."""

    observation_space, action_space = spaces.Dict(a=spaces.Discrete(2), b=spaces.Box(0, 1, (2,))), spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if seed is not None:
            self.left = int(self.np_random.integers(20, 400))
        return self.seen(), {}

    def seen(self):
        return {"a": 1, "b": np.zeros(2, dtype=np.float32)}

    def step(self, action):
        self.left -= 1
        if self.left == 0:
            raise RuntimeError("the simulator is broken")
        return self.seen(), 0.0, self.left % 7 == 0, False, {}


gymnasium.register("probe/Breaks-v0", Breaks)


def test_an_environment_that_raises_fails_alone():
    """It also shows a dictionary, which is seen as one vector."""
    cells = cells_of("probe/Breaks-v0", 200, seeds=6)
    pack = learner(cells)
    pack.train(200)
    assert 0 < len(pack.failed) < 6
    assert all("the simulator is broken" in error for error in pack.failed.values())
    fine = next(i for i in range(6) if i not in pack.failed)
    alone = learner(cells[fine : fine + 1])
    alone.train(200)
    mine, other = (of._algorithm.parts["online"].save(i) for of, i in ((pack, fine), (alone, 0)))
    assert all(np.array_equal(mine[k], other[k]) for k in mine)


class BreaksLater(Breaks):
    """Raises in its second episode; the first is short or long."""

    def reset(self, *, seed=None, options=None):
        seen = super().reset(seed=seed)
        self.first, self.taken = seed is not None, 0
        return seen

    def step(self, action):
        self.taken += 1
        if not self.first and self.taken == 5:
            raise RuntimeError("the simulator is broken")
        return self.seen(), 0.0, self.taken == self.left, False, {}


gymnasium.register("probe/BreaksLater-v0", BreaksLater)


def test_a_cell_that_has_played_its_evaluation_does_not_go_on_while_others_play_theirs():
    pack = learner(
        [replace(one, probes=(replace(one.probes[0], episodes=1),)) for one in cells_of("probe/BreaksLater-v0", 9)]
    )
    assert len(set(pack.evaluate(0)["length"])) > 1
    assert pack.failed == {}


def test_the_vanilla_toy_is_learnt():
    tasks = [Task.make("toy/discrete", seed=seed, action_space_size=4, reward_density=0.5) for seed in range(4)]
    made = agent("dqn", learning_rate=1e-3, exploration_steps=1000, target_update_interval=200)
    pack = learner([Cell(made, i, (Segment(t, 3000),), (Probe("eval", t, (3000,)),)) for i, t in enumerate(tasks)])
    pack.train(3000)
    assert np.median(pack.evaluate(0)["return"]) > 95


@given(
    st.integers(2, 7).flatmap(
        lambda atoms: st.tuples(
            st.lists(st.floats(0, 1), min_size=atoms, max_size=atoms).filter(lambda p: sum(p) > 0.1),
            st.lists(st.floats(-3, 5), min_size=atoms, max_size=atoms),
        )
    )
)
def test_projection_of_distributions(of):
    """Against a loop over atoms: each probability goes to the atoms on both sides, and the mean stays."""
    weights, support = np.array(of[0]) / sum(of[0]), np.clip(np.array(of[1]), -2, 4)
    places = np.linspace(-2, 4, len(weights))
    plain = np.zeros(len(weights))
    for prob, value in zip(weights, support, strict=True):
        nearness = np.clip(1 - np.abs(places - value) / (places[1] - places[0]), 0, 1)
        plain += prob * nearness
    found = projected(torch.tensor(weights)[None, None], torch.tensor(support)[None, None], -2.0, 4.0)[0, 0].numpy()
    np.testing.assert_allclose(found, plain, atol=1e-6)
    assert (found * places).sum() == pytest.approx((weights * support).sum(), abs=1e-6)


@pytest.mark.parametrize("config", [DqnConfig, RainbowConfig])
def test_presets_are_valid(config):
    name = "dqn" if config is DqnConfig else "rainbow"
    assert {"mdp_playground", "mdp_playground_image", "atari"} <= set(config.presets())
    for preset in config.presets():
        made = config.of(agent(name, preset=preset))
        assert all(getattr(made, key) == value for key, value in config.presets()[preset].items())


def test_the_share_of_random_actions_falls_with_the_run():
    pack = learner(
        [cell("dqn", "Constant", 200, exploration_fraction=0.5, exploration_initial_eps=1.0, exploration_final_eps=0.2)]
    )
    shares = []
    for _ in range(4):
        shares.append(pack._algorithm._epsilon())
        pack.train(50)
    assert shares == pytest.approx([1.0, 0.6, 0.2, 0.2])


def test_atoms_need_a_range():
    with pytest.raises(UsageError, match="value_max=1"):
        learner([cell("rainbow", "Constant", 10, value_min=1.0, value_max=1.0)])


def test_actions_must_be_finitely_many():
    with pytest.raises(UsageError, match="finitely many"):
        learner([cell("dqn", "Constant", 10, continuous=True)])
