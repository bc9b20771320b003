"""Local processes, the caller's own process, hosts and a cluster that loses machines satisfy the same contract."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from executor_contract import ExecutorContract, Make, ended, listen, started, work
from fake_learner import FACTORY, cell, plan

from mohs.core.errors import MohsError
from mohs.runs.coordinate import FALSE_STARTS, LOSSES
from mohs.runs.execute import Summary, execute
from mohs.runs.execution import Execution
from mohs.runs.places import Place, this_place
from mohs.runs.plan import Plan
from mohs.runs.progress import Silent
from mohs.runs.status import failures
from mohs.runs.store import open_store
from mohs.runs.workers.executor import Report, Stop, Work
from mohs.runs.workers.host import Commands, Greeting, Host, Said, gpu_of
from mohs.runs.workers.hosts import Hosts, Machine, MachineLostError
from mohs.runs.workers.in_process import InProcess, InProcessWorker
from mohs.runs.workers.local import LocalProcesses
from mohs.runs.workers.watch import UNLIMITED, Limits


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


class InThisProcess:
    """A machine whose host is in this process. It is lost after so many calls."""

    def __init__(self, name: str, calls: float, limits: Limits, place: Place | None = None) -> None:
        self.name, self.left, self.host, self.place = name, calls, Host(limits), place
        self.commands: Commands = []

    def greeting(self) -> Greeting | None:
        return Greeting(self.place or this_place(), 2)

    def call(self, commands: Commands) -> None:
        self.commands = pickle.loads(pickle.dumps(commands))

    def answer(self) -> Mapping[int, Said]:
        self.left -= 1
        if self.left < 0:
            self.close()
            raise MachineLostError(f"{self.name} cannot be reached")
        said: Mapping[int, Said] = pickle.loads(pickle.dumps(self.host.exchange(self.commands, 0.05)))
        return said

    def close(self) -> None:
        self.host.close()


class Machines:
    """A cluster of such machines. The later ones come when the first are lost."""

    def __init__(self, *calls: float, limits: Limits = UNLIMITED, places: Sequence[Place | None] = ()) -> None:
        places = places or [None] * len(calls)
        self.all = [
            InThisProcess(f"machine {i}", n, limits, p) for i, (n, p) in enumerate(zip(calls, places, strict=True))
        ]

    def machines(self) -> Sequence[InThisProcess]:
        return [machine for machine in self.all if machine.left >= 0][:2]

    def wait(self, machines: Sequence[Machine], seconds: float) -> Sequence[Machine]:
        return machines

    def close(self) -> None:
        for machine in self.all:
            machine.close()


def hosts(*calls: float, note: Callable[[str], None] = print, **more: Any) -> Hosts:
    return Hosts(Machines(*calls, **more), this_place(), None, note)


class TestHosts(ExecutorContract):
    @pytest.fixture
    def make(self) -> Make:
        return lambda: hosts(1e9, 1e9)

    def test_a_worker_that_dies_is_no_lost_machine(self) -> None:
        executor = hosts(1e9)
        worker = started(executor)
        assert worker.send(work([cell(0, deadly_seed=0)]))
        assert listen(executor, worker, ended)[1] is False
        assert not worker.lost
        assert "ended by signal SIGKILL" in worker.epitaph()
        executor.close()

    def test_time_that_is_used_up_is_told_from_a_crash(self) -> None:
        executor = hosts(1e9, limits=Limits(cell_seconds=0.5))
        worker = started(executor)
        assert worker.send(work([cell(0, endless_seed=0)]))
        assert listen(executor, worker, ended)[1] is False
        assert worker.overdue
        executor.close()

    def test_a_machine_that_is_gone_loses_its_workers(self) -> None:
        executor = hosts(1e9)
        worker = started(executor)
        machine = executor._cluster.all[0]  # type: ignore[attr-defined]
        machine.left = 0
        assert worker.send(work([cell(0)]))
        assert listen(executor, worker, ended)[1] is False
        assert worker.lost
        assert "machine 0 cannot be reached" in worker.epitaph()
        executor.close()


def test_machines_that_are_lost_and_come_change_no_byte(tmp_path: Path) -> None:
    contract = ExecutorContract()
    contract.test_a_run_has_the_same_bytes_as_any_other(lambda: hosts(40, 1e9, 1e9), tmp_path)


def test_a_machine_with_another_mohs_is_refused_and_another_processor_is_mentioned() -> None:
    here, said = this_place(), list[str]()
    executor = hosts(1e9, 1e9, places=[replace(here, code="other"), replace(here, cpu="8086")], note=said.append)
    assert executor.room() == 2
    assert said[0] == "machine 0 is not used: it has another version of mohs"
    assert "2 types of processor" in said[1]
    executor.close()
    with pytest.raises(MohsError, match="no machine of the cluster can be used"):
        hosts(1e9, places=[replace(here, code="other")])


def test_a_machine_that_does_not_answer_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mohs.runs.workers.hosts.ANSWER_SECONDS", 0.5)
    executor = hosts(1e9)
    worker = started(executor)
    monkeypatch.setattr(executor._cluster, "wait", lambda machines, seconds: time.sleep(seconds) or [])
    worker.send(work([cell(0)]))
    assert listen(executor, worker, ended)[1] is False
    assert worker.lost
    assert "did not answer for 0.5 s" in worker.epitaph()
    executor.close()


def test_workers_of_a_host_take_its_gpus_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "2,5")
    assert [gpu_of(n, "cuda")["CUDA_VISIBLE_DEVICES"] for n in range(4)] == ["2", "5", "2", "5"]
    assert gpu_of(0, "cuda:1") == gpu_of(0, "cpu") == {}


class ClusterWorker:
    """Trains in this process, on a machine that is lost after some reports."""

    ready, overdue, place, where = True, False, "machine 7", this_place()

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
    assert len(shown.notes) == LOSSES
    assert all(note.startswith("machine 7, a pack of 3 cells (") for note in shown.notes)
    assert all(note.endswith(" ...): worker died: machine 7 is lost.") for note in shown.notes)


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
