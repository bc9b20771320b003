"""A run that is killed or interrupted at any moment resumes to the same bytes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import fake_learner
import pytest

from mohs.core.errors import StoreError
from mohs.runs.execute import execute
from mohs.runs.execution import Execution
from mohs.runs.export import export_csv
from mohs.runs.status import StudyStatus, status
from mohs.runs.store import open_store

PLAN = {"seeds": 4, "delays": 1, "sleep": 0.006}  # more than a second for each pack


def coordinator(url: str, workers: int, **params: object) -> subprocess.Popen[str]:
    command = [sys.executable, fake_learner.__file__, url, str(workers), json.dumps({**PLAN, **params})]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for(url: str, process: subprocess.Popen[str], reached: Callable[[StudyStatus], bool]) -> None:
    """Until the study of a run has got so far in the store."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        assert process.poll() is None, process.communicate()
        with suppress(StoreError), open_store(url, create=False) as store:  # there may be none yet
            if any(map(reached, status(store))):
                return
        time.sleep(0.02)
    raise AssertionError("the run does not get on")


def wait_for_checkpoint(url: str, process: subprocess.Popen[str]) -> None:
    wait_for(url, process, lambda study: study.steps_saved > 0)


def export(url: str, path: Path) -> bytes:
    with open_store(url, create=False) as store:
        export_csv(store, path)
    return path.read_bytes()


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The export of an uninterrupted run. Sleep is part of the cells, so it is the same plan."""
    folder = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patch, open_store(f"sqlite:///{folder}/whole.db") as store:
        patch.setattr(time, "sleep", lambda seconds: None)
        execute(fake_learner.plan(**PLAN), store, Execution(workers=0, progress="silent"), factory=fake_learner.FACTORY)  # type: ignore[arg-type]
    return export(f"sqlite:///{folder}/whole.db", folder / "whole.csv")


def children(pid: int) -> list[int]:
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True)
    return [int(word) for word in found.stdout.split()]


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize("workers", [0, 2])
def test_a_killed_run_resumes_to_the_same_bytes(tmp_path: Path, workers: int, expected: bytes) -> None:
    url = f"sqlite:///{tmp_path}/store.db"
    process = coordinator(url, workers)
    wait_for_checkpoint(url, process)
    orphans = children(process.pid)
    assert len(orphans) == workers
    process.kill()
    process.communicate()
    with open_store(url) as store:
        before = status(store)[0]
        assert 0 < before.steps_saved + before.steps_done < before.steps
        settings = Execution(workers=1, pack_size=3, progress="silent")
        summary = execute(fake_learner.plan(**PLAN), store, settings, factory=fake_learner.FACTORY)  # type: ignore[arg-type]
    assert summary.done == 4
    assert summary.steps == before.steps - before.steps_saved - before.steps_done
    assert export(url, tmp_path / "out.csv") == expected
    deadline = time.monotonic() + 5
    while any(map(alive, orphans)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(alive, orphans))


@pytest.mark.parametrize(("workers", "number"), [(0, signal.SIGINT), (2, signal.SIGINT), (1, signal.SIGTERM)])
def test_an_interrupted_run_stops_cleanly_and_resumes(
    tmp_path: Path, workers: int, number: signal.Signals, expected: bytes
) -> None:
    url = f"sqlite:///{tmp_path}/store.db"
    process = coordinator(url, workers)
    wait_for_checkpoint(url, process)
    for pid in (process.pid, *children(process.pid)):  # as a terminal does
        os.kill(pid, number)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 0, err
    assert "Traceback" not in err
    assert json.loads(out) == {"interrupted": True, "done": 0, "failed": 0}
    again = coordinator(url, 2)
    out, err = again.communicate(timeout=30)
    assert json.loads(out) == {"interrupted": False, "done": 4, "failed": 0}
    assert export(url, tmp_path / "out.csv") == expected


def test_a_second_ctrl_c_quits_at_once(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/store.db"
    begun = tmp_path / "begun"
    process = coordinator(url, 1, sleep=8, mark=str(begun))  # a step that lasts
    wait_for(url, process, lambda study: begun.exists())
    process.send_signal(signal.SIGINT)
    time.sleep(0.5)
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    assert time.monotonic() - began < 2
    assert process.returncode != 0
    with open_store(url, create=False) as store, store.sole_writer():
        assert status(store)[0].pending == 4


def test_a_killed_worker_is_replaced(tmp_path: Path, expected: bytes) -> None:
    url = f"sqlite:///{tmp_path}/store.db"
    process = coordinator(url, 1)
    wait_for_checkpoint(url, process)
    for pid in children(process.pid):
        os.kill(pid, signal.SIGKILL)
    out, err = process.communicate(timeout=30)
    assert json.loads(out) == {"interrupted": False, "done": 4, "failed": 0}, err
    assert export(url, tmp_path / "out.csv") == expected


def test_a_second_run_on_the_same_store_is_refused(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/store.db"
    process = coordinator(url, 0)
    wait_for_checkpoint(url, process)
    other = coordinator(url, 0)
    _, err = other.communicate(timeout=20)
    assert f"in use by another run (process {process.pid})" in err
    assert other.returncode != 0
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
