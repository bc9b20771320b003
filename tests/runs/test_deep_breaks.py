"""Deep agents in the runner: a stopped pack resumes in other packs, bit-identical."""

from __future__ import annotations

import pytest

from mohs import Cell, Probe, Segment, Task
from mohs.agents.registry import agent, learner
from mohs.runs.workers.pack import Finished, Pace, Saved, run_cells

AGENTS = [
    ("dqn", "toy/discrete", {"learning_starts": 20, "hidden": [8]}),
    ("rainbow", "toy/discrete", {"learning_starts": 20, "hidden": [8]}),
    ("ppo", "toy/discrete", {"hidden": [8]}),
    ("sac", "toy/continuous", {"learning_starts": 20, "hidden": [8], "batch_size": 16}),
    ("dqn", "CartPole-v1", {"learning_starts": 20, "hidden": [8]}),
    ("td3", "Reacher-v5", {"learning_starts": 20, "hidden": [8], "batch_size": 16}),
]


def run(cells, resume=None, stop_after=10**9):
    looks = iter(range(10**9))
    pace = Pace(checkpoint_seconds=1e9, chunk=13)
    return list(run_cells(cells, learner, resume or {}, lambda: next(looks) >= stop_after, pace))


def results(messages):
    return {
        key: {metric: (s.tolist(), v.tobytes()) for metric, (s, v) in curves.items()}
        for m in messages
        if isinstance(m, Finished)
        for key, curves in m.results.items()
    }


@pytest.mark.parametrize(("name", "env", "params"), AGENTS)
def test_a_stopped_pack_resumes_in_other_packs_bit_identically(name, env, params):
    task, made = Task.make(env), agent(name, **params)
    probes = (Probe("eval", task, (0, 60, 120), 2),)
    cells = [Cell(made, seed, (Segment(task, 120),), probes, window=40) for seed in range(3)]
    whole = results(run(cells))
    assert set(whole) == {c.key for c in cells}
    (saved,) = (m for m in run(cells, stop_after=5) if isinstance(m, Saved))
    resume = {key: state for key, (_, state) in saved.states.items()}
    assert {**results(run(cells[:1], resume)), **results(run(cells[1:], resume))} == whole
