"""Does a recorded episode show what the agent does?"""

from __future__ import annotations

import numpy as np
import pytest

import mohs
from mohs.agents.protocol import RECORDED
from mohs.agents.registry import agent_entry
from mohs.core.cell import Agent, Cell, Probe, Segment
from mohs.envs.make import make
from mohs.runs.workers.pack import Finished, Pace, run_cells

TASKS = [mohs.Task.make("traffic/intersection", inflow=inflow, max_episode_steps=30) for inflow in (300, 900)]


def cells(agent: str, **hyperparameters: object) -> list[Cell]:
    made = Agent.make(agent, **hyperparameters)
    return [
        Cell(made, 3, (Segment(task, 120),), (Probe("eval", task, (60, 120), 2, record=True),), 30) for task in TASKS
    ]


def curves(of: list[Cell]) -> list[dict[str, tuple[np.ndarray, np.ndarray]]]:
    learner = agent_entry(of[0].agent.name).realisation("learner")
    messages = list(run_cells(of, lambda pack: learner(pack, "cpu"), {}, lambda: False, Pace()))
    (done,) = [message for message in messages if isinstance(message, Finished)]
    return [done.results[cell.key] for cell in of]


def test_a_plan_is_recorded_as_it_is() -> None:
    for cell, found in zip(cells("fixed", plan="webster"), curves(cells("fixed", plan="webster")), strict=True):
        env = make(cell.probes[0].source)
        agent = agent_entry("fixed").realisation("maker")(env, 0, plan="webster")
        steps, actions = found["eval/actions"]
        wanted, memory = [], None
        for _ in range(30):
            action, memory = agent.act(None, memory, True)
            wanted.append(action)
        assert steps.tolist() == list(range(30))
        assert actions.tolist() == wanted


def test_what_max_pressure_did_follows_from_what_it_saw() -> None:
    (found,) = curves(cells("max_pressure")[:1])
    env = make(TASKS[0])
    agent = agent_entry("max_pressure").realisation("maker")(env, 0)
    seen, _ = env.reset(seed=RECORDED)
    memory = None
    for action in found["eval/actions"][1]:
        wanted, memory = agent.act(seen, memory, True)
        assert action == wanted
        seen = env.step(wanted)[0]


def test_deep_agents_record_the_same_alone_and_in_a_pack() -> None:
    together = curves(cells("ppo", n_steps=30, batch_size=30, hidden=[8]))
    for i, of in enumerate(together):
        (alone,) = curves(cells("ppo", n_steps=30, batch_size=30, hidden=[8])[i : i + 1])
        assert of["eval/actions"][1].tolist() == alone["eval/actions"][1].tolist()
        assert len(of["eval/actions"][1]) == 30
        assert set(of["eval/actions"][1]) <= {0, 1}


def test_recording_changes_nothing_else() -> None:
    recorded, plain = ([Probe("eval", task, (60, 120), 2, record=record) for task in TASKS] for record in (True, False))
    both = [[Cell(Agent.make("ppo", n_steps=30, batch_size=30), 3, (Segment(task, 120),), (probe,), 30)
             for task, probe in zip(TASKS, probes, strict=True)] for probes in (recorded, plain)]  # fmt: skip
    for with_it, without in zip(*map(curves, both), strict=True):
        assert with_it.keys() - without.keys() == {"eval/actions"}
        for name, (_, values) in without.items():
            np.testing.assert_array_equal(values, with_it[name][1])


def test_probes_without_a_record_keep_their_json() -> None:
    probe = Probe("eval", TASKS[0], (1,))
    assert "record" not in probe.to_json()
    assert Probe.from_json(probe.to_json()) == probe
    shown = Probe("eval", TASKS[0], (1,), record=True)
    assert Probe.from_json(shown.to_json()) == shown
    with pytest.raises(mohs.UsageError, match="record"):
        Probe("eval", TASKS[0], (1,), record="yes")  # type: ignore[arg-type]
