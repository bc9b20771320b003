"""A store is data: no command imports or runs what a store names, and no checkpoint is unpickled unless it is trusted.

Each test plants code that leaves a mark when it runs.
"""

from __future__ import annotations

import json
import os
import pickle
import sqlite3
import subprocess
import sys
import zlib
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import mohs
from mohs.cli import main
from mohs.core.errors import MohsError
from mohs.core.packed import Foreign, pack
from mohs.core.values import canonical_json, content_hash, source_hash
from mohs.runs.curves import Checkpoint
from mohs.runs.store import open_store

NOTES = """
from pathlib import Path
Path("ran").touch()
import gymnasium
class GridEnv(gymnasium.Env):
    observation_space = action_space = gymnasium.spaces.Discrete(2)
def f(*args):
    return 0
make_agent = f
gymnasium.register("Notes-v0", entry_point=GridEnv)
"""
MOVING = """class GridEnv(gymnasium.Env):
    def __init__(self, size=3, render_mode=None):
        self.size = size
    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.at = 0
        return 0, {}
    def step(self, action):
        self.at += 1
        return self.at % 2, float(action), self.at >= self.size, False, {}
"""
EXAMPLE = str(Path(__file__).parents[1] / "examples" / "my_agent.py")
STORE = "sqlite:///mohs.db"
QUIET = {"workers": 0, "progress": "silent", "store": STORE, "keep_going": True}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The bytes of a store with two small diagnoses."""
    path = tmp_path_factory.mktemp("made") / "mohs.db"
    for agent in ("q_learning", "sarsa"):
        mohs.diagnose(
            agent, dials=["delay", "reward_noise"], seeds=1, budget=300, **{**QUIET, "store": f"sqlite:///{path}"}
        )
    with closing(sqlite3.connect(path)) as db:
        db.execute("pragma journal_mode=delete")
    return path.read_bytes()


@pytest.fixture
def planted(made: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with the store and with code that must not run; it is the working directory."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mohs.db").write_bytes(made)
    (tmp_path / "notes.py").write_text(NOTES)
    monkeypatch.delitem(sys.modules, "notes", raising=False)
    return tmp_path


def function() -> dict[str, str]:
    return {"function": "notes.py:f", "source": source_hash("def f(*args):\n    return 0\n")}


def env(name: str) -> Callable[[dict[str, Any]], None]:
    def change(task: dict[str, Any]) -> None:
        task["env"] = name

    return change


def param(name: str, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(task: dict[str, Any]) -> None:
        task["params"] = {**task["params"], name: value}

    return change


WAYS: dict[str, Callable[[dict[str, Any]], None]] = {
    "an environment in a file": env("notes.py:GridEnv"),
    "an environment in a module": env("notes:GridEnv"),
    "an id that a module registers": env("notes:Notes-v0"),
    "an id after which nothing can be read": env("notes:Other-v1"),
    "noise by its name": param("reward_noise", "notes.py:f"),
    "noise by its name in a module": param("reward_noise", "notes:f"),
    "noise by reference": param("reward_noise", function()),
    "rewards by reference": param("reward_function", function()),
    "dynamics by reference": param("transition_function", function()),
    "dynamics by name": param("transition_function", "notes.py:f"),
}


def rewrite(path: Path, change: Callable[[dict[str, Any]], None], agent: Any = None) -> None:
    """Changes every task, or every agent, that a store names: in its studies and in its cells."""

    def walk(node: Any) -> None:
        if isinstance(node, dict):
            if "doses" in node:  # a diagnosis
                node.setdefault("params", {})
            if {"env", "params"} <= node.keys() and agent is None:
                change(node)
            if {"name", "params", "source"} <= node.keys() and agent is not None:
                node.update(agent)
        for each in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
            walk(each)

    with closing(sqlite3.connect(path)) as db, db:
        db.execute("drop table mohs_seal")  # as older versions wrote them; nobody's hash is secret
        db.execute("update mohs_meta set value = '1' where name = 'schema'")
        for key, text in db.execute("select key, options from mohs_study").fetchall():
            data = json.loads(text)
            walk(data)
            db.execute("update mohs_study set options = ? where key = ?", (json.dumps(data), key))
        for key, text in db.execute("select key, json from mohs_cell").fetchall():
            data = json.loads(text)
            walk(data)
            new = content_hash(data)
            db.execute(
                "update or replace mohs_cell set key = ?, json = ? where key = ?", (new, canonical_json(data), key)
            )
            for table in ("mohs_study_cell", "mohs_curve"):
                db.execute(f"update or replace {table} set cell = ? where cell = ?", (new, key))


def read_everything() -> list[str]:
    """Every command and function that reads a store. What they refuse, they refuse in a sentence, which is returned."""
    refused = []
    lines = (
        ["status"], ["status", "--json"], ["report", "q_learning", "--out", "one"], ["report", "--out", "two"],
        ["export", "--csv", "all.csv"], ["export", "--parquet", "all.parquet"],
        ["compare", "q_learning", "sarsa", "--out", "three"],
    )  # fmt: skip
    for line in lines:
        with pytest.raises(SystemExit) as ended:
            main([*line, "--store", STORE])
        assert ended.value.code in (0, 1, 2)
        refused += [" ".join(line)] if ended.value.code == 2 else []
    mohs.load(STORE)
    for read in (
        lambda: mohs.load_verdict("q_learning", store=STORE),
        lambda: mohs.compare("q_learning", "sarsa", store=STORE),
    ):
        with suppress(MohsError):
            verdict = read()
            repr(
                (
                    verdict,
                    verdict.sentences,
                    verdict.data(),
                    verdict.figures(),
                    str(verdict.methods()),
                    verdict._repr_html_(),
                )
            )
            verdict.save("four")
    return refused


@pytest.mark.parametrize("way", WAYS)
def test_nothing_that_a_store_names_is_imported(planted: Path, way: str, capsys: pytest.CaptureFixture[str]) -> None:
    rewrite(planted / "mohs.db", WAYS[way])
    read_everything()
    assert not (planted / "ran").exists()
    assert "notes" not in sys.modules
    assert str(planted) not in sys.path
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize(
    "agent",
    [
        {"name": "notes.py:make_agent", "params": {}, "source": "0"},
        {"name": "notes:make_agent", "params": {}, "source": "0"},
        {"name": "sb3:PPO", "params": {"policy_kwargs": '{"activation_fn": "notes:f"}'}, "source": "stable-baselines3"},
    ],
)
def test_no_agent_that_a_store_names_is_imported(planted: Path, agent: dict[str, Any]) -> None:
    rewrite(planted / "mohs.db", lambda task: None, agent)
    read_everything()
    assert not (planted / "ran").exists()


def test_a_study_of_a_custom_environment_is_reported_without_its_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The report is the one that the process wrote which ran the study."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.py").write_text(NOTES.replace("class GridEnv(gymnasium.Env):", MOVING))
    (tmp_path / "maker.py").write_text(Path(EXAMPLE).read_text())
    for agent in ("random", "maker.py:make_agent"):
        found = mohs.diagnose(
            agent,
            "notes.py:GridEnv",
            dials=["delay", "reward_noise"],
            seeds=2,
            budget=200,
            params={"size": 4, "max_episode_steps": 9},
            **QUIET,
        )
    found.save("here")
    (tmp_path / "ran").unlink()
    (tmp_path / "maker.py").write_text("raise OSError")
    environment = {**os.environ, "PYTHONPATH": str(Path(mohs.__file__).parents[1])}
    line = [sys.executable, "-m", "mohs", "report", "--out", "there"]
    ended = subprocess.run(line, env=environment, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    assert not (tmp_path / "ran").exists()
    for file in ("verdict.json", "frame.csv"):
        assert (tmp_path / "here" / file).read_text() == (tmp_path / "there" / file).read_text()


def test_an_untouched_store_is_read_as_ever(planted: Path) -> None:
    assert read_everything() == []


def test_what_the_user_has_named_is_known(planted: Path) -> None:
    """The same process has made the environment: its own entry is there, with its parameters."""
    (planted / "mine.py").write_text(
        NOTES.replace("def f", "def __init__(self, size=3, render_mode=None): pass\ndef f")
    )
    mohs.make("notes.py:GridEnv")
    (planted / "ran").unlink()
    rewrite(planted / "mohs.db", WAYS["an environment in a file"])
    with suppress(MohsError):  # the tasks of the toy do not fit it
        mohs.load_verdict("q_learning", store=STORE)
    assert not (planted / "ran").exists()


class Marks:
    """Leaves a mark when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.path,)


