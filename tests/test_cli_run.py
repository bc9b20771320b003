"""What people type to run a study: the plan, the run, the report, and one sentence for what is wrong."""

from __future__ import annotations

import json

import pytest

from mohs.cli import main

STUDY = """
question = "Does a delay cost?"
seeds = 3
budget = 600
[agents.q_learning]
[agents.random]
[task]
env = "toy/discrete"
[axes]
delay = [0, 4]
[evaluation]
points = 2
noise_free = true
[sizes.full]
[sizes.quick]
seeds = 2
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").write_text(STUDY)
    return tmp_path


def mohs(*words):
    with pytest.raises(SystemExit) as ended:
        main(words)
    return ended.value.code


def test_a_study_is_planned_run_and_reported(place, capsys):
    assert mohs("run", "mine.toml", "--dry-run", "--json", "--workers", "1") == 0
    planned = json.loads(capsys.readouterr().out)
    assert (planned["cells"], planned["steps"]) == (8, 4800)
    assert not (place / "mohs.db").exists()

    assert mohs("run", "mine.toml", "--workers", "0", "--out", "there") == 0
    shown = capsys.readouterr()
    assert "Does a delay cost?" in shown.out
    assert "8 cells, 4.8k steps to run" in shown.err
    assert {path.name for path in (place / "there").iterdir()} == {
        "report.html",
        "verdict.json",
        "summary.csv",
        "differences.csv",
        "frame.csv",
    }
    page = (place / "there" / "report.html").read_text()
    assert "Does a delay cost?" in page
    assert "q_learning" in page

    assert mohs("run", "mine.toml", "--dry-run", "--json") == 0
    assert json.loads(capsys.readouterr().out)["cells"] == 0

    assert mohs("report", "mine", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["study"]["size"] == "quick"
    assert found["missing"] == 0
    assert [panel["agent"] for panel in found["panels"]] == ["q_learning", "random"]

    assert mohs("status", "--json") == 0
    (study,) = json.loads(capsys.readouterr().out)
    assert (study["name"], study["protocol"], study["done"]) == ("mine quick", "experiment", 8)

    assert mohs("compare", "mine", "mine") == 2
    assert "is a study of `mohs run`, not of `mohs diagnose`" in capsys.readouterr().err


def test_a_larger_size_runs_only_what_is_new(place, capsys):
    assert mohs("run", "mine.toml", "--workers", "0") == 0
    assert mohs("run", "mine.toml", "--size", "full", "--dry-run", "--json") == 0
    planned = json.loads(capsys.readouterr().out.split("Report: ")[-1].split("\n", 1)[1])
    assert (planned["all_cells"], planned["cells"]) == (12, 4)
    assert [path.name[:11] for path in (place / "mohs-report").iterdir()] == ["mine-quick-"]


def test_rows_of_the_tables_are_runs_and_points(place):
    assert mohs("run", "mine.toml", "--workers", "0", "--out", "there") == 0
    runs = (place / "there" / "frame.csv").read_text().splitlines()
    assert runs[0].startswith("agent,point,delay,stratum,weight,seed,normalised_auc,auc_paper,auc,final,length,eval")
    assert len(runs) == 1 + 2 * 2 * 2
    summary = (place / "there" / "summary.csv").read_text().splitlines()
    assert len(summary) == 1 + 2 * 2 * 12 * 2  # agents, points, measures, statistics


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["run", "none.toml"], "there is no study file"),
        (["run", "dely"], "Did you mean 'delay'?"),
        (["run", "mine.toml", "--size", "huge"], "unknown size 'huge'"),
        (["run", "mine.toml", "--workers", "-1"], "workers is -1"),
        (["run", "mine.toml", "--pack-size", "0"], "pack_size is 0"),
        (["run", "mine.toml", "--device", "abacus"], "abacus"),
    ],
)
def test_what_is_wrong_is_said_before_anything_runs(place, capsys, words, sentence):
    assert mohs(*words) == 2
    said = capsys.readouterr().err
    assert sentence in said
    assert said.count("\n") == 1
    assert not (place / "mohs.db").exists()


def test_the_shipped_studies_are_listed(capsys):
    assert mohs("studies", "--json") == 0
    found = {study["name"]: study for study in json.loads(capsys.readouterr().out)}
    assert found["delay"]["agents"] == ["dqn", "rainbow", "a2c"]
    assert found["delay"]["sizes"] == ["paper", "quick"]
