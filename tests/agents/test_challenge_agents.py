"""Agents on complete tables: tabular ones by the numbers of states, deep ones by boards, several MDPs in one pack."""

from __future__ import annotations

import numpy as np
import pytest

import mohs
from mohs import Cell, Probe, Segment, Task, TaskSet, UsageError
from mohs.agents.registry import agent, check_sees, learner
from mohs.agents.tabular import learner as tabular
from mohs.exact.values.solve import values
from mohs.runs.plan import packs, signature, suited_size
from small_mdps import install, random_mdp

STEPS = 1200
TABULAR = ("q_learning", "double_q_learning", "sarsa", "random")


@pytest.fixture(autouse=True)
def mdps(monkeypatch):
    made = [random_mdp(f"small-{i}", seed=i, horizon=9 + i) for i in range(3)]
    install(monkeypatch, *made)
    return made


def cell(name, mdp="small-0", seed=0, steps=STEPS, made=None, task_id=False, **params):
    task = Task.make("challenge", mdp=mdp, **{"observation": "state", **params})
    return Cell(made or agent(name), seed, (Segment(task, steps, task_id),), (Probe("eval", task, (steps,), 5),), 100)


def outcome(of):
    return [{**points, "eval": one} for points, one in zip(of.curves(), of.evaluate(0)["return"], strict=True)]


def same(a, b):
    curves = all(np.array_equal(a[k], b[k], equal_nan=True) for k in a if k != "eval")
    return curves and a["eval"] == b["eval"]


@pytest.mark.parametrize("name", [*TABULAR, "optimal"])
def test_a_cell_does_not_depend_on_its_pack_nor_on_pauses(name):
    sticky = 0.0 if name == "optimal" else 0.2
    cells = [cell(name, f"small-{seed}", seed, sticky_actions=sticky) for seed in range(3)]
    together = learner(cells)
    together.train(STEPS)
    expected = outcome(together)
    alone = learner(cells[1:2])
    for part in (1, 498, STEPS - 499):
        alone.train(part)
    assert same(outcome(alone)[0], expected[1])
    paused = learner(cells)
    paused.train(700)
    states = paused.save()
    again = learner([cells[2], cells[0]])
    again.load([states[2], states[0]])
    again.train(STEPS - 700)
    first, second = outcome(again)
    assert same(first, expected[2])
    assert same(second, expected[0])


def test_q_learning_against_a_plain_reference(mdps):
    pack, mdp = learner([cell("q_learning", "small-1", task_id=True)]), mdps[1]
    config = pack.config
    learnt = 0
    for _ in range(400):
        before, state = pack._q[0].copy(), int(pack._fleet.instances["state"][0])
        pack.train(1)
        for row, action in np.argwhere(pack._q[0] != before):
            assert row == state + mdp.states  # the block of its task id
            entry = mdp.entries[state * mdp.actions + action]
            after = int(entry["next"] & np.uint32(2**31 - 1))
            ends = after != entry["next"]
            target = entry["reward"] + (0 if ends else config.gamma * before[after + mdp.states].max())
            expected = before[row, action] + config.learning_rate * (target - before[row, action])
            assert pack._q[0, row, action] == pytest.approx(expected, abs=1e-12)
            learnt += 1
    assert learnt > 100


@pytest.mark.parametrize("seen", ["state", "flat"])
def test_random_and_optimal_play_earn_what_is_exact(seen):
    task = Task.make("challenge", mdp="small-2", observation=seen)
    table = mohs.table(task)
    for name, rule in (("random", "mean"), ("optimal", "best")):
        if seen == "state" or name == "random":
            probe = Probe("eval", task, (0,), 20_000)
            of = learner([Cell(agent(name), 1, (Segment(task, 0),), (probe,))])
            exact = float(table.initial @ values(table, rule))
            assert of.evaluate(0)["return"][0] == pytest.approx(exact, abs=0.05 if name == "random" else 1e-6)


