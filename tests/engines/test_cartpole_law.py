"""Is the compiled pole on a cart the one of Gymnasium, step by step, whatever its parameters?"""

from __future__ import annotations

import math
import pickle
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from hypothesis import given
from hypothesis import strategies as st

import mohs
from mohs import Task, TaskSet
from mohs.engines.control.cartpole import STATE, fleet
from mohs.envs.control.cartpole import CartPoleVectorEnv

PARAMETERS: dict[str, tuple[float, float]] = {
    "gravity": (0.0, 30.0),
    "masscart": (0.1, 5.0),
    "masspole": (0.01, 3.0),
    "length": (0.05, 3.0),
    "force_mag": (0.0, 40.0),
    "tau": (0.001, 0.1),
    "theta_threshold": (1.0, 170.0),
    "x_threshold": (0.1, 10.0),
}
SETTINGS = st.fixed_dictionaries(
    {}, optional={name: st.floats(*ends, allow_subnormal=False) for name, ends in PARAMETERS.items()}
)


def reference(params: dict[str, float]) -> Any:
    """Gymnasium's own environment with these parameters, and what is derived from them."""
    env: Any = gymnasium.make("CartPole-v1").unwrapped
    env.reset(seed=0)
    for name, value in params.items():
        if name == "theta_threshold":
            env.theta_threshold_radians = value * 2 * math.pi / 360
        else:
            assert hasattr(env, name)
            setattr(env, name, value)
    env.total_mass = env.masspole + env.masscart
    env.polemass_length = env.masspole * env.length
    return env


def random_params(rng: np.random.Generator) -> dict[str, float]:
    return {name: float(rng.uniform(*ends)) for name, ends in PARAMETERS.items()}


def state_of(instances: npt.NDArray[Any], i: int) -> npt.NDArray[np.float64]:
    return np.array([instances[name][i] for name in STATE])


@given(params=SETTINGS, seed=st.integers(0, 1000))
def test_an_episode_is_that_of_gymnasium(params: dict[str, float], seed: int) -> None:
    env, theirs = mohs.make("control/cartpole", **params).unwrapped, reference(params)
    first, _ = env.reset(seed=seed)
    theirs.state = state_of(env.fleet.instances, 0)  # type: ignore[attr-defined]
    np.testing.assert_array_equal(first, theirs.state.astype(np.float32))
    for action in np.random.default_rng(seed).integers(2, size=200).tolist():
        mine, other = env.step(action), theirs.step(action)
        np.testing.assert_array_equal(mine[0], other[0])
        assert mine[0].dtype == other[0].dtype
        assert mine[1:4] == other[1:4]
        np.testing.assert_array_equal(state_of(env.fleet.instances, 0), theirs.state)  # type: ignore[attr-defined]
        if mine[2]:
            break


def test_a_fleet_of_different_poles_is_many_of_gymnasium() -> None:
    """Each instance has its own parameters, and starts where Gymnasium's is put; both are reset when one ends."""
    rng = np.random.default_rng(0)
    params = [random_params(rng) for _ in range(40)]
    env = mohs.make_vec("control/cartpole", tasks=[Task.make("control/cartpole", **p) for p in params])
    theirs = [reference(p) for p in params]
    states = rng.uniform(-0.05, 0.05, size=(40, 4))
    env.reset(seed=0, options={"state": states})
    for one, state in zip(theirs, states, strict=True):
        one.state = state
    over = np.zeros(40, dtype=bool)
    ended = 0
    for _ in range(300):
        actions = rng.integers(2, size=40)
        seen, rewards, terminated, truncated, _ = env.step(actions)
        for i, one in enumerate(theirs):
            if over[i]:
                one.reset()
                one.state = state_of(env.fleet.instances, i)  # type: ignore[attr-defined]
                assert (np.abs(one.state) <= 0.05).all()
                assert (rewards[i], terminated[i]) == (0.0, False)
            else:
                expected, reward, end, _, _ = one.step(actions[i])
                np.testing.assert_array_equal(seen[i], expected)
                assert (rewards[i], terminated[i]) == (reward, end)
        over = terminated | truncated
        ended += int(over.sum())
    assert ended > 100


