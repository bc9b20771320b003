"""Do the environments in SUMO keep Gymnasium's contracts, and can controllers play on them?"""

from __future__ import annotations

import copy
import multiprocessing
import os
import pickle
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from sumo_files import foes

import mohs
from mohs import Cell, Probe, Segment, Task, TaskSet, UsageError
from mohs.agents.registry import agent, learner
from mohs.engines.traffic.layout import METRICS
from mohs.envs.keeping import pickled
from mohs.envs.traffic.sumo import package
from mohs.envs.traffic.sumo.scene import NET_FILE

ID = "traffic/sumo"
OTHER = {"lanes": 5, "left_lanes": 1, "right_lanes": 1, "observation": "movements", "inflow": 2000.0}


def course(env: gymnasium.Env[Any, Any], steps: int, first: int = 0) -> list[Any]:
    """What is seen and paid under a plan."""
    return [env.step(t // 2 % 2)[:2] for t in range(first, first + steps)]


def equal(one: list[Any], other: list[Any]) -> bool:
    return all(np.array_equal(a[0], b[0]) and a[1] == b[1] for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize(("params", "mode"), [({}, None), (OTHER, "ansi")], ids=["plain", "other"])
def test_the_environment_checker_is_content(params: dict[str, Any], mode: str | None) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(mohs.make(ID, render_mode=mode, **params).unwrapped)
        env = gymnasium.make("mohs/Sumo-v0", **params)
        env.reset(seed=0)
        for _ in range(20):
            seen, _, terminated, truncated, info = env.step(env.action_space.sample())
            assert seen in env.observation_space
            assert (terminated, truncated, info) == (False, False, {})


@pytest.mark.parametrize("params", [{}, {"left_lanes": 1}, OTHER, {"lanes": 7, "observed_lanes": 8}])
def test_spaces_and_signals_are_those_of_the_compiled_engine(params: dict[str, Any]) -> None:
    env, other = mohs.make(ID, **params), mohs.make("traffic/intersection", **params)
    assert env.observation_space == other.observation_space
    assert env.action_space == other.action_space
    one, two = env.unwrapped.signal, other.unwrapped.signal  # type: ignore[attr-defined]
    assert one.features == two.features
    assert one.junction == two.junction
    assert np.array_equal(one.permits, two.permits)
    assert np.array_equal(one.greens, two.greens)
    env.reset(seed=3)
    for phase in range(env.action_space.n):  # type: ignore[attr-defined]
        seen = env.step(phase)[0]
        np.testing.assert_allclose(one.read(seen, "green"), one.served[phase])
    env.close()


def test_detectors_see_200_m_and_queues_grow_from_first_stands() -> None:
    env = mohs.make(ID, inflow=2000.0, length=400.0, left_share=0.0, right_share=0.0)
    signal = env.unwrapped.signal  # type: ignore[attr-defined]
    env.reset(seed=0)
    seen = np.array([env.step(0)[0] for _ in range(30)])
    vehicles = (signal.read(seen, "queue") + signal.read(seen, "approaching")) * 28
    red = signal.served[0] == 0
    assert vehicles[-1, red].max() <= 200 / 7.5 + 1
    assert vehicles[-1, red].min() >= 200 / 7.5 - 3  # the whole lane is full
    waits, queues = signal.read(seen, "wait")[:, red].sum(axis=1) * 28, signal.read(seen, "queue")[:, red].sum(axis=1)
    grown = np.diff(waits)
    assert (grown >= 10 * queues[:-1] * 28 - 1e-3).all()
    assert (grown <= 10 * queues[1:] * 28 + 1e-3).all()
    env.close()


def test_metrics_come_with_the_end_and_seeds_repeat_episodes() -> None:
    env = mohs.make(ID, max_episode_steps=20)
    assert env.unwrapped.task["max_episode_steps"] == 20  # type: ignore[attr-defined]
    found = []
    for seed in (6, None, 6):
        env.reset(seed=seed)
        ends = [env.step(t // 2 % 2) for t in range(20)]
        assert [end[2:] for end in ends[:-1]] == [(False, False, {})] * 19
        assert ends[-1][3]
        found.append((ends[-1][4]["metrics"], [end[1] for end in ends]))
    assert set(found[0][0]) == {*METRICS, "co2", "fuel"}
    assert found[0] == found[2] != found[1]
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.unwrapped.step(0)


def test_several_instances_play_at_once_and_as_they_do_alone() -> None:
    one, two = mohs.make(ID), mohs.make(ID)
    one.reset(seed=1)
    two.reset(seed=2)
    both = [(one.step(t // 2 % 2)[:2], two.step(t // 2 % 2)[:2]) for t in range(12)]
    one.close()
    two.close()
    one.reset(seed=1)
    assert equal([a for a, _ in both], course(one, 12))
    vector = mohs.make_vec(ID, num_envs=2)
    vector.reset(seed=[1, 2])
    for t, pair in enumerate(both):
        seen, paid, *_ = vector.step(np.full(2, t // 2 % 2))
        assert np.array_equal(seen, [pair[0][0], pair[1][0]])
        assert paid.tolist() == [pair[0][1], pair[1][1]]
    vector.close()
    one.close()


def test_a_copy_continues_as_the_original() -> None:
    env = mohs.make(ID)
    twins = [copy.deepcopy(env)]
    env.reset(seed=8)
    before = course(env, 7)
    kept = pickled(env)
    assert kept is not None
    twins += [copy.deepcopy(env), pickle.loads(pickle.dumps(env)), pickle.loads(kept)]
    after = course(env, 5, 7)
    twins[0].reset(seed=8)
    assert equal(course(twins[0], 7), before)
    for twin in twins:
        assert equal(course(twin, 5, 7), after)
    assert np.array_equal(env.reset()[0], twins[1].reset()[0])
    assert equal(course(env, 5), course(twins[1], 5))
    for one in (env, *twins):
        one.close()


def _report(env: Any, pipe: Any) -> None:
    pipe.send(course(env, 5, 5))
    pipe.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks")
def test_a_forked_process_does_not_disturb_a_simulation() -> None:
    env = mohs.make(ID)
    env.reset(seed=8)
    course(env, 5)
    here, there = multiprocessing.Pipe()
    child = multiprocessing.get_context("fork").Process(target=_report, args=(env, there))
    child.start()
    found = here.recv()
    child.join()
    assert equal(course(env, 5, 5), found)
    env.close()


def test_one_task_of_a_set_is_drawn_for_every_episode() -> None:
    tasks = [Task.make(ID, inflow=inflow, max_episode_steps=12) for inflow in (300.0, 3000.0)]
    env = mohs.make(TaskSet.make(tasks))
    counts = []
    for episode in range(6):
        env.reset(seed=0 if episode == 0 else None)
        for _ in range(12):
            *_, info = env.step(0)
        counts.append(info["metrics"]["throughput"] + info["metrics"]["inside"])
    assert min(counts) < 40
    assert max(counts) > 80


@pytest.mark.parametrize("action", [2, -1, 0.5, None, "left"])
def test_a_wrong_action_is_an_error_and_nothing_moves(action: Any) -> None:
    env = mohs.make(ID, render_mode="ansi")
    env.reset(seed=0)
    before = env.render()
    with pytest.raises(UsageError, match=r"the action is .* or actuated, delay_based"):
        env.unwrapped.step(action)
    assert env.render() == before == "step 0: signal GGGgrrrrGGGgrrrr, 0 vehicles queue or wait to enter"
    env.close()


@pytest.mark.parametrize("name", ["fixed", "max_pressure", "actuated", "random", "dqn"])
def test_agents_train_and_are_evaluated(name: str) -> None:
    task = Task.make(ID, max_episode_steps=15, inflow=1500.0)
    more = {"learning_starts": 10, "hidden": (8,)} if name == "dqn" else {}
    cell = Cell(agent(name, **more), 0, (Segment(task, 30),), (Probe("after", task, (30,), 1),), 15)
    pack = learner([cell])
    pack.train(30)
    assert not pack.failed
    values = pack.evaluate(0)
    assert values["length"].tolist() == [15]
    assert values["return"][0] < 0


@pytest.mark.parametrize("logic", ["actuated", "delay_based"])
def test_sumo_controls_the_signal_itself(logic: str) -> None:
    """It shows states of the intersection only, and takes over from any phase and back."""
    env = mohs.make(ID, left_lanes=1, inflow=1200.0, decision=5.0).unwrapped
    assert hasattr(env, "_run")
    env.reset(seed=0)
    env.step(2)
    net = env._scene.net
    crossed, shown = foes(env._scene.files[NET_FILE], net.tls), []
    for t in range(200):
        env.step(logic)
        shown.append(env._run.seen["state"])
        if t == 100:
            seen = env.step(3)[0]
            np.testing.assert_allclose(env.signal.read(seen, "green"), env.signal.served[3])  # type: ignore[attr-defined]
    assert shown[0] == net.phases[2]
    assert set(net.phases) < set(shown)
    for state in shown:
        green = {i for i, letter in enumerate(state) if letter == "G"}
        assert not any(crossed[i] & green for i in green)
    env.close()


def test_actuated_needs_sumo() -> None:
    with pytest.raises(UsageError, match=r"does not simulate traffic/intersection: use traffic/sumo"):
        mohs.family(["actuated"], env="traffic/intersection", vary={"inflow": [400.0, 800.0]}, steps=400, workers=0)


def leftovers() -> set[str]:
    """Directories of simulations."""
    return {name for name in os.listdir(tempfile.gettempdir()) if name.startswith("mohs-sumo")}


def script(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *words], cwd=cwd, capture_output=True, text=True, check=False)


def test_a_family_is_played_from_the_command_line(tmp_path: Path) -> None:
    """Nothing is written but what is asked for, and SUMO says nothing."""
    command = [
        "-m", "mohs", "family", "max_pressure", "actuated", "--env", ID, "--vary", "yellow=2,3", "--steps", "200",
        "--param", "max_episode_steps=12", "--episodes", "1", "--workers", "0", "--out", "found",
    ]  # fmt: skip
    before = leftovers()
    done = script(*command, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "arrow" not in done.stdout + done.stderr
    assert not leftovers() - before
    assert {path.name for path in tmp_path.iterdir()} == {"found", "mohs.db"}
    empty = tmp_path / "empty"
    empty.mkdir()
    done = script(*command, "--param", "net=no.net.xml", "--param", "routes=no.rou.xml", cwd=empty)
    assert done.returncode == 2
    assert "net is 'no.net.xml', which cannot be read: No such file" in done.stderr
    assert done.stderr.count("\n") == 1
    assert not list(empty.iterdir())


def test_processes_and_files_are_removed(tmp_path: Path) -> None:
    """Also of a process that is killed, and of one that forgets to close its environment."""
    text = "import mohs, os; e = mohs.make('traffic/sumo'); e.reset(seed=0); e.step(0); print('played', flush=True); "
    for end in ("", "os.kill(os.getpid(), 9)"):
        before = leftovers()
        assert script("-c", text + end, cwd=tmp_path).stdout == "played\n"
        deadline = time.monotonic() + 20
        while leftovers() - before and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not leftovers() - before
        assert not list(tmp_path.iterdir())


def test_a_missing_installation_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r'needs the package eclipse-sumo: pip install "mohs\[traffic\]"'):
        mohs.make(ID)
