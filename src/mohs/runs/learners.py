"""Which learner trains a pack? Chosen by the agent's name; an oracle is handed the exact plan here, and only here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.agents import sb3
from mohs.agents.deep import catalogue as deep
from mohs.agents.episodes import action_count
from mohs.agents.external import ExternalLearner, agent_source
from mohs.agents.gorp import GorpConfig
from mohs.agents.hyperparameters import Config, domain_of
from mohs.agents.planner import OptimalLearner
from mohs.agents.protocol import NONE_FAILED, Learner, Points
from mohs.agents.sqirl import SqirlConfig
from mohs.agents.tabular import ALGORITHMS, TabularConfig, TabularLearner, is_numbered, seen_as_states
from mohs.core.cell import Agent, Cell
from mohs.core.errors import UsageError, unknown
from mohs.core.task import Source, Task, members
from mohs.core.values import resolve
from mohs.envs.make import make
from mohs.exact.values.solve import Plan, plan
from mohs.tables.build import table

# Agents of ours that are Python objects as those of users are.
IN_PYTHON = {"gorp": "mohs.agents.gorp:make_gorp", "sqirl": "mohs.agents.sqirl:make_sqirl"}
RANDOM = "mohs.agents.random:make_random"  # where no kernel plays
TEXTS = {
    "q_learning": "tabular Q-learning",
    "double_q_learning": "tabular Q-learning with two tables, one of which chooses and the other values",
    "sarsa": "tabular learning of the policy that is played",
    "random": "draws every action; learns nothing",
    **{name: entry.text for name, entry in deep.AGENTS.items()},
    "gorp": "greedy over random play: tries all sequences of k actions, then plays at random",
    "sqirl": "greedy over random play by regressions on what is seen",
    "optimal": "is handed the exact table and plays optimally",
}
BUILT_IN = (*ALGORITHMS, *deep.AGENTS, *IN_PYTHON, "optimal")


def agent(name: str, **params: Any) -> Agent:
    """An agent by name, checked: built in, or `file.py:function` with a hash of the file."""
    if name.startswith(sb3.PREFIX):
        return sb3.agent(name, **params)
    if ":" in name:
        resolve(name)
        return Agent.make(name, agent_source(name), **params)
    if name not in BUILT_IN:
        raise unknown("agent", name, (*BUILT_IN, "file.py:function", "sb3:NAME"))
    made = Agent.make(name, **params)
    config_class(name).of(made)
    return made


def config_class(name: str) -> type[Config]:
    """The hyperparameters of a built-in agent."""
    if name in deep.AGENTS:
        return deep.config_class(name)
    tabular = dict.fromkeys(ALGORITHMS, TabularConfig)
    found: dict[str, type[Config]] = {**tabular, "gorp": GorpConfig, "sqirl": SqirlConfig}
    return Config if name in ("optimal", "random") else found[name]


def describe(name: str) -> dict[str, Any]:
    """An agent for people: a sentence, its hyperparameters (those that all deep agents share last), presets."""
    if name.startswith(sb3.PREFIX):
        return sb3.describe(name)
    if name not in BUILT_IN:
        raise unknown("agent", name, (*BUILT_IN, *(f"{sb3.PREFIX}{algorithm}" for algorithm in sb3.ALGORITHMS)))
    config = config_class(name)
    shared = deep.shared_settings() if name in deep.AGENTS else ()
    settings = {
        f.name: {"default": f.default, "allowed": domain_of(f).describe(), "text": f.metadata["text"]}
        for f in sorted(fields(config), key=lambda f: f.name in shared)
    }
    return {
        "name": name,
        "text": TEXTS[name],
        "hyperparameters": settings,
        "presets": {preset: dict(values) for preset, values in config.presets().items()},
    }


def check_sees(agent: Agent, source: Source) -> None:
    """Raises where an agent that keeps a table of states does not see any."""
    if agent.name not in (*ALGORITHMS, "optimal") or agent.name == "random":
        return
    for task in members(source)[0]:
        if is_numbered(task) and not seen_as_states(task):
            raise UsageError(f"{agent.name} keeps a table of states and must see their numbers: set observation=state.")
        if not seen_as_states(task):
            shown = f"{task.env} as images" if task.values.get("image_representations") else task.env
            raise UsageError(
                f"{agent.name} keeps a table of states and plays toy/discrete, toy/grid and challenge, seen as they "
                f"are, not {shown}: take a deep agent (mohs agents), random, gorp or sqirl (finitely many actions), or "
                "an agent of your own (file.py:function)."
            )
        if agent.name == "optimal" and task.values.get("sticky_actions"):
            raise UsageError("the optimal agent does not see which action was taken: sticky_actions must be 0.")


def check_plays(agent: Agent, task: Task, steps: int | None = None) -> None:
    """Raises where an agent of ours cannot play a task, or learn it in so many steps, before anything is run."""
    check_sees(agent, task)
    if agent.name in IN_PYTHON or agent.name.startswith(sb3.PREFIX):
        env = make(task)
        if agent.name in IN_PYTHON:
            action_count(env.action_space)
        else:
            sb3.check_builds(agent, env)
            if steps is not None:
                sb3.check_length(sb3.algorithm_of(agent.name), steps, dict(agent.params))
        env.close()
    if agent.name in deep.AGENTS:
        deep.check_plays(agent, task)


def learner(cells: Sequence[Cell], device: str = "cpu") -> Learner:
    """The learner of a pack; deep agents train on the device."""
    name = cells[0].agent.name
    sources = [segment.source for segment in cells[0].segments] + [probe.source for probe in cells[0].probes]
    for source in sources:
        check_sees(cells[0].agent, source)
    if name == "random" and not all(is_numbered(task) for source in sources for task in members(source)[0]):
        return _EachAlone(cells, RANDOM)
    if name in ALGORITHMS:
        return TabularLearner(cells)
    if name in IN_PYTHON:
        return _EachAlone(cells, IN_PYTHON[name])
    if name in deep.AGENTS:
        return deep.learner(cells, device)
    if name == "optimal":
        return OptimalLearner(cells, _plan)
    if name.startswith(sb3.PREFIX):
        sb3.check_version(cells[0].agent)
        return _EachAlone(cells, sb3.MAKER, algorithm=sb3.algorithm_of(name))
    return ExternalLearner(cells)


class _EachAlone:
    """A pack of agents that are Python objects, each with its own environment."""

    failed = NONE_FAILED

    def __init__(self, cells: Sequence[Cell], maker: str, **more: str) -> None:
        self.cells = cells
        source = agent_source(maker)
        made = [Agent.make(maker, source, **dict(cell.agent.params), **more) for cell in cells]
        self._learners = [ExternalLearner([replace(cell, agent=a)]) for cell, a in zip(cells, made, strict=True)]

    def train(self, steps: int) -> None:
        for one in self._learners:
            one.train(steps)

    def evaluate(self, probe: int) -> dict[str, npt.NDArray[np.float64]]:
        found = [one.evaluate(probe) for one in self._learners]
        return {metric: np.concatenate([of_one[metric] for of_one in found]) for metric in found[0]}

    def curves(self) -> list[Points]:
        return [points for one in self._learners for points in one.curves()]

    def save(self) -> list[bytes] | None:
        states = [one.save() for one in self._learners]
        return None if None in states else [state for one in states for state in one or ()]

    def load(self, states: Sequence[bytes]) -> None:
        for one, state in zip(self._learners, states, strict=True):
            one.load([state])


@lru_cache(maxsize=8)
def _plan(task: Task) -> Plan:
    return plan(table(task))
