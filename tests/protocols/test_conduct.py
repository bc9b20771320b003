"""Is the call from Python the same diagnosis as the command?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import mohs
from mohs.cli import main


def test_the_call_and_the_command_find_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    task = mohs.Task.make("toy/discrete", action_space_size=6)
    found = mohs.diagnose(
        "q_learning", task, dials=["delay"], seeds=3, budget=1000, store=f"sqlite:///{tmp_path}/call.db", workers=0
    )
    words = ["diagnose", "q_learning", "--param", "action_space_size=6", "--dials", "delay", "--seeds", "3", "--json"]
    with pytest.raises(SystemExit) as ended:
        main([*words, "--budget", "1000", "--store", f"sqlite:///{tmp_path}/command.db", "--out", str(tmp_path)])
    assert ended.value.code == 0
    printed = json.loads(capsys.readouterr().out)
    del printed["report"]
    assert printed == json.loads((mohs.write_report(found, tmp_path).parent / "verdict.json").read_text())


def test_what_the_store_holds_is_not_run_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for steps in ("500", "0"):
        mohs.diagnose(
            "random", doses={"delay": [0, 1]}, dials=["delay"], seeds=1, budget=250, workers=0, progress="plain",
            store=f"sqlite:///{tmp_path}/store.db",
        )  # fmt: skip
        assert f"{steps} steps to go" in capsys.readouterr().err
