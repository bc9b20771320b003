"""Do the continuous toy's faces keep Gymnasium's contracts?"""

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

ID = "toy/continuous"
NEAR: dict[str, Any] = {"target_radius": 2.0, "state_space_max": 4.0}  # so that episodes end
CONFIGURATIONS: list[dict[str, Any]] = [
    {},
    {**NEAR, "make_denser": True, "delay": 4, "transition_noise": 0.1, "reward_noise": 1.0},
    {**NEAR, "irrelevant_dimensions": 2, "transition_dynamics_order": 2, "inertia": (1, 2, 3, 4)},
    {**NEAR, "state_space_dim": 3, "relevant_indices": (2, 0), "terminal_states": [(3, 3)], "max_episode_steps": 7},
    {"reward_function": "move_along_a_line", "sequence_length": 3, "action_loss_weight": 0.1, "max_episode_steps": 9},
    {"state_space_dim": 1, "transition_dynamics_order": 4, "time_unit": 0.5, "action_space_max": 0.1},
]


def ids(params: dict[str, Any]) -> str:
    return "-".join(params) or "vanilla"


def gust(rng: np.random.Generator) -> list[float]:
    return [float(x) for x in rng.normal(size=2)]


def coin(rng: np.random.Generator) -> float:
    return float(rng.integers(2))


@pytest.mark.parametrize("params", CONFIGURATIONS, ids=ids)
def test_the_environment_checker_is_content(params: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(mohs.make(ID, **params).unwrapped)
        limit = {"max_episode_steps": params["max_episode_steps"]} if "max_episode_steps" in params else {}
        rest = {k: v for k, v in params.items() if k not in limit}
        check_env(gymnasium.make("mohs/Continuous-v0", **limit, **rest).unwrapped)
        env = gymnasium.make("mohs/Continuous-v0", render_mode="ansi", **rest)  # with its passive checks
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
        actions = rng.uniform(space.low, space.high, size=env.action_space.shape).astype(np.float32)
        taken.append(tuple(np.array(part) for part in env.step(actions)[:4]))
    env.close()
    return taken


def agree(one: list[tuple[Any, ...]], two: list[tuple[Any, ...]]) -> bool:
    return all(
        np.array_equal(a, b) and a.dtype == b.dtype
        for x, y in zip(one, two, strict=True)
        for a, b in zip(x, y, strict=True)
    )


@pytest.mark.parametrize("params", [*CONFIGURATIONS, {"transition_noise": gust, "reward_noise": coin}], ids=ids)
@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP], ids=["next", "same"])
def test_native_and_sync_vectors_agree_exactly(params: dict[str, Any], mode: AutoresetMode) -> None:
    sync = SyncVectorEnv([lambda: mohs.make(ID, **params)] * 5, autoreset_mode=mode)
    native = mohs.make_vec(ID, num_envs=5, autoreset_mode=mode.value, **params)
    assert native.single_observation_space == sync.single_observation_space
    assert native.action_space == sync.action_space
    assert native.metadata["autoreset_mode"] == mode
    one, two = steps_of(native, 9, 200), steps_of(sync, 9, 200)
    assert agree(one, two)
    assert np.sum([x[2] | x[3] for x in one[1:]]) >= 5


def test_async_vectors_agree_exactly() -> None:
    params = CONFIGURATIONS[1]
    apart = AsyncVectorEnv([lambda: mohs.make(ID, **params)] * 2, context="spawn")
    native = mohs.make_vec(ID, num_envs=2, **params)
    assert agree(steps_of(native, 1, 60), steps_of(apart, 1, 60))


