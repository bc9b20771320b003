"""Are states seen as the images that they are declared to be, whatever the face, and is nothing else changed?"""

from __future__ import annotations

import copy
import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv

import mohs
from mohs import Task, TaskSet, UsageError
from mohs.engines.images.moves import MOVE, Settings, draw, rules
from mohs.engines.images.polygons import polygons, turns
from mohs.envs.fleets import stream_key

ALL = "shift,scale,rotate,flip"
IMAGES: dict[str, Any] = {"image_representations": True}
DISCRETE: dict[str, dict[str, Any]] = {
    "plain": {},
    "moved": {"image_transforms": ALL, "image_sh_quant": 4, "transition_noise": 0.2, "max_episode_steps": 9},
    "small": {"image_width": 60, "image_height": 84, "image_transforms": "rotate"},
    "irrelevant": {"irrelevant_features": True, "action_space_size": (8, 5)},
    "irrelevant moved": {"irrelevant_features": True, "image_transforms": ALL, "max_episode_steps": 7},
}
GRID: dict[str, dict[str, Any]] = {
    "grid": {"terminal_states": [(1, 1), (6, 2)], "max_episode_steps": 9},
    "grid irrelevant": {"grid_shape": (5, 7), "irrelevant_features": True, "image_width": 40, "image_height": 50},
}
PLANE: dict[str, dict[str, Any]] = {
    "plane": {"terminal_states": [(5, 5), (-7, 2)], "term_state_edge": 3, "max_episode_steps": 9},
    "plane irrelevant": {"irrelevant_dimensions": 2, "transition_noise": 0.5, "image_width": 40, "image_height": 60},
}
CASES = [
    (env, one)
    for env, cases in (("toy/discrete", DISCRETE), ("toy/grid", GRID), ("toy/continuous", PLANE))
    for one in cases.values()
]
NAMES = [*DISCRETE, *GRID, *PLANE]


def actions_of(env: Any, steps: int) -> list[np.ndarray]:
    rng = np.random.default_rng(4)
    space = env.single_action_space
    if hasattr(space, "low"):
        return [rng.uniform(space.low, space.high, env.action_space.shape).astype(space.dtype) for _ in range(steps)]
    return [
        rng.integers(space.n if space.shape == () else space.nvec, size=env.action_space.shape) for _ in range(steps)
    ]


def played(env: Any, steps: int = 40) -> list[tuple[Any, ...]]:
    taken: list[tuple[Any, ...]] = [(env.reset(seed=6)[0].copy(),)]
    for actions in actions_of(env, steps):
        taken.append(tuple(np.array(part) for part in env.step(actions)[:4]))
    env.close()
    return taken


def agree(one: list[tuple[Any, ...]], two: list[tuple[Any, ...]]) -> bool:
    return all(np.array_equal(a, b) for x, y in zip(one, two, strict=True) for a, b in zip(x, y, strict=True))


@pytest.mark.parametrize(("env", "params"), CASES, ids=NAMES)
def test_the_environment_checker_is_content(env: str, params: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        one = mohs.make(env, **IMAGES, **params)
        check_env(one.unwrapped)
    panels = 2 if params.get("irrelevant_features") or params.get("irrelevant_dimensions") else 1
    width, height = params.get("image_width", 100), params.get("image_height", 100)
    assert one.observation_space.shape == (height, panels * width, 1 if env == "toy/discrete" else 3)
    assert one.observation_space.dtype == np.uint8
    assert one.reset(seed=0)[0] in one.observation_space


@pytest.mark.parametrize(("env", "params"), CASES, ids=NAMES)
@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP], ids=["next", "same"])
def test_native_and_sync_vectors_agree_exactly(env: str, params: dict[str, Any], mode: AutoresetMode) -> None:
    sync = SyncVectorEnv([lambda: mohs.make(env, **IMAGES, **params)] * 4, autoreset_mode=mode)
    native = mohs.make_vec(env, num_envs=4, autoreset_mode=mode.value, **IMAGES, **params)
    assert native.single_observation_space == sync.single_observation_space
    one, two = played(native), played(sync)
    assert agree(one, two)
    assert len({image.tobytes() for taken in one for image in taken[0]}) > 3


