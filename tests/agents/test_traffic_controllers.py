"""Do controllers of traffic signals do what they say?"""

from __future__ import annotations

import numpy as np
import pytest

import mohs
from mohs.agents.traffic.fixed import Fixed, FixedConfig
from mohs.agents.traffic.max_pressure import MaxPressure
from mohs.core.errors import UsageError
from mohs.engines.traffic.fixed_time import untuned, webster
from mohs.engines.traffic.junction import LEFT, MOVEMENTS
from mohs.envs.make import make

ENV = "traffic/intersection"


def played(agent: object, env: object, seed: int) -> tuple[list[int], float]:
    """The phases of one episode, and its return."""
    observation, _ = env.reset(seed=seed)
    memory, total, phases, over = None, 0.0, [], False
    while not over:
        phase, memory = agent.act(observation, memory, True)
        observation, reward, _, over, _ = env.step(phase)
        phases.append(phase)
        total += reward
    return phases, total


@pytest.mark.parametrize("params", [{}, {"left_lanes": 1, "lanes": 5}, {"observation": "movements"}])
def test_max_pressure_serves_most_vehicles(params: dict[str, object]) -> None:
    env = make(mohs.Task.make(ENV, inflow=1500, **params))
    agent = MaxPressure(env, 0)
    signal = env.unwrapped.signal
    observation, _ = env.reset(seed=1)
    phase, changes = None, 0
    for _ in range(200):
        numbers = np.asarray(observation).reshape(len(signal.permits), -1)
        vehicles = [
            sum(max(row[signal.features.index(name)], 0) for name in ("queue", "approaching")) for row in numbers
        ]
        pressures = [
            sum(
                count * max((signal.greens[p, s] for s in np.flatnonzero(permits)), default=0)
                for count, permits in zip(vehicles, signal.permits, strict=True)
            )
            for p in range(len(signal.greens))
        ]
        new, memory = agent.act(observation, phase, True)
        assert pressures[new] == pytest.approx(max(pressures))
        changes += new != phase
        phase = memory
        observation = env.step(new)[0]
    assert changes > 20


def test_an_empty_road_changes_nothing() -> None:
    env = make(mohs.Task.make(ENV, inflow=0))
    assert set(played(MaxPressure(env, 0), env, 0)[0]) == {0}


def test_plans_that_are_not_tuned() -> None:
    env = make(mohs.Task.make(ENV, left_lanes=1, inflow=900))
    signal = env.unwrapped.signal
    agents = {plan: Fixed(env, 0, FixedConfig(plan=plan)) for plan in ("webster", "untuned")}
    plans = {"webster": webster(signal.junction), "untuned": untuned(signal)}
    assert plans["untuned"] == [0, 0, 0, 1, 2, 2, 2, 3]
    for name, agent in agents.items():
        agent.train(env, 720)
        assert played(agent, env, 0)[0] == np.resize(plans[name], 360).tolist()


def test_untuned_plan_shares_its_cycle() -> None:
    two = make(mohs.Task.make(ENV)).unwrapped.signal
    assert untuned(two) == [0] * 4 + [1] * 4
    fast = make(mohs.Task.make(ENV, decision=5)).unwrapped.signal
    assert untuned(fast) == [0] * 9 + [1] * 9


def test_tuning_mends_a_plan_for_unequal_streams() -> None:
    """Webster's plan is right for Poisson streams far below saturation, so tuning must at least not spoil it."""
    task = mohs.Task.make(ENV, reward="delay", lanes=3, left_share=0.3, inflow=900)
    env = make(task)
    env.reset(seed=1)  # training begins episodes in the stream of this seed
    tuned = Fixed(env, 0, FixedConfig())
    tuned.train(env, 100 * 360)
    start = Fixed(env, 0, FixedConfig(plan="webster"))
    means = [np.mean([played(agent, env, seed)[1] for seed in range(20)]) for agent in (tuned, start)]
    assert means[0] >= means[1] - 0.5
    assert tuned.best != start.best
    assert means[0] > means[1]


def test_training_in_pieces_is_the_same() -> None:
    task = mohs.Task.make(ENV, inflow=1200)
    found = []
    for pieces in ((3600,), (1, 1000, 2599)):
        env = make(task)
        env.reset(seed=5)
        agent = Fixed(env, 0, FixedConfig())
        for steps in pieces:
            agent.train(env, steps)
            state = agent.save()
            agent.load(state)
        found.append((agent.best, agent._played))
    assert found[0] == found[1]


@pytest.mark.parametrize("agent", ["fixed", "max_pressure"])
def test_other_environments_are_refused(agent: str) -> None:
    with pytest.raises(UsageError, match="controls a traffic signal, which this environment has not"):
        mohs.family([agent], env="control/cartpole", vary={"length": [0.5, 1.0]}, steps=400, workers=0)


def test_scores_are_shares_of_the_untuned_delay() -> None:
    from mohs.engines.traffic.fixed_time import play_fixed
    from mohs.engines.traffic.fleet import fleet
    from mohs.engines.traffic.references import score

    task = mohs.Task.make(ENV, reward="delay", inflow=1000)
    found = score(task)
    signal = make(task).unwrapped.signal
    delays = play_fixed(fleet([task] * 200), [untuned(signal)] * 200, seed=7)["delay"]
    assert found.low.value == pytest.approx(-delays.mean(), rel=0.02)
    assert found.normalise(-delays.mean() / 4) == pytest.approx(0.75, abs=0.01)
    assert found.normalise(0.0) == 1


def test_left_lanes_have_phases_of_their_own() -> None:
    greens = make(mohs.Task.make(ENV, left_lanes=1)).unwrapped.signal.greens
    left = [a * len(MOVEMENTS) + LEFT for a in range(4)]
    assert (greens[:, left] == 1).sum(axis=0).tolist() == [1] * 4
