"""What do DQN, PPO and Q-learning reach on a task of the collection? Real runs through mohs' runner and store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from benchmarks.reference_collection.tasks import Known
from mohs.agents.external import custom_agent
from mohs.core.cell import Agent, Cell, Probe, Segment
from mohs.core.task import Task
from mohs.runs.execute import execute
from mohs.runs.execution import Execution
from mohs.runs.plan import Plan, Track
from mohs.runs.results import Results
from mohs.runs.store import open_store
from mohs.runs.windows import window
from mohs.stats import estimate

AGENTS = ("dqn", "ppo", "q_learning")
PLAY = "benchmarks.reference_collection.play"


def outcomes(
    tasks: Sequence[Known],
    measures: Mapping[str, Mapping[str, Any]],
    *,
    budget: int,
    seeds: int,
    execution: Execution,
    run: bool = True,
) -> dict[str, dict[str, dict[str, float]]]:
    """By task and agent: the mean score over seeds of the greedy policy after training, with its interval.

    A score is 0 at the return of the random policy, 1 at the optimum. No policy is above the optimum or below the worst
    one, so what luck puts there is moved to these ends. Without `run` only what the store holds is read.
    """
    found: dict[str, dict[str, dict[str, float]]] = {}
    ends = {name: entry["returns"] for name, entry in measures.items()}
    playable = [known for known in tasks if ends[known.name]["optimal"] > ends[known.name]["random"]]
    for agent in AGENTS:
        tracks = {
            Track(agent, known.name): partial(_cell, agent, known, budget, measures[known.name]["episodes"])
            for known in playable
        }
        options = {"agent": agent, "budget": budget, "seeds": seeds, "tasks": [known.name for known in playable]}
        plan = Plan.of(f"reference collection, {agent}", "experiment", options, tracks, seeds)
        with open_store(execution.store) as store:
            if run and execute(plan, store, execution).interrupted:
                raise KeyboardInterrupt
            results = Results.of(plan, dict(store.results(cell.key for cell in plan.cells)))
        for known in playable:
            runs = [points["eval/return"][1][-1] for points in results.at(agent, known.name) if points is not None]
            if runs:
                found.setdefault(known.name, {})[agent] = _score(np.array(runs), ends[known.name])
    return found


def _score(runs: Any, ends: Mapping[str, float]) -> dict[str, float]:
    span = ends["optimal"] - ends["random"]
    e = estimate((runs - ends["random"]) / span)
    least = (ends["worst"] - ends["random"]) / span
    values = {"value": min(e.value, 1.0), "low": max(e.low, least), "high": min(e.high, 1.0)}
    return {**{key: round(value, 4) for key, value in values.items()}, "n": e.n}


def _cell(agent: str, known: Known, budget: int, episodes: int, seed: int) -> Cell:
    task = _task(agent, known)
    learner = custom_agent(f"{PLAY}:q_learning") if agent == "q_learning" and known.task is None else Agent.make(agent)
    segments, probes = (Segment(task, budget),), (Probe("eval", task, (budget,), episodes),)
    return Cell(learner, seed, segments, probes, window(task, budget))


def _task(agent: str, known: Known) -> Task:
    """The task as the agent plays it: its table, unless an engine of mohs has it."""
    if known.task is None:
        return Task.make(f"{PLAY}:play", name=known.name, max_episode_steps=known.horizon)
    if known.group == "challenge" and agent == "q_learning":
        return Task.make("challenge", mdp=known.name, observation="state")
    return known.task
