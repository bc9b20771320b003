"""Do the discrete toy's faces keep Gymnasium's contracts?"""

from __future__ import annotations

import copy
import pickle
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv

import mohs
from mohs import Task, TaskSet, UsageError

CONFIGURATIONS: list[dict[str, Any]] = [
    {},
    {"delay": 4, "sequence_length": 3, "transition_noise": 0.1, "reward_noise": 1.0},
    {"irrelevant_features": True, "transition_noise": 0.3},
    {"irrelevant_features": True, "action_space_size": (3, 5), "diameter": 2, "reward_density": 0.5},
    {"diameter": 3, "sequence_length": 2, "make_denser": True, "reward_every_n_steps": False, "max_episode_steps": 7},
    {
        "transition_function": [[1, 2], [2, 0], [0, 0]],
        "reward_function": [[1, 0], [0, 0], [0, 2]],
        "terminal_states": [],
    },
]


def ids(params: dict[str, Any]) -> str:
    return "-".join(params) or "vanilla"


def coin(rng: np.random.Generator) -> float:
    return float(rng.integers(2))


@pytest.mark.parametrize("params", CONFIGURATIONS, ids=ids)
def test_the_environment_checker_is_content(params: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(mohs.make("toy/discrete", **params).unwrapped)
        limit = {"max_episode_steps": params["max_episode_steps"]} if "max_episode_steps" in params else {}
        rest = {k: v for k, v in params.items() if k not in limit}
        check_env(gymnasium.make("mohs/Discrete-v0", **limit, **rest).unwrapped)
        env = gymnasium.make("mohs/Discrete-v0", render_mode="ansi", **rest)  # with its passive checks
        env.reset(seed=0)
        for _ in range(30):
            _, _, terminated, truncated, _ = env.step(env.action_space.sample())
            assert isinstance(env.render(), str)
            if terminated or truncated:
                env.reset()


def steps_of(env: Any, seed: int, count: int) -> list[tuple[Any, ...]]:
    """A trajectory of a vector environment under actions that do not depend on it."""
    rng = np.random.default_rng(seed)
    observations, _ = env.reset(seed=seed)
    taken = [(observations.copy(),)]
    for _ in range(count):
        space = env.single_action_space
        actions = rng.integers(space.n if space.shape == () else space.nvec, size=env.action_space.shape)
        taken.append(tuple(np.array(part) for part in env.step(actions)[:4]))
    env.close()
    return taken


def agree(one: list[tuple[Any, ...]], two: list[tuple[Any, ...]]) -> bool:
    return all(np.array_equal(a, b) for x, y in zip(one, two, strict=True) for a, b in zip(x, y, strict=True))


@pytest.mark.parametrize("params", CONFIGURATIONS, ids=ids)
@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP], ids=["next", "same"])
def test_native_and_sync_vectors_agree_exactly(params: dict[str, Any], mode: AutoresetMode) -> None:
    sync = SyncVectorEnv([lambda: mohs.make("toy/discrete", seed=2, **params)] * 5, autoreset_mode=mode)
    native = mohs.make_vec("toy/discrete", num_envs=5, seed=2, autoreset_mode=mode.value, **params)
    assert native.single_observation_space == sync.single_observation_space
    assert native.action_space == sync.action_space
    assert native.metadata["autoreset_mode"] == mode
    assert agree(steps_of(native, 9, 250), steps_of(sync, 9, 250))


def test_async_vectors_agree_exactly() -> None:
    params = CONFIGURATIONS[1]
    apart = AsyncVectorEnv([lambda: mohs.make("toy/discrete", **params)] * 2, context="spawn")
    native = mohs.make_vec("toy/discrete", num_envs=2, **params)
    assert agree(steps_of(native, 1, 60), steps_of(apart, 1, 60))


