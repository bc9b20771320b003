"""Are the references of control problems what they say, and are tasks called unsolvable only where they are?"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mohs
from mohs import Score, Task, UsageError
from mohs.core.score import ReferenceKind
from mohs.engines.control import mountain_car, mountain_car_continuous, pendulum, references
from mohs.engines.control.grid_optimum import Grid, optimal_values
from mohs.engines.control.unsolvable import cosine_range
from mohs.engines.control.unsolvable import mountain_car as unsolvable
from mohs.exact.kept import file_of


def score(name: str, **params: Any) -> Score:
    task = Task.make(f"control/{name}", **params)
    found: Score = task.environment.realisation("score")(task)
    return found


def ends(name: str, **params: Any) -> tuple[float, float]:
    found = score(name, **params)
    assert found.low is not None
    assert found.high is not None
    return found.low.value, found.high.value


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def test_the_random_cartpole_is_the_mean_of_gymnasiums() -> None:
    """22.3 is the known return of random pushes; 1 is the time limit."""
    low, high = ends("cartpole", max_episode_steps=300)
    assert low == pytest.approx(22.3, abs=1.2)
    assert high == 300
    assert ends("cartpole", max_episode_steps=300, seed=4) == (low, high)


def test_the_policy_of_the_grid_is_about_optimal() -> None:
    """The best published agents reach about −150 on Pendulum-v1 and −100 on MountainCar-v0 from random starts."""
    assert -145 < ends("pendulum")[1] < -130
    assert -102 < ends("mountain_car")[1] < -95
    assert ends("mountain_car")[0] == -200
    assert 97 < ends("mountain_car_continuous")[1] < 100
    assert -26 < ends("pendulum", reward="upright_time")[1] < -18


def test_a_reference_says_where_it_comes_from_and_is_kept() -> None:
    first = score("pendulum", m=0.5)
    assert first.low is not None
    assert first.high is not None
    assert first.low.kind is ReferenceKind.ESTIMATED
    assert first.high.kind is ReferenceKind.BASELINE
    assert "random policy, mean of 1,000 episodes" in first.low.source
    assert "dynamic programming on a grid of 201 × 201 states and 9 actions" in first.high.source
    assert file_of(f"{references._KIND}-best").exists()
    assert score("pendulum", m=0.5) == first


def test_values_on_the_grid_are_those_of_a_pendulum_without_forces() -> None:
    """Weightless, at rest and without torque it stays: the values are sums of −θ²."""
    task = Task.make("control/pendulum", g=0.0)
    grid = Grid((-math.pi, -1.0), (math.pi, 1.0), (21, 11), True, np.zeros((1, 1), dtype=np.float32))
    values = optimal_values(lambda count: pendulum.fleet([task] * count), grid, 30)
    angles = np.linspace(-math.pi, math.pi, 21)
    discounts = sum(0.9999**k for k in range(30))
    np.testing.assert_allclose(values[:, 5], -(angles**2) * discounts, rtol=1e-9, atol=1e-9)


def test_the_whole_course_is_what_a_flight_through_it_pays() -> None:
    free = {"u": 0.0, "l": 12.0, "shift": 0.0, "tunnels": 20}
    env: Any = mohs.make_vec("control/quad", num_envs=200, **free)
    env.reset(seed=0)
    lengths = np.zeros(200)
    over = np.zeros(200, dtype=bool)
    while not over.all():  # keeps the height
        climb = env.fleet.instances["vy"]
        _, _, terminated, _, _ = env.step(np.clip(-climb / 0.1, -5, 5).astype(np.float32)[:, None])
        lengths += ~over
        over |= terminated
    assert ends("quad", **free)[1] == pytest.approx(lengths.mean(), rel=0.02)
    assert ends("quad", reward="distance", **free)[1] == 1
    assert ends("quad", reward="distance", max_episode_steps=50, **free)[1] == 0.5
    assert ends("quad", **free)[0] < lengths.mean()


def test_very_long_episodes_are_refused() -> None:
    with pytest.raises(UsageError, match="max_episode_steps must be at most 10,000"):
        score("cartpole", max_episode_steps=100_000)


def test_what_is_called_unsolvable_no_policy_of_many_solves() -> None:
    """Pumping (a push in the direction of motion) reaches the goal wherever anything simple does."""
    rng = np.random.default_rng(0)
    proved = solved = 0
    for name, force, module in (
        ("mountain_car", "force", mountain_car),
        ("mountain_car_continuous", "power", mountain_car_continuous),
    ):
        for _ in range(40):
            params = {force: float(rng.uniform(0, 0.003)), "max_speed": float(rng.uniform(0.005, 0.08))}
            task = Task.make(f"control/{name}", **params, max_episode_steps=2000)
            reason = unsolvable(task)
            proved += reason is not None
            env: Any = mohs.make_vec(task.env, tasks=[task] * 16)
            env.reset(seed=0)
            reached = False
            for _ in range(1500):
                onward = np.where(env.fleet.instances["velocity"] >= 0, 1, -1)
                actions = onward + 1 if module is mountain_car else onward.astype(np.float32)[:, None]
                reached |= bool(env.step(actions)[2].any())
            solved += reached
            assert not (reached and reason)
            assert reason is None or "no policy reaches the goal" in reason
    assert proved > 5
    assert solved > 5


def test_a_goal_that_wants_too_much_speed_is_unsolvable() -> None:
    reason = unsolvable(Task.make("control/mountain_car_continuous", goal_velocity=0.1))
    assert reason is not None
    assert "at a velocity of 0.1 or more" in reason


def test_the_range_of_a_cosine() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        first = rng.uniform(-10, 10)
        last = first + rng.uniform(0, 7)
        values = np.cos(np.linspace(first, last, 5000))
        least, most = cosine_range(first, last)
        assert least <= values.min() <= least + 1e-4
        assert most - 1e-4 <= values.max() <= most


def test_only_the_links_have_no_references() -> None:
    for name in ("acrobot", "cartpole", "pendulum", "quad"):
        entry = Task.make(f"control/{name}").environment
        assert (entry.score is None) == (name == "acrobot")
        assert entry.unsolvable is None
