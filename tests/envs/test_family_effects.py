"""Is a parameter without an effect found, and are points of equal dynamics?"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import gymnasium
import pytest
from gymnasium import spaces

import mohs
from mohs import Family, Point, Task, UsageError
from mohs.envs.effects import equal_dynamics


def cartpole_ratios(point: Point) -> tuple[float, ...]:
    """What the accelerations of cart and pole depend on, derived by hand: masses and force matter by their ratios."""
    at = dict(point.at)
    total = at["masscart"] + at["masspole"]
    numbers = at["masspole"] / total, at["force_mag"] / total, at["length"], at["gravity"]
    return tuple(float(f"{number:.9g}") for number in numbers)


def pendulum_ratios(point: Point) -> tuple[float, ...]:
    """θ'' = 3g/(2l) sin θ + 3/(m l²) u."""
    at = dict(point.at)
    return float(f"{at['g'] / at['l']:.9g}"), float(f"{at['m'] * at['l'] ** 2:.9g}")


@pytest.mark.parametrize(
    ("name", "env", "ratios", "distinct"),
    [
        ("cartpole", "control/cartpole", cartpole_ratios, 564),
        ("pendulum", "Pendulum-v1", pendulum_ratios, 177),
    ],
)
def test_the_groups_are_those_of_the_equations(name: str, env: str, ratios: Any, distinct: int) -> None:
    family = mohs.read_family(name, env)
    found = mohs.effects(family)
    assert found.distinct == distinct
    assert found.inert == ()
    by_hand: dict[Any, list[str]] = {}
    for point in family:
        by_hand.setdefault(ratios(point), []).append(point.name)
    assert set(found.duplicates) == {tuple(names) for names in by_hand.values() if len(names) > 1}


def test_friction_of_the_floor_alone_is_inert_below_that_of_the_feet() -> None:
    """A contact takes the larger of two frictions, and the feet have 0.4."""
    found = mohs.effects(Family.grid("HalfCheetah-v5", **{"friction.floor": [0.1, 0.4, 0.8]}))
    assert [(one.point, one.axis) for one in found.inert] == [("friction.floor=0.1", "friction.floor")]
    assert found.duplicates == (("friction.floor=0.1", "friction.floor=0.4"),)
    with pytest.raises(UsageError, match=r"friction.floor=0.1 has no effect at the point 'friction.floor=0.1'.*1 of 3"):
        found.check()


def test_attributes_that_are_only_drawn_are_inert() -> None:
    family = Family.grid("CartPole-v1", screen_width=[300, 600], length=[0.5, 1.0])
    found = mohs.effects(family)
    assert {one.axis for one in found.inert} == {"screen_width"}
    assert {one.value for one in found.inert} == {300}
    assert found.distinct == 2


@pytest.mark.parametrize(
    ("env", "axis", "values"),
    [
        ("MountainCarContinuous-v0", "goal_position", [0.4, 0.45, 0.5]),
        ("MountainCar-v0", "max_speed", [0.05, 0.07, 0.09]),
        ("Pendulum-v1", "max_speed", [4, 8, 16]),
        ("CartPole-v1", "x_threshold", [1.2, 2.4, 4.0]),
        ("Acrobot-v1", "LINK_MASS_1", [0.5, 1.0, 2.0]),
        ("control/cartpole", "x_threshold", [1.2, 2.4, 4.0]),
        ("control/cartpole", "theta_threshold", [6.0, 12.0, 24.0]),
    ],
)
def test_limits_that_few_states_meet_are_met(env: str, axis: str, values: list[Any]) -> None:
    found = mohs.effects(Family.grid(env, **{axis: values}))
    assert (found.distinct, found.inert, found.duplicates) == (3, (), ())


class Late(gymnasium.Env[Any, Any]):
    """What an attribute does shows after 100 steps only."""

    observation_space, action_space = spaces.Discrete(3), spaces.Discrete(2)
    late, dead = 0, 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[int, dict[str, Any]]:
        super().reset(seed=seed)
        self._t = 0
        return 0, {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        self._t += 1
        return (self.late if self._t > 100 else 0), 0.0, False, False, {}


def test_what_shows_late_is_waited_for() -> None:
    assert mohs.effects(Family.grid(mohs.Task.make(Late).env, late=[0, 1, 2], max_episode_steps=200)).distinct == 3
    found = mohs.effects(Family.grid(mohs.Task.make(Late).env, dead=[0, 1], max_episode_steps=200))
    assert (found.distinct, [one.axis for one in found.inert]) == (1, ["dead"])


class Implicit(Late):
    """What it does by itself is no value of its arguments."""

    def __init__(self, speed: float | None = None, unused: float | None = None) -> None:
        self._speed = 1.0 if speed is None else speed

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        return 0, self._speed, False, False, {}


def test_a_value_may_be_the_implicit_default() -> None:
    mohs.effects(Family.grid("control/acrobot", link_com_pos_1=[0.25, 0.5, 0.75])).check()
    name = mohs.Task.make(Implicit).env
    found = mohs.effects(Family.grid(name, speed=[0.5, 1.0, 2.0], max_episode_steps=20))
    assert (found.distinct, found.inert) == (3, ())
    found = mohs.effects(Family.grid(name, speed=[0.5, 1.0], unused=[0.0, 1.0], max_episode_steps=20))
    assert {one.axis for one in found.inert} == {"unused"}
    sampled = mohs.effects(Family.sample(name, n=4, unused=(0.0, 1.0), max_episode_steps=20))
    assert len(sampled.inert) == 4


def test_what_is_declared_to_differ_differs() -> None:
    """No step needs to show a long delay or a time limit."""
    tasks = [Task.make("CartPole-v1", delay=delay) for delay in (0, 5000, 6000)]
    tasks += [Task.make("CartPole-v1", max_episode_steps=steps) for steps in (400, 450)]
    assert [len(group) for group in equal_dynamics(tasks)] == [1] * 5
    family = Family.grid("control/cartpole", **{"agent.gamma": [0.9, 0.99]})
    assert mohs.effects(family).distinct == 2


def test_levels_differ() -> None:
    assert mohs.effects(Family.levels("toy/discrete", range(6))).distinct == 6
    goals = mohs.effects(Family.levels("ctgraph", range(12), depth=2))
    assert goals.distinct == 4  # as many as there are leaves


def test_order_does_not_matter() -> None:
    points = Family.grid("control/cartpole", masscart=[1, 10], masspole=[0.1, 1], force_mag=[10, 100]).points
    for one, two in combinations(points, 2):
        assert len(equal_dynamics([one.task, two.task])) == len(equal_dynamics([two.task, one.task]))
