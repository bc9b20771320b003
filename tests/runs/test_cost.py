"""The cost of a plan counts what is left, and grows with what makes a run long."""

from __future__ import annotations

from dataclasses import replace

from fake_learner import FACTORY, plan

from mohs import Cell, Probe, Segment, Task
from mohs.agents.registry import config
from mohs.core.cell import Agent
from mohs.runs.cost import _eager, cost, stored, try_out
from mohs.runs.execute import execute
from mohs.runs.execution import Execution
from mohs.runs.plan import packs
from mohs.runs.store import left_to_run, open_store


def cells(seeds=2, budget=1000, agents=("q_learning",), delays=(0, 4), **params):
    return [
        Cell(Agent.make(name, **params), seed, (Segment(task, budget),), (Probe("eval", task, (0, budget), 5),))
        for name in agents
        for task in (Task.make("toy/discrete", reward_density=0.5, delay=delay) for delay in delays)
        for seed in range(seeds)
    ]


def test_the_cost_counts_cells_steps_and_packs():
    some = [*cells(4, learning_rate=0.05), *cells(4, learning_rate=0.3)]
    found = cost(some, workers=2)
    assert (found.cells, found.steps, found.workers) == (16, 16_000, 2)
    assert found.packs == len(packs(some, 4))
    assert found.seconds > 0
    assert found.results == sum(stored(cell) for cell in some)
    assert found.checkpoints > 0
    nothing = cost([], workers=2)
    assert (nothing.cells, nothing.packs, nothing.seconds) == (0, 0, 0)


def test_a_cell_that_fails_in_its_trial_is_counted_and_stops_nothing(tmp_path, capsys):
    file = tmp_path / "broken.py"
    file.write_text("def make_agent(env, seed):\n    print('made')\n    raise RuntimeError('broken')\n")
    broken = [replace(cell, agent=Agent.make(f"{file}:make_agent", "1")) for cell in cells()]
    found = cost([*cells(), *broken], workers=1)
    assert (found.cells, found.broken) == (8, 4)
    assert found.seconds > 0
    assert capsys.readouterr().out == ""


def test_a_trial_of_a_long_rollout_includes_updates():
    (cell,) = cells(1, 4000, ("ppo",), (0,))
    for name, rollout in (("ppo", 64), ("recurrent_ppo", 16 * 8)):
        tried = _eager(replace(cell, agent=Agent.make(name, n_steps=2048)))
        made = config(tried.agent)
        assert made.n_steps * made.num_envs == rollout


def test_a_trial_grows_with_the_run():
    """Nothing is known of the clock, but a run that is much longer is estimated to take longer."""
    short, long = (cells(budget=steps, delays=(0,)) for steps in (400, 400_000))
    assert try_out(long, 0.05).seconds > try_out(short, 0.05).seconds


def test_what_a_deep_agent_saves_grows_with_its_replay_buffer():
    small, large = (
        cells(1, 5000, ("dqn",), (0,), hidden=(8,), buffer_size=size, learning_starts=5000) for size in (100, 5000)
    )
    assert try_out(large, 0.05).checkpoint > try_out(small, 0.05).checkpoint


def test_what_is_left_is_what_the_store_does_not_have(tmp_path):
    url = f"sqlite:///{tmp_path}/store.db"
    small, large = plan(2, 1), plan(3, 1)
    assert left_to_run(large, url) == list(large.cells)
    assert not list(tmp_path.iterdir())
    with open_store(url) as store:
        execute(small, store, Execution(workers=0, progress="silent"), factory=FACTORY)
    assert left_to_run(large, url) == [large.cells[2]]