def test_same_step_reports_the_final_observation_as_gymnasium_does() -> None:
    params = {"delay": 1, "sequence_length": 2, "max_episode_steps": 6}
    make = [lambda: mohs.make("toy/discrete", **params)] * 6
    sync = SyncVectorEnv(make, autoreset_mode=AutoresetMode.SAME_STEP)
    native = mohs.make_vec("toy/discrete", num_envs=6, autoreset_mode="SameStep", history=True, **params)
    sync.reset(seed=3)
    native.reset(seed=3)
    rng = np.random.default_rng(0)
    ended = 0
    for _ in range(40):
        actions = rng.integers(8, size=6)
        infos = sync.step(actions)[4], native.step(actions)[4]
        assert ("final_obs" in infos[0]) == ("final_obs" in infos[1])
        assert np.array_equal(infos[0]["history"], infos[1]["history"])
        if "final_obs" in infos[0]:
            over = infos[0]["_final_obs"]
            assert np.array_equal(over, infos[1]["_final_obs"])
            assert infos[0]["final_obs"][over].tolist() == infos[1]["final_obs"][over].tolist()
            for name in ("history", "augmented_state"):
                one, two = (info["final_info"][name][over] for info in infos)
                assert np.array_equal(one, two), name
            ended += int(over.sum())
    assert ended > 10


@pytest.mark.parametrize("params", [CONFIGURATIONS[0], CONFIGURATIONS[1]], ids=ids)
def test_next_and_same_step_play_the_same_episodes(params: dict[str, Any]) -> None:
    """Actions are a function of the state and the step, so that both modes choose alike."""
    returns = []
    for mode in ("NextStep", "SameStep"):
        env = mohs.make_vec("toy/discrete", num_envs=4, autoreset_mode=mode, **params)
        observations, _ = env.reset(seed=5)
        episodes: list[list[list[float]]] = [[[]] for _ in range(4)]
        waiting = np.zeros(4, dtype=bool)
        for _ in range(120):
            t = np.array([len(e[-1]) for e in episodes])
            observations, gains, terminated, truncated, _ = env.step((observations * 3 + t) % 8)
            for i in range(4):
                if not waiting[i]:
                    episodes[i][-1].append(float(gains[i]))
                if (terminated | truncated)[i]:
                    episodes[i].append([])
            waiting = (terminated | truncated) if mode == "NextStep" else waiting
        returns.append([e[: min(8, len(e)) - 1] for e in episodes])
    shared = [(a[: len(b)], b[: len(a)]) for a, b in zip(*returns, strict=True)]
    assert all(a == b for a, b in shared)
    assert sum(len(a) for a, _ in shared) > 4


def test_resetting_some_leaves_the_others() -> None:
    env = mohs.make_vec("toy/discrete", num_envs=6, delay=2, transition_noise=0.2, terminal_state_density=0.0)
    twin = mohs.make_vec("toy/discrete", num_envs=6, delay=2, transition_noise=0.2, terminal_state_density=0.0)
    for one in (env, twin):
        one.reset(seed=1)
        for k in range(5):
            one.step(np.full(6, k))
    mask = np.array([True, False, True, False, False, False])
    observations, _ = env.reset(options={"reset_mask": mask})
    steps = env.fleet.instances["t"]  # type: ignore[attr-defined]
    assert steps.tolist() == [0, 5, 0, 5, 5, 5]
    for k in range(5):
        here, there = env.step(np.full(6, k)), twin.step(np.full(6, k))
        assert np.array_equal(here[0][~mask], there[0][~mask])
        assert np.array_equal(here[1][~mask], there[1][~mask])
    env.reset(seed=[1, None, 1, None, None, None], options={"reset_mask": mask})
    assert observations.shape == (6,)
    with pytest.raises(UsageError, match="reset_mask"):
        env.reset(options={"reset_mask": [True]})
    with pytest.raises(UsageError, match="the seed is"):
        env.reset(seed=[1, 2])


