"""Are the compiled control problems those of Gymnasium, step by step, whatever their parameters?"""

from __future__ import annotations

import math
from typing import Any

import gymnasium
import numpy as np
import pytest
from control_reference import REFERENCES, Reference, acrobot_under, quad_course

import mohs
from mohs import Task, UsageError
from mohs.core.seeding import GOLDEN, mix64
from mohs.engines.control.quad import course
from mohs.engines.draws import LANE_NOISE

POINTS = 10_000  # random parameters and states of each environment
TWINS = {
    "control/pendulum": "Pendulum-v1",
    "control/mountain_car": "MountainCar-v0",
    "control/mountain_car_continuous": "MountainCarContinuous-v0",
    "control/acrobot": "Acrobot-v1",
}
NAMES = list(REFERENCES)


def drawn_params(name: str, reference: Reference, rng: np.random.Generator) -> dict[str, Any]:
    params = reference.params(rng)
    if name == "control/acrobot":
        params["book_or_nips"] = str(rng.choice(["book", "nips"]))
    if name == "control/quad":
        params["tunnels"] = int(params["tunnels"])
    return params


def states_of(env: Any) -> np.ndarray:
    fleet = env.unwrapped.fleet
    return np.stack([fleet.instances[name].astype(np.float64) for name in fleet.state_fields], axis=1)


@pytest.mark.parametrize("name", NAMES)
def test_a_step_is_that_of_the_reference_whatever_the_parameters_and_the_state(name: str) -> None:
    """One fleet of unlike instances."""
    reference, rng = REFERENCES[name], np.random.default_rng(0)
    params = [drawn_params(name, reference, rng) for _ in range(POINTS)]
    if name == "control/pendulum":  # a fleet has one action space
        for row in params:
            row["max_torque"] = params[0]["max_torque"]
    starts = np.array([reference.state(rng) for _ in range(POINTS)])
    actions = [reference.actions(rng, row) for row in params]
    env = mohs.make_vec(name, tasks=[Task.make(name, **row) for row in params])
    env.reset(seed=0, options={"state": starts})
    _, rewards, terminated, _, _ = env.step(np.array(actions))
    ended = 0
    for i, after in enumerate(states_of(env)):
        state, reward, end = reference.step(params[i], starts[i], actions[i])
        np.testing.assert_allclose(after, state, rtol=1e-12, atol=1e-12, err_msg=str(params[i]))
        assert rewards[i] == pytest.approx(reward, rel=1e-12, abs=1e-12)
        assert terminated[i] == end
        ended += end
    assert name == "control/pendulum" or 0 < ended < POINTS


@pytest.mark.parametrize("name", NAMES)
def test_an_episode_is_that_of_the_reference(name: str) -> None:
    """From the state of the step before, so that chaos does not enlarge what differs in the last digit."""
    reference, rng = REFERENCES[name], np.random.default_rng(1)
    for trial in range(5):
        params = drawn_params(name, reference, rng)
        env = mohs.make(name, **params).unwrapped
        env.reset(seed=trial)
        for _ in range(60):
            before = states_of(env)[0]
            action = reference.actions(rng, params)
            seen, reward, terminated, _, _ = env.step(action)
            state, expected, end = reference.step(params, before, action)
            np.testing.assert_allclose(states_of(env)[0], state, rtol=1e-12, atol=1e-12)
            assert (reward, terminated) == (pytest.approx(expected, rel=1e-12, abs=1e-12), end)
            assert seen.dtype == np.float32
            if terminated:
                break


@pytest.mark.parametrize(("name", "theirs"), TWINS.items())
def test_defaults_are_those_of_gymnasium(name: str, theirs: str) -> None:
    """Whole episodes at the default parameters: observations, rewards and ends."""
    twin: Any = gymnasium.make(theirs)
    for seed in range(3):
        env = mohs.make(name)
        twin.reset(seed=seed)
        env.reset(seed=seed)
        twin.unwrapped.state = np.float32(states_of(env)[0]) if "Continuous" in theirs else states_of(env)[0]
        twin.action_space.seed(seed)
        for _ in range(250):
            action = twin.action_space.sample()
            mine, other = env.step(action), twin.step(action)
            np.testing.assert_allclose(mine[0], other[0], rtol=1e-6, atol=1e-7)
            assert mine[1] == pytest.approx(float(other[1]), rel=1e-9, abs=1e-9)
            assert mine[2:4] == other[2:4]
            if mine[2] or mine[3]:
                break


