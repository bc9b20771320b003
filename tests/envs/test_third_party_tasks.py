"""Is every Gymnasium id a task: named, checked, hashed and stored like those of toys?"""

from __future__ import annotations

import hashlib
import json
import pickle
import subprocess
import sys
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import mohs
from mohs import Task, UsageError
from mohs.core.dials import DIALS
from mohs.core.registry import environments
from mohs.core.task import source_from_json
from mohs.protocols.card.targets import resolve

WRAPPED = {"wrapper", "image wrapper"}


class Own(gymnasium.Env[Any, Any]):
    """An environment with arguments that dials are named after, and one that JSON cannot hold."""

    def __init__(self, size: int, delay: int = 7, box: Any = object, gains: tuple[float, ...] = (1.0,)) -> None:
        self.observation_space, self.action_space = spaces.Discrete(size), spaces.Discrete(2)
        self.own_delay, self.gains = delay, gains

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[int, dict[str, Any]]:
        super().reset(seed=seed)
        return 0, {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        return 0, self.gains[0], False, False, {}


@pytest.fixture(autouse=True)
def own() -> Any:
    gymnasium.register("Own-v0", entry_point=Own, max_episode_steps=5)
    yield
    del gymnasium.registry["Own-v0"]


TASKS = [
    Task.make("CartPole-v1"),
    Task.make("CartPole-v1", seed=3, delay=4, reward_noise=1.0, max_episode_steps=50),
    Task.make("FrozenLake-v1", is_slippery=False, desc=["SFF", "FHF", "FFG"], reward_schedule=np.array([2, 0, 0])),
    Task.make("Pendulum-v1", g=9.81, transition_noise=0.1, reward_clip=(-1, 1), irrelevant_features=True),
    Task.make("Hopper-v5", healthy_z_range=(0.5, 9.0), time_unit=2.0),
    Task.make("atari/Breakout", frame_stack=2, image_transforms="flip,shift"),
    Task.make("MiniGrid-Empty-5x5-v0", observation="image"),
]


@pytest.mark.parametrize("task", TASKS, ids=str)
def test_a_task_is_the_same_after_json_and_pickle(task: Task) -> None:
    again = Task.from_json(task.to_json())
    assert again == task == pickle.loads(pickle.dumps(task)) == source_from_json(task.to_json())
    assert again.key == task.key
    assert hash(again) == hash(task)
    assert task.replace() == task


def test_a_value_has_one_form() -> None:
    assert Task.make("CartPole-v1", sutton_barto_reward=False, max_episode_steps=500, delay=0) == TASKS[0]
    assert Task.make("Pendulum-v1", g=10) == Task.make("Pendulum-v1")
    one, two = Task.make("Pendulum-v1", g=9), Task.make("Pendulum-v1", g=np.float64(9.0))
    assert one.key == two.key
    assert Task.make("FrozenLake-v1", desc=["SG"]).key == Task.make("FrozenLake-v1", desc=("SG",)).key


WORDS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.recursive(WORDS, lambda some: st.lists(some, max_size=3), max_leaves=8))
def test_plain_values_are_kept(value: Any) -> None:
    for argument in ("size", "gains"):  # an integer and floats by default
        task = Task.make("Own-v0", **{argument: value})
        again = Task.from_json(json.dumps(task.to_json()))
        assert again == task
        assert again.key == task.key


def test_equal_numbers_are_one_task() -> None:
    for argument in ("size", "gains"):
        keys = {Task.make("Own-v0", **{argument: value}).key for value in ([2, -0.0], (2.0, 0), np.array([2, 0]))}
        assert len(keys) == 1


def test_hashes_are_those_of_other_machines_and_days() -> None:
    """A task's hash names its results in a store, so it must not change."""
    text = '{"env":"CartPole-v1","params":{"delay":4,"max_episode_steps":50,"reward_noise":1.0},"seed":3}'
    assert TASKS[1].key == hashlib.sha256(text.encode()).hexdigest()[:32]


@pytest.mark.parametrize("name", ["CartPole-v1", "Pendulum-v1", "FrozenLake-v1", "HalfCheetah-v5", "atari/Pong"])
def test_the_parameters_are_dials_and_arguments(name: str) -> None:
    entry = Task.make(name).environment
    assert entry.third_party
    kinds = WRAPPED | {"MuJoCo wrapper"} if name == "HalfCheetah-v5" else WRAPPED
    dials = {dial.name for dial in DIALS.values() if kinds & set(dial.applies)}
    assert dials == set(entry.parameters) & set(DIALS)
    for dial in dials - {"action_space_max", "time_unit"}:
        assert entry.parameters[dial].default == DIALS[dial].at("wrapper").vanilla
    spec = gymnasium.spec(name)
    assert entry.parameters["max_episode_steps"].default == spec.max_episode_steps
    for argument, default in spec.kwargs.items():
        assert argument == "game" or entry.parameters[argument].default == default