def test_same_step_reports_the_final_observation_as_gymnasium_does() -> None:
    params = {**NEAR, "transition_dynamics_order": 2, "max_episode_steps": 6}
    make = [lambda: mohs.make(ID, **params)] * 6
    sync = SyncVectorEnv(make, autoreset_mode=AutoresetMode.SAME_STEP)
    native = mohs.make_vec(ID, num_envs=6, autoreset_mode="SameStep", history=True, **params)
    sync.reset(seed=3)
    native.reset(seed=3)
    rng = np.random.default_rng(0)
    ended = 0
    for _ in range(40):
        actions = rng.uniform(-1, 1, size=(6, 2)).astype(np.float32)
        infos = sync.step(actions)[4], native.step(actions)[4]
        assert ("final_obs" in infos[0]) == ("final_obs" in infos[1])
        assert np.array_equal(infos[0]["derivatives"], infos[1]["derivatives"])
        if "final_obs" in infos[0]:
            over = infos[0]["_final_obs"]
            assert np.array_equal(over, infos[1]["_final_obs"])
            for i in np.flatnonzero(over):
                assert np.array_equal(infos[0]["final_obs"][i], infos[1]["final_obs"][i])
            one, two = (info["final_info"]["derivatives"][over] for info in infos)
            assert np.array_equal(one, two)
            ended += int(over.sum())
    assert ended > 10


def test_final_states_are_those_of_the_task_that_ended() -> None:
    tasks = [Task.make(ID, transition_dynamics_order=n, max_episode_steps=3, start_point=(2, 2)) for n in (1, 3)]
    env = mohs.make_vec(ID, tasks=[TaskSet.make(tasks)] * 20, autoreset_mode="SameStep", history=True)
    env.reset(seed=0)
    changed = 0
    for k in range(12):
        before = env.fleet.instances["task"].copy()  # type: ignore[attr-defined]
        _, _, _, _, info = env.step(np.full((20, 2), 0.25))
        if k % 3 < 2:
            assert "final_info" not in info
            continue
        final = info["final_info"]["derivatives"]
        assert np.array_equal(np.isnan(final[:, :, 0]), np.arange(3) >= np.array([1, 3])[before][:, None])
        assert np.array_equal(final[:, 0].astype(np.float32), np.stack(info["final_obs"]))
        moved = final[before == 1][:, 1:]
        assert moved == pytest.approx(np.broadcast_to([[0.25 * 4.5] * 2, [0.25 * 3] * 2], moved.shape))
        changed += int((before != env.fleet.instances["task"]).sum())  # type: ignore[attr-defined]
    assert changed > 10


@pytest.mark.parametrize("params", [CONFIGURATIONS[1], CONFIGURATIONS[2]], ids=ids)
def test_next_and_same_step_play_the_same_episodes(params: dict[str, Any]) -> None:
    """Actions are a function of the observation and the step, so that both modes choose alike."""
    params = {**params, "max_episode_steps": 12}
    returns = []
    for mode in ("NextStep", "SameStep"):
        env = mohs.make_vec(ID, num_envs=4, autoreset_mode=mode, **params)
        observations, _ = env.reset(seed=5)
        episodes: list[list[list[float]]] = [[[]] for _ in range(4)]
        waiting = np.zeros(4, dtype=bool)
        for _ in range(120):
            t = np.array([len(e[-1]) for e in episodes])
            observations, gains, terminated, truncated, _ = env.step(np.sin(3 * observations + t[:, None]))
            for i in range(4):
                if not waiting[i]:
                    episodes[i][-1].append(float(gains[i]))
                if (terminated | truncated)[i]:
                    episodes[i].append([])
            waiting = (terminated | truncated) if mode == "NextStep" else waiting
        returns.append([e[: min(8, len(e)) - 1] for e in episodes])
    shared = [(a[: len(b)], b[: len(a)]) for a, b in zip(*returns, strict=True)]
    assert all(a == b for a, b in shared)
    assert sum(len(a) for a, _ in shared) > 12