def test_a_fleet_is_its_instances_alone() -> None:
    rng = np.random.default_rng(3)
    tasks = [Task.make("control/cartpole", **random_params(rng), max_episode_steps=20) for _ in range(8)]
    env = mohs.make_vec("control/cartpole", tasks=tasks)
    alone = [mohs.make_vec("control/cartpole", tasks=[task]) for task in tasks]
    seen, _ = env.reset(seed=11)
    np.testing.assert_array_equal(seen, [one.reset(seed=11 + i)[0][0] for i, one in enumerate(alone)])
    for _ in range(100):
        actions = rng.integers(2, size=8)
        together = env.step(actions)
        for i, one in enumerate(alone):
            for a, b in zip(together[:4], one.step(actions[i : i + 1])[:4], strict=True):
                np.testing.assert_array_equal(a[i], b[0])


def test_starts_are_uniform_and_differ() -> None:
    env = mohs.make_vec("control/cartpole", num_envs=20_000)
    env.reset(seed=0)
    states = np.stack([env.fleet.instances[name] for name in STATE], axis=1)  # type: ignore[attr-defined]
    assert (np.abs(states) <= 0.05).all()
    np.testing.assert_allclose(states.mean(axis=0), 0, atol=0.001)
    np.testing.assert_allclose(states.std(axis=0), 0.1 / math.sqrt(12), rtol=0.02)
    np.testing.assert_allclose(np.corrcoef(states.T), np.eye(4), atol=0.03)
    first = states.copy()
    env.reset()
    assert (env.fleet.instances["x"] != first[:, 0]).mean() > 0.99  # type: ignore[attr-defined]


def test_episodes_are_truncated_after_their_own_number_of_steps() -> None:
    tasks = [Task.make("control/cartpole", theta_threshold=180, x_threshold=1e6, max_episode_steps=k) for k in (3, 7)]
    env = mohs.make_vec("control/cartpole", tasks=tasks)
    env.reset(seed=0)
    cuts = np.array([env.step(np.array([0, 1]))[3] for _ in range(16)])
    assert np.flatnonzero(cuts[:, 0]).tolist() == [2, 6, 10, 14]
    assert np.flatnonzero(cuts[:, 1]).tolist() == [6, 14]


def test_a_set_draws_one_of_its_poles_for_every_episode() -> None:
    tasks = [Task.make("control/cartpole", force_mag=f, max_episode_steps=5) for f in (1.0, 20.0)]
    env = mohs.make_vec("control/cartpole", tasks=[TaskSet.make(tasks, weights=[1, 3])] * 400)
    env.reset(seed=0)
    played = env.fleet.instances["task"]  # type: ignore[attr-defined]
    share = (played == 1).mean()
    assert 0.65 < share < 0.85
    before = played.copy()
    env.reset()
    assert (before != played).any()


def test_a_saved_instance_resumes_elsewhere_with_the_same_bits() -> None:
    rng = np.random.default_rng(5)
    task = Task.make("control/cartpole", max_episode_steps=30)
    source = TaskSet.make([task, task.replace(gravity=20.0)])
    env = CartPoleVectorEnv(sources=[source] * 3)
    env.reset(seed=4)
    for _ in range(17):
        env.step(rng.integers(2, size=3))
    other = CartPoleVectorEnv(sources=[task, source])
    other.reset(seed=77)
    other.fleet.load(1, pickle.loads(pickle.dumps(env.fleet.save(2))))
    for _ in range(150):
        actions = rng.integers(2, size=3)
        here, there = env.step(actions), other.step(actions[1:])
        for a, b in zip(here[:4], there[:4], strict=True):
            np.testing.assert_array_equal(a[2], b[1])
        for name in STATE:
            assert env.fleet.instances[name][2] == other.fleet.instances[name][1]


def test_an_instance_is_one_cache_line() -> None:
    assert fleet([Task.make("control/cartpole")]).instances.itemsize == 64
