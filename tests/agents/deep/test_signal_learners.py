"""Learned controllers of traffic signals: the same bits in any pack, what they learn, and what they refuse."""

from __future__ import annotations

import pytest
from continuous_packs import STEPS, check_same_bits

import mohs
from mohs import Cell, Probe, Segment, Task, UsageError
from mohs.agents.registry import agent, check_plays, learner
from mohs.engines.traffic.references import score

ENV = "traffic/intersection"
NAMES = ("idqn", "ippo", "mplight", "mplight_star")
SMALL = {"idqn": {"channels": 3, "hidden": (20, 12)}, "ippo": {"channels": 3, "n_steps": 64, "batch_size": 30}}


def cell(name: str, seed: int, task: Task, steps: int, **hyperparameters: object) -> Cell:
    probe = Probe("eval", task, (steps,), 10)
    return Cell(agent(name, **hyperparameters), seed, (Segment(task, steps),), (probe,), steps)


@pytest.mark.parametrize("left_lanes", [0, 1])
@pytest.mark.parametrize("name", NAMES)
def test_unlike_intersections_have_the_same_bits_in_any_pack(name: str, left_lanes: int) -> None:
    tasks = [
        Task.make(ENV, lanes=lanes, inflow=400 * lanes, left_lanes=left_lanes, observed_lanes=4, max_episode_steps=60)
        for lanes in (2, 3, 6)
    ]
    cells = [cell(name, seed, task, STEPS, **SMALL.get(name, {})) for seed, task in enumerate(tasks)]
    check_same_bits(cells)


LEARNT = {"idqn": 4_000, "ippo": 8_000, "mplight": 4_000, "mplight_star": 4_000}
SOON = {"ippo": {"n_steps": 256, "batch_size": 64, "learning_rate": 1e-3}}


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_learned_controllers_beat_a_plan_that_was_not_tuned(name: str) -> None:
    """Few vehicles: the delay falls by a third or more, with the reward of the task the delay itself."""
    task, steps = Task.make(ENV, reward="delay", lanes=2, inflow=400), LEARNT[name]
    pack = learner([cell(name, seed, task, steps, **SOON.get(name, {})) for seed in range(3)])
    pack.train(steps)
    scale = score(task)
    assert [scale.normalise(found) > 0.33 for found in pack.evaluate(0)["return"]] == [True] * 3


@pytest.mark.parametrize("name", NAMES)
def test_what_they_refuse(name: str) -> None:
    check_plays(mohs.Agent.make(name), Task.make(ENV))
    with pytest.raises(UsageError, match="controls a traffic signal, which this environment has not"):
        check_plays(mohs.Agent.make(name), Task.make("control/cartpole"))
    with pytest.raises(UsageError, match=r"observes lanes, but .* shows green, queue, approaching, pressure"):
        check_plays(mohs.Agent.make(name), Task.make(ENV, observation="movements"))
    here, there = Task.make(ENV, observed_lanes=3), Task.make(ENV, lanes=3, observed_lanes=3)
    with pytest.raises(UsageError, match=r"learns to control one intersection, but .* has other lanes"):
        learner([Cell(agent(name), 0, (Segment(here, 10),), (Probe("eval", there, (10,), 1),), 10)])


def test_it_is_paid_for_what_it_observes_and_shows_what_the_task_pays() -> None:
    """The training curve of a controller is in the reward of the task, whatever the controller is paid for."""
    task = Task.make(ENV, reward="delay", max_episode_steps=60)
    curves = []
    for reward in ("task", "queue"):
        pack = learner([cell("mplight", 0, task, 60, reward=reward, learning_starts=60)])
        pack.train(60)
        curves.append(pack.curves()[0]["train/return"][1].tolist())
        stored = pack._algorithm.parts["replay"].save(0)["_rewards"]
        assert stored.sum() == pytest.approx(curves[-1][0], rel=1e-3) if reward == "task" else stored.sum() < -60
    assert curves[0] == curves[1]
