"""Does the experiment that was moved from MDP Playground run, and show what it says?"""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "from_mdp_playground.py"


def test_the_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    found = runpy.run_path(str(EXAMPLE))
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    table = {int(row[0]): [float(word) for word in row[1:]] for row in rows[1:6]}
    assert list(table) == list(found["DELAYS"])
    for delay, (learnt, optimal, chance) in table.items():
        assert optimal == 100 - delay
        assert chance < learnt <= optimal
    assert table[0][0] > 80
    assert table[8][0] < table[0][0] / 2