def test_arguments_of_bases_are_found_too() -> None:
    """Hopper hands what it does not name on to MujocoEnv."""
    parameters = Task.make("Hopper-v5").environment.parameters
    assert parameters["healthy_z_range"].default == (0.7, float("inf"))
    assert parameters["camera_name"].default is None
    assert "observation_space" not in parameters
    assert "render_mode" not in parameters


def test_a_dial_wins_over_an_argument_of_its_name() -> None:
    entry = Task.make("Own-v0").environment
    assert entry.parameters["delay"].default == 0
    assert set(entry.parameters) - set(DIALS) == {"size", "gains", "context", "max_episode_steps"}
    env = mohs.make("Own-v0", size=3, delay=2, gains=[2.0])
    env.reset(seed=0)
    assert env.unwrapped.own_delay == 7  # type: ignore[attr-defined]
    assert [env.step(0)[1] for _ in range(5)] == [0.0, 0.0, 2.0, 2.0, 6.0]


def test_an_id_that_is_registered_anew_is_another_environment() -> None:
    assert Task.make("Own-v0")["max_episode_steps"] == 5
    del gymnasium.registry["Own-v0"]
    gymnasium.register("Own-v0", entry_point=Own, max_episode_steps=9)
    assert Task.make("Own-v0")["max_episode_steps"] == 9


def test_noise_is_switched_off_and_nothing_else() -> None:
    noisy = {"reward_noise": 1.0, "transition_noise": 0.1, "sticky_actions": 0.2, "reward_probability": 0.5}
    task = Task.make("FrozenLake-v1", delay=3, is_slippery=False, **noisy)
    assert task.noise_free() == Task.make("FrozenLake-v1", delay=3, is_slippery=False)
    game = Task.make("atari/Breakout", repeat_action_probability=0.25, observation_noise=3.0)
    assert game.noise_free() == Task.make("atari/Breakout")
    # What an id has by itself is the environment, and stays.
    own = Task.make("ALE/Breakout-v5", sticky_actions=0.1)
    assert own.noise_free() == Task.make("ALE/Breakout-v5")
    assert own.noise_free()["repeat_action_probability"] == 0.25


def test_the_list_of_environments_holds_ours_only() -> None:
    Task.make("CartPole-v1")
    control = {"acrobot", "cartpole", "mountain_car", "mountain_car_continuous", "pendulum", "quad"}
    ours = {"challenge", "ctgraph", "toy/continuous", "toy/discrete", "toy/grid"} | {f"control/{c}" for c in control}
    ours |= {"traffic/intersection", "traffic/sumo"} | {
        f"arcade/{game}" for game in ("collect", "avoid", "chase", "maze", "cross", "shoot", "cue", "dig")
    }
    assert {entry.id for entry in environments()} == ours
    assert all(entry.owns_id for entry in environments())


def test_tasks_with_the_same_spaces_are_told() -> None:
    def spaces_of(*args: Any, **params: Any) -> Any:
        task = Task.make(*args, **params)
        return task.environment.realisation("spaces")(task)

    plain = spaces_of("CartPole-v1")
    assert spaces_of("CartPole-v1", delay=3, max_episode_steps=9, reward_noise=1.0) == plain
    assert spaces_of("CartPole-v1", irrelevant_features=True) != plain
    assert spaces_of("CartPole-v1", observation_noise=0.1) != plain  # it leaves the bounds
    assert spaces_of("CartPole-v0") != plain
    assert spaces_of("FrozenLake-v1", map_name="8x8") != spaces_of("FrozenLake-v1")