@pytest.mark.parametrize("params", [*CONFIGURATIONS, {"reward_noise": coin}], ids=ids)
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"])
def test_a_copy_goes_on_as_the_original(params: dict[str, Any], copied: Any) -> None:
    params = {"terminal_state_density": 0.0, **params} if "terminal_states" not in params else params
    env = mohs.make("toy/discrete", **params)
    env.reset(seed=8)
    env.action_space.seed(0)
    for _ in range(5):
        env.step(env.action_space.sample())
    twin = copied(env)
    for _ in range(20):
        action = env.action_space.sample()
        one, two = env.step(action), twin.step(action)
        assert np.array_equal(one[0], two[0])
        assert one[1:4] == two[1:4]
        assert one[4]["history"].tolist() == two[4]["history"].tolist()
    assert np.array_equal(env.reset()[0], twin.reset()[0])

    vector = mohs.make_vec("toy/discrete", num_envs=3, **params)
    vector.reset(seed=8)
    twins = copied(vector)
    for _ in range(10):
        actions = vector.action_space.sample()
        first, second = vector.step(actions), twins.step(actions)
        assert all(np.array_equal(a, b) for a, b in zip(first[:4], second[:4], strict=True))


def test_a_specification_makes_the_same_environment_again() -> None:
    env = mohs.make("toy/discrete", seed=4, delay=2, sequence_length=2, max_episode_steps=9, reward_dist=(0.5, 1.0))
    assert env.spec is not None
    again = gymnasium.make(EnvSpec.from_json(env.spec.to_json()))
    assert again.unwrapped.source.replace(max_episode_steps=9) == env.unwrapped.source.replace(max_episode_steps=9)  # type: ignore[attr-defined]
    states = []
    for one in (env, again):
        states.append([one.reset(seed=0)[0]])
        for k in range(30):
            state, _, terminated, truncated, _ = one.step(k % 8)
            states[-1].append((state, terminated, truncated))
            if terminated or truncated:
                one.reset()
    assert states[0] == states[1]


def test_gymnasium_makes_the_native_vector() -> None:
    made = gymnasium.make_vec("mohs/Discrete-v0", num_envs=4, vectorization_mode="vector_entry_point", delay=1)
    native = mohs.make_vec("toy/discrete", num_envs=4, delay=1)
    assert type(made.unwrapped) is type(native.unwrapped)
    assert agree(steps_of(made, 3, 50), steps_of(native, 3, 50))


def test_instances_may_play_different_tasks() -> None:
    vanilla = Task.make("toy/discrete", transition_noise=0.1)
    tasks = [vanilla, vanilla.replace(delay=3), vanilla.replace(seed=6), vanilla.replace(reward_noise=coin)]
    mixed = steps_of(mohs.make_vec("toy/discrete", tasks=tasks), 2, 80)
    for i, task in enumerate(tasks):
        alone = steps_of(mohs.make_vec("toy/discrete", tasks=[task] * 4), 2, 80)
        assert all(
            np.array_equal(a[i], b[i]) for x, y in zip(mixed, alone, strict=True) for a, b in zip(x, y, strict=True)
        )
    with pytest.raises(UsageError, match="same spaces"):
        mohs.make_vec(
            "toy/discrete", tasks=[vanilla, Task.make("toy/discrete", action_space_size=4, reward_density=0.5)]
        )
    sets = [TaskSet.make(tasks), vanilla]
    assert mohs.make_vec("toy/discrete", tasks=sets).num_envs == 2


def test_noise_given_as_a_function_is_the_same_alone_and_in_a_fleet() -> None:
    sync = SyncVectorEnv([lambda: mohs.make("toy/discrete", reward_noise=coin)] * 3)
    native = mohs.make_vec("toy/discrete", num_envs=3, reward_noise=coin)
    one, two = steps_of(native, 4, 100), steps_of(sync, 4, 100)
    assert agree(one, two)
    assert {0.0, 1.0} < set(np.concatenate([x[1] for x in one[1:]]).tolist())


@pytest.mark.parametrize("action", [-1, 8, 2**70, 1.0, "1", None, [1], np.array([1, 2]), np.float64(1)])
def test_bad_actions_of_a_single_environment(action: Any) -> None:
    env = mohs.make("toy/discrete")
    env.reset(seed=0)
    with pytest.raises(UsageError, match="the action is"):
        env.step(action)


