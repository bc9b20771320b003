"""Which stored studies a comparison takes: by label, key or agent, and of several those that match."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import mohs
from mohs import UsageError
from mohs.cli import main
from mohs.protocols.compare.choose import choose
from mohs.runs.store import open_store

OPTIONS = {"workers": 0, "progress": "silent", "keep_going": True}
AGENT = """
class Agent:
    def __init__(self, env, action):
        self.env, self.action = env, action

    def train(self, env, steps):
        env.reset()
        for _ in range(steps):
            if any(env.step(self.action)[2:4]):
                env.reset()

    def act(self, observation, memory, deterministic):
        return self.action, memory


def make(env, seed):
    return Agent(env, 0)
"""


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    """q_learning and sarsa with 200 steps, then q_learning with 300, then both dials with a label."""
    url = f"sqlite:///{tmp_path_factory.mktemp('store')}/results.db"

    def diagnose(agent, dials=("delay",), seeds=3, budget=200, **more):
        return mohs.diagnose(agent, dials=list(dials), seeds=seeds, budget=budget, store=url, **OPTIONS, **more)

    diagnose("q_learning")
    diagnose("sarsa")
    diagnose("q_learning", budget=300)
    diagnose("q_learning", dials=["delay", "reward_noise"], label="both")
    diagnose("q_learning", label="twin")
    diagnose("random", budget=400)
    return url


def chosen(url, *words):
    with open_store(url, create=False) as store:
        found = choose(store, words)
        return [store.study(key) for key in found.keys], found.notes


def test_the_study_that_matches_is_taken_though_it_is_not_the_newest(url):
    (q, sarsa), notes = chosen(url, "q_learning", "sarsa")
    assert (q.options["budget"], sarsa.options["budget"]) == (200, 200)
    assert q.options["doses"] == sarsa.options["doses"]
    (note,) = notes
    assert q.key[:8] in note
    assert "200 steps, 3 seeds" in note


def test_labels_and_keys_address_studies(url):
    (both, _), notes = chosen(url, "both", "sarsa")
    assert (both.label, len(both.options["doses"]), notes) == ("both", 2, ())
    (again, _), _ = chosen(url, both.key[:10], "sarsa")
    assert again == both
    assert mohs.load_verdict("both", store=url).label == "both"


def test_a_label_makes_another_study_of_the_same_cells(url):
    with open_store(url, create=False) as store:
        plain, twin = (
            next(
                s
                for s in store.studies()
                if s.label == label and s.options["budget"] == 200 and s.agents == ("q_learning",)
            )
            for label in ("", "twin")
        )
        assert plain.key != twin.key
        assert store.runs(plain.key) == store.runs(twin.key)
    with pytest.raises(UsageError, match=r"cannot be compared with itself: .* are the same runs of q_learning"):
        mohs.compare(plain.key, "twin", store=url)


def test_errors_are_one_sentence(url):
    with pytest.raises(UsageError, match=r"'sarsa' is named twice: name two studies by label or key"):
        chosen(url, "sarsa", "sarsa")
    with pytest.raises(UsageError, match=r"not all have the same task and budget: sarsa is .*200 steps.*400 steps"):
        chosen(url, "sarsa", "random")
    with open_store(url, create=False) as store:
        key = next(s.key for s in store.studies() if s.label == "both")
    with pytest.raises(UsageError, match="cannot be compared with itself: 'both' and"):
        chosen(url, "both", key)
    with pytest.raises(UsageError, match="Did you mean 'twin'"):
        chosen(url, "sarsa", "twinn")


@pytest.fixture
def run(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(*words):
        with pytest.raises(SystemExit) as stop:
            main(list(words))
        shown = capsys.readouterr()
        return stop.value.code or 0, shown.out, shown.err

    return run


SMALL = ["--dials", "delay", "--seeds", "3", "--workers", "0", "--keep-going"]


def test_exit_codes_for_ci(run):
    for agent in ("random", "q_learning", "sarsa"):
        assert run("diagnose", agent, *SMALL, "--budget", "4000")[0] == 0
    code, out, err = run("compare", "random", "q_learning", "sarsa", "--fail-if-worse")
    assert (code, "random is worse than q_learning and sarsa" in err) == (1, True)
    assert "Agents by mean rank" in out
    assert max(map(len, out.splitlines()[-9:-1])) <= 80
    code, _, err = run("compare", "q_learning", "random", "--fail-if-worse")
    assert (code, "q_learning is not certainly worse." in err) == (0, True)
    assert run("compare", "random", "q_learning", "--fail-if-worse", "--margin", "0.9")[0] == 0
    assert run("compare", "random", "q_learning")[0] == 0
    for words, message in (
        (["random"], "two studies or more"),
        (["random", "q_learning", "--margin", "0.1"], "give both"),
        (["random", "q_learning", "--fail-if-worse", "--margin", "-1"], "margin is -1"),
        (["random", "random"], "cannot be compared with itself"),
    ):
        code, _, err = run("compare", *words)
        assert (code, message in err, len(err.splitlines())) == (2, True, 1)


def test_an_edited_agent_keeps_its_earlier_report(run, tmp_path):
    (tmp_path / "mine.py").write_text(AGENT)
    diagnose = ("diagnose", "mine.py:make", *SMALL, "--budget", "200")
    assert run(*diagnose, "--label", "before")[0] == 0
    (tmp_path / "mine.py").write_text(AGENT.replace("Agent(env, 0)", "Agent(env, 1)"))
    assert run(*diagnose, "--label", "after")[0] == 0
    assert run(*diagnose)[0] == 0
    assert run(*diagnose, "--seeds", "2")[0] == 0
    reports = sorted(path.name for path in Path("mohs-report").iterdir() if path.is_dir())
    assert len(reports) == 4
    assert sum("before" in name for name in reports) == 1
    code, out, _ = run("status")
    assert code == 0
    for word in ("label before", "toy/discrete", "3×200", "2×200", "mine.py:make"):
        assert word in out
    assert max(map(len, out.splitlines())) <= 80
    assert len(set(re.findall(r"version (\w{8})", out))) == 2
    studies = json.loads(run("status", "--json")[1])
    assert [s["label"] for s in studies] == ["before", "after", "", ""]
    assert studies[0]["versions"] != studies[1]["versions"]
    assert studies[0]["envs"] == ["toy/discrete"]
    assert run("compare", "before", "after")[0] == 0
    assert run("report", "before")[0] == 0
    assert sum("before" in path.name for path in Path("mohs-report").iterdir()) == 2  # and the comparison
    code, _, err = run(*diagnose, "--label", "two\nlines")
    assert (code, "label is 'two\\nlines', but must be a line" in err) == (2, True)


def test_an_environment_that_a_script_registered_is_named_with_what_to_do(run, tmp_path):
    script = """
import gymnasium, mohs
from gymnasium.envs.toy_text import FrozenLakeEnv
gymnasium.register("Mine-v0", entry_point=FrozenLakeEnv, max_episode_steps=20)
mohs.diagnose("random", "Mine-v0", dials=["delay"], seeds=1, budget=200, workers=0, progress="silent", keep_going=True)
"""
    subprocess.run([sys.executable, "-c", script], check=True, cwd=tmp_path, capture_output=True)
    code, _, err = run("report")
    assert code == 2
    assert "ran on 'Mine-v0', which this process does not know; if a script registered it" in err
    assert "mohs.load_verdict(" in err
    assert len(err.splitlines()) == 1
