"""Agents that act on several observations, and the oracle that acts on one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mohs import Agent, AgentEntry, Cell, Probe, Segment, Task, UsageError, table
from mohs.agents.registry import agent, agent_entries, agent_entry, history_of, learner, register_agent
from mohs.exact.attainable import attainable
from mohs.exact.values.memoryless import best_memoryless

STEPS = 20_000
# What to do next depends on how far a sequence has come: without memory a third of the optimum is out of reach.
ALIASED = Task.make("toy/discrete", sequence_length=2, state_space_size=4, action_space_size=4, reward_density=0.34)


def cell(made: Agent, task: Task = ALIASED, steps: int = STEPS, episodes: int = 20) -> Cell:
    return Cell(made, task.seed, (Segment(task, steps),), (Probe("eval", task, (steps,), episodes),), 100)


def evaluated(made: Agent, task: Task = ALIASED, steps: int = STEPS, episodes: int = 20) -> float:
    pack = learner([cell(made, task, steps, episodes)])
    pack.train(steps)
    return float(pack.evaluate(0)["return"][0])


@pytest.mark.parametrize("name", ["q_learning", "sarsa", "double_q_learning"])
def test_a_history_solves_what_no_memoryless_policy_can(name):
    ceiling = attainable(ALIASED)
    assert ceiling.exact
    assert ceiling.bound < 0.67 * ceiling.optimal
    settings = {"learning_rate": 0.1, "gamma": 0.9, "exploration_steps": 10_000}
    assert evaluated(agent(name, **settings), episodes=400) < 0.75 * ceiling.optimal
    assert evaluated(agent(name, history=3, **settings), episodes=400) > 0.99 * ceiling.optimal


def test_a_history_does_not_depend_on_pauses_nor_on_the_pack():
    cells = [cell(agent("q_learning", history=2), ALIASED.replace(transition_noise=0.1), 2000) for _ in range(2)]
    together, alone = learner(cells), learner(cells[1:])
    together.train(2000)
    for steps in (1, 777, 1222):
        alone.train(steps)
    resumed = learner(cells[:1])
    first = learner(cells[:1])
    first.train(801)
    resumed.load(first.save())
    resumed.train(1199)
    for other, i in ((alone, 1), (resumed, 0)):
        for name, (_, values) in together.curves()[i].items():
            assert np.array_equal(values, other.curves()[0][name][1], equal_nan=True)
    assert together.evaluate(0)["return"][1] == alone.evaluate(0)["return"][0]


def test_a_table_of_too_many_histories_is_refused():
    with pytest.raises(UsageError, match="too large to learn in"):
        learner([cell(agent("q_learning", history=16), Task.make("toy/discrete"))])
    with pytest.raises(UsageError, match="history"):
        agent("q_learning", history=0)


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"delay": 4},
        {"transition_noise": 0.1},
        {"irrelevant_features": True},
        {"sequence_length": 3, "state_space_size": 4, "action_space_size": 4, "reward_density": 0.34},
        {"sequence_length": 2, "transition_noise": 0.2, "reward_density": 0.34, "state_space_size": 4,
         "action_space_size": 4},
    ],
    ids=str,
)  # fmt: skip
def test_the_memoryless_oracle_earns_what_is_computed(params):
    task = Task.make("toy/discrete", **params)
    found = best_memoryless(table(task), randomised=False)
    episodes = 2000 if "transition_noise" in params else 3
    rel = 0.06 if "transition_noise" in params else 1e-9
    assert evaluated(agent("memoryless"), task, 200, episodes) == pytest.approx(found.value, rel=rel)
    assert found.value <= found.optimal


def test_histories_that_agents_declare():
    known = {entry.name: entry for entry in agent_entries()}
    assert {name for name, entry in known.items() if entry.history == 0} == {
        "recurrent_dqn", "recurrent_ppo", "gorp", "sqirl", "optimal", "sb3:RecurrentPPO", "fixed", "max_pressure",
        "actuated",
    }  # fmt: skip
    assert history_of(agent("memoryless")) == history_of(agent("dqn")) == history_of(agent("q_learning")) == 1
    assert history_of(agent("sarsa", history=3)) == 3


def test_histories_that_custom_agents_declare(tmp_path: Path):
    file = tmp_path / "mine.py"
    file.write_text("def plain(env, seed): ...\ndef remembers(env, seed): ...\nremembers.history = 0\n")
    assert agent_entry(f"{file}:plain").history == 1
    assert agent_entry(f"{file}:remembers").history == 0
    register_agent(AgentEntry("stacks_four", "stacks four observations", maker="mine:make", history=4))
    assert history_of(Agent.make("stacks_four")) == 4
