"""A cell of a search is the same in any pack, however it is cut, saved or played: in one kernel or step by step."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from mohs import Cell, Probe, Segment, Task, UsageError
from mohs.agents.evolution import learner as module
from mohs.agents.registry import agent, check_plays, learner

AGENTS = {"ars": {"n_delta": 3}, "cem": {"population_size": 5}, "hill_climbing": {}}
TASKS = {
    "numbers": lambda s: Task.make("control/cartpole", length=0.5 + 0.1 * s),
    "states": lambda s: Task.make("toy/discrete", seed=s, max_episode_steps=9, transition_noise=0.1),
    "several": lambda s: Task.make("toy/discrete", seed=s, irrelevant_features=True, delay=1),
    "continuous": lambda s: Task.make("toy/continuous", seed=s, make_denser=True, max_episode_steps=11),
    "images": lambda s: Task.make("toy/discrete", seed=s, image_representations=True, max_episode_steps=9),
    "third_party": lambda s: Task.make("CartPole-v1", delay=s),
}
ENGINES = ("numbers", "states", "several", "continuous")
STEPS = 310


def cells_of(name, kind, seeds=3, **hyperparameters):
    made, found = agent(name, **{**AGENTS[name], **hyperparameters}), []
    for s in range(seeds):
        task = TASKS[kind](s)
        found.append(Cell(made, s, (Segment(task, STEPS),), (Probe("eval", task, (STEPS,), 3),), 40))
    return found


def outcome(pack):
    evaluated, curves = pack.evaluate(0), pack.curves()
    return [
        [evaluated["return"][i], evaluated["length"][i], *curves[i]["train/return"], *(rows[i] for rows in pack.search)]
        for i in range(len(pack.cells))
    ]


def assert_same(found, wanted):
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(a, b)


def trained(cells, parts=(STEPS,)):
    pack = learner(cells)
    for part in parts:
        pack.train(part)
    return outcome(pack)


@pytest.mark.parametrize("kind", TASKS)
@pytest.mark.parametrize("name", AGENTS)
def test_a_cell_does_not_depend_on_its_pack_nor_on_pauses(name, kind):
    cells = cells_of(name, kind)
    together = trained(cells)
    assert_same(trained(cells[1:2], (1, 99, STEPS - 100))[0], together[1])
    assert not np.array_equal(together[0][5], together[1][5])  # their means differ

    paused = learner(cells)
    paused.train(107)
    states = paused.save()
    again = learner([cells[2], cells[0]])
    again.load([states[2], states[0]])
    again.train(STEPS - 107)
    for found, wanted in zip(outcome(again), (together[2], together[0]), strict=True):
        assert_same(found, wanted)


@pytest.mark.parametrize("kind", ENGINES)
@pytest.mark.parametrize("name", AGENTS)
def test_one_kernel_and_single_steps_come_to_the_same(name, kind, monkeypatch):
    cells = cells_of(name, kind, policy="mlp", hidden=[5], zero_policy=False)
    assert module.playable(learner(cells)._stage) is not None
    compiled = trained(cells)
    monkeypatch.setattr(module, "playable", lambda scene: None)
    for found, wanted in zip(trained(cells), compiled, strict=True):
        assert_same(found, wanted)


def test_a_new_segment_begins_a_generation_of_new_episodes():
    task = TASKS["numbers"](0)
    cells = [Cell(agent("cem"), s, (Segment(task, 33), Segment(task, 200)), window=40) for s in range(2)]
    pack = learner(cells)
    pack.train(33)
    mean = pack.search.mean.copy()
    pack.train(1)
    assert (pack.search.searchers["candidate"] == 0).all()
    assert (pack.search.searchers["length"] == 1).all()
    np.testing.assert_array_equal(pack.search.mean, mean)
    states = pack.save()
    again = learner(cells[1:])
    again.load(states[1:])
    for one in (pack, again):
        one.train(199)
    np.testing.assert_array_equal(pack.search.mean[1], again.search.mean[0])
    assert pack.search.searchers["step"].tolist() == [233, 233]


class Failing(gymnasium.Env):
    """Raises in its third step, if it is so told."""

    observation_space, action_space = spaces.Box(-1, 1, (2,), np.float32), spaces.Discrete(2, start=3)

    def __init__(self, fails=False):
        self.fails, self.t = fails, 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self.observation_space.sample() * 0, {}

    def step(self, action):
        assert action in (3, 4)
        self.t += 1
        if self.fails and self.t == 3:
            raise RuntimeError("broken")
        return np.zeros(2, np.float32), 1.0, self.t % 5 == 0, False, {}


def test_an_environment_that_raises_fails_its_cell_alone():
    gymnasium.register("evolution/Failing-v0", Failing)
    tasks = [Task.make("evolution/Failing-v0", fails=fails) for fails in (True, False)]
    cells = [Cell(agent("cem"), s, (Segment(task, 50),), window=10) for s, task in enumerate(tasks)]
    pack = learner(cells)
    pack.train(50)
    assert list(pack.failed) == [0]
    assert "broken" in pack.failed[0]
    np.testing.assert_array_equal(pack.curves()[1]["train/length"][1], 5.0)


def test_what_cannot_be_played_is_said():
    with pytest.raises(UsageError, match="n_top is 9, but must be at most n_delta, which is 8"):
        agent("ars", n_top=9)
    with pytest.raises(UsageError, match=r"min_noise_std is 3\.0, but must be at most max_noise_std"):
        agent("hill_climbing", min_noise_std=3.0)
    with pytest.raises(UsageError, match="cem cannot observe the task id"):
        learner([Cell(agent("cem"), 0, (Segment(TASKS["states"](0), 10, task_id=True),))])
    check_plays(agent("cem"), TASKS["continuous"](0))


def test_packs_of_larger_policies_are_smaller():
    small, large = (
        module.most_cells(cells_of("cem", "numbers", 1, policy="mlp", hidden=hidden)[0]) for hidden in ([4], [512, 512])
    )
    assert small == module.LARGEST
    assert 1 <= large < 100