@pytest.mark.parametrize("params", [*CONFIGURATIONS, {"transition_noise": gust, "reward_noise": coin}], ids=ids)
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"])
def test_a_copy_goes_on_as_the_original(params: dict[str, Any], copied: Any) -> None:
    env = mohs.make(ID, **params)
    env.reset(seed=8)
    env.action_space.seed(0)
    env.step(env.action_space.sample())
    twin = copied(env)
    for _ in range(5):
        action = env.action_space.sample()
        one, two = env.step(action), twin.step(action)
        assert np.array_equal(one[0], two[0])
        assert one[1:4] == two[1:4]
        assert one[4]["derivatives"].tolist() == two[4]["derivatives"].tolist()
    assert np.array_equal(env.reset()[0], twin.reset()[0])

    vector = mohs.make_vec(ID, num_envs=3, **params)
    vector.reset(seed=8)
    twins = copied(vector)
    for _ in range(10):
        actions = vector.action_space.sample()
        first, second = vector.step(actions), twins.step(actions)
        assert all(np.array_equal(a, b) for a, b in zip(first[:4], second[:4], strict=True))


def test_a_copy_moves_alone() -> None:
    env = mohs.make(ID)
    env.reset(seed=0)
    twin = copy.deepcopy(env)
    before = env.unwrapped.fleet.memory.copy()  # type: ignore[attr-defined]
    twin.step(np.ones(2, dtype=np.float32))
    assert np.array_equal(before, env.unwrapped.fleet.memory)  # type: ignore[attr-defined]


def test_a_specification_makes_the_same_environment_again() -> None:
    env = mohs.make(ID, seed=4, terminal_states=[(2, 3)], term_state_edge=2.5, inertia=(1, 2), max_episode_steps=9)
    assert env.spec is not None
    again = gymnasium.make(EnvSpec.from_json(env.spec.to_json()))
    assert again.unwrapped.source == env.unwrapped.source  # type: ignore[attr-defined]
    for one, two in ((env.reset(seed=0), again.reset(seed=0)), (env.step([1, 1]), again.step([1, 1]))):
        assert np.array_equal(one[0], two[0])


def test_gymnasium_makes_the_native_vector() -> None:
    made = gymnasium.make_vec("mohs/Continuous-v0", num_envs=4, vectorization_mode="vector_entry_point", delay=1)
    native = mohs.make_vec(ID, num_envs=4, delay=1)
    assert type(made.unwrapped) is type(native.unwrapped)
    assert agree(steps_of(made, 3, 50), steps_of(native, 3, 50))


def test_instances_may_play_different_tasks() -> None:
    vanilla = Task.make(ID, transition_noise=0.1, make_denser=True)
    line = Task.make(ID, reward_function="move_along_a_line", sequence_length=2)
    tasks = [vanilla, vanilla.replace(delay=3), vanilla.replace(transition_dynamics_order=3), line,
             vanilla.replace(transition_noise=gust)]  # fmt: skip
    mixed = steps_of(mohs.make_vec(ID, tasks=tasks), 2, 80)
    for i, task in enumerate(tasks):
        alone = steps_of(mohs.make_vec(ID, tasks=[task] * 5), 2, 80)
        assert all(
            np.array_equal(a[i], b[i]) for x, y in zip(mixed, alone, strict=True) for a, b in zip(x, y, strict=True)
        )
    for other in ({"state_space_dim": 3}, {"state_space_max": 5.0}, {"action_space_max": 2.0}):
        with pytest.raises(UsageError, match="same spaces"):
            mohs.make_vec(ID, tasks=[vanilla, Task.make(ID, **other)])
    assert mohs.make_vec(ID, tasks=[TaskSet.make(tasks), vanilla]).num_envs == 2


def test_a_set_of_tasks_as_a_single_environment() -> None:
    tasks = [Task.make(ID, transition_dynamics_order=n) for n in (1, 3)]
    env = mohs.make(TaskSet.make(tasks))
    shapes = set()
    for seed in range(20):
        _, info = env.reset(seed=seed)
        shapes.add(info["derivatives"].shape)
        assert env.step([0.5, 0])[4]["derivatives"].shape == info["derivatives"].shape
    assert shapes == {(1, 2), (3, 2)}


BAD_ACTIONS = [0.0, (0,), (0, 0, 0), ("a", "b"), None, (True, False), [[0, 0]], (1j, 0)]