def interrupted(store: str, agent: str, task: mohs.Task, state: bytes) -> Any:
    """A plan of one cell whose checkpoint in the store is at half of it."""
    from mohs.agents.registry import agent as agent_of
    from mohs.runs.plan import Plan

    cell = mohs.Cell(agent_of(agent), 0, (mohs.Segment(task, 400),), (mohs.Probe("eval", task, (400,), 2),))
    plan = Plan("test", "none", {}, (cell,))
    with open_store(store) as opened:
        opened.add(plan)
        opened.write({}, {}, {cell.key: (200, Checkpoint(200, {}, state).to_bytes())})
    return plan


def resumed(store: str, plan: Any, **settings: Any) -> tuple[list[str], dict[str, Any]]:
    """What is said while a plan runs to its end, and its curves."""
    from mohs.runs.execute import execute
    from mohs.runs.execution import Execution

    notes: list[str] = []

    class Listening:
        def start(self, **counts: int) -> None: ...
        def update(self, **counts: int) -> None: ...
        def close(self) -> None: ...
        def note(self, text: str) -> None:
            notes.append(text)

    with open_store(store) as opened:
        summary = execute(plan, opened, Execution(workers=0, progress=Listening(), **settings))
        assert summary.done == len(plan.cells)
        return notes, dict(opened.results([cell.key for cell in plan.cells]))


