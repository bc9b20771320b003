"""What a store holds is shown as text: no markup on a page, no escape sequence at a terminal; errors are a sentence."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import sys
from contextlib import closing
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import mohs
from mohs.cli import main
from mohs.core.printing import printable

STORE = "sqlite:///mohs.db"
EVIL = "\x1b]0;x\x07\x1b[2J\x9b31m<img src=x onerror=alert(1)>\"'</script>\u202e[bold]"


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store whose names, labels, errors and metrics are hostile; it is in the working directory."""
    monkeypatch.chdir(tmp_path)
    mohs.diagnose("random", dials=["delay"], seeds=2, budget=300, workers=0, progress="silent", store=STORE)
    with closing(sqlite3.connect("mohs.db")) as db, db:
        db.execute("drop table mohs_seal")
        db.execute("update mohs_meta set value = '1' where name = 'schema'")
        (text,) = db.execute("select options from mohs_study").fetchone()
        data = json.loads(text.replace('"random"', json.dumps(EVIL)))
        data["label"] = EVIL
        db.execute("update mohs_study set name = ?, options = ?", (EVIL, json.dumps(data)))
        (key,) = db.execute("select key from mohs_cell limit 1").fetchone()
        db.execute("update mohs_cell set status = 'failed', error = ? where key = ?", (f"Error: {EVIL}", key))
        db.execute("delete from mohs_curve where cell = ?", (key,))
    return tmp_path


class Markup(HTMLParser):
    """Collects what a browser would run or load."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[Any] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [(tag, name) for name, _ in attrs if name.startswith("on") or (tag == "img" and name == "src")]


@pytest.mark.parametrize("line", [["status"], ["report", "--out", "out"], ["status", "--json"], ["export", "--json"]])
def test_nothing_that_a_terminal_obeys_is_printed(
    store: Path, line: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main([*line, "--store", STORE])
    shown = "".join(capsys.readouterr())
    assert shown
    assert re.findall("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", shown) == []


def test_a_page_shows_names_as_text(store: Path) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["report", "--store", STORE, "--out", "out"])
    assert ended.value.code == 0
    markup = Markup()
    markup.feed((store / "out" / "report.html").read_text())
    assert markup.found == []


def test_text_is_kept_and_what_is_none_is_replaced() -> None:
    kept = "Überraschung – 5 × 10³\n\tα → β, 日本語 \N{COMBINING ACUTE ACCENT}"
    assert printable(kept) == kept
    assert printable("a\x1b[31mb\x07\x9bc\u202ed\ud800\r") == "a�[31mb��c�d��"
    assert str(mohs.UsageError("a\x1b[2Jb")) == "a�[2Jb"


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """`mohs status` raises what it is told to."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("MOHS_DEBUG", raising=False)

    def breaks(error: BaseException) -> None:
        def raises(*args: Any, **given: Any) -> None:
            raise error

        monkeypatch.setattr("mohs.runs.store.open_store", raises)

    return breaks


@pytest.mark.parametrize("error", [TypeError("no\nsecond line"), KeyError("x"), RecursionError(), ZeroDivisionError()])
def test_what_nobody_expected_is_a_log_file_and_a_sentence(
    broken: Any, tmp_path: Path, error: Exception, capsys: pytest.CaptureFixture[str]
) -> None:
    broken(error)
    with pytest.raises(SystemExit) as ended:
        main(["status", "--store", "postgresql://me:secret@host/x"])
    assert ended.value.code == 1
    shown = capsys.readouterr().err
    assert shown.count("\n") == 1
    assert "Traceback" not in shown
    (log,) = (tmp_path / "cache" / "mohs" / "errors").iterdir()
    assert str(log) in shown
    assert log.stat().st_mode & 0o777 == 0o600
    assert type(error).__name__ in log.read_text()
    assert "secret" not in log.read_text()


def test_too_little_memory_is_a_sentence(broken: Any, capsys: pytest.CaptureFixture[str]) -> None:
    broken(MemoryError())
    with pytest.raises(SystemExit) as ended:
        main(["status"])
    assert ended.value.code == 1
    assert "not enough memory" in capsys.readouterr().err


def test_a_traceback_is_shown_to_who_asks_for_it(broken: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    broken(ZeroDivisionError("here"))
    monkeypatch.setenv("MOHS_DEBUG", "1")
    with pytest.raises(ZeroDivisionError, match="here"):
        main(["status"])


def test_without_a_place_for_the_log_there_is_still_a_sentence(
    broken: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    broken(ZeroDivisionError("division by zero"))
    with pytest.raises(SystemExit) as ended:
        main(["status"])
    assert ended.value.code == 1
    assert "ZeroDivisionError" in capsys.readouterr().err
    assert os.listdir(tmp_path) == ["file"]
    assert sys.exc_info() == (None, None, None)