@pytest.mark.parametrize("name", ["q_learning", "double_q_learning", "sarsa"])
def test_three_discs_are_learnt(name):
    made = agent(name, exploration_steps=30_000, gamma=0.99)
    of = learner([cell(name, "hanoi-3", seed, steps=60_000, made=made) for seed in range(5)])
    of.train(60_000)
    table = mohs.table("hanoi-3")
    assert np.median(of.evaluate(0)["return"]) == table.initial @ values(table, "best")
    assert np.median(of.evaluate(0)["length"]) <= 10


def test_who_keeps_a_table_must_see_states():
    board = Task.make("challenge", mdp="small-0")
    for name in ("q_learning", "optimal"):
        with pytest.raises(UsageError, match="set observation=state"):
            check_sees(agent(name), board)
    check_sees(agent("random"), board)
    with pytest.raises(UsageError, match="sticky_actions must be 0"):
        check_sees(agent("optimal"), board.replace(observation="state", sticky_actions=0.1))


def test_packs_hold_as_many_q_tables_as_memory(monkeypatch):
    cells = [cell("q_learning", seed=seed) for seed in range(40)]
    monkeypatch.setattr(tabular, "MAX_ENTRIES", 7 * 40 * 3)
    assert suited_size(cells, 40, 1) == 7
    assert suited_size([cell("q_learning", task_id=True)], 40, 1) == 3
    monkeypatch.setattr(tabular, "MAX_ENTRIES", 100)
    assert suited_size(cells, 40, 1) == 1
    with pytest.raises(UsageError, match="40 observations × 3 actions is too large"):
        learner(cells[:1])


def test_a_checkpoint_keeps_what_was_learnt_only(monkeypatch):
    large = random_mdp("large-0", 0, states=100_000)
    install(monkeypatch, large)
    of = learner([cell("q_learning", "large-0")])
    of.train(100)
    (state,) = of.save()
    assert of._q.nbytes == 2_400_000
    assert len(state) < 10_000
    again = learner([cell("q_learning", "large-0")])
    again.train(50)
    again.load([state])
    np.testing.assert_array_equal(again._q, of._q)


SMALL = {
    "ppo": {"n_steps": 32, "hidden": (16,), "batch_size": 16, "n_epochs": 2},
    "dqn": {"hidden": (16,), "learning_starts": 50},
}


@pytest.mark.parametrize("name", SMALL)
def test_different_mdps_in_one_deep_pack(name):
    made = agent(name, **SMALL[name])
    cells = [cell(name, f"small-{seed}", seed, 400, made, observation="flat") for seed in range(3)]
    cells.append(cell(name, "small-1", 5, 400, made, observation="flat", sticky_actions=0.3))
    assert len({signature(one) for one in cells}) == 1
    assert [len(pack) for pack in packs(cells, 4)] == [4]
    together = learner(cells)
    together.train(400)
    expected = outcome(together)
    for i in (1, 3):
        alone = learner(cells[i : i + 1])
        alone.train(150)
        state = alone.save()
        again = learner(cells[i : i + 1])
        again.load(state)
        again.train(250)
        assert same(outcome(again)[0], expected[i])


@pytest.mark.parametrize("seen", ["planes", "cells", "state"])
def test_other_views_are_played_by_deep_agents_too(seen):
    more = {"filters": ((8, 2, 1),)} if seen == "planes" else {}
    of = learner([cell("ppo", made=agent("ppo", **SMALL["ppo"], **more), observation=seen)])
    of.train(64)
    assert np.isfinite(of.evaluate(0)["return"]).all()


def test_a_set_of_mdps_is_played_one_for_each_episode():
    tasks = [Task.make("challenge", mdp=f"small-{i}", max_episode_steps=9) for i in range(2)]
    of = learner([Cell(agent("ppo", **SMALL["ppo"]), 0, (Segment(TaskSet.make(tasks), 200),), (), 50)])
    of.train(200)
    assert np.isfinite(of.curves()[0]["train/return"][1]).all()


@pytest.mark.parametrize("name", ["sb3:PPO", "sb3:DQN"])
def test_agents_of_stable_baselines3(name):
    made = agent(name, n_steps=16, batch_size=8) if name == "sb3:PPO" else agent(name, learning_starts=20, batch_size=8)
    of = learner([cell(name, steps=64, made=made, observation="flat")])
    of.train(64)
    assert np.isfinite(of.evaluate(0)["return"][0])
