"""Every protocol that trains has the same shared options, the same checks before training, and the same dry run."""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
from pathlib import Path

import pytest
import typer.main

from mohs.cli import main
from mohs.cli.entry import make_app
from mohs.protocols.protocol import protocols

SHARED = [
    "--dry-run", "--enqueue", "--label", "--trust", "--out", "--store", "--workers", "--pack-size", "--device",
    "--executor", "--shard", "--cell-timeout", "--worker-memory", "--png", "--paper", "--single-file", "--json",
]  # fmt: skip
STUDY = """
question = "Does a delay cost?"
seeds = 1
budget = 600
[agents.q_learning]
[task]
env = "toy/discrete"
[axes]
delay = [0, 4]
"""
# A small study of each protocol; a protocol that is added must be added here.
SMALL = {
    "diagnose": ["diagnose", "q_learning", "--dials", "delay", "--seeds", "1", "--budget", "300"],
    "experiment": ["run", "mine.toml"],
    "lifelong": ["lifelong", "random", "--curriculum", "near_goals", "--seeds", "1", "--steps", "200"],
    "lcd": ["lcd", "random", "--game", "arcade/collect", "--seeds", "1", "--steps", "200", "--evaluations", "4"],
    "family": ["family", "random", "--env", "control/cartpole", "--vary", "length=0.5,1", "--steps", "500"],
    "challenge": ["challenge", "run", "random", "--mdps", "hanoi-3", "--budget", "1000", "--seeds", "1"],
}
# What is wrong, in the order in which it is checked: pictures, the directory, workers, packs, the device, the store.
WRONG = [
    (["--png"], "install Chromium"),
    (["--paper", "300"], "paper is 300"),
    (["--out", "file"], "the report cannot be written to 'file'"),
    (["--workers", "-1"], "workers is -1"),
    (["--pack-size", "0"], "pack_size is 0"),
    (["--device", "abacus"], "device is 'abacus'"),
    (["--store", "results.db"], "write sqlite:///PATH"),
]


def training():
    return {name: protocol for name, protocol in protocols().items() if protocol.ask is not None}


def command(protocol):
    found = typer.main.get_command(make_app())
    for word in (protocol.command or protocol.name).split():
        found = found.commands[word]
    return found


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A directory with a study and a file in the way, without a browser."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("BROWSER_PATH", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "mine.toml").write_text(STUDY)
    (tmp_path / "file").write_text("")
    return tmp_path


def run(*words):
    with pytest.raises(SystemExit) as ended:
        main(words)
    return ended.value.code or 0


def test_every_protocol_that_trains_is_tested_here():
    assert set(training()) == set(SMALL)


def test_the_shared_options_are_the_same_everywhere():
    shared = []
    for protocol in training().values():
        options = command(protocol).params[-len(SHARED) :]
        assert [p.opts[0] for p in options] == SHARED, "in the same order, after those of the protocol"
        shared.append([(p.opts, p.help, p.default) for p in options])
        assert all(p.help for p in options)
    assert shared == [shared[0]] * len(shared)


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize(("words", "sentence"), WRONG, ids=[" ".join(words) for words, _ in WRONG])
def test_what_is_wrong_is_said_before_anything_is_trained(place, capsys, name, words, sentence):
    assert run(*SMALL[name], *words) == 2
    shown = capsys.readouterr()
    assert sentence in shown.err
    assert shown.err.count("\n") == 1
    assert shown.out == ""
    assert {path.name for path in place.iterdir()} == {"mine.toml", "file"}, "neither a store nor a report"


@pytest.mark.parametrize("name", SMALL)
def test_checks_come_in_the_same_order(place, capsys, name):
    """Where several things are wrong, the first of them is said."""
    for first in range(len(WRONG)):
        words = [word for wrong, _ in WRONG[first:] for word in wrong]
        assert run(*SMALL[name], *words) == 2
        assert WRONG[first][1] in capsys.readouterr().err


STORES = [
    ("sqlite:///file/results.db", "is not a directory"),
    ("sqlite:///file", "not a store of mohs"),
    ("sqlite+absent:///results.db", "no driver"),
    ("mysql://host/results", "must begin with sqlite:/// or postgresql://"),
]