@pytest.mark.parametrize("action", [0, (0,), (0, 0, 0), (0, 8), (8, 0), (-1, 0), (0, 0.5), None])
def test_bad_actions_of_two_components(action: Any) -> None:
    env = mohs.make("toy/discrete", irrelevant_features=True)
    env.reset(seed=0)
    with pytest.raises(UsageError, match="two integers"):
        env.step(action)


@pytest.mark.parametrize(
    "actions",
    [[0, 1], [0, 1, 8], [0, -1, 0], [0.0, 1.0, 2.0], [[0], [1], [2]], 0, None, ["a", "b", "c"],
     np.array([0, 2**64 - 1, 0], dtype=np.uint64), np.array([True, False, True])],
)  # fmt: skip
def test_bad_actions_of_a_fleet_move_nothing(actions: Any) -> None:
    env = mohs.make_vec("toy/discrete", num_envs=3)
    env.reset(seed=0)
    before = env.fleet.memory.copy()  # type: ignore[attr-defined]
    with pytest.raises(UsageError, match="action"):
        env.step(actions)
    assert np.array_equal(before, env.fleet.memory)  # type: ignore[attr-defined]


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint64])
def test_actions_of_any_integer_type(dtype: Any) -> None:
    env = mohs.make_vec("toy/discrete", num_envs=3)
    env.reset(seed=0)
    expected = env.step(np.array([1, 2, 3]))[0]
    env.reset(seed=0)
    assert np.array_equal(env.step(np.array([1, 0, 2, 0, 3, 0], dtype=dtype)[::2])[0], expected)


def test_step_needs_reset() -> None:
    with pytest.raises(gymnasium.error.ResetNeeded):
        mohs.make("toy/discrete").step(0)
    with pytest.raises(gymnasium.error.ResetNeeded):
        mohs.make_vec("toy/discrete", num_envs=2).step([0, 0])


def test_info_is_a_snapshot() -> None:
    env = mohs.make("toy/discrete", delay=1)
    _, info = env.reset(seed=0)
    kept, seen = [info], [info["history"].tolist()]
    for k in range(5):
        info = env.step(k)[4]
        kept.append(info)
        seen.append(info["history"].tolist())
    assert [info["history"].tolist() for info in kept] == seen
    kept[-1]["history"][:] = 77
    assert 77 not in env.step(0)[4]["history"]


def test_vector_info_is_empty_unless_asked_for() -> None:
    env = mohs.make_vec("toy/discrete", num_envs=2)
    assert env.reset(seed=0)[1] == {}
    assert env.step([0, 1])[4] == {}
    asked = mohs.make_vec("toy/discrete", num_envs=2, history=True)
    assert set(asked.reset(seed=0)[1]) == {"history", "_history", "augmented_state", "_augmented_state"}


def test_reseeding_begins_the_stream_anew_and_other_resets_go_on() -> None:
    env = mohs.make("toy/discrete", diameter=4)
    first = [env.reset(seed=5)[0], *(env.reset()[0] for _ in range(20))]
    again = [env.reset(seed=5)[0], *(env.reset()[0] for _ in range(20))]
    assert first == again
    assert len(set(first)) > 3


@pytest.mark.parametrize(
    "options", [{"autoreset_mode": "Disabled"}, {"autoreset_mode": AutoresetMode.DISABLED}, {"num_envs": 0}]
)
def test_bad_options_of_a_fleet(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        mohs.make_vec("toy/discrete", **{"num_envs": 2, **options})


def test_a_set_of_tasks_as_a_single_environment() -> None:
    """One of the tasks is drawn for every episode; the M-state is that of the task being played."""
    tasks = [Task.make("toy/discrete", delay=d, sequence_length=n) for d, n in ((0, 1), (2, 3))]
    env = mohs.make(TaskSet.make(tasks, [1, 1]))
    lengths = set()
    for seed in range(20):
        env.reset(seed=seed)
        _, _, _, _, info = env.step(0)
        lengths.add(len(info["augmented_state"]))
    assert lengths == {1, 3}
    with pytest.raises(UsageError, match="one max_episode_steps"):
        mohs.make(TaskSet.make([tasks[0], tasks[1].replace(max_episode_steps=7)]))