@pytest.mark.parametrize(
    ("name", "params", "message"),
    [
        ("CartPoll-v1", {}, "unknown environment 'CartPoll-v1'. Did you mean 'CartPole-v1'"),
        ("CartPole", {}, "Did you mean 'CartPole-v1'"),
        ("toy/discret", {}, "Did you mean 'toy/discrete'"),
        ("atari/Brekout", {}, "Did you mean 'atari/Breakout'"),
        ("ALE/Brekout-v5", {}, "Did you mean 'ALE/Breakout-v5'"),
        ("MiniGrid-Empty-55-v0", {}, "Did you mean 'MiniGrid-Empty-5x5-v0'"),
        ("mohs/Discrete-v0", {}, "mohs/Discrete-v0 is what Gymnasium calls toy/discrete"),
        ("no_such_module:Env-v0", {}, "no_such_module:Env-v0 cannot be found: No module named 'no_such_module'"),
        (5, {}, "unknown environment 5"),
        ("CartPole-v1", {"delya": 1}, "unknown parameter of CartPole-v1 'delya'. Did you mean 'delay'"),
        ("CartPole-v1", {"time_unit": 2.0}, "the dial time_unit does not apply to CartPole-v1"),
        ("CartPole-v1", {"diameter": 2}, "the dial diameter does not apply to CartPole-v1"),
        ("CartPole-v1", {"sutton_barto_reward": 1}, "must be True or False"),
        ("CartPole-v1", {"max_episode_steps": None}, "max_episode_steps is None"),
        ("CartPole-v1", {"render_mode": "human"}, "unknown parameter of CartPole-v1 'render_mode'"),
        ("ALE/Breakout-v5", {"game": "pong"}, "unknown parameter of ALE/Breakout-v5 'game'"),
        ("Hopper-v5", {"healthy_z_range": (0.5, float("inf"))}, "a finite number"),
        ("Own-v0", {"gains": {"a": 1}}, "gains is"),
        ("Own-v0", {"gains": [len]}, "gains is"),
    ],
)
def test_what_is_no_task(name: Any, params: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        Task.make(name, **params)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("name", "params", "message"),
    [
        ("FrozenLake-v1", {"map_name": "9x9"}, "FrozenLake-v1 cannot be made: "),
        ("Own-v0", {"size": "many"}, "Own-v0 cannot be made: "),
        ("CartPole-v1", {"transition_noise": 3.0}, "transition_noise"),
        ("CartPole-v1", {"image_transforms": "shift"}, "image_transforms cannot be injected into CartPole-v1"),
        ("Pendulum-v1", {"reward_clip": (1, -1)}, "reward_clip"),
    ],
)
def test_what_cannot_be_made(name: str, params: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        mohs.make(name, **params)


@pytest.mark.parametrize(
    ("package", "name", "install"),
    [
        ("ale_py", "atari/Breakout", 'pip install "mohs[atari]"'),
        ("ale_py", "BreakoutNoFrameskip-v4", 'pip install "mohs[atari]"'),
        ("minigrid", "MiniGrid-Empty-5x5-v0", 'pip install "mohs[minigrid]"'),
        ("mujoco", "HalfCheetah-v5", 'pip install "mohs[mujoco]"'),
        ("procgen", "procgen/Maze", "make procgen"),
    ],
)
def test_a_package_that_is_missing_is_named(package: str, name: str, install: str) -> None:
    code = (
        f"import sys; sys.modules[{package!r}] = None\n"
        "import mohs\n"
        f"try: mohs.Task.make({name!r})\n"
        "except mohs.UsageError as error: print(error)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.startswith(name)
    assert install in said


def test_packages_are_imported_when_asked_for() -> None:
    code = (
        "import sys, mohs\n"
        "mohs.Task.make('CartPole-v1')\n"
        "assert not {'ale_py', 'minigrid', 'mujoco', 'numba'} & set(sys.modules)\n"
        "mohs.Task.make('MiniGrid-Empty-5x5-v0')\n"
        "assert 'minigrid' in sys.modules and 'ale_py' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_module_before_the_id_is_imported(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "brings_one.py").write_text(
        "import gymnasium\n"
        "from gymnasium.envs.classic_control.cartpole import CartPoleEnv\n"
        "gymnasium.register('Brought-v0', entry_point=CartPoleEnv, max_episode_steps=3)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    task = Task.make("brings_one:Brought-v0", delay=1)
    assert task["max_episode_steps"] == 3
    assert Task.from_json(task.to_json()) == task
    env = mohs.make(task)
    env.reset(seed=0)
    assert [env.step(0)[1] for _ in range(3)] == [0.0, 1.0, 2.0]


def test_a_card_is_of_the_environment_with_its_dials() -> None:
    cart = resolve("CartPole-v1", {"delay": 2})
    assert cart.table is None
    assert cart.name == "CartPole-v1 delay=2"
    assert cart.env is not None
    cart.env.reset(seed=0)
    assert [cart.env.step(0)[1] for _ in range(3)] == [0.0, 0.0, 1.0]
    lake = resolve(Task.make("FrozenLake-v1", sticky_actions=0.5))
    assert lake.table is not None
    assert lake.table.states > resolve("FrozenLake-v1").table.states  # type: ignore[union-attr]
    late = resolve("FrozenLake-v1", {"delay": 2})
    assert late.table is None
    assert "no table with delay" in late.reason
