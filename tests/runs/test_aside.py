"""Code of users that crashes or hangs before a run costs one sentence, and never the coordinator."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mohs.cli import main
from mohs.runs.workers import aside

MAKERS = """
import ctypes, os, time

class Agent:
    def __init__(self, trouble): self.trouble = trouble
    def train(self, env, steps): self.trouble()
    def act(self, observation, memory, deterministic): return 0, memory

def calm(env, seed): return Agent(lambda: None)
def leaves(env, seed): os._exit(0)
def crashes(env, seed): ctypes.string_at(0)
def computes(env, seed):
    while True: pass
def hangs(env, seed): time.sleep(1e6)
def leaves_later(env, seed): return Agent(lambda: os._exit(0))
def hangs_later(env, seed): return Agent(lambda: time.sleep(1e6))
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(aside, "SECONDS", 4.0)
    (tmp_path / "mine.py").write_text(MAKERS)
    return tmp_path


def diagnose(agent: str, *words: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["diagnose", f"mine.py:{agent}", "--dials", "delay", "--seeds", "1", "--budget", "300", *words])
    return int(ended.value.code or 0)


@pytest.mark.parametrize(
    ("agent", "sentence"),
    [
        ("leaves", "the process exited with code 0"),
        ("crashes", "the process was ended by signal SIGSEGV"),
        ("hangs", "had not reported for"),
        ("computes", "it did not answer for 12 s"),
    ],
)
def test_an_agent_that_cannot_be_made_costs_one_sentence(
    place: Path, capsys: pytest.CaptureFixture[str], agent: str, sentence: str
) -> None:
    assert diagnose(agent) == 2
    said = capsys.readouterr().err
    assert said.splitlines()[-1].startswith("mohs: mine.py:" + agent)
    assert sentence in said.splitlines()[-1]
    assert said.count("\n") == 1 or "Segmentation fault" in said, "where it crashed stands before"
    assert not (place / "mohs.db").exists()


@pytest.mark.parametrize(
    ("agent", "sentence"), [("leaves_later", "exited with code 0"), ("hangs_later", "had not reported for")]
)
def test_a_trial_of_the_cost_that_misbehaves_is_reported(
    place: Path, capsys: pytest.CaptureFixture[str], agent: str, sentence: str
) -> None:
    assert diagnose(agent, "--dry-run", "--json") == 1
    shown = capsys.readouterr()
    assert sentence in shown.err
    planned = json.loads(shown.out)
    assert planned["broken"] > 0
    assert sentence in planned["reason"]