@pytest.mark.parametrize(("url", "sentence"), STORES)
@pytest.mark.parametrize("dry", [[], ["--dry-run"]])
def test_a_store_that_cannot_be_used_is_refused_before_the_plan_is_made(place, capsys, monkeypatch, url, sentence, dry):
    (place / "file").unlink()
    with sqlite3.connect(place / "file") as other:
        other.execute("CREATE TABLE recipes (name TEXT)")
    before = (place / "file").read_bytes()
    monkeypatch.setattr("mohs.protocols.conduct.check_plan", lambda *_: pytest.fail("a plan was made"))
    for words in SMALL.values():
        assert run(*words, "--store", url, *dry) == 2
        assert sentence in capsys.readouterr().err
    assert {path.name for path in place.iterdir()} == {"mine.toml", "file"}
    assert (place / "file").read_bytes() == before


BROKEN = """
class Broken:
    def train(self, env, steps):
        raise ArithmeticError('out of\\nluck')

    def act(self, observation, memory, deterministic):
        return 0, memory


def broken(env, seed):
    return Broken()
"""


def test_an_agent_that_cannot_be_made_is_refused_before_anything_runs(place, capsys):
    (place / "mine.py").write_text("def broken(env, seed):\n    raise ArithmeticError('out of luck')\n")
    assert run("diagnose", "mine.py:broken", "--dials", "delay", "--seeds", "1", "--budget", "300") == 2
    assert "mine.py:broken cannot be made: ArithmeticError: out of luck." in capsys.readouterr().err
    assert not (place / "mohs.db").exists()


def test_a_dry_run_says_why_a_trial_fails(place, capsys):
    (place / "mine.py").write_text(BROKEN)
    words = ["diagnose", "mine.py:broken", "--dials", "delay", "--seeds", "1", "--budget", "300", "--dry-run"]
    for more in ([], ["--json"]):
        assert run(*words, *more) == 1
        shown = capsys.readouterr()
        assert "cells failed in their trial: ArithmeticError: out of luck" in shown.err
        assert len(shown.err.splitlines()) == 1
    assert json.loads(shown.out)["reason"] == "ArithmeticError: out of luck"


def test_a_dry_run_has_the_same_keys_everywhere_and_leaves_nothing(place, capsys):
    found = {}
    for name, words in SMALL.items():
        assert run(*words, "--dry-run", "--json", "--workers", "1") == 0
        found[name] = json.loads(capsys.readouterr().out)
    assert {path.name for path in place.iterdir()} == {"mine.toml", "file"}
    keys = [list(planned) for planned in found.values()]
    assert keys == [keys[0]] * len(keys)
    assert {"study", "all_cells", "cells", "steps", "packs", "seconds", "workers", "broken"} <= set(keys[0])
    assert all(planned["cells"] == planned["all_cells"] > 0 for planned in found.values())


@pytest.mark.parametrize("name", SMALL)
def test_every_run_writes_the_same_files_and_prints_its_verdict_with_the_place_of_the_report(place, capsys, name):
    assert run(*SMALL[name], "--workers", "0", "--out", "there", "--json") == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown.pop("report") == "there/report.html"
    assert json.loads((place / "there" / "verdict.json").read_text()) == shown
    files = {path.name for path in (place / "there").iterdir()}
    assert {"report.html", "verdict.json", "frame.csv"} <= files
    assert {file.rpartition(".")[2] for file in files} == {"html", "json", "csv"}


TEMPLATES = sorted((Path(__file__).parent.parent / "examples" / "cluster").glob("*.sh"))


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_the_templates_for_clusters_are_sound(path):
    """bash can read them, and mohs has the commands and the options that they name."""
    subprocess.run(["bash", "-n", str(path)], check=True)
    known = typer.main.get_command(make_app()).commands
    text = path.read_text().replace("\\\n", " ")
    calls = re.findall(r"^ *mohs (\w+) (.*)", text, re.MULTILINE)
    assert calls
    for name, rest in calls:
        options = {option for p in known[name].params for option in p.opts}
        assert set(re.findall(r"(--[a-z-]+)", rest)) <= options


def test_the_page_on_clusters_names_options_that_exist():
    text = (Path(__file__).parent.parent / "docs" / "cluster.md").read_text()
    commands = typer.main.get_command(make_app()).commands
    for name, rest in re.findall(r"^mohs (\w+) ([^#\n]*)", text, re.MULTILINE):
        options = {option for p in commands[name].params for option in p.opts}
        assert set(re.findall(r"(--[a-z-]+)", rest)) <= options
