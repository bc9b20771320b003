"""Do recurrent learners keep the promises of packs, and see in training what they saw when they played?"""

from __future__ import annotations

import numpy as np
import pytest
import torch

from mohs import Cell, Probe, Segment, Task
from mohs.agents.deep.networks.recurrent import Moments
from mohs.agents.registry import agent, learner
from mohs.core.errors import UsageError

STEPS = 96
SMALL = {
    "recurrent_dqn": {
        "hidden": (24, 24), "learning_starts": 16, "exploration_steps": 60, "target_update_interval": 24,
        "batch_size": 3, "sequence": 5, "burn_in": 2, "buffer_size": 50,
    },
    "recurrent_ppo": {"hidden": (24, 24), "num_envs": 2, "n_steps": 8, "sequence": 4, "batch_size": 2, "n_epochs": 2},
}  # fmt: skip
TASKS = {
    "states": ("toy/discrete", {"state_space_size": 8, "action_space_size": 8}),
    "several": ("toy/discrete", {"state_space_size": 8, "action_space_size": 8, "irrelevant_features": True}),
    "images": ("toy/discrete", {"state_space_size": 8, "action_space_size": 8, "image_representations": True,
                                "image_width": 64, "image_height": 64}),
    "numbers": ("toy/continuous", {}),
    "outside": ("CartPole-v1", {}),
}  # fmt: skip


