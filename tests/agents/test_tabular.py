"""Tabular learners: right, reproducible, independent of their pack."""

from __future__ import annotations

import numpy as np
import pytest

from mohs import Cell, Probe, Segment, Task, TaskSet, UsageError
from mohs.agents.entries import ENTRIES
from mohs.agents.registry import agent, learner

STEPS = 3000


def cell(name, seed=0, steps=STEPS, segments=None, window=100, **params):
    task = Task.make("toy/discrete", seed=seed, **params)
    parts = segments or (Segment(task, steps),)
    probe = Probe("eval", task, (sum(s.steps for s in parts),), 5)
    return Cell(agent(name), seed, parts, (probe,), window)


def outcome(of):
    found = [dict(points) for points in of.curves()]
    evaluated = of.evaluate(0)
    for i, points in enumerate(found):
        points["eval/return"] = (np.array([STEPS]), evaluated["return"][i : i + 1])
    return found


def same(a, b):
    return a.keys() == b.keys() and all(
        np.array_equal(a[k][0], b[k][0]) and np.array_equal(a[k][1], b[k][1], equal_nan=True) for k in a
    )


@pytest.mark.parametrize(
    "name", [entry.name for entry in ENTRIES if not entry.batched and "traffic" not in str(entry.maker)]
)
def test_a_cell_does_not_depend_on_its_pack_nor_on_pauses(name):
    cells = [cell(name, seed, delay=2, transition_noise=0.1, irrelevant_features=True) for seed in range(4)]
    together = learner(cells)
    together.train(STEPS)
    expected = outcome(together)

    alone = learner(cells[2:3])
    for part in (1, 998, STEPS - 999):
        alone.train(part)
    assert same(outcome(alone)[0], expected[2])

    paused = learner(cells)
    paused.train(1234)
    states = paused.save()
    again = learner([cells[3], cells[1]])
    again.load([states[3], states[1]])
    again.train(STEPS - 1234)
    first, second = outcome(again)
    assert same(first, expected[3])
    assert same(second, expected[1])


def noise(rng):
    return float(rng.normal())


def test_noise_given_as_a_function():
    cells = [cell("q_learning", seed, steps=300, reward_noise=noise) for seed in range(2)]
    together = learner(cells)
    together.train(300)
    alone = learner(cells[1:])
    alone.train(100)
    alone.train(200)
    assert same(outcome(together)[1], outcome(alone)[0])


@pytest.mark.parametrize("name", ["q_learning", "double_q_learning", "sarsa"])
def test_vanilla_is_learnt(name):
    pack = learner([cell(name, seed, steps=10_000) for seed in range(10)])
    pack.train(10_000)
    assert np.median(pack.evaluate(0)["return"]) > 99


def test_q_learning_against_a_plain_reference():
    """The same updates in Python, fed with the kernel's own experience through a table of one step at a time."""
    pack = learner([cell("q_learning", 3, steps=500)])
    config = pack.config
    q = np.zeros_like(pack._q[0])
    for _ in range(500):
        before = pack._q[0].copy()
        inst = pack._fleet.instances[0]
        state, task = int(inst["state"]), pack.cells[0].segments[0].source
        pack.train(1)
        changed = np.argwhere(pack._q[0] != before)
        assert len(changed) <= 1
        for s, a in changed:
            assert s == state
            after = following(task, state, int(a))
            reward, terminal = rewarded(task, after), is_terminal(task, after)
            target = reward + (0 if terminal else config.gamma * before[after].max())
            q[s, a] = before[s, a] + config.learning_rate * (target - before[s, a])
            assert pack._q[0, s, a] == pytest.approx(q[s, a], abs=1e-15)
    assert pack._q[0].any()


def following(task, state, action):
    from mohs.tables.toys.toy import toy

    return int(toy(task).succ[state, action])


def rewarded(task, state):
    from mohs.tables.toys.toy import toy

    return float([state] in toy(task).sequences.tolist())


def is_terminal(task, state):
    from mohs.tables.toys.toy import toy

    return bool(toy(task).terminal[state])


def test_the_random_agent_earns_the_exact_random_return():
    task = Task.make("toy/discrete")
    probe = Probe("eval", task, (0,), 20_000)
    of = learner([Cell(agent("random"), 1, (Segment(task, 0),), (probe,))])
    assert of.evaluate(0)["return"][0] == pytest.approx(0.5, abs=0.03)


