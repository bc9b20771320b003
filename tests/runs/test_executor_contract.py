"""Local processes, the caller's own process and a cluster that loses machines satisfy the contract of executors."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from executor_contract import ExecutorContract, Make, ended, listen, started, work
from fake_learner import FACTORY, cell, plan

from mohs.core.errors import MohsError
from mohs.runs.execute import FALSE_STARTS, LOSSES, Summary, execute
from mohs.runs.execution import Execution
from mohs.runs.plan import Plan
from mohs.runs.progress import Silent
from mohs.runs.status import failures
from mohs.runs.store import open_store
from mohs.runs.workers.executor import Report, Stop, Work
from mohs.runs.workers.in_process import InProcess, InProcessWorker
from mohs.runs.workers.local import LocalProcesses


class TestLocalProcesses(ExecutorContract):
    @pytest.fixture
    def make(self) -> Make:
        return lambda: LocalProcesses(2)

    def test_a_worker_that_dies_says_how(self) -> None:
        executor = LocalProcesses(1)
        worker = started(executor)
        assert worker.send(work([cell(0, deadly_seed=0)]))
        assert listen(executor, worker, ended)[1] is False
        assert not worker.lost
        assert worker.epitaph().startswith("worker died: the process was ended by signal SIGKILL.")
        executor.close()
        assert not worker.send(Stop())


class TestInProcess(ExecutorContract):
    @pytest.fixture
    def make(self) -> Make:
        return InProcess


class ClusterWorker:
    """Trains in this process, on a machine that is lost after some reports."""

    ready, overdue, place = True, False, "machine 7"

    def __init__(self, inner: InProcessWorker, reports: float) -> None:
        self.inner, self.left, self.lost = inner, reports, False

    def send(self, message: Work | Stop) -> bool:
        return self.inner.send(message)

    def reports(self) -> tuple[list[Report], bool]:
        self.left -= 1
        self.lost = self.left < 0
        return ([], False) if self.lost else self.inner.reports()

    def epitaph(self) -> str:
        return "worker died: machine 7 is lost."

    def kill(self) -> None:
        self.inner.kill()


class Cluster:
    """An executor whose first workers are lost after so many reports each, and the later ones after `last`."""

    shares_process = False

    def __init__(self, *first: int, last: float = float("inf")) -> None:
        self.inner, self.first, self.last, self.started = InProcess(), list(first), last, 0

    def room(self) -> int:
        return 1

    def start(self) -> ClusterWorker:
        self.started += 1
        return ClusterWorker(self.inner.start(), self.first.pop(0) if self.first else self.last)

    def heard(self, workers: Sequence[ClusterWorker], seconds: float) -> list[ClusterWorker]:
        return [worker for worker in workers if worker.inner.busy]

    def close(self) -> None:
        self.inner.close()


class TestCluster(ExecutorContract):
    @pytest.fixture
    def make(self) -> Make:
        return Cluster


class StillbornWorker(ClusterWorker):
    """Dies before it is ready."""

    ready = False

    def reports(self) -> tuple[list[Report], bool]:
        return [], False


class Stillborn(Cluster):
    def start(self) -> ClusterWorker:
        self.started += 1
        return StillbornWorker(self.inner.start(), 0)

    def heard(self, workers: Sequence[ClusterWorker], seconds: float) -> list[ClusterWorker]:
        return list(workers)


class Notes(Silent):
    def __init__(self) -> None:
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        self.notes.append(text)


def run(made: Plan, cluster: Cluster, folder: Path, shown: Notes) -> tuple[Summary, set[str]]:
    """How a run ended, and why cells failed."""
    with open_store(f"sqlite:///{folder}/store.db") as store:
        settings = Execution(pack_size=3, progress=shown)
        summary = execute(made, store, settings, executor=cluster, factory=FACTORY, checkpoint_seconds=0, chunk=10)
        return summary, {failure.reason for failure in failures(store, made.key)}


def test_a_run_that_loses_machines_has_the_same_bytes(tmp_path: Path) -> None:
    contract = ExecutorContract()
    contract.test_a_run_has_the_same_bytes_as_any_other(lambda: Cluster(0, 2, 1, 0), tmp_path)


def test_cells_are_not_blamed_for_machines_that_are_lost(tmp_path: Path) -> None:
    cluster, shown = Cluster(*[3] * LOSSES), Notes()
    summary, why = run(plan(3, 1, sleep=0.001), cluster, tmp_path, shown)
    assert (summary.done, summary.failed, summary.steps, why) == (3, 0, 600, set())
    assert cluster.started == LOSSES + 1
    assert shown.notes == ["machine 7: worker died: machine 7 is lost."] * LOSSES


def test_a_pack_that_loses_every_machine_fails_in_the_end(tmp_path: Path) -> None:
    cluster = Cluster(last=0)
    summary, why = run(plan(3, 1), cluster, tmp_path, Notes())
    assert (summary.done, summary.failed) == (0, 3)
    assert why == {"worker died: machine 7 is lost."}
    assert cluster.started == LOSSES + 2 + 3


def test_workers_that_die_before_they_are_ready_end_the_run(tmp_path: Path) -> None:
    cluster = Stillborn()
    with pytest.raises(MohsError, match=r"workers cannot be started \(worker died"):
        run(plan(3, 1), cluster, tmp_path, Notes())
    assert cluster.started == FALSE_STARTS