@pytest.mark.parametrize("shared", [True, False], ids=["shared", "copied"])
def test_async_vectors_agree_exactly(shared: bool) -> None:
    params = DISCRETE["irrelevant moved"]
    apart = AsyncVectorEnv(
        [lambda: mohs.make("toy/discrete", **IMAGES, **params)] * 2, shared_memory=shared, context="spawn"
    )
    assert agree(played(mohs.make_vec("toy/discrete", num_envs=2, **IMAGES, **params)), played(apart))


@pytest.mark.parametrize(("env", "params"), CASES, ids=NAMES)
def test_same_step_shows_the_final_image(env: str, params: dict[str, Any]) -> None:
    params = {**params, "max_episode_steps": 5}
    sync = SyncVectorEnv([lambda: mohs.make(env, **IMAGES, **params)] * 4, autoreset_mode=AutoresetMode.SAME_STEP)
    native = mohs.make_vec(env, num_envs=4, autoreset_mode="SameStep", **IMAGES, **params)
    sync.reset(seed=3)
    native.reset(seed=3)
    ended = 0
    for actions in actions_of(native, 30):
        infos = sync.step(actions)[4], native.step(actions)[4]
        assert ("final_obs" in infos[0]) == ("final_obs" in infos[1])
        for i in np.flatnonzero(infos[0].get("_final_obs", [])):
            assert np.array_equal(infos[0]["final_obs"][i], infos[1]["final_obs"][i])
            ended += 1
    assert ended > 10


@pytest.mark.parametrize(("env", "params"), CASES, ids=NAMES)
def test_images_change_what_is_seen_and_nothing_else(env: str, params: dict[str, Any]) -> None:
    rest = {name: value for name, value in params.items() if not name.startswith("image_")}
    seen, told = (mohs.make_vec(env, num_envs=6, history=True, **p) for p in ({**IMAGES, **params}, rest))
    for one in (seen, told):
        one.reset(seed=1)
    for actions in actions_of(seen, 40):
        here, there = seen.step(actions), told.step(actions)
        assert all(np.array_equal(a, b) for a, b in zip(here[1:4], there[1:4], strict=True))
        told_more = "derivatives" if env == "toy/continuous" else "history"
        assert np.array_equal(here[4][told_more], there[4][told_more])


@pytest.mark.parametrize("name", ["moved", "small", "irrelevant moved", "plain"])
def test_every_image_is_the_state_moved_as_its_address_draws_it(name: str) -> None:
    params = {"max_episode_steps": 6, **DISCRETE[name]}
    env = mohs.make_vec("toy/discrete", num_envs=5, **IMAGES, **params)
    images, _ = env.reset(seed=20)
    frame = params.get("image_height", 100), params.get("image_width", 100)
    size = 0.4 * min(frame)
    rule = rules([Settings(params.get("image_transforms", ""), params.get("image_sh_quant", 1))])
    key = np.array([stream_key(20 + i) for i in range(5)], dtype=np.uint64)
    episodes = set()
    for actions in actions_of(env, 25):
        fleet = env.fleet.instances  # type: ignore[attr-defined]
        columns = ("state", "irrelevant") if "irrelevant" in name else ("state",)
        states = np.stack([fleet[column] for column in columns], axis=1).astype(np.int64)
        moves = np.empty(5, dtype=MOVE)
        episode, t = fleet["episode"].copy(), fleet["t"].copy()
        draw(
            rule, np.zeros(5, dtype=np.int32), key, episode, t, (float(frame[0]), float(frame[1])), (size, size), moves
        )
        assert np.array_equal(images, polygons(states, moves, frame, turns(8)))
        episodes |= set(episode.tolist())
        images = env.step(actions)[0]
    assert len(episodes) > 2


def test_both_halves_are_moved_alike() -> None:
    """Where relevant and irrelevant states are equal, so are the halves."""
    env = mohs.make_vec("toy/discrete", num_envs=64, irrelevant_features=True, image_transforms=ALL, **IMAGES)
    images, _ = env.reset(seed=0)
    instances = env.fleet.instances  # type: ignore[attr-defined]
    equal = instances["state"] == instances["irrelevant"]
    halves = np.array([np.array_equal(image[:, :100], image[:, 100:]) for image in images])
    assert np.array_equal(halves, equal)
    assert 0 < equal.sum() < 64


