"""Tables in a terminal are never wider than it, and lose nothing."""

from __future__ import annotations

import pytest

from mohs.report.terminal import PLAIN_WIDTH, show_entries, show_table

WIDE = [("a", "0.361 [0.340, 0.382]", "a sentence that is long enough to be wrapped once or twice in eighty columns")]


def printed(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return [line.rstrip() for line in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize("columns", [1, 3, 8, 12])
def test_tables_fit_and_say_everything(columns: int, capsys: pytest.CaptureFixture[str]) -> None:
    heads = [f"head{i}" for i in range(columns)]
    row = [f"0.{i}61 [0.{i}40, 0.{i}82]" for i in range(columns)]
    show_table("A title", heads, [row, row])
    lines = printed(capsys)
    assert max(map(len, lines)) <= PLAIN_WIDTH
    words = " ".join(lines).split()
    assert all(words.count(word) == 2 for cell in row for word in cell.split()), "no word is broken or lost"


def test_a_list_is_cut_to_one_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    show_table("A title", ("name", "value", "text"), WIDE, cut=True)
    lines = printed(capsys)
    assert len(lines) == 3
    assert max(map(len, lines)) == PLAIN_WIDTH
    assert lines[-1].endswith("…")
    assert "0.361 [0.340, 0.382]" in lines[-1]


def test_entries_are_wrapped(capsys: pytest.CaptureFixture[str]) -> None:
    show_entries("A title", [("delay = 0", "word " * 40)])
    assert max(map(len, printed(capsys))) <= PLAIN_WIDTH
