"""What people type to put an agent to the challenge: the run, the report, and one sentence for what is wrong."""

from __future__ import annotations

import json

import pytest

import mohs
from mohs.cli import main
from mohs.protocols.challenge.study import ChallengeStudy, plan
from mohs.runs.store import open_store

SMALL = ("--mdps", "hanoi-3,hanoi-4", "--budget", "4000", "--every", "500", "--seeds", "2", "--workers", "0")
BROKEN = """
class Broken:
    def train(self, env, steps):
        raise RuntimeError("out of order")

    def act(self, observation, memory, deterministic):
        return 0, None


def make(env, seed):
    return Broken()
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.py").write_text(BROKEN)
    return tmp_path


def run(*words):
    with pytest.raises(SystemExit) as ended:
        main(("challenge", "run", *words) if words[0] != "report" else words)
    return ended.value.code


def test_agents_meet_the_challenge_and_are_reported(place, capsys):
    assert run("q_learning", "random", *SMALL, "--out", "there") == 0
    shown = capsys.readouterr()
    assert "2 MDPs × (q_learning: fast, slow; random: default) × 2 seeds, 4,000 steps each" in shown.err
    assert "q_learning solves" in shown.out
    assert "best of 2 settings × 2 seeds" in shown.out
    names = {path.name for path in (place / "there").iterdir()}
    assert names == {"report.html", "verdict.json", "mdps.csv", "frame.csv"}

    assert run("q_learning", "random", *SMALL, "--json") == 0
    again = capsys.readouterr()
    assert "12 already done" in again.err
    data = json.loads(again.out)
    learnt, drawn = data["agents"]
    assert learnt["mdps"]["hanoi-3"]["solved"]
    assert learnt["mdps"]["hanoi-3"]["sample_complexity"]["value"] % 500 == 0
    assert drawn["tries"] == 2

    assert run("report", "--out", "again", "--json") == 0
    assert json.loads(capsys.readouterr().out)["agents"] == data["agents"]


def test_deep_agents_play_in_packs_and_those_of_stable_baselines3_alone(place, capsys):
    words = ("--mdps", "hanoi-3", "--budget", "1100", "--every", "550", "--seeds", "1", "--workers", "0", "--json")
    assert run("ppo", "dqn", "sb3:PPO", "sb3:DQN", *words) == 0
    data = json.loads(capsys.readouterr().out)
    assert [agent["tries"] for agent in data["agents"]] == [1, 2, 1, 2]
    assert data["missing"] == 0


def test_a_broken_agent_leaves_missing_runs_and_the_others_stand(place, capsys):
    assert run("broken.py:make", "q_learning", *SMALL, "--json") == 1
    shown = capsys.readouterr()
    assert "4 of 12 cells failed" in shown.err
    assert "out of order" in shown.err
    broken, learnt = json.loads(shown.out)["agents"]
    assert broken["runs"]["missing"] == 4
    assert broken["mdps"]["hanoi-3"]["solved"] is None
    assert learnt["mdps"]["hanoi-3"]["solved"]


def test_actions_may_stick(place, capsys):
    words = ("--mdps", "hanoi-3", "--budget", "20000", "--sticky", "0.25", "--seeds", "2", "--workers", "0")
    assert run("q_learning", *words, "--out", "there") == 0
    shown = capsys.readouterr()
    assert "sticky actions 0.25" in shown.err
    page = (place / "there" / "report.html").read_text()
    assert "100 episodes" in page
    assert "95% of the way from random to optimal play" in page
    assert run("report", "--out", "again", "--json") == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["study"]["sticky"], data["baselines"]) == (0.25, [])
    assert data["mdps"][0]["gorp_steps"] is None


def test_hyperparameters_come_from_a_file_and_from_options(place, capsys):
    (place / "hp.toml").write_text("gamma = 0.9\nlearning_rate = 0.5\n")
    assert run("q_learning", *SMALL, "--hyperparameters", "hp.toml", "--set", "gamma=0.8", "--json") == 0
    (agent,) = json.loads(capsys.readouterr().out)["study"]["contenders"]
    for setting in agent["settings"]:
        assert (setting["agent"]["params"]["gamma"], setting["agent"]["params"]["learning_rate"]) == (0.8, 0.5)


def test_a_plan_can_be_looked_at_first(place, capsys):
    assert run("q_learning", *SMALL, "--dry-run") == 0
    assert "8 cells, 0 of them done" in capsys.readouterr().out
    assert not (place / "mohs.db").exists()


def test_from_python_it_is_one_call(place):
    options = {"mdps": ["hanoi-3"], "budget": 4000, "every": 500, "seeds": 2, "workers": 0, "progress": "silent"}
    found = mohs.challenge("q_learning", **options)
    assert found.missing == 0
    study = ChallengeStudy.make(["q_learning"], **{k: options[k] for k in ("mdps", "budget", "every", "seeds")})
    with open_store("sqlite:///mohs.db", create=False) as store:
        assert len(dict(store.results(cell.key for cell in plan(study).cells))) == found.runs


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("ppo", "--mdps", "hanoy-3"), "unknown MDP of the challenge 'hanoy-3'. Did you mean 'hanoi-3'?"),
        (("ppo", "--edition", "quik"), "edition is 'quik'"),
        (("ppo", "--mdps", "hanoi-3", "--settings", "129"), "unknown setting '129'. Did you mean '128'?"),
        (("ppo", "--mdps", "hanoi-3", "--seeds", "0"), "seeds is 0"),
        (("ppo", "--mdps", "hanoi-3", "--budget", "10"), "every is 1,000, but must be at most the budget of 10"),
        (("ppoo", "--mdps", "hanoi-3"), "Did you mean 'ppo'?"),
        (("sac", "--mdps", "hanoi-3"), "sac plays continuous actions"),
        (("sb3:PPO", "--mdps", "hanoi-3", "--settings", "1280", "--budget", "5000"), "it would never learn"),
        (("ppo", "--mdps", "hanoi-3", "--set", "hiden=[2]"), "Did you mean 'hidden'?"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(place, capsys, words, sentence):
    assert run(*words) == 2
    said = capsys.readouterr().err
    assert sentence in said
    assert said.count("\n") == 1
    assert not (place / "mohs.db").exists()
