"""The URL of a store: what is refused, and what is never shown."""

from __future__ import annotations

from pathlib import Path

import pytest

import mohs
from mohs.cli import main
from mohs.core.errors import MohsError
from mohs.runs.store import open_store, shown

SECRETS = (
    "postgresql://me:hunter2@127.0.0.1:1/results",
    "postgresql://me:hun?ter2@127.0.0.1:1/results",
    "postgresql://me:hunter2@[/results",
    "postgresql://me:hunter2@host:port/results",
    "postgresql://127.0.0.1:1/results?user=me&password=hunter2&sslpassword=hunter2",
    "mysql://me:hunter2@host/results",
    "me:hunter2@host",
    "sqlite://me:hunter2@host/file.db",
    "postgresql+nodriver://me:hunter2@host/results",
)


@pytest.mark.parametrize("url", SECRETS)
def test_passwords_are_never_shown(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "ter2" not in shown(url)
    for create in (False, True):
        with pytest.raises(MohsError) as caught:
            open_store(url, create=create)
        assert "ter2" not in str(caught.value)
        assert "\n" not in str(caught.value)
    with pytest.raises(SystemExit):
        main(["status", f"--store={url}"])
    assert "ter2" not in "".join(capsys.readouterr())


@pytest.mark.parametrize("url", ["", "sqlite:///", "sqlite://", "sqlite:", "mohs.db", "///", "://"])
def test_a_url_without_a_path_is_refused(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for line in (["status"], ["diagnose", "random", "--workers", "0"], ["report"], ["export", "--csv", "a.csv"]):
        with pytest.raises(SystemExit) as ended:
            main([*line, f"--store={url}"])
        assert ended.value.code == 2
        assert capsys.readouterr().err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("url", ["sqlite:///:memory:", "sqlite:///file:x?mode=memory&uri=true"])
def test_a_store_in_memory_is_for_this_process_alone(url: str) -> None:
    with pytest.raises(mohs.StoreError, match="a database in memory"):
        mohs.diagnose("random", seeds=1, budget=200, workers=1, store=url, progress="silent")
