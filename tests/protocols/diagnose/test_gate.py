"""Vanilla runs first. A diagnosis goes on where it is learnt, and says what would help where it is not."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mohs
from mohs.cli import main
from mohs.protocols.conduct import load_verdict
from mohs.protocols.diagnose.gate import advised_budget, rises
from mohs.protocols.diagnose.study import VANILLA

QUICK = {"dials": ["delay"], "doses": {"delay": [0, 4]}, "workers": 0, "progress": "silent"}


def diagnosed(agent: str, tmp_path: Path, **options: Any) -> Any:
    return mohs.diagnose(agent, store=f"sqlite:///{tmp_path}/store.db", **{**QUICK, **options})


def curves(tmp_path: Path) -> dict[tuple[str, str], tuple[bytes, bytes]]:
    with sqlite3.connect(tmp_path / "store.db") as db:
        return {(cell, metric): (x, y) for cell, metric, x, y in db.execute("SELECT * FROM mohs_curve")}


def test_a_policy_that_never_learns_stops_and_is_not_sent_after_more_steps(tmp_path: Path) -> None:
    with pytest.warns(RuntimeWarning, match="Vanilla is not learnt: 0.00 of the optimum after 2,000 steps"):
        found = diagnosed("random", tmp_path, seeds=4, budget=2000)
    assert found.stopped is not None
    assert found.missing == 4
    assert found.data()["stopped"]["advised_budget"] is None
    assert "--budget" not in found.sentences[-1]
    assert "unlikely to help" in found.sentences[-1]
    assert "The other 4 runs were left out; --keep-going runs them" in found.sentences[-1]
    assert load_verdict("random", store=f"sqlite:///{tmp_path}/store.db").data() == found.data()
    assert found.sentences[-1] in found.page().body


def test_a_learner_with_too_few_steps_is_told_how_many_would_do_and_they_do(tmp_path: Path) -> None:
    with pytest.warns(RuntimeWarning, match="still rises: try --budget"):
        found = diagnosed("q_learning", tmp_path, seeds=10, budget=1000)
    advised = found.stopped.data["advised_budget"]
    assert 2000 <= advised <= 20_000
    again = diagnosed("q_learning", tmp_path, seeds=10, budget=advised)
    assert again.stopped is None
    assert again.vanilla.means["normalised_auc"].low > 0.25


@pytest.mark.parametrize(("agent", "seeds"), [("optimal", 3), ("random", 2), ("q_learning", 1)])
def test_what_is_learnt_and_what_is_too_few_go_on(agent: str, seeds: int, tmp_path: Path) -> None:
    found = diagnosed(agent, tmp_path, seeds=seeds, budget=1000)
    assert found.stopped is None
    assert found.missing == 0
    assert "not learnt" not in " ".join(found.sentences)


def test_the_rest_runs_when_it_is_told_to_and_nothing_but_the_order_changes(tmp_path: Path) -> None:
    stopped, whole = tmp_path / "stopped", tmp_path / "whole"
    for place in (stopped, whole):
        place.mkdir()
    with pytest.warns(RuntimeWarning, match="not learnt"):
        diagnosed("random", stopped, seeds=3, budget=800)
    before = curves(stopped)
    resumed = diagnosed("random", stopped, seeds=3, budget=800, keep_going=True)
    at_once = diagnosed("random", whole, seeds=3, budget=800, keep_going=True)
    assert curves(stopped) == curves(whole)
    assert before.items() < curves(whole).items()
    assert resumed.missing == 0
    assert resumed.stopped is None
    assert resumed.sentences == at_once.sentences
    assert "Vanilla is not learnt" in resumed.sentences[-1]


def test_the_random_policy_runs_first_where_it_is_the_reference(tmp_path: Path) -> None:
    with pytest.warns(RuntimeWarning, match="no certain lead over the random policy"):
        found = diagnosed("random", tmp_path, env="CartPole-v1", seeds=4, budget=600)
    assert found.scale.random.n == 4
    assert found.missing == 4
    assert found.stopped.data["advised_budget"] is None


def test_the_command_says_that_it_stopped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["diagnose", "random", "--dials", "delay", "--seeds", "3", "--budget", "800", "--json", "--workers", "0"]
    words += ["--store", f"sqlite:///{tmp_path}/store.db", "--out", str(tmp_path / "out")]
    codes = []
    for more in ([], ["--keep-going"]):
        with pytest.raises(SystemExit) as ended:
            main([*words, *more])
        codes.append((ended.value.code, "stopped" in json.loads(capsys.readouterr().out)))
    assert codes == [(3, True), (0, False)]


def test_only_protocols_with_a_gate_can_keep_going(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["run", "delay", "--keep-going"])
    assert ended.value.code == 2


def test_a_line_is_continued_to_the_budget_at_which_it_averages_the_target() -> None:
    rng = np.random.default_rng(0)
    rising = np.linspace(0, 0.1, 50) + 0.005 * rng.standard_normal((5, 50))
    assert rises(rising)
    # 0.1 after 1,000 steps: a mean of .4 after 8,000, and of .8 after 16,000 were it not bounded.
    assert advised_budget(rising, 1000, 0.4, bounded=True) == 10_000
    assert advised_budget(rising, 1000, 0.8, bounded=False) == 20_000
    assert advised_budget(rising, 1000, 0.8, bounded=True) == 50_000
    square = np.linspace(0, 1, 50) ** 2 * 0.03 + 0.0005 * rng.standard_normal((5, 50))
    assert advised_budget(square, 1000, 0.25, bounded=True) == 5000  # 0.01 (t / 1,000)²
    flat = 0.05 + 0.02 * rng.standard_normal((5, 50))
    assert rises(flat) is False
    assert advised_budget(flat, 1000, 0.5, bounded=True) is None
    slow = np.linspace(0, 0.001, 50) + 0.00001 * rng.standard_normal((5, 50))
    assert rises(slow)
    assert advised_budget(slow, 1000, 0.5, bounded=True) is None
    assert rises(rising[:, :3]) is None


def test_the_gate_names_tracks_of_the_plan(tmp_path: Path) -> None:
    from mohs.agents.registry import agent
    from mohs.protocols.diagnose.gate import gate
    from mohs.protocols.diagnose.study import DiagnosisStudy, plan

    for env in ("toy/discrete", "CartPole-v1"):
        study = DiagnosisStudy.make(agent("random"), env=env, dials=["delay"], seeds=2, budget=500)
        tracks = set(plan(study).tracks)
        first = set(gate(study).stages[0]) & tracks
        assert {track.point for track in first} == {VANILLA}
        assert len(first) == (2 if env == "CartPole-v1" else 1)
