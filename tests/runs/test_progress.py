"""Progress counts cells, steps and failures, and is a live line at a terminal only."""

from __future__ import annotations

import io

import pytest

from mohs.core.errors import UsageError
from mohs.runs import progress
from mohs.runs.progress import Live, Plain, Silent, Tally, choose, clock, short


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_has_a_live_line_and_a_file_plain_ones() -> None:
    assert isinstance(choose("auto", Terminal()), Live)
    assert isinstance(choose("auto", io.StringIO()), Plain)
    assert isinstance(choose("silent"), Silent)
    with pytest.raises(UsageError, match="Did you mean 'plain'"):
        choose("plane")


@pytest.mark.parametrize("stream", [io.StringIO(), Terminal()])
def test_counts_are_shown(stream: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PLAIN_SECONDS", 0)
    shown = choose("auto", stream)
    shown.start(cells=10, done=4, failed=0, steps=600)
    shown.update(done=2, failed=1, steps=200, dropped=100)
    shown.note("a note")
    shown.update(done=3, failed=0, steps=300)
    shown.close()
    text = stream.getvalue()
    assert "9/10 cells" in text
    assert "1 failed" in text
    assert "a note" in text


def test_time_left_is_of_the_steps_that_will_be_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(progress.time, "monotonic", lambda: now)
    tally = Tally(cells=4, done=0, failed=0, steps=1000)
    now = 30.0  # start-up does not count
    tally.add(0, 0, 100, 0)
    assert tally.seconds_left is None
    now = 32.0
    tally.add(1, 1, 200, 300)
    assert tally.rate == 100
    assert tally.seconds_left == 4


def test_numbers_and_times_are_short() -> None:
    assert [short(x) for x in (0, 950, 12_000, 3_400_000, 2e9)] == ["0", "950", "12k", "3.4M", "2G"]
    assert [clock(x) for x in (5, 185, 7800)] == ["5 s", "3:05", "2:10:00"]