@pytest.mark.parametrize("words", ["shift", "scale", "rotate", "flip", ALL])
def test_polygons_stay_inside(words: str) -> None:
    """No white pixel is cut off: the image has as many as one in a frame that is larger on all sides."""
    env = mohs.make_vec("toy/discrete", num_envs=300, image_transforms=words, **IMAGES)
    images = env.reset(seed=0)[0][..., 0] > 0
    edges = (
        images[:, 0].any(axis=1)
        | images[:, -1].any(axis=1)
        | images[:, :, 0].any(axis=1)
        | images[:, :, -1].any(axis=1)
    )
    assert edges.sum() <= (30 if "shift" in words else 0)  # some just touch
    moves = np.empty(300, dtype=MOVE)
    instances = env.fleet.instances  # type: ignore[attr-defined]
    address = (instances[name].copy() for name in ("key", "episode", "t"))
    draw(rules([Settings(words)]), np.zeros(300, dtype=np.int32), *address, (100.0, 100.0), (40.0, 40.0), moves)
    moves["dx"] = moves["dy"] = 0
    centred = polygons(instances["state"][:, None].astype(np.int64), moves, (100, 100), turns(8))[..., 0] > 0
    assert np.array_equal(images.sum(axis=(1, 2)), centred.sum(axis=(1, 2)))


def test_plain_images_tell_the_states_apart_by_global_label() -> None:
    env = mohs.make_vec(
        "toy/discrete", num_envs=200, diameter=3, max_episode_steps=3, image_width=200, image_height=200, **IMAGES
    )
    images, _ = env.reset(seed=0)
    looks: dict[int, bytes] = {}
    for actions in actions_of(env, 6):
        states = env.fleet.instances["state"]  # type: ignore[attr-defined]
        for state, image in zip(states.tolist(), images, strict=True):
            assert looks.setdefault(state, image.tobytes()) == image.tobytes()
        images = env.step(actions)[0]
    assert len(set(looks.values())) == len(looks) == 24
    assert images.dtype == np.uint8
    assert set(np.unique(images)) == {0, 255}


def test_tasks_of_one_fleet_may_be_moved_differently() -> None:
    base = Task.make("toy/discrete", **IMAGES)
    tasks = [base, base.replace(image_transforms="shift", image_sh_quant=10), base.replace(image_transforms="rotate")]
    mixed = played(mohs.make_vec("toy/discrete", tasks=tasks))
    for i, task in enumerate(tasks):
        alone = played(mohs.make_vec("toy/discrete", tasks=[task] * 3))
        assert all(
            np.array_equal(a[i], b[i]) for x, y in zip(mixed, alone, strict=True) for a, b in zip(x, y, strict=True)
        )
    for other in (base.replace(image_width=50), Task.make("toy/discrete")):
        with pytest.raises(UsageError, match="the same size, style and directory"):
            mohs.make_vec("toy/discrete", tasks=[base, other])
        signatures = {task.environment.realisation("spaces")(task) for task in (base, other)}
        assert len(signatures) == 2
    assert mohs.make(TaskSet.make(tasks)).reset(seed=0)[0].shape == (100, 100, 1)


@pytest.mark.parametrize(("env", "params"), CASES, ids=NAMES)
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"])
def test_a_copy_goes_on_as_the_original(env: str, params: dict[str, Any], copied: Any) -> None:
    for original in (mohs.make(env, **IMAGES, **params), mohs.make_vec(env, num_envs=2, **IMAGES, **params)):
        original.reset(seed=8)
        original.action_space.seed(0)
        twin = copied(original)
        for _ in range(4):
            action = original.action_space.sample()
            one, two = original.step(action), twin.step(action)
            assert np.array_equal(one[0], two[0])


def test_a_task_with_images_is_read_back_from_json() -> None:
    task = Task.make("toy/discrete", image_transforms="flip, shift", image_scale_range=(1, 2), **IMAGES)
    assert Task.from_json(task.to_json()) == task
    assert task["image_transforms"] == "shift,flip"
    assert Task.make("toy/discrete", image_representations=False, image_width=100) == Task.make("toy/discrete")
