"""An agent of the user's own: two functions, a budget in steps, reproducible runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mohs import Cell, Probe, Segment, Task, UsageError
from mohs.agents.registry import agent, learner

EXAMPLE = str(Path(__file__).parents[2] / "examples" / "my_agent.py") + ":make_agent"
TASK = Task.make("toy/discrete", seed=1, transition_noise=0.05)


def cell(name, steps=2000, seed=0):
    return Cell(agent(name), seed, (Segment(TASK, steps),), (Probe("eval", TASK, (steps,), 5),), 200)


def run(of):
    of.train(of.cells[0].steps)
    return of.curves()[0]["train/return"][1], of.evaluate(0)["return"][0]


def write(tmp_path, body):
    path = tmp_path / "agent.py"
    path.write_text(body)
    return f"{path}:make_agent"


ACT = """
class Agent:
    def __init__(self, env):
        self.env = env
    def act(self, observation, memory, deterministic):
        return 0, memory
    def train(self, env, steps):
{train}
def make_agent(env, seed):
    return Agent(env)
"""


def test_the_example_learns_and_repeats_itself():
    first, again = run(learner([cell(EXAMPLE)])), run(learner([cell(EXAMPLE)]))
    assert np.array_equal(first[0], again[0])
    assert first[1] == again[1]
    assert first[0][-1] > 2 * first[0][0]


def test_training_that_goes_on_is_stopped_at_the_budget(tmp_path):
    body = ACT.format(
        train="""
        while True:
            env.reset()
            over = False
            while not over:
                _, _, terminated, truncated, _ = env.step(0)
                over = terminated or truncated
"""
    )
    of = learner([cell(write(tmp_path, body), steps=300)])
    of.train(300)
    assert of._windows.step == 300


def test_training_that_stops_early_is_an_error(tmp_path):
    body = ACT.format(train="        env.reset(); env.step(0)\n")
    of = learner([cell(write(tmp_path, body), steps=300)])
    with pytest.raises(UsageError, match="asked for 300 steps and took 1"):
        of.train(300)


def test_an_object_without_the_two_functions_is_an_error(tmp_path):
    name = write(tmp_path, "def make_agent(env, seed):\n    return object()\n")
    with pytest.raises(UsageError, match="without a method 'train'"):
        learner([cell(name)])


def test_an_edited_file_is_another_agent(tmp_path):
    before = agent(write(tmp_path, ACT.format(train="        pass\n")))
    after = agent(write(tmp_path, ACT.format(train="        env.reset()\n")))
    assert before != after


SAVING = """
import pickle
import numpy as np
class Agent:
    def __init__(self, env, seed):
        self.rng = np.random.default_rng(seed)
    def act(self, observation, memory, deterministic):
        return int(self.rng.integers(8)), memory
    def train(self, env, steps):
        env.reset()
        for _ in range(steps):
            _, _, terminated, truncated, _ = env.step(int(self.rng.integers(8)))
            if terminated or truncated:
                env.reset()
    def save(self):
        return pickle.dumps(self.rng)
    def load(self, state):
        self.rng = pickle.loads(state)
def make_agent(env, seed):
    return Agent(env, seed)
"""


def test_an_agent_that_can_be_saved_goes_on_with_the_same_bits(tmp_path):
    name = write(tmp_path, SAVING)
    one = Cell(agent(name), 0, (Segment(TASK, 500), Segment(TASK, 500)), (Probe("eval", TASK, (1000,), 5),), 100)
    whole = learner([one])
    whole.train(500)
    states = whole.save()
    whole.train(500)
    resumed = learner([one])
    resumed.load(states)
    resumed.train(500)
    a, b = whole.curves()[0]["train/return"][1], resumed.curves()[0]["train/return"][1]
    assert np.array_equal(a, b, equal_nan=True)
    assert whole.evaluate(0)["return"] == resumed.evaluate(0)["return"]


def test_the_example_cannot_be_saved_and_says_so():
    assert learner([cell(EXAMPLE)]).save() is None


def test_a_file_that_is_edited_while_it_runs_is_refused(tmp_path):
    one = cell(write(tmp_path, ACT.format(train="        pass\n")))
    write(tmp_path, ACT.format(train="        env.reset()\n"))
    with pytest.raises(UsageError, match="has been edited"):
        learner([one])


def test_a_file_may_import_its_neighbours_and_errors_in_it_are_one_sentence(tmp_path):
    (tmp_path / "neighbour_of_agent.py").write_text("VALUE = 1\n")
    agent(write(tmp_path, "from neighbour_of_agent import VALUE\n\ndef make_agent(env, seed):\n    return VALUE\n"))
    for body, message in (("def make_agent(env, seed:", "SyntaxError"), ("import no_such_package", "no_such_package")):
        with pytest.raises(UsageError, match=message) as caught:
            agent(write(tmp_path, body))
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("params", [{}, {"irrelevant_features": True}])
def test_the_example_plays_every_task_of_the_quick_battery(params):
    task = Task.make("toy/discrete", **params)
    of = learner([Cell(agent(EXAMPLE), 0, (Segment(task, 300),), (Probe("eval", task, (300,), 2),), 100)])
    of.train(300)
    assert of.evaluate(0)["length"][0] >= 1
