"""Is an environment class or factory of the user's own a task like any id?"""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import gymnasium
import pytest
from gymnasium import spaces
from gymnasium.wrappers import TimeLimit

import mohs
from mohs import Task, UsageError
from mohs.core.registry import canonical
from mohs.core.values import attribute
from mohs.envs.make import time_limit

SOURCE = textwrap.dedent('''
    import gymnasium
    from gymnasium import spaces
    from gymnasium.wrappers import TimeLimit

    class GridEnv(gymnasium.Env):
        """A line of cells; the last one pays 1 and ends the episode."""

        def __init__(self, size: int = 4, pay: float = 1.0):
            self.observation_space, self.action_space = spaces.Discrete(size), spaces.Discrete(2)
            self.size, self.pay, self.cell = size, pay, 0

        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)
            self.cell = 0
            return 0, {}

        def step(self, action):
            self.cell = min(self.cell + int(action), self.size - 1)
            over = self.cell == self.size - 1
            return self.cell, self.pay * over, over, False, {}

    def make_env(size=5):
        return TimeLimit(GridEnv(size), 30)

    class Outer:
        Inner = GridEnv

    def no_env():
        return 3

    number = 7
''')


class Here(gymnasium.Env[Any, Any]):
    """One that can be imported by the name of this module."""

    def __init__(self, width: int = 2) -> None:
        self.observation_space, self.action_space = spaces.Box(-1.0, 1.0, (width,)), spaces.Discrete(2)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        return self.observation_space.sample() * 0, {}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        return self.observation_space.sample() * 0, 1.0, False, False, {}


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "my_env.py"
    path.write_text(SOURCE)
    return path


def rewards(env: gymnasium.Env[Any, Any], steps: int) -> list[float]:
    env.reset(seed=0)
    return [float(env.step(1)[1]) for _ in range(steps)]


def test_a_class_in_a_file_is_a_task(file: Path) -> None:
    task = Task.make("my_env.py:GridEnv", size=3, reward_scale=2.0, max_episode_steps=9)
    assert task.environment.third_party
    assert task.environment.place == "wrapper"
    assert task["pay"] == 1.0
    env = mohs.make(task)
    assert env.observation_space == spaces.Discrete(3)
    assert time_limit(env) == 9
    assert rewards(env, 2) == [0.0, 2.0]
    assert mohs.make_vec(task, num_envs=2).reset(seed=0)[0].tolist() == [0, 0]
    assert rewards(mohs.make("my_env.py:Outer.Inner", size=2), 1) == [1.0]


def test_a_factory_keeps_the_limit_that_it_sets(file: Path) -> None:
    task = Task.make("my_env.py:make_env")
    assert task["size"] == 5
    assert task["max_episode_steps"] is None
    assert time_limit(mohs.make(task)) == 30
    assert time_limit(mohs.make("my_env.py:GridEnv")) is None


def test_a_task_is_the_same_after_json_and_pickle_and_in_another_process(file: Path) -> None:
    task = Task.make("my_env.py:GridEnv", size=3, delay=1, seed=4)
    again = Task.from_json(json.dumps(task.to_json()))
    assert again == task == pickle.loads(pickle.dumps(task)) == task.replace()
    assert set(task.to_json()) == {"env", "params", "seed"}
    code = f"import mohs; print(mohs.Task.from_json({json.dumps(task.to_json())!r}).key)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.strip() == task.key


def test_a_specification_travels_to_another_process(file: Path) -> None:
    spec = pickle.dumps(gymnasium.registry[Task.make("my_env.py:GridEnv").environment.gym_id])
    code = f"import pickle; print(pickle.loads({spec!r}).make(size=3).observation_space)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.strip() == "Discrete(3)"
    file.write_text(SOURCE + "# edited")
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "the source of my_env.py:GridEnv has changed" in ended.stderr


def test_an_edited_file_is_another_task(file: Path) -> None:
    old = Task.make("my_env.py:GridEnv", size=3)
    made = mohs.make(old)
    file.write_text(SOURCE.replace("self.pay * over", "self.pay * over * 5"))
    new = Task.make("my_env.py:GridEnv", size=3)
    assert old != new
    assert old.key != new.key
    assert rewards(mohs.make(new), 2) == [0.0, 5.0]
    assert rewards(made, 2) == rewards(mohs.make(old), 2) == [0.0, 1.0]  # its version is still loaded
    assert rewards(gymnasium.make(made.spec), 2) == [0.0, 1.0]
    assert old.replace(size=4)["source_hash"] == old["source_hash"]
    assert Task.from_json(old.to_json()) == old
    gone = old.to_json() | {"params": {"source_hash": "0" * 16}}
    with pytest.raises(UsageError, match="has changed since the task was made"):
        mohs.make(Task.from_json(gone))


