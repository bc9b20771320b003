"""Does a protocol get everything from its record? A command, resuming, JSON, CSV, a page, status, export, a call."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import mohs
from mohs.cli import main

sys.path.insert(0, str(Path(__file__).parent))
import sixth_protocol

from mohs.protocols import protocol

MOST_LINES = 150
WORDS = ["sweep", "q_learning", "delay", "0,2", "--seeds", "3", "--budget", "600", "--workers", "0"]


@pytest.fixture(autouse=True)
def registered(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(protocol, "_REGISTERED", {})
    mohs.register_protocol(sixth_protocol.PROTOCOL)


def run(capsys, *words):
    with pytest.raises(SystemExit) as ended:
        main(list(words))
    return ended.value.code, capsys.readouterr().out


def test_it_is_one_short_file():
    assert len(Path(sixth_protocol.__file__).read_text().splitlines()) <= MOST_LINES


def test_the_command_plans_runs_resumes_and_reports(capsys):
    code, out = run(capsys, *WORDS, "--dry-run", "--json")
    assert (code, json.loads(out)["cells"]) == (0, 6)
    assert not Path("mohs.db").exists()
    code, out = run(capsys, *WORDS, "--json", "--out", "report")
    first = json.loads(out)
    assert (code, first["missing"], first["mean"]["delay=0"]["n"]) == (0, 0, 3)
    assert {path.name for path in Path("report").iterdir()} == {"report.html", "verdict.json", "frame.csv", "means.csv"}
    assert 'data-figure="evaluation"' in Path("report/report.html").read_text()
    code, out = run(capsys, *WORDS, "--dry-run", "--json")  # everything is done
    assert (code, json.loads(out)["cells"]) == (0, 0)
    code, out = run(capsys, *WORDS, "--out", "report")
    assert (code, "q_learning is best at" in out) == (0, True)


def test_what_is_stored_is_shown_reported_and_exported(capsys):
    assert run(capsys, *WORDS, "--json")[0] == 0
    (listed,) = json.loads(run(capsys, "status", "--json")[1])
    assert (listed["protocol"], listed["name"], listed["done"]) == ("sweep", "q_learning over delay", 6)
    assert json.loads(run(capsys, "report", "--json")[1])["missing"] == 0
    assert run(capsys, "export", "--csv", "rows.csv")[0] == 0
    assert Path("rows.csv").read_text().startswith("cell,task,agent,seed,metric,step,value")


def test_python_runs_it_and_the_verdict_offers_the_same_as_all_others(tmp_path):
    study = sixth_protocol.SweepStudy(mohs.Agent.make("random"), "toy/discrete", "delay", (0, 2), 3, 300)
    verdict = mohs.run(study, workers=0, progress="silent", store=f"sqlite:///{tmp_path}/call.db")
    assert len(verdict.frame()) == 6
    assert list(verdict.figures()) == ["evaluation"]
    assert verdict.sentences[0].startswith("random is best at")
    assert mohs.write_report(verdict, tmp_path / "out").is_file()
    assert "<table>" in verdict._repr_html_()