def evil_states(mark: Path) -> dict[str, bytes]:
    evil = pickle.dumps(Marks(mark))
    return {
        "a pickle": evil,
        "a deflated pickle": zlib.compress(evil),
        "a foreign pickle": pack(((0, 200), Foreign(evil), Foreign(evil), (), ())),
        "a pickle as plain bytes": pack(((0, 200), evil, evil, (), ())),
        "nothing": b"",
    }


@pytest.mark.parametrize("agent", ["q_learning", "dqn", "cem", "optimal", "random", "gorp", "sqirl"])
@pytest.mark.parametrize(
    "kind", ["a pickle", "a deflated pickle", "a foreign pickle", "a pickle as plain bytes", "nothing"]
)
def test_a_planted_checkpoint_is_not_unpickled_and_its_cell_starts_again(tmp_path: Path, agent: str, kind: str) -> None:
    task = mohs.Task.make("toy/discrete", **({"image_representations": True} if agent == "random" else {}))
    state = evil_states(tmp_path / "ran")[kind]
    plans = [interrupted(f"sqlite:///{tmp_path}/{name}.db", agent, task, state) for name in "ab"]
    notes, found = resumed(f"sqlite:///{tmp_path}/a.db", plans[0])
    assert not (tmp_path / "ran").exists()
    assert len(notes) == 1
    assert "restart" in notes[0]
    assert "\n" not in notes[0]
    with closing(sqlite3.connect(tmp_path / "b.db")) as db, db:
        db.execute("delete from mohs_checkpoint")
        db.execute("drop table mohs_seal")
        db.execute("update mohs_meta set value = '1' where name = 'schema'")
    silent, whole = resumed(f"sqlite:///{tmp_path}/b.db", plans[1])
    assert silent == []
    assert same_curves(found, whole)


def same_curves(a: dict[str, Any], b: dict[str, Any]) -> bool:
    return a.keys() == b.keys() and all(
        np.array_equal(x, y, equal_nan=True)
        for key in a
        for name in a[key]
        for x, y in zip(a[key][name], b[key][name], strict=True)
    )


def test_an_environment_of_others_resumes_only_where_it_is_trusted(tmp_path: Path) -> None:
    from mohs.agents.registry import learner

    task = mohs.Task.make("CartPole-v1")
    found = {}
    for trust in (False, True):
        store = f"sqlite:///{tmp_path}/{trust}.db"
        plan = interrupted(store, "random", task, b"")
        half = learner(plan.cells)
        half.train(200)
        (state,) = half.save() or [b""]
        interrupted(store, "random", task, state)
        notes, found[trust] = resumed(store, plan, trust=trust)
        assert [("--trust" in note, "restart" in note) for note in notes] == ([] if trust else [(True, True)])
    assert same_curves(found[False], found[True])


SHADOWS = ("json", "queue", "plotly", "typing", "numpy", "yaml", "kaleido", "sqlalchemy")


@pytest.mark.parametrize(
    "start", [["-m", "mohs"], ["-c", "import sys; sys.path.remove(''); from mohs.cli import main; main()"]]
)
def test_modules_in_the_working_directory_hide_nothing(made: bytes, tmp_path: Path, start: list[str]) -> None:
    (tmp_path / "mohs.db").write_bytes(made)
    for name in SHADOWS:
        (tmp_path / f"{name}.py").write_text(f"open('ran-{name}', 'w').close()\nraise ImportError('{name}')\n")
    source = Path(mohs.__file__).parents[1]
    environment = {**os.environ, "PYTHONPATH": str(source), "MOHS_DEBUG": "1"}
    lines = (
        ["report", "q_learning", "--out", "out"],
        [
            "diagnose",
            "random",
            "--dials",
            "delay",
            "--seeds",
            "1",
            "--budget",
            "300",
            "--workers",
            "1",
            "--out",
            "other",
        ],
    )
    for line in lines:
        ended = subprocess.run(
            [sys.executable, *start, *line], cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        assert ended.returncode in (0, 3), ended.stderr
    assert list(tmp_path.glob("ran-*")) == []


def test_modules_of_a_named_file_are_found_after_those_that_are_installed(tmp_path: Path) -> None:
    (tmp_path / "plotly.py").write_text("raise ImportError('hidden')\n")
    (tmp_path / "beside_it.py").write_text("VALUE = 2\n")
    (tmp_path / "noise.py").write_text("from beside_it import VALUE\ndef f(rng):\n    return VALUE\n")
    env = mohs.make("toy/discrete", reward_noise=f"{tmp_path}/noise.py:f")
    assert isinstance(env, gymnasium.Env)
    assert sys.path.index(str(tmp_path)) > 0
    sys.path.remove(str(tmp_path))