def test_a_file_that_breaks_later_leaves_its_tasks_playable(file: Path) -> None:
    task = Task.make("my_env.py:GridEnv", size=3)
    file.write_text("def broken(:")
    with pytest.warns(RuntimeWarning, match="cannot be imported: SyntaxError.* stays in use"):
        assert task["size"] == 3
    assert rewards(mohs.make(task), 2) == [0.0, 1.0]


def test_a_module_names_a_class_or_an_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "brings_two.py").write_text(
        SOURCE + "\ngymnasium.register('GridEnv', entry_point=GridEnv, max_episode_steps=3)\n"
        "gymnasium.register('Two-v0', entry_point=GridEnv, max_episode_steps=4)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert Task.make("brings_two:Two-v0")["max_episode_steps"] == 4
    assert Task.make("brings_two:GridEnv")["max_episode_steps"] == 3  # registered ids come first, as in Gymnasium
    assert Task.make("brings_two:make_env")["source_hash"]
    for name in ("GridEnv", "Two-v0"):
        del gymnasium.registry[name]


def test_an_object_is_named_by_where_it_is_found(file: Path) -> None:
    task = Task.make(Here, width=3, delay=1)
    assert task.env == f"{__name__}:Here"
    assert task == Task.make(task.env, width=3, delay=1)
    assert canonical(Here) == (task.env, {})
    assert rewards(mohs.make(Here, delay=1), 2) == [0.0, 1.0]
    assert mohs.make_vec(Here, num_envs=2).single_observation_space.shape == (2,)
    assert Task.make(attribute("my_env.py:GridEnv")).env == "my_env.py:GridEnv"


def test_what_cannot_be_imported_is_registered(file: Path) -> None:
    def of(size: int) -> Any:
        return lambda pay=1.0: TimeLimit(mohs.make("my_env.py:GridEnv", size=size, pay=pay), 8)

    two, three = of(2), of(3)
    tasks = Task.make(two), Task.make(three)
    assert tasks[0].env != tasks[1].env  # one source, two closures
    assert tasks[0] == Task.make(two)
    assert tasks[0].env in gymnasium.registry
    assert rewards(mohs.make(two, pay=2.0), 1) == [2.0]
    assert rewards(mohs.make(tasks[1]), 2) == [0.0, 1.0]


def test_a_class_of_a_script_is_the_same_task_every_time(file: Path) -> None:
    script = (
        SOURCE + "\nimport mohs\ntask = mohs.Task.make(GridEnv, size=3)\nmohs.make(task)\nprint(task.key, task.env)\n"
    )
    file.with_name("script.py").write_text(script)
    run = [sys.executable, "script.py"]
    said = [subprocess.run(run, capture_output=True, text=True, check=True).stdout for _ in range(2)]
    assert said[0] == said[1]
    assert "custom/GridEnv-" in said[0]


@pytest.mark.parametrize(
    ("env", "message"),
    [
        ("my_env.py:GridENV", "Did you mean 'GridEnv'"),
        ("my_env.py:number", "my_env.py:number is neither a subclass of gymnasium.Env nor a function"),
        ("my_env.py:Outer", "my_env.py:Outer is neither a subclass"),
        ("missing.py:GridEnv", "there is no file 'missing.py'"),
        ("no_such_module:GridEnv", "No module named 'no_such_module'"),
        (int, "<class 'int'> is neither a subclass"),
        (3.5, "unknown environment 3.5"),
    ],
)
def test_what_is_no_environment(file: Path, env: Any, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        Task.make(env)
    assert message in str(caught.value)


def test_what_makes_no_environment(file: Path) -> None:
    with pytest.raises(UsageError, match=r"my_env\.py:no_env cannot be made"):
        mohs.make("my_env.py:no_env")
    with pytest.raises(UsageError, match="is an environment already: give its class"):
        Task.make(Here())  # type: ignore[arg-type]


def test_generated_ids_are_not_suggested(file: Path) -> None:
    Task.make("my_env.py:GridEnv")
    with pytest.raises(UsageError) as caught:
        Task.make("custom/GridEnv")
    assert "my_env" not in str(caught.value)


def test_the_command_line_diagnoses_on_a_file(file: Path) -> None:
    asked = [sys.executable, "-m", "mohs", "diagnose", "random", "--dials", "delay", "--seeds", "1", "--budget", "200"]
    ended = subprocess.run([*asked, "--env", "my_env.py:GridEnv"], capture_output=True, text=True)
    assert ended.returncode == 2
    assert "my_env.py:GridEnv has no time limit" in ended.stderr
    asked += ["--env", "my_env.py:make_env", "--param", "size=3", "--workers", "1", "--json"]
    ended = subprocess.run(asked, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    study = json.loads(ended.stdout)["study"]
    assert study["env"] == "my_env.py:make_env"
    assert set(study["params"]) == {"size", "source_hash"}
