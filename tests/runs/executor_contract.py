"""What every executor must do. A subclass gives the fixture `make`, which makes a fresh executor."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from fake_learner import FACTORY, cell, plan

from mohs.core.cell import Cell
from mohs.core.values import canonical_json
from mohs.runs.execute import execute
from mohs.runs.execution import Execution
from mohs.runs.export import export_csv
from mohs.runs.store import open_store
from mohs.runs.workers.executor import Ended, Executor, Report, Stop, Work, Worker
from mohs.runs.workers.pack import Failed, Finished, Noted, Pace, Saved, Stepped

Make = Callable[[], Executor[Any]]


def work(cells: Sequence[Cell], resume: dict[str, bytes] | None = None) -> Work:
    texts = {c.key: canonical_json(c.to_json()) for c in cells}
    return Work(texts, resume or {}, FACTORY, "cpu", Pace(checkpoint_seconds=1e9, chunk=5))


def started(executor: Executor[Any]) -> Worker:
    """A worker that is ready."""
    worker: Worker = executor.start()
    deadline = time.monotonic() + 60
    while not worker.ready and time.monotonic() < deadline:
        for heard in executor.heard([worker], 0.1):
            assert heard is worker
            reports, alive = worker.reports()
            assert alive
            assert all(isinstance(report, Noted) for report in reports), "a slow start may be mentioned"
    assert worker.ready
    return worker


def listen(executor: Executor[Any], worker: Worker, until: Callable[[Report], bool]) -> tuple[list[Report], bool]:
    """What a worker reports until a certain report, or until it is dead; and whether it is alive."""
    found: list[Report] = []
    alive, deadline = True, time.monotonic() + 60
    while alive and not any(map(until, found)):
        assert time.monotonic() < deadline
        if executor.heard([worker], 0.1):
            reports, alive = worker.reports()
            found += reports
    return found, alive


def ended(report: Report) -> bool:
    return isinstance(report, Ended)


def results(reports: Sequence[Report]) -> dict[str, object]:
    return {
        key: {metric: (steps.tolist(), values.tobytes()) for metric, (steps, values) in curves.items()}
        for report in reports
        if isinstance(report, Finished)
        for key, curves in report.results.items()
    }


def run_alone(executor: Executor[Any], sent: Work) -> list[Report]:
    worker = started(executor)
    assert worker.send(sent)
    reports, alive = listen(executor, worker, ended)
    assert alive
    worker.kill()
    return reports


class ExecutorContract:
    def test_a_worker_trains_one_pack_after_the_other(self, make: Make) -> None:
        executor = make()
        assert executor.room() >= 1
        worker = started(executor)
        assert worker.place
        assert not worker.lost
        for pack in ([cell(0), cell(1)], [cell(2)]):
            assert worker.send(work(pack))
            reports, alive = listen(executor, worker, ended)
            assert alive
            assert [report for report in reports if ended(report)] == reports[-1:]
            assert set(results(reports)) == {c.key for c in pack}
            assert sum(r.count for r in reports if isinstance(r, Stepped)) == sum(c.steps for c in pack)
        executor.close()

    def test_a_cell_that_fails_leaves_its_worker_alive(self, make: Make) -> None:
        executor, cells = make(), [cell(seed, bad_seed=1) for seed in range(3)]
        reports = run_alone(executor, work(cells))
        (failed,) = (report for report in reports if isinstance(report, Failed))
        assert failed.cell == cells[1].key
        assert "RuntimeError: seed 1 is bad" in failed.error
        assert set(results(reports)) == {cells[0].key, cells[2].key}
        executor.close()

    def test_a_stopped_pack_saves_and_resumes_bit_identically(self, make: Make) -> None:
        cells = [cell(seed, sleep=0.008) for seed in range(2)]
        executor = make()
        worker = started(executor)
        assert worker.send(work(cells))
        listen(executor, worker, lambda report: isinstance(report, Stepped))
        assert worker.send(Stop())
        reports, alive = listen(executor, worker, ended)
        assert alive
        assert not results(reports)
        (saved,) = (report for report in reports if isinstance(report, Saved))
        executor.close()
        found = []
        for resume in ({key: state for key, (_, state) in saved.states.items()}, {}):
            executor = make()  # one at a time: a cluster may have room for no other
            found.append(results(run_alone(executor, work(cells, resume))))
            executor.close()
        assert found[0] == found[1]

    def test_an_idle_worker_is_not_heard(self, make: Make) -> None:
        executor = make()
        worker = started(executor)
        began = time.monotonic()
        assert executor.heard([worker], 0.2) == []
        assert executor.heard([], 0.2) == []
        assert time.monotonic() - began < 2
        executor.close()

    def test_workers_and_executors_may_be_ended_twice(self, make: Make) -> None:
        executor = make()
        worker, other = started(executor), started(executor)
        for _ in range(2):
            worker.kill()
            executor.close()
        other.kill()

    def test_a_run_has_the_same_bytes_as_any_other(self, make: Make, tmp_path: Path) -> None:
        made, settings = plan(5, 2), Execution(workers=0, pack_size=3, progress="silent")
        for name, executor in (("default", None), ("other", make())):
            with open_store(f"sqlite:///{tmp_path}/{name}.db") as store:
                summary = execute(made, store, settings, executor=executor, factory=FACTORY)
                assert (summary.done, summary.failed, summary.steps) == (10, 0, 2000)
                export_csv(store, tmp_path / name)
            if executor is not None:
                executor.close()
        assert (tmp_path / "default").read_bytes() == (tmp_path / "other").read_bytes()
