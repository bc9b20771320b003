"""Only the cell that misbehaves fails, with its reason; the others finish, and no process is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from executor_contract import ended, listen, started, work
from fake_learner import FACTORY, cell, plan
from test_interruptions import alive, children, coordinator, wait_for_checkpoint

from mohs.core.errors import UsageError
from mohs.runs.execute import Summary, execute
from mohs.runs.execution import Execution
from mohs.runs.plan import Plan
from mohs.runs.progress import Silent
from mohs.runs.status import Failure, failures
from mohs.runs.store import open_store
from mohs.runs.workers import processes
from mohs.runs.workers.local import LocalProcesses
from mohs.runs.workers.watch import Limits, Watch

SHORT = Limits(mention=2, idle=4)  # a process on a busy machine may take seconds to start


class Notes(Silent):
    def __init__(self) -> None:
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        self.notes.append(text)


def run(made: Plan, folder: Path, limits: Limits, shown: Notes, count: int = 2) -> tuple[Summary, list[Failure]]:
    executor = LocalProcesses(count, limits)
    with open_store(f"sqlite:///{folder}/store.db") as store:
        settings = Execution(pack_size=2, progress=shown)
        summary = execute(made, store, settings, executor=executor, factory=FACTORY)
        executor.close()
        return summary, failures(store, made.key)


@pytest.mark.parametrize(
    ("name", "limits", "reason"),
    [
        ("asleep_seed", SHORT, "had not reported for"),
        ("endless_seed", Limits(cell_seconds=3.0), "took longer than 3 s (cell_timeout)."),
        ("endless_seed", Limits(silent=6), "had not reported for"),
        ("leaky_seed", Limits(memory=600_000_000), "more than the 0.6 GB of worker_memory."),
        ("leaving_seed", Limits(), "worker died: the process exited with code 0."),
        ("crashing_seed", Limits(), "worker died: the process was ended by signal SIGSEGV."),
        ("infinite_seed", Limits(), "not finite: train/return at step 200."),
    ],
)
def test_only_the_culprit_fails(tmp_path: Path, name: str, limits: Limits, reason: str) -> None:
    made, shown = plan(4, 1, **{name: 1}), Notes()
    summary, failed = run(made, tmp_path, limits, shown)
    assert (summary.done, summary.failed) == (3, 1)
    assert failed[0].cell == made.cells[1].key
    assert reason in failed[0].reason
    if name != "infinite_seed":
        assert any(reason in note or "took longer" in note for note in shown.notes), "every lost worker is mentioned"
    if name == "crashing_seed":
        assert "string_at" in failed[0].error, "where it crashed"


def test_a_silent_worker_is_mentioned_before_it_is_ended(tmp_path: Path) -> None:
    shown = Notes()
    run(plan(1, 1, asleep_seed=0), tmp_path, SHORT, shown, count=1)
    assert "has not reported for" in shown.notes[0]
    assert "it uses no processor time" in shown.notes[0]


def test_a_cell_that_floods_its_output_is_cut_short_and_done(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    shown = Notes()
    summary, _ = run(plan(2, 1, loud_seed=1), tmp_path, Limits(), shown)
    assert summary.done == 2
    assert [note for note in shown.notes if "printed more than" in note]
    out, err = capfd.readouterr()
    assert not out
    assert 1000 < len(err) < 100_000


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="only /proc tells that a process is stopped")
def test_a_stopped_worker_is_not_waited_for(tmp_path: Path) -> None:
    """Also in the middle of a message that is larger than any buffer."""
    executor = LocalProcesses(1, SHORT)
    worker = started(executor)
    os.kill(worker.process.pid, signal.SIGSTOP)  # type: ignore[attr-defined]
    sent = work([cell(0)], {cell(0).key: bytes(20_000_000)})
    began = time.monotonic()
    assert worker.send(sent)
    reports, alive = listen(executor, worker, ended)
    assert not alive
    assert time.monotonic() - began < 40
    assert "its process is stopped" in worker.epitaph()
    assert any("its process is stopped" in str(report) for report in reports)
    executor.close()


def test_time_counts_only_while_somebody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A coordinator that was suspended blames no worker."""
    clock = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    watch = Watch(os.getpid(), Limits(cell_seconds=10))
    watch.begin(["a"])
    for _ in range(4):
        clock[0] += 1000
        watch.look()
    assert not watch.verdict
    for _ in range(4):
        clock[0] += 1
        watch.look()
    assert watch.overdue


def test_a_closed_terminal_leaves_no_workers_behind(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/store.db"
    process = coordinator(url, 2)
    wait_for_checkpoint(url, process)
    workers = children(process.pid)
    for pid in (process.pid, *workers):  # as a terminal does
        os.kill(pid, signal.SIGHUP)
    process.communicate(timeout=20)
    assert len(workers) == 2
    assert not any(map(alive, workers))


def test_a_stopped_worker_ends_with_its_coordinator(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/store.db"
    process = coordinator(url, 1)
    wait_for_checkpoint(url, process)
    (worker,) = children(process.pid)
    os.kill(worker, signal.SIGSTOP)
    process.kill()
    process.communicate()
    deadline = time.monotonic() + 10
    while alive(worker) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not alive(worker)


def test_a_process_ends_with_all_that_it_started() -> None:
    code = "import subprocess, sys; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(1000)']).wait()"
    process = subprocess.Popen([sys.executable, "-c", code])
    deadline = time.monotonic() + 10
    while not (started_by_it := children(process.pid)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert set(processes.family(process.pid)) == {process.pid, *started_by_it}
    processes.end(process.pid)
    process.wait()
    while any(map(alive, started_by_it)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(alive, started_by_it))


def test_a_process_cannot_limit_itself() -> None:
    with pytest.raises(UsageError, match="cell_timeout needs worker processes"):
        Execution(workers=0, cell_timeout=3).check()
    with pytest.raises(UsageError, match="worker_memory is -1"):
        Execution(worker_memory=-1).check()


def test_without_workers_whatever_a_cell_raises_fails_that_cell_only(tmp_path: Path) -> None:
    made = plan(3, 1, raising_seed=1)
    with open_store(f"sqlite:///{tmp_path}/store.db") as store:
        summary = execute(made, store, Execution(workers=0, progress="silent"), factory=FACTORY)
        assert (summary.done, summary.failed, summary.interrupted) == (2, 1, False)
        assert failures(store, made.key)[0].reason == "KeyboardInterrupt: not the user"
