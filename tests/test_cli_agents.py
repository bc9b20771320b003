"""Agents from the command line: what is listed, how they are set, and what is refused before anything runs."""

from __future__ import annotations

import json

import pytest

from mohs.agents.entries import ENTRIES
from mohs.cli import main

SMALL = ["--dials", "delay", "--doses", "delay=0,2", "--seeds", "2", "--budget", "300", "--workers", "0"]


@pytest.fixture
def mohs_run(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(*words):
        with pytest.raises(SystemExit) as stop:
            main(list(words))
        captured = capsys.readouterr()
        return stop.value.code or 0, captured.out, captured.err

    return run


def test_agents_are_listed_with_a_sentence(mohs_run):
    listed = {a["name"]: a["text"] for a in json.loads(mohs_run("agents", "--json")[1])}
    assert {entry.name for entry in ENTRIES} <= set(listed)
    assert "sb3:PPO" in listed
    assert all(listed.values())
    assert "q_learning" in mohs_run("agents")[1]


def test_the_hyperparameters_of_an_agent_are_shown(mohs_run):
    shown = json.loads(mohs_run("agents", "dqn", "--json")[1])
    assert shown["hyperparameters"]["hidden"]["default"] == [64, 64]
    assert set(shown["hyperparameters"]["batch_size"]) == {"default", "allowed", "text"}
    assert shown["presets"]["mdp_playground"]["activation"] == "tanh"
    out = mohs_run("agents", "dqn")[1]
    assert "hidden layer widths" in out
    assert "--set preset=mdp_playground" in out
    assert "learning_rate" in mohs_run("agents", "q_learning")[1]
    outside = json.loads(mohs_run("agents", "sb3:PPO", "--json")[1])["hyperparameters"]
    assert outside["n_steps"] == {"default": 2048, "allowed": "an integer ≥ 1", "text": ""}
    assert outside["policy_kwargs"]["allowed"] == "dict[str, Any] | None"
    assert "seed" not in outside
    code, _, err = mohs_run("agents", "dqm")
    assert (code, "Did you mean 'dqn'?" in err) == (2, True)


def test_hyperparameters_come_from_a_file_and_from_words(mohs_run, tmp_path):
    (tmp_path / "hp.toml").write_text("hidden = [8, 8]\nlearning_starts = 50\n")
    (tmp_path / "hp.yaml").write_text("preset: mdp_playground\nhidden: [8]\nlearning_rate: 1e-3\n")
    words = ["--hyperparameters", "hp.toml", "--set", "learning_starts=100"]
    code, out, _ = mohs_run("diagnose", "dqn", *SMALL, *words, "--json")
    assert code == 0
    assert json.loads(out)["study"]["agent"]["params"] == {"hidden": [8, 8], "learning_starts": 100}
    code, out, _ = mohs_run("diagnose", "dqn", *SMALL, "--hyperparameters", "hp.yaml", "--pack-size", "3", "--json")
    assert json.loads(out)["study"]["agent"]["params"] == {
        "hidden": [8],
        "learning_rate": 1e-3,
        "preset": "mdp_playground",
    }


def test_what_a_diagnosis_costs_is_told_without_running(mohs_run, tmp_path):
    code, out, _ = mohs_run("diagnose", "q_learning", *SMALL, "--dry-run", "--json")
    planned = json.loads(out)
    assert (code, planned["cells"], planned["steps"], planned["broken"]) == (0, 4, 1200, 0)
    assert "To run: 4 cells" in mohs_run("diagnose", "q_learning", *SMALL, "--dry-run")[1]
    assert not (tmp_path / "mohs.db").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["dqn", "--device", "gpu"], "device is 'gpu', but torch has only cpu"),
        (["dqn", "--pack-size", "0"], "pack_size is 0, but must be an integer ≥ 1"),
        (["dqn", "--set", "hiden=[8]"], "Did you mean 'hidden'?"),
        (["dqn", "--set", "hidden=8"], "hidden is 8, but must be a list"),
        (["dqn", "--set", "preset=atar"], "preset is 'atar', but must be one of"),
        (["q_learning", "--set", "preset=atari"], "q_learning has no presets"),
        (["dqn", "--env", "toy/continuous"], "dqn plays finitely many actions"),
        (["sac"], "sac plays continuous actions"),
        (["sb3:PPO", "--set", "n_steps=abc"], "n_steps of sb3:PPO is 'abc', but must be an integer ≥ 1"),
        (["dqn", "--hyperparameters", "no.toml"], "no.toml cannot be read"),
        (["dqn", "--hyperparameters", "hp.ini"], "hp.ini must have one of the extensions .toml"),
        (["dqn", "--hyperparameters", "bad.toml"], "bad.toml cannot be read"),
        (["dqn", "--hyperparameters", "list.json"], "list.json must be a mapping"),
    ],
)
def test_what_cannot_be_is_said_before_anything_runs(mohs_run, tmp_path, words, message):
    (tmp_path / "bad.toml").write_text("a = = 1")
    (tmp_path / "list.json").write_text("[1]")
    code, _, err = mohs_run("diagnose", *words)
    assert code == 2
    assert message in err
    assert len(err.strip().splitlines()) == 1
    assert not (tmp_path / "mohs.db").exists()
