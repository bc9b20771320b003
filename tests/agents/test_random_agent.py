"""The random agent plays every environment, compiled or not, and may be cut and saved anywhere."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium.utils import EzPickle

from mohs import Cell, Probe, Segment, Task, UsageError
from mohs.agents.registry import agent, learner
from mohs.agents.tabular.learner import TabularLearner
from mohs.runs.workers.pack import Finished, Pace, run_cells

ENVIRONMENTS = {
    "CartPole": Task.make("CartPole-v1", delay=2),
    "Pendulum": Task.make("Pendulum-v1"),
    "continuous": Task.make("toy/continuous", make_denser=True),
    "images": Task.make("toy/discrete", image_representations=True),
}


def cell(task, steps=300, seed=0):
    probe = Probe("eval", task, (steps,), 3)
    return Cell(agent("random"), seed, (Segment(task, steps - 100), Segment(task, 100)), (probe,), 50)


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_it_plays_alike_however_it_is_cut(name):
    """Whole, in pieces, and going on from a checkpoint in the middle of an episode."""
    one = cell(ENVIRONMENTS[name])
    whole, cut = learner([one]), learner([one])
    whole.train(200)
    whole.train(100)
    for steps in (1, 36):
        cut.train(steps)
    again = learner([one])
    again.load(cut.save())
    for steps in (163, 100):
        again.train(steps)
    for metric in ("train/return", "train/length"):
        assert np.array_equal(whole.curves()[0][metric][1], again.curves()[0][metric][1], equal_nan=True)
    assert whole.evaluate(0) == again.evaluate(0)
    assert whole.evaluate(0) != learner([cell(ENVIRONMENTS[name], seed=1)]).evaluate(0)


def test_the_discrete_engine_keeps_the_compiled_one():
    for task in (Task.make("toy/discrete"), Task.make("toy/grid")):
        assert isinstance(learner([cell(task)]), TabularLearner)


def test_a_cell_without_steps_is_evaluated_all_the_same():
    task = ENVIRONMENTS["CartPole"]
    one = Cell(agent("random"), 3, (Segment(task, 0),), (Probe("random", task, (0,), 50, "sample"),), 1)
    (finished,) = run_cells([one], learner, {}, lambda: False, Pace())
    assert isinstance(finished, Finished)
    returns = finished.results[one.key]["random/return"]
    assert returns[0].tolist() == [0]
    assert 17 < returns[1][0] < 28  # 22.2 is the mean of random play, 1.7 the error of 50 episodes


class Forgetful(gymnasium.Env, EzPickle):
    """An environment that comes back from a pickle as a new one."""

    observation_space = action_space = gymnasium.spaces.Discrete(2)

    def __init__(self, **options):
        EzPickle.__init__(self)
        self.t = 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        return 0, {}

    def step(self, action):
        self.t += 1
        return 0, float(action), self.t == 7, False, {}


class Sealed(Forgetful):
    """One that cannot be pickled at all."""

    def __getstate__(self):
        raise TypeError("sealed")


@pytest.mark.parametrize("kind", [Forgetful, Sealed])
def test_what_cannot_be_saved_starts_again(kind):
    gymnasium.register(f"mohs-test/{kind.__name__}-v0", kind, max_episode_steps=10)
    try:
        one = cell(Task.make(f"mohs-test/{kind.__name__}-v0"))
        of = learner([one])
        of.train(17)
        assert of.save() is None
    finally:
        del gymnasium.registry[f"mohs-test/{kind.__name__}-v0"]


def test_tabular_agents_say_what_they_cannot_play():
    for name, task in ENVIRONMENTS.items():
        with pytest.raises(UsageError, match="q_learning keeps a table of states") as caught:
            learner([Cell(agent("q_learning"), 0, (Segment(task, 100),))])
        assert ("as images" in str(caught.value)) == (name == "images")