def cells(name, task="states", seeds=(0, 1, 2), segments=1, **hyperparameters):
    """Cells that differ in seed, task and, where it is a toy, delay; short episodes."""
    env, params = TASKS[task]
    made = agent(name, **{**SMALL[name], **hyperparameters})

    def one(seed):
        of = Task.make(env, seed=seed, delay=seed, **params)
        return Cell(made, seed, (Segment(of, STEPS // segments),) * segments, (Probe("eval", of, (STEPS,), 3),), 24)

    return [one(seed) for seed in seeds]


def state_of(pack, i):
    """All that cell i has learnt, and how its evaluation and its curves went."""
    parts = pack._algorithm.parts
    network = parts["online" if "online" in parts else "network"].save(i)
    curves = {name: values for name, (_, values) in pack.curves()[i].items()}
    return {**network, **curves, "eval": pack.evaluate(0)["return"][i]}


def same(one, other):
    return all(np.array_equal(one[name], other[name], equal_nan=True) for name in one)


def trained(of):
    pack = learner(of)
    for _ in of[0].segments:
        pack.train(STEPS // len(of[0].segments))
    assert pack.failed == {}
    return pack


VARIANTS = [
    ("recurrent_dqn", "states", {"echo": True}),
    ("recurrent_dqn", "several", {"layer": "lstm", "double": True}),
    ("recurrent_dqn", "images", {"filters": ((4, 8, 8),), "stored_state": False}),
    ("recurrent_dqn", "outside", {"burn_in": 0}),
    ("recurrent_ppo", "states", {"echo": True, "layer": "lstm", "normalize_reward": True}),
    ("recurrent_ppo", "several", {"ent_coef": 0.1, "echo": True}),
    ("recurrent_ppo", "images", {"filters": ((4, 8, 8),)}),
    ("recurrent_ppo", "numbers", {"echo": True, "clip_range_vf": 0.2}),
]


@pytest.mark.parametrize(("name", "task", "hyperparameters"), VARIANTS)
def test_a_cell_has_the_same_bits_alone_and_in_a_pack(name, task, hyperparameters):
    together = trained(cells(name, task, **hyperparameters))
    first = state_of(learner(cells(name, task, **hyperparameters)), 1)
    alone = trained(cells(name, task, (1,), **hyperparameters))
    assert same(state_of(together, 1), state_of(alone, 0))
    assert not same(state_of(together, 1), first)


def test_the_first_update_does_not_wait_for_the_longer_episodes_of_others():
    made = agent("recurrent_dqn", **SMALL["recurrent_dqn"] | {"learning_starts": 0, "train_freq": 1})
    tasks = [Task.make("toy/discrete", max_episode_steps=length) for length in (1, 100)]
    of = [Cell(made, 0, (Segment(task, STEPS),), (Probe("eval", task, (STEPS,), 3),), 24) for task in tasks]
    assert same(state_of(trained(of), 0), state_of(trained(of[:1]), 0))


@pytest.mark.parametrize(("name", "hyperparameters"), [
    ("recurrent_dqn", {"echo": True}), ("recurrent_dqn", {"layer": "lstm", "stored_state": False}),
    ("recurrent_ppo", {"echo": True, "normalize_reward": True}), ("recurrent_ppo", {"layer": "lstm"}),
])  # fmt: skip
def test_a_run_cut_in_the_middle_of_an_episode_goes_on_with_the_same_bits(name, hyperparameters):
    of = cells(name, **hyperparameters)
    begun = learner(of)
    begun.train(53)  # with two copies an odd step is owed
    assert not begun._algorithm.parts["recall"].begins.all()
    states, whole = begun.save(), trained(of)
    # The cells go on in another order, and in packs of two and one.
    for order in ([2, 0], [1]):
        pack = learner([of[i] for i in order])
        pack.load([states[i] for i in order])
        pack.train(STEPS - 53)
        for k, i in enumerate(order):
            assert same(state_of(pack, k), state_of(whole, i))


@pytest.mark.parametrize("name", SMALL)
def test_segments_follow_each_other(name):
    """A new segment drops the memory of the episode that was under way."""
    pack = learner(cells(name, segments=2))
    pack.train(STEPS // 2)
    pack.train(2)
    assert pack._algorithm.parts["recall"].memory.abs().sum() > 0
    other = learner(cells(name, segments=2))
    other.train(STEPS // 2)
    other._algorithm.parts["recall"].memory += 1
    other.train(2)
    assert torch.equal(pack._algorithm.parts["recall"].memory, other._algorithm.parts["recall"].memory)


def test_the_replay_remembers_what_the_network_did():
    """Unrolled from the first slot, the network meets every memory that was stored while it played."""
    pack = learner(cells("recurrent_dqn", learning_starts=10**6, buffer_size=1000))
    pack.train(60)
    algorithm, replay = pack._algorithm, pack._algorithm.parts["replay"]
    assert replay._size.max() < STEPS  # nothing was overwritten
    frames = replay._frames.take(np.arange(60)[None].repeat(3, 0))
    seen = algorithm._sees.features(frames[:, None], torch.device("cpu"))
    begins = ~np.roll(replay._acts, 1, axis=1)[:, None, :60]
    moments = Moments(seen, torch.from_numpy(begins), torch.zeros(0), torch.zeros(0))
    memory = torch.zeros(3, 1, algorithm._online.body.memory)
    met = 0
    for t in range(60):
        counts = replay._acts[:, t] & ~begins[:, 0, t]
        np.testing.assert_allclose(memory[counts, 0].detach().numpy(), replay._memories[counts, t], atol=1e-5)
        met += counts.sum()
        now = Moments(*(x[:, :, t : t + 1] if x.dim() > 2 else x for x in moments))
        _, memory = algorithm._online(now, memory)
    assert met > 100


@pytest.mark.parametrize(("task", "hyperparameters"), [("states", {"echo": True}), ("numbers", {"layer": "lstm"})])
def test_sequences_find_the_odds_that_a_rollout_was_played_with(monkeypatch, task, hyperparameters):
    """So long as the network has not moved, memory, echoes and new episodes inside sequences must all be right."""
    from mohs.agents.deep.algorithms import recurrent_ppo

    ratios = []
    monkeypatch.setattr(
        recurrent_ppo, "clipped_objective", lambda ratio, advantages, clip: ratios.append(ratio.detach()) or ratio * 0
    )
    pack = learner(
        cells("recurrent_ppo", task, n_steps=48, sequence=16, batch_size=6, n_epochs=1, vf_coef=0.0, **hyperparameters)
    )
    pack.train(STEPS)
    (ratio,) = ratios
    assert ratio.shape == (3, 96)
    np.testing.assert_allclose(ratio.numpy(), 1, atol=1e-4)


@pytest.mark.parametrize(("name", "hyperparameters", "words"), [
    ("recurrent_dqn", {"hidden": ()}, "hidden must not be empty"),
    ("recurrent_dqn", {"buffer_size": 6}, "buffer_size=6 holds fewer"),
    ("recurrent_ppo", {"hidden": ()}, "hidden must not be empty"),
    ("recurrent_ppo", {"sequence": 3}, "sequence=3 must divide n_steps=8"),
])  # fmt: skip
def test_what_cannot_be_is_said(name, hyperparameters, words):
    with pytest.raises(UsageError, match=words):
        learner(cells(name, **hyperparameters))