@pytest.mark.parametrize(("name", "theirs"), TWINS.items())
def test_starts_have_the_range_of_gymnasium(name: str, theirs: str) -> None:
    env: Any = mohs.make_vec(name, num_envs=4000)
    env.reset(seed=0)
    twin: Any = gymnasium.make(theirs).unwrapped
    other = []
    for seed in range(500):
        twin.reset(seed=seed)
        other.append(np.asarray(twin.state, dtype=np.float64))
    mine, expected = states_of(env), np.array(other)
    for k in range(mine.shape[1]):
        spread = np.ptp(expected[:, k])
        np.testing.assert_allclose(mine[:, k].min(), expected[:, k].min(), atol=0.03 * spread + 1e-12)
        np.testing.assert_allclose(mine[:, k].max(), expected[:, k].max(), atol=0.03 * spread + 1e-12)
        np.testing.assert_allclose(mine[:, k].mean(), expected[:, k].mean(), atol=0.06 * spread + 1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_a_fleet_of_unlike_tasks_is_its_instances_alone(name: str) -> None:
    reference, rng = REFERENCES[name], np.random.default_rng(3)
    fixed = {"max_torque": 2.0} if name == "control/pendulum" else {}
    tasks = [Task.make(name, **(drawn_params(name, reference, rng) | fixed), max_episode_steps=20) for _ in range(8)]
    env = mohs.make_vec(name, tasks=tasks)
    alone = [mohs.make_vec(name, tasks=[task]) for task in tasks]
    seen, _ = env.reset(seed=11)
    np.testing.assert_array_equal(seen, [one.reset(seed=11 + i)[0][0] for i, one in enumerate(alone)])
    for _ in range(60):
        actions = np.array([reference.actions(rng, fixed) for _ in tasks])
        together = env.step(actions)
        for i, one in enumerate(alone):
            for a, b in zip(together[:4], one.step(actions[i : i + 1])[:4], strict=True):
                np.testing.assert_array_equal(a[i], b[0])


@pytest.mark.parametrize("name", NAMES)
def test_episodes_are_truncated_after_their_own_number_of_steps(name: str) -> None:
    still = {"control/quad": {"u": 0.0, "l": 12.0, "shift": 0.0}}.get(name, {})
    tasks = [Task.make(name, **still, max_episode_steps=k) for k in (3, 6)]
    env = mohs.make_vec(name, tasks=tasks)
    env.reset(seed=0)
    idle = {"control/cartpole": 0}.get(name, 1 if "Discrete" in str(env.single_action_space) else [0.0])
    cuts = np.array([env.step(np.array([idle, idle]))[3] for _ in range(14)])
    assert np.flatnonzero(cuts[:, 0]).tolist() == [2, 6, 10]
    assert np.flatnonzero(cuts[:, 1]).tolist() == [5, 12]


def test_the_time_of_a_swing_up_is_the_return_where_it_is_asked_for() -> None:
    """The same steps; −1 for each until a state was upright, 0 after."""
    env, timed = (mohs.make_vec("control/pendulum", num_envs=300, reward=kind) for kind in ("default", "upright_time"))
    assert env.single_observation_space == timed.single_observation_space
    assert env.single_action_space == timed.single_action_space
    first, _ = env.reset(seed=0)
    again, _ = timed.reset(seed=0)
    np.testing.assert_array_equal(first, again)
    upright = np.arccos(np.clip(first[:, 0], -1, 1)) <= 0.2
    assert 0 < upright.sum() < 300
    rng = np.random.default_rng(0)
    for _ in range(199):
        actions = rng.uniform(-2, 2, size=(300, 1)).astype(np.float32)
        seen, _, _, _, _ = env.step(actions)
        other, rewards, _, _, _ = timed.step(actions)
        np.testing.assert_array_equal(seen, other)
        np.testing.assert_array_equal(rewards, np.where(upright, 0.0, -1.0))
        upright |= np.abs(np.arctan2(seen[:, 1], seen[:, 0])) <= 0.2
    wide = mohs.make("control/pendulum", reward="upright_time", upright_angle=math.pi)
    wide.reset(seed=0)
    assert wide.step(np.zeros(1, np.float32))[1] == 0


def test_gravity_of_the_links_is_that_of_the_equations() -> None:
    rng = np.random.default_rng(0)
    for g in (0.0, 1.6, 9.8, 20.0):
        env = mohs.make("control/acrobot", gravity=g, max_vel_1=1e3, max_vel_2=1e3)
        for _ in range(50):
            state, action = rng.uniform(-1, 1, size=4), int(rng.integers(3))
            env.reset(seed=0, options={"state": state})
            env.step(action)
            expected = acrobot_under(g, state, action - 1.0)
            assert np.abs(expected[:2]).max() < math.pi
            np.testing.assert_allclose(states_of(env)[0], expected, rtol=1e-12, atol=1e-12)


def test_the_centre_of_mass_follows_the_length_of_its_link() -> None:
    given = mohs.make("control/acrobot", link_length_1=2.0, link_length_2=3.0, link_com_pos_1=1.0, link_com_pos_2=1.5)
    derived = mohs.make("control/acrobot", link_length_1=2.0, link_length_2=3.0)
    for env in (given, derived):
        env.reset(seed=0)
        env.step(2)
    np.testing.assert_array_equal(states_of(given), states_of(derived))


def test_noise_of_the_torque_is_uniform_and_addressed() -> None:
    env: Any = mohs.make_vec("control/acrobot", num_envs=2000, torque_noise_max=0.5)
    env.reset(seed=0, options={"state": np.zeros(4)})
    env.step(np.ones(2000, dtype=int))
    pushed = env.fleet.instances["theta2_dot"]
    address = GOLDEN * ((1 << 3 | LANE_NOISE) + 1) % 2**64  # episode 0, step 1
    bits = mix64(env.fleet.instances["key"][:50] + np.uint64(address))
    draws = (bits >> np.uint64(11)) / 2**53
    expected = [acrobot_under(9.8, np.zeros(4), 0.5 * (2 * u - 1))[3] for u in draws]
    np.testing.assert_allclose(pushed[:50], expected, rtol=1e-12)
    assert abs(pushed.mean()) < 0.03 * np.abs(pushed).max()


def test_links_that_turn_wildly_are_wrapped_too() -> None:
    """Gymnasium takes one turn after the other away, for ever where an angle is very large."""
    env = mohs.make("control/acrobot", max_vel_1=1e6, max_vel_2=1e6, dt=100.0)
    env.reset(seed=0, options={"state": (0, 0, 1e6, -1e6)})
    for _ in range(5):
        env.step(2)
        state = states_of(env)[0]
        assert np.isnan(state).any() or (np.abs(state[:2]) <= math.pi).all()


def test_the_course_of_tunnels() -> None:
    default = course(Task.make("control/quad"))
    np.testing.assert_array_equal(default, quad_course(1.0, 5.0, 60, 0.8))
    assert default[0].tolist() == [1.8, 5.8]
    np.testing.assert_allclose(np.ptp(default, axis=1), 4.0)
    assert default[:, 0].min() > -0.31
    assert default[:, 1].max() < 10.8
    np.testing.assert_array_equal(default, course(Task.make("control/quad", seed=5)))  # nothing is drawn
    drawn = [course(Task.make("control/quad", course="random", tunnels=500, seed=s)) for s in (0, 0, 1)]
    np.testing.assert_array_equal(drawn[0], drawn[1])
    assert (drawn[0] != drawn[2]).any()
    moves = np.sign(np.diff(drawn[0][:, 0]))
    inside = (drawn[0][:-1, 0] > 0.5) & (drawn[0][:-1, 1] < 10)
    assert 0.4 < (moves[inside] > 0).mean() < 0.6
    assert (moves[drawn[0][:-1, 0] <= 0.5] > 0).all()
    assert (moves[drawn[0][:-1, 1] >= 10] < 0).all()
    longer = course(Task.make("control/quad", course="random", tunnels=600))
    np.testing.assert_array_equal(longer[:500], drawn[0])  # a longer course begins as a shorter one


def test_the_share_of_the_course_is_the_return_where_it_is_asked_for() -> None:
    def flown(**params: Any) -> tuple[float, float]:
        env = mohs.make("control/quad", reward="distance", **params)
        env.reset(seed=0)
        total, terminated = 0.0, False
        while not terminated:
            _, reward, terminated, _, _ = env.step(np.zeros(1, np.float32))
            total += float(reward)
        return total, states_of(env)[0, 0]

    for params in ({}, {"u": 1.0, "l": 2.0}, {"tunnels": 7}):
        total, x = flown(**params)
        assert total == pytest.approx(min((x - 3) / params.get("tunnels", 60), 1.0))
    total, x = flown(u=0.0, l=12.0, shift=0.0, tunnels=5)
    assert x >= 8
    assert total == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize(
    ("name", "params", "words"),
    [
        ("control/quad", {"u": 5.0, "l": 5.0}, "u = 5 must be below l = 5"),
        ("control/mountain_car", {"max_position": -0.5}, "enclose the start positions"),
        ("control/mountain_car_continuous", {"goal_position": 0.7}, "goal_position = 0.7"),
        ("control/pendulum", {"reward": "upright"}, "upright_time"),
        ("control/acrobot", {"link_mass": 1.0}, "link_mass_1"),
    ],
)
def test_wrong_parameters_are_named(name: str, params: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        Task.make(name, **params)


def test_tasks_with_other_actions_do_not_share_a_fleet() -> None:
    tasks = [Task.make("control/pendulum", max_torque=t) for t in (1.0, 2.0)]
    with pytest.raises(UsageError, match="max_torque"):
        mohs.make_vec("control/pendulum", tasks=tasks)