@pytest.mark.parametrize("action", BAD_ACTIONS, ids=map(str, BAD_ACTIONS))
def test_actions_that_are_no_numbers_of_the_right_shape(action: Any) -> None:
    env = mohs.make(ID)
    env.reset(seed=0)
    with pytest.raises(UsageError, match="must be 2 numbers"):
        env.step(action)


@pytest.mark.parametrize("value", [1.001, -1.001, np.nan, np.inf, 1e300], ids=str)
def test_actions_out_of_range_move_nothing(value: float) -> None:
    env = mohs.make(ID)
    env.reset(seed=0)
    before = env.unwrapped.fleet.memory.copy()  # type: ignore[attr-defined]
    with pytest.raises(UsageError, match="outside Box"):
        env.step([0, value])
    assert np.array_equal(before, env.unwrapped.fleet.memory)  # type: ignore[attr-defined]

    vector = mohs.make_vec(ID, num_envs=3)
    vector.reset(seed=0)
    before = vector.fleet.memory.copy()  # type: ignore[attr-defined]
    with pytest.raises(UsageError, match="the action of environment 1 is"):
        vector.step([[0, 0], [0, value], [0, value]])
    assert np.array_equal(before, vector.fleet.memory)  # type: ignore[attr-defined]


@pytest.mark.parametrize("actions", [[[0, 0]] * 2, [0] * 6, [["a", "b"]] * 3, None], ids=str)
def test_bad_actions_of_a_fleet(actions: Any) -> None:
    env = mohs.make_vec(ID, num_envs=3)
    env.reset(seed=0)
    with pytest.raises(UsageError, match=r"numbers of shape \(3, 2\)"):
        env.step(actions)


def test_actions_of_any_type_and_layout() -> None:
    env = mohs.make_vec(ID, num_envs=3, action_space_max=0.1)
    values = np.array([[0.1, -0.1], [0.05, 0], [-0.1, 0.1]])
    locked = values.astype(np.float32)
    locked.flags.writeable = False
    seen = []
    for actions in (values, values.tolist(), np.asfortranarray(values), locked, np.repeat(values, 2, axis=0)[::2]):
        env.reset(seed=0)
        seen.append(env.step(actions)[0])
    assert all(np.array_equal(one, seen[0]) for one in seen)
    assert np.array_equal(env.reset(seed=0)[0], env.step(np.zeros((3, 2), dtype=np.int64))[0])


def test_positions_on_the_wall_are_in_the_space() -> None:
    env = mohs.make(ID, state_space_max=0.1, target_radius=0.001, action_space_max=0.3)
    observation, _ = env.reset(seed=0)
    for _ in range(5):
        assert env.observation_space.contains(observation)
        observation, *_ = env.step(env.action_space.high)
    assert np.array_equal(observation, env.observation_space.high)


def test_step_needs_reset() -> None:
    with pytest.raises(gymnasium.error.ResetNeeded):
        mohs.make(ID).step([0, 0])
    with pytest.raises(gymnasium.error.ResetNeeded):
        mohs.make_vec(ID, num_envs=2).step([[0, 0]] * 2)


def test_info_is_a_snapshot() -> None:
    env = mohs.make(ID)
    observation, info = env.reset(seed=0)
    kept = observation.copy(), info["derivatives"].copy()
    env.step([1, 1])
    assert np.array_equal(observation, kept[0])
    assert np.array_equal(info["derivatives"], kept[1])
    info["derivatives"][:] = 77
    assert 77 not in env.step([0, 0])[4]["derivatives"]


def test_vector_info_is_empty_unless_asked_for() -> None:
    env = mohs.make_vec(ID, num_envs=2)
    assert env.reset(seed=0)[1] == {}
    assert env.step([[0, 0]] * 2)[4] == {}
    asked = mohs.make_vec(ID, num_envs=2, history=True)
    assert set(asked.reset(seed=0)[1]) == {"derivatives", "_derivatives"}
