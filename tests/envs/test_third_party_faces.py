"""Is a third-party task played as the environment with the dials injected, alone and in vectors?"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from trajectories import agree, play

import mohs
from mohs import Task, TaskSet, UsageError
from mohs.envs.inject import inject

# Each with arguments of the environment's own, and dials.
PLAYED: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("CartPole-v1", {"sutton_barto_reward": True}, {"delay": 4, "reward_noise": 1.0, "transition_noise": 0.2}),
    ("FrozenLake-v1", {"is_slippery": False, "map_name": "8x8"}, {"delay": 2, "sticky_actions": 0.3}),
    ("Pendulum-v1", {"g": 9.0}, {"reward_probability": 0.5, "observation_noise": 0.1, "reward_scale": 2.0}),
    ("MountainCar-v0", {}, {"action_repeat": 3, "reward_shift": 1.0}),
]
NAMES = [name for name, _, _ in PLAYED]


@pytest.mark.parametrize(("name", "arguments", "dials"), PLAYED, ids=NAMES)
def test_a_task_is_its_environment_with_the_dials_injected(
    name: str, arguments: dict[str, Any], dials: dict[str, Any]
) -> None:
    plain = play(gymnasium.make(name, max_episode_steps=40, **arguments), seed=5)
    assert agree(play(mohs.make(name, max_episode_steps=40, **arguments), seed=5), plain)
    by_hand = play(inject(gymnasium.make(name, max_episode_steps=40, **arguments), **dials), seed=5)
    made = play(mohs.make(name, max_episode_steps=40, **arguments, **dials), seed=5)
    assert agree(made, by_hand)
    assert not agree(made[:20], plain[:20])


def test_what_delay_does_to_a_trajectory() -> None:
    """Followed by hand: rewards come late, and the rest is paid at the end."""
    early, late = (play(mohs.make("Pendulum-v1", delay=delay, max_episode_steps=30), seed=1) for delay in (0, 4))
    gains, paid = ([np.float64(step[1]) for step in taken if len(step) > 1][:30] for taken in (early, late))
    assert paid[:4] == [0.0] * 4
    assert paid[4:-1] == gains[:-5]
    assert paid[-1] == pytest.approx(sum(gains[-5:]))


@pytest.mark.parametrize(("name", "arguments", "dials"), PLAYED, ids=NAMES)
def test_the_specification_makes_it_again(name: str, arguments: dict[str, Any], dials: dict[str, Any]) -> None:
    env = mohs.make(name, max_episode_steps=40, **arguments, **dials)
    assert env.spec is not None
    again = gymnasium.make(EnvSpec.from_json(env.spec.to_json()))
    assert agree(play(env, seed=3), play(again, seed=3))


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"])
def test_a_copy_goes_on_as_the_original(copied: Any) -> None:
    tasks = [Task.make("CartPole-v1", delay=2, reward_noise=1.0, sticky_actions=0.2), Task.make("CartPole-v1")]
    for source in (tasks[0], TaskSet.make(tasks)):
        env = mohs.make(source)
        env.reset(seed=8)
        for _ in range(4):
            env.step(0)
        twin = copied(env)
        for k in range(40):
            one, two = env.step(k % 2), twin.step(k % 2)
            assert np.array_equal(one[0], two[0])
            assert one[1:4] == two[1:4]
            if one[2] or one[3]:
                assert np.array_equal(env.reset()[0], twin.reset()[0])


def test_the_structure_seed_is_that_of_the_irrelevant_toy() -> None:
    """Of what it generates nothing else is left to a seed here."""
    plain = [play(mohs.make("CartPole-v1", seed=seed), seed=1) for seed in (0, 1)]
    assert agree(*plain)
    toys = [play(mohs.make("CartPole-v1", seed=seed, irrelevant_features=True), seed=1) for seed in (0, 0, 1)]
    assert agree(toys[0], toys[1])
    assert not agree(toys[0][:20], toys[2][:20])
    for one, other in zip(toys[0], toys[2], strict=True):  # but the relevant part is the same
        assert np.array_equal(one[0][:4], other[0][:4])


def vector_play(env: Any, seed: int, steps: int = 120) -> list[tuple[Any, ...]]:
    env.action_space.seed(seed)
    taken: list[tuple[Any, ...]] = [(env.reset(seed=seed)[0].copy(),)]
    for _ in range(steps):
        taken.append(tuple(np.array(part) for part in env.step(env.action_space.sample())[:4]))
    env.close()
    return taken


@pytest.mark.parametrize(("name", "arguments", "dials"), PLAYED, ids=NAMES)
@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP], ids=["next", "same"])
def test_a_vector_is_single_environments_side_by_side(
    name: str, arguments: dict[str, Any], dials: dict[str, Any], mode: AutoresetMode
) -> None:
    params = {"max_episode_steps": 25, **arguments, **dials}
    ours = mohs.make_vec(name, num_envs=4, autoreset_mode=mode.value, **params)
    assert ours.metadata["autoreset_mode"] is mode
    by_hand = SyncVectorEnv([lambda: mohs.make(name, **params)] * 4, autoreset_mode=mode)
    assert agree(vector_play(ours, 6), vector_play(by_hand, 6))


def test_processes_change_nothing() -> None:
    params: dict[str, Any] = {"delay": 2, "reward_noise": 0.5, "max_episode_steps": 20}
    apart = mohs.make_vec("CartPole-v1", num_envs=2, vectorization_mode="async", **params)
    assert agree(vector_play(apart, 2, 50), vector_play(mohs.make_vec("CartPole-v1", num_envs=2, **params), 2, 50))


def test_instances_may_play_different_tasks_with_the_same_spaces() -> None:
    plain = Task.make("CartPole-v1", transition_noise=0.2)
    tasks = [plain, plain.replace(delay=3), Task.make("CartPole-v0", reward_scale=2.0), TaskSet.make([plain])]
    together = vector_play(mohs.make_vec("CartPole-v1", tasks=tasks), 4)
    for i, task in enumerate(tasks):
        alone = vector_play(mohs.make_vec("CartPole-v1", tasks=[task] * 4), 4)
        assert all(
            np.array_equal(a[i], b[i]) for x, y in zip(together, alone, strict=True) for a, b in zip(x, y, strict=True)
        )


def cart_pole_vector(**params: Any) -> Any:
    return mohs.make_vec("CartPole-v1", num_envs=6, vectorization_mode="vector_entry_point", **params)


def test_the_vector_environment_of_gymnasium_is_the_same_task() -> None:
    """Put into the same states it makes the same steps, pays the same and ends at the same time."""
    single = mohs.make("CartPole-v1", sutton_barto_reward=True, max_episode_steps=60)
    many = cart_pole_vector(sutton_barto_reward=True, max_episode_steps=60)
    rng, ends = np.random.default_rng(0), 0
    for start in range(10):
        many.reset(seed=start)
        single.reset(seed=start)
        single.unwrapped.state = many.unwrapped.state[:, 2].copy()  # type: ignore[attr-defined]
        assert np.abs(many.unwrapped.state).max() <= 0.05
        over = False
        while not over:
            push = int(single.unwrapped.state[2] > 0) if start % 2 else int(rng.integers(2))  # type: ignore[attr-defined]
            there = many.step(np.full(6, push))
            observation, reward, terminated, truncated, _ = single.step(push)
            assert np.allclose(there[0][2], observation, rtol=0, atol=1e-6)
            assert (there[1][2], there[2][2], there[3][2]) == (reward, terminated, truncated)
            over = terminated or truncated
            ends += truncated
    assert 0 < ends < 10  # some episodes end by time and others by falling


def test_dials_on_the_vector_environment_of_gymnasium() -> None:
    early, late = (vector_play(cart_pole_vector(delay=delay, max_episode_steps=10), 3, 60) for delay in (0, 2))
    for one, two in zip(early[1:], late[1:], strict=True):
        assert np.array_equal(one[0], two[0])
    gains, paid = (np.array([step[1] for step in taken[1:]]) for taken in (early, late))
    over = np.array([step[2] | step[3] for step in early[1:]])
    assert not np.array_equal(gains, paid)
    for i in range(6):
        first = int(np.flatnonzero(over[:, i])[0])
        assert paid[: first + 1, i].sum() == gains[: first + 1, i].sum()
        assert paid[:2, i].tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"vectorization_mode": "vector_entry_point", "autoreset_mode": "SameStep"}, "has no SameStep"),
        ({"vectorization_mode": "vectors"}, "vectorization_mode is 'vectors'"),
        ({"history": True}, "history"),
        ({"autoreset_mode": "Never"}, "autoreset_mode"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else "",
)
def test_vectors_that_cannot_be(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        mohs.make_vec("CartPole-v1", num_envs=2, **options)


def test_only_the_same_task_is_taken_from_gymnasium() -> None:
    with pytest.raises(UsageError, match="not known to be the same task"):
        mohs.make_vec("ALE/Breakout-v5", num_envs=2, vectorization_mode="vector_entry_point")
    tasks = [Task.make("CartPole-v1"), Task.make("CartPole-v1", delay=1)]
    with pytest.raises(UsageError, match="one task in all instances"):
        mohs.make_vec("CartPole-v1", tasks=tasks, vectorization_mode="vector_entry_point")
    with pytest.raises(UsageError, match="toy/discrete has one vector environment"):
        mohs.make_vec("toy/discrete", num_envs=2, vectorization_mode="sync")


def episodes(env: Any, count: int, seed: int) -> Iterator[tuple[list[Any], float]]:
    """The observations at the start of episodes, and the reward of their first step."""
    for k in range(count):
        observation, _ = env.reset(seed=seed if k == 0 else None)
        yield np.asarray(observation).tolist(), float(env.step(0)[1])


def test_a_set_draws_a_task_for_every_episode() -> None:
    tasks = [Task.make("CartPole-v1", reward_scale=scale) for scale in (1.0, 2.0, 3.0)]
    drawn = TaskSet.make(tasks, [0.5, 0.3, 0.2])
    played = list(episodes(mohs.make(drawn), 1500, seed=4))
    shares = np.bincount([int(gain) for _, gain in played], minlength=4)[1:] / 1500
    assert shares == pytest.approx([0.5, 0.3, 0.2], abs=0.04)
    assert len({tuple(start) for start, _ in played}) == 1500  # each starts with a seed of its own
    assert list(episodes(mohs.make(drawn), 20, seed=4)) == played[:20]


def test_an_episode_of_a_set_does_not_depend_on_those_before() -> None:
    drawn = TaskSet.make([Task.make("CartPole-v1", transition_noise=0.5), Task.make("CartPole-v1")])
    short, long = mohs.make(drawn), mohs.make(drawn)
    for k in range(12):
        one, two = (env.reset(seed=2 if k == 0 else None)[0] for env in (short, long))
        assert np.array_equal(one, two)
        assert np.array_equal(short.step(1)[0], long.step(1)[0])
        for _ in range(5):
            long.step(0)


def test_a_set_of_different_environments() -> None:
    """Allowed where the spaces are equal; each keeps its own time limit."""
    rooms = [Task.make(f"MiniGrid-Empty-{n}x{n}-v0", observation="image", max_episode_steps=n) for n in (5, 8)]
    env = mohs.make(TaskSet.make(rooms))
    lengths = set()
    for k in range(12):
        env.reset(seed=1 if k == 0 else None)
        steps = 1
        while not any(env.step(0)[2:4]):
            steps += 1
        lengths.add(steps)
    assert lengths == {5, 8}
    with pytest.raises(gymnasium.error.ResetNeeded):
        mohs.make(TaskSet.make(rooms)).step(0)


@pytest.mark.parametrize(
    ("tasks", "message"),
    [
        ([Task.make("CartPole-v1"), Task.make("Acrobot-v1")], "must have the same spaces"),
        ([Task.make("CartPole-v1"), Task.make("CartPole-v1", irrelevant_features=True)], "must have the same spaces"),
        ([Task.make("CartPole-v1"), Task.make("toy/discrete")], "toy/discrete is a toy|one environment"),
    ],
    ids=["environments", "dials", "toys"],
)
def test_tasks_that_are_not_played_together(tasks: list[Task], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        mohs.make(TaskSet.make(tasks))
    with pytest.raises(UsageError, match=message):
        mohs.make_vec(tasks[0], tasks=tasks)