def test_tasks_with_an_observed_id_are_kept_apart():
    """Two tasks that contradict each other: an agent that observes the task id learns both."""
    tasks = [Task.make("toy/discrete", rewardable_sequences={(s,): 1}, terminal_states=[7]) for s in (1, 2)]
    both = TaskSet.make(tasks)

    def final(task_id):
        probes = tuple(Probe(f"p{i}", t, (20_000,), 10) for i, t in enumerate(tasks))
        busy = agent("q_learning", exploration_final_eps=0.2)
        of = learner([Cell(busy, s, (Segment(both, 20_000, task_id),), probes, 1000) for s in range(3)])
        of.train(20_000)
        return min(of.evaluate(i)["return"].mean() for i in range(2))

    assert final(task_id=True) > 95
    assert final(task_id=False) < 80


def test_segments_follow_each_other():
    one, two = (Task.make("toy/discrete", rewardable_sequences={(s,): 1}, terminal_states=[7]) for s in (1, 2))
    segments = (Segment(one, 4000), Segment(two, 6000))
    probes = (Probe("one", one, (4000, 10_000), 5), Probe("two", two, (4000, 10_000), 5))
    of = learner([Cell(agent("q_learning", exploration_final_eps=0.3), 0, segments, probes, 500)])
    of.train(4000)
    early = of.evaluate(0)["return"][0]
    of.train(6000)
    assert early > 95
    assert of.evaluate(1)["return"][0] > 95
    assert len(of.curves()[0]["train/return"][0]) == 20


def test_windows_sum_up_every_episode():
    of = learner([cell("random", 5, window=250)])
    of.train(STEPS)
    steps, lengths = of.curves()[0]["train/length"]
    assert list(steps) == list(range(250, STEPS + 1, 250))
    assert np.nansum(of._lengths) + of._learners["length"][0] == STEPS
    assert np.all(lengths >= 1)


@pytest.mark.parametrize(
    ("params", "message"),
    [({"learning_rte": 0.1}, "Did you mean 'learning_rate'"), ({"learning_rate": 0}, "learning_rate is 0"),
     ({"exploration_steps": -1}, "exploration_steps is -1"), ({"gamma": 1.5}, "gamma is 1.5")],
)  # fmt: skip
def test_bad_hyperparameters(params, message):
    with pytest.raises(UsageError, match=message):
        agent("q_learning", **params)


def test_a_segment_without_the_task_id_is_learnt_apart():
    a, b = (Task.make("toy/discrete", rewardable_sequences={(s,): 1}, terminal_states=[7]) for s in (1, 2))
    segments = (Segment(a, 500), Segment(TaskSet.make([b, a]), 500, task_id=True))
    of = learner([Cell(agent("q_learning"), 0, segments, (), 100)])
    of.train(500)
    assert of._q[0, :8].any()
    assert not of._q[0, 8:].any()
    of.train(500)
    assert of._q[0, 8:].any()


def test_the_oracle_meets_noise_that_is_a_function():
    task = Task.make("toy/discrete", reward_noise=noise)
    of = learner([Cell(agent("optimal"), 0, (Segment(task, 0),), (Probe("eval", task, (0,), 3),))])
    assert of.evaluate(0)["return"][0] != 100.0
    assert of.evaluate(0)["return"][0] == pytest.approx(100.0, abs=30)


def test_the_last_window_takes_what_is_left_over():
    of = learner([cell("random", 5, steps=1050, window=200)])
    of.train(1050)
    steps, _ = of.curves()[0]["train/length"]
    assert list(steps) == [200, 400, 600, 800, 1050]
    assert of._lengths.sum() + of._learners["length"][0] == 1050


@pytest.mark.parametrize("name", ["q_learning", "optimal"])
def test_a_segment_without_steps_is_passed_over(name):
    one, two = (Task.make("toy/discrete", rewardable_sequences={(s,): 1}, terminal_states=[7]) for s in (1, 2))
    of = learner([Cell(agent(name), 0, (Segment(one, 300), Segment(one, 0), Segment(two, 300)), (), 100)])
    of.train(300)
    of.train(300)
    direct = learner([Cell(agent(name), 0, (Segment(one, 300), Segment(two, 300)), (), 100)])
    direct.train(300)
    direct.train(300)
    (skipped,), (plain,) = of.curves(), direct.curves()
    assert np.array_equal(skipped["train/length"][0], plain["train/length"][0])
    assert of._segment == 2
