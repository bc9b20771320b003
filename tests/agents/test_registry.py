"""One entry is all that an agent needs: it is found by name, checked, described and trained."""

from __future__ import annotations

import subprocess
import sys

import pytest

from mohs.agents import registry
from mohs.agents.entries import ENTRIES
from mohs.agents.entry import AgentEntry
from mohs.agents.hyperparameters import FORMER
from mohs.agents.registry import agent, agent_entries, agent_entry, config_class, describe, learner, register_agent
from mohs.core import plugins
from mohs.core.cell import Agent, Cell, Probe, Segment
from mohs.core.errors import UsageError
from mohs.core.task import Task
from mohs.runs.plan import packs, runs_alone

TASK = Task.make("toy/discrete")
PLUGIN = """
from dataclasses import dataclass

from mohs.agents.entry import AgentEntry
from mohs.agents.hyperparameters import Config, setting
from mohs.core.domain import Integer


@dataclass(frozen=True)
class ConstantConfig(Config):
    action: int = setting(0, Integer(0, 7), "the action that is always taken")


class Constant:
    def __init__(self, action):
        self.action = action

    def train(self, env, steps):
        for _ in range(steps):
            if env.over:
                env.reset()
            env.step(self.action)

    def act(self, observation, memory, deterministic):
        return self.action, memory


def make_agent(env, seed, action=0):
    return Constant(action)


CONSTANT = AgentEntry(
    "constant", "always takes one action", f"{__name__}:make_agent", config=f"{__name__}:ConstantConfig", version="1"
)


def entries():
    return [CONSTANT]
"""


@pytest.fixture
def fresh(monkeypatch):
    """No agents beside those of mohs, before and after."""
    monkeypatch.setattr(registry, "_REGISTERED", {})
    registry._installed.cache_clear()
    plugins.load.cache_clear()
    yield
    registry._installed.cache_clear()
    plugins.load.cache_clear()


@pytest.fixture
def plugin(tmp_path, monkeypatch, fresh):
    (tmp_path / "constant_plugin.py").write_text(PLUGIN)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    sys.modules.pop("constant_plugin", None)


def cell(made: Agent, seed: int = 0) -> Cell:
    return Cell(made, seed, (Segment(TASK, 60),), (Probe("eval", TASK, (60,), 2),), 30)


def test_registering_loads_neither_numba_nor_torch():
    code = "import sys, mohs.agents.registry as r; r.agent_entry('dqn'); print(*{'numba', 'torch'} & set(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert not loaded.strip()


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_every_realisation_of_an_entry_is_there(entry):
    for field in ("maker", "learner", "config", "check_sees", "check_plays", "pack_size", "eager"):
        if getattr(entry, field) is not None:
            assert callable(entry.realisation(field))
    assert agent(entry.name) == Agent.make(entry.name)
    assert describe(entry.name)["text"] == entry.text


def test_a_registered_agent_is_found_checked_described_and_trained(plugin):
    from constant_plugin import CONSTANT

    register_agent(CONSTANT)
    made = agent("constant", action=3)
    assert made == Agent.make("constant", "1", action=3)
    assert describe("constant")["hyperparameters"]["action"]["default"] == 0
    with pytest.raises(UsageError, match="action is 9"):
        agent("constant", action=9)
    of = learner([cell(made, seed) for seed in range(3)])
    of.train(60)
    assert len(of.evaluate(0)["return"]) == len(of.curves()) == 3


def test_names_of_mohs_and_names_with_a_colon_cannot_be_registered(fresh):
    for name, words in (("dqn", "dqn is an agent of mohs"), ("my:agent", "must not contain a colon")):
        with pytest.raises(UsageError, match=words):
            register_agent(AgentEntry(name, "mine"))


@pytest.mark.parametrize("target", ["CONSTANT", "entries"])
def test_an_installed_package_brings_agents_by_its_entry_points(plugin, target):
    information = plugin / "constant_plugin-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: constant-plugin\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text(f"[mohs.agents]\nconstant = constant_plugin:{target}\n")
    assert agent("constant").source == "1"
    assert "constant" in {entry.name for entry in agent_entries()}


def test_an_entry_in_a_file_is_an_agent_whose_source_counts(plugin):
    name = f"{plugin}/constant_plugin.py:CONSTANT"
    made = agent(name, action=2)
    assert (made.name, len(made.source)) == (name, 16)
    cells = [cell(made, seed) for seed in range(2)]
    assert not runs_alone(cells[0])
    assert len(packs(cells, 8)) == 1
    with pytest.raises(UsageError, match="unknown hyperparameter"):
        agent(name, actoin=2)
    of = learner(cells)
    of.train(60)
    assert len(of.curves()) == 2


def test_an_unknown_name_is_refused_with_the_nearest(fresh):
    with pytest.raises(UsageError, match=r"Did you mean 'rainbow'.*file.py:function"):
        agent_entry("rainbo")
    with pytest.raises(UsageError, match="keywords of its function"):
        describe("examples/my_agent.py:make_agent")


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [("dqn", "memory", "buffer_size"), ("dqn", "noise", "noisy_sigma"), ("ddpg", "noise", "action_noise"),
     ("q_learning", "epsilon_end", "exploration_final_eps"), ("ppo", "copies", "num_envs")],
)  # fmt: skip
def test_a_former_name_of_a_hyperparameter_is_refused_with_the_present_one(name, old, new):
    with pytest.raises(UsageError, match=f"the hyperparameter {old} of {name} is called {new} now"):
        agent(name, **{old: 1})


def test_every_former_name_has_a_present_one_and_is_no_longer_used():
    used = {name for entry in ENTRIES for name in config_class(entry.name).__dataclass_fields__}
    assert not used & set(FORMER)
    assert {present for names in FORMER.values() for present in names} <= used
