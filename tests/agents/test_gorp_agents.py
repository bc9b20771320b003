"""GORP as an agent: what it is charged, how often it succeeds, and that pieces make no difference (nor for SQIRL)."""

from __future__ import annotations

import json

import gymnasium
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import fisher_exact
from small_tasks import TableEnv, corridor, greedy_return, toy

import mohs
from mohs import Cell, Probe, Segment, Table, UsageError
from mohs.agents.planning.gorp import make_gorp
from mohs.agents.planning.sqirl import make_sqirl
from mohs.agents.registry import agent, learner
from mohs.cli import main
from mohs.exact.lookahead.gorp import success
from mohs.exact.values.solve import returns

SURPRISE = 1e-6  # a p-value that does not happen by chance


@pytest.mark.parametrize(("k", "m"), [(1, 1), (1, 4), (2, 2), (3, 1)])
def test_gorp_is_charged_for_every_step(k, m):
    table = corridor(2, 5, width=3)
    made, env = make_gorp(TableEnv(table), 0, k=k, m=m, horizon=5), TableEnv(table)
    charge = 5**2 * 3**k * m
    made.train(env, charge - 1)
    assert len(made.actions) == 4
    made.train(env, 1)
    assert len(made.actions) == 5
    assert len(env.log) == charge
    made.train(env, 50)
    assert env.log[charge:] == made.actions * 10


@pytest.mark.parametrize(("k", "m", "discount"), [(1, 2, 1.0), (1, 6, 0.9), (2, 1, 0.9)])
def test_gorp_succeeds_as_often_as_it_does_on_the_table(k, m, discount):
    table = corridor(3, 6, width=2)
    best, solved, seeds = returns(table).optimal, 0, 200
    for seed in range(seeds):
        made, env = make_gorp(TableEnv(table), seed, k=k, m=m, gamma=discount, horizon=6), TableEnv(table)
        made.train(env, 6**2 * 2**k * m)
        solved += greedy_return(made, env) == best
    known = success(table, k, m, 20_000, discount=discount)
    odds = [[solved, seeds - solved], [known.successes, known.runs - known.successes]]
    assert 0.05 < known.successes / known.runs < 0.95
    assert fisher_exact(odds).pvalue > SURPRISE


@settings(max_examples=25)
@given(
    st.sampled_from([make_gorp, make_sqirl]), st.lists(st.integers(0, 40), min_size=1, max_size=6), st.integers(0, 9)
)
def test_pieces_and_checkpoints_make_no_difference(make, pieces, seed):
    table = corridor(2, 5, width=3)
    whole, env = make(TableEnv(table), seed, m=2, horizon=5), TableEnv(table)
    whole.train(env, sum(pieces))
    cut, same = make(TableEnv(table), seed, m=2, horizon=5), TableEnv(table)
    for piece in pieces:
        cut.train(same, piece)
        again = make(TableEnv(table), seed, m=2, horizon=5)
        again.load(cut.save())
        cut = again
    assert same.log == env.log
    assert [cut.act(0, t, True)[0] for t in range(5)] == [whole.act(0, t, True)[0] for t in range(5)]


def test_another_environment_begins_a_new_episode():
    table = corridor(2, 5)
    made, first, second = make_gorp(TableEnv(table), 0, horizon=5), TableEnv(table), TableEnv(table)
    made.train(first, 3)
    made.train(second, 10)
    assert len(second.log) == 10
    assert len(made.actions) == 1  # after two whole episodes; the one that was left does not count


def test_the_policy_is_open_loop():
    table = corridor(2, 5)
    made = make_gorp(TableEnv(table), 0, k=2, m=5, horizon=5)
    made.train(TableEnv(table), 5**2 * 4 * 5)
    memory, played = None, []
    for observation in (0, 2, 1, 0, 0):
        action, memory = made.act(observation, memory, False)
        played.append(action)
    assert (played, memory) == (made.actions, 5)


def test_gorp_crosses_the_frozen_lake():
    env = gymnasium.make("FrozenLake-v1", is_slippery=False, max_episode_steps=10)
    known = success(Table.from_gymnasium(env), 1, 100, 500, horizon=10, discount=0.99)
    assert known.interval[0] > 0.9
    made = make_gorp(env, 0, m=100)
    made.train(env, 10**2 * 4 * 100)  # enough, since episodes end in holes
    assert len(made.actions) == 10
    assert greedy_return(made, env) == 1.0


def test_gorp_learns_a_toy_with_one_start():
    task = toy(init_state_dist=[1.0, 0.0, 0.0, 0.0], terminal_states=[3])
    one = Cell(agent("gorp", m=5), 0, (Segment(task, 2000),), (Probe("eval", task, (0, 2000), 5),), 100)
    of = learner([one])
    before = of.evaluate(0)["return"][0]
    of.train(2000)
    best = returns(mohs.table(task)).optimal
    assert of.evaluate(0)["return"][0] == best > before


@pytest.mark.parametrize("name", ["gorp", "sqirl"])
@pytest.mark.parametrize("params", [{}, {"irrelevant_features": True, "transition_noise": 0.1}])
def test_cells_in_a_pack_and_after_a_pause_have_the_same_bits(name, params):
    tasks = [toy(**params).replace(seed=s) for s in range(3)]
    cells = [
        Cell(agent(name, m=2), i, (Segment(t, 305), Segment(t, 200)), (Probe("eval", t, (505,), 4),), 50)
        for i, t in enumerate(tasks)
    ]
    pack = learner(cells)
    pack.train(133)
    states = pack.save()
    pack.train(172)
    ended = pack.save()  # in the middle of an episode, at the end of a segment
    pack.train(200)
    after = pack.evaluate(0)["return"]
    for i, cell in enumerate(cells):
        for pieces, begin in (([305, 200], None), ([172, 200], states), ([200], ended)):
            alone = learner([cell])
            if begin is not None:
                alone.load([begin[i]])
            for piece in pieces:
                alone.train(piece)
            for metric, (steps, values) in pack.curves()[i].items():
                assert np.array_equal(steps, alone.curves()[0][metric][0])
                assert np.array_equal(values, alone.curves()[0][metric][1], equal_nan=True)
            assert alone.evaluate(0)["return"][0] == after[i]


def test_they_are_diagnosed_by_name(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    words = ["--dials", "delay", "--seeds", "2", "--budget", "300", "--workers", "0", "--set", "k=2", "--json"]
    with pytest.raises(SystemExit) as stop:
        main(["diagnose", "gorp", *words])
    assert not stop.value.code
    found = json.loads(capsys.readouterr().out)
    assert found["study"]["agent"] == {"name": "gorp", "params": {"k": 2}, "source": ""}
    assert found["vanilla"]["mean"]["normalised_auc"]["n"] == 2


def test_what_they_cannot_be_asked():
    for name in ("gorp", "sqirl"):
        with pytest.raises(UsageError, match=rf"unknown hyperparameter of {name} 'n'.*Valid:.*gamma.*horizon.*k.*m"):
            agent(name, n=3)
        with pytest.raises(UsageError, match="m is 0, but must be an integer ≥ 1"):
            agent(name, m=0)
    for make in (make_gorp, make_sqirl):
        with pytest.raises(UsageError, match="has no time limit"):
            make(TableEnv(corridor(2, 5)), 0)
        with pytest.raises(UsageError, match="finitely many actions"):
            make(gymnasium.make("Pendulum-v1"), 0)
    with pytest.raises(UsageError, match="sequences of k = 30"):
        make_gorp(TableEnv(corridor(2, 5)), 0, k=30, horizon=40)
