"""What people type for a lifelong run: the run, the report, the logs, and one sentence for what is wrong."""

from __future__ import annotations

import json

import pytest

import mohs
from mohs.cli import main
from mohs.core.data_files import shipped
from mohs.protocols.lifelong.curriculum import SHIPPED

COURSE = """
title = "Two goals"
steps = 150
blocks = ["one", ["two", 120]]
[base]
env = "ctgraph"
[tasks]
one = {goal = [1, 1]}
two = {goal = [2, 1]}
other = {goal = [2, 2]}
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").write_text(COURSE)
    (tmp_path / "numbers.toml").write_text(COURSE.replace('["one", ["two", 120]]', "[111]"))
    return tmp_path


def run(*words):
    with pytest.raises(SystemExit) as ended:
        main(words)
    return ended.value.code


def test_a_curriculum_is_run_and_reported(place, capsys):
    words = ("lifelong", "dqn", "--curriculum", "mine.toml", "--seeds", "3", "--workers", "0", "--out", "there")
    assert run(*words, "--methods", "finetune,separate", "--logs", "logs") == 0
    shown = capsys.readouterr().out
    assert "finetune ends at" in shown
    assert "Held out, evaluated but never trained on: other." in shown
    assert "Performance, finetune" in shown
    (row,) = (line for line in shown.splitlines() if line.startswith("average performance"))
    assert row.split()[-2:] == ["3", "–"]  # n, and no value that is neither gain nor loss
    names = {path.name for path in (place / "there").iterdir()}
    assert names == {"report.html", "verdict.json", "metrics.csv", "matrix.csv", "frame.csv"}
    assert (place / "logs" / "finetune-seed0" / "worker-0" / "3-train" / "data-log.tsv").is_file()

    assert run(*words, "--methods", "finetune,separate", "--json") == 0
    again = capsys.readouterr()
    assert "12 already done" in again.err
    data = json.loads(again.out)
    assert [agent["label"] for agent in data["agents"]] == ["finetune", "separate"]
    assert data["ceiling_without_task_id"] == pytest.approx(0.5)
    assert data["agents"][1]["metrics"]["forgetting"]["value"] == 0

    assert run("report", "--out", "again", "--json") == 0
    assert json.loads(capsys.readouterr().out)["agents"] == data["agents"]
    assert run("compare", data_name := "dqn (finetune, separate) on mine", data_name) == 2
    assert "is a study of `mohs lifelong`, not of `mohs diagnose`" in capsys.readouterr().err


def test_hyperparameters_come_from_a_file_and_the_cost_is_shown_without_running(place, capsys):
    (place / "hp.yaml").write_text("hidden: [8]\nlearning_rate: 1e-2\n")
    words = ("lifelong", "dqn", "--curriculum", "mine.toml", "--seeds", "2", "--hyperparameters", "hp.yaml")
    assert run(*words, "--set", "hidden=(16,)", "--dry-run", "--json", "--workers", "1") == 0
    planned = json.loads(capsys.readouterr().out)
    assert planned["study"] == "dqn hidden=(16,) learning_rate=0.01 on mine"
    assert (planned["cells"], planned["steps"], planned["broken"]) == (6, 2 * (270 + 150 + 120), 0)
    assert not (place / "mohs.db").exists()


def test_from_python_it_is_one_call(place):
    found = mohs.lifelong("dqn", "mine.toml", seeds=3, task_id=True, workers=0, progress="silent")
    assert found.ceiling is None
    assert found.agents[0].evaluations.shape == (3, 3, 3)
    assert found.missing == 0


def test_curricula_are_listed(capsys):
    assert run("curricula", "--json") == 0
    assert [course["name"] for course in json.loads(capsys.readouterr().out)] == list(shipped(SHIPPED))
    assert run("curricula") == 0
    assert "su_goals" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("dqn", "--curriculum", "su_gols"), "unknown curriculum 'su_gols'. Did you mean 'su_goals'?"),
        (("dqn", "--curriculum", "none.toml"), "there is no curriculum file 'none.toml'"),
        (("dqn", "--curriculum", "mine.toml", "--methods", "ews"), "lifelong"),
        (("dqn", "--curriculum", "mine.toml", "--methods", "finetune,finetune"), "methods names finetune twice"),
        (
            ("dqn", "--curriculum", "mine.toml", "--methods", "ewc", "--set", "lifelong=reset"),
            "has lifelong=reset already",
        ),
        (("dqn", "--curriculum", "mine.toml", "--mode", "gredy"), "mode is 'gredy'"),
        (("sac", "--curriculum", "mine.toml"), "sac plays continuous actions"),
        (("dqn", "--curriculum", "mine.toml", "--seeds", "0"), "seeds is 0"),
        (("dqn", "--curriculum", "numbers.toml"), "a block is 111, but must be the name of a task"),
        (("random", "--curriculum", "mine.toml", "--methods", "reset"), "methods are for deep agents"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(place, capsys, words, sentence):
    assert run("lifelong", *words) == 2
    said = capsys.readouterr().err
    assert sentence in said
    assert said.count("\n") == 1
    assert not (place / "mohs.db").exists()
