"""How is a plan carried out? A coordinator hands packs to worker processes and writes what they report.

The store is written by the coordinator alone. Whatever is interrupted, the same call goes on where it stopped, and the
results are the same bits as those of a run without a break, with other packs, or with other numbers of workers.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.connection import wait

from mohs.agents.deep.packs import check_device
from mohs.core.cell import Cell
from mohs.core.domain import Integer
from mohs.core.errors import MohsError
from mohs.core.values import canonical_json
from mohs.runs.blobs import Curves
from mohs.runs.pack import Failed, Finished, Message, Noted, Pace, Saved, Stepped, run_cells
from mohs.runs.plan import Plan, Size, packs, suited_size
from mohs.runs.pool import Worker
from mohs.runs.progress import Progress, choose
from mohs.runs.store import Store
from mohs.runs.worker import Ended, Ready, Stop, Work, lazy

LEARNERS = "mohs.agents.registry:learner"
LOOK_SECONDS = 0.2  # how long the coordinator waits for a report before it looks around
STOP_SECONDS = 10.0  # how long workers that were told to stop may take for their checkpoints
FALSE_STARTS = 3


@dataclass(frozen=True)
class Summary:
    """How a run ended. `done`, `failed` and `cells` count the plan, `steps` what was trained in this call."""

    done: int
    failed: int
    interrupted: bool
    seconds: float
    steps: int
    cells: int


def execute(
    plan: Plan,
    store: Store,
    *,
    workers: int | None = None,
    pack_size: int | None = None,
    device: str = "cpu",
    progress: str | Progress = "auto",
    factory: str = LEARNERS,
    retry_failed: bool = True,
    checkpoint_seconds: float = 5.0,
    chunk: int | None = None,
) -> Summary:
    """Runs the cells of a plan that are not done yet.

    `workers` is the number of processes (all cores by default); with 0 the cells run in this process. A pack has at
    most `pack_size` cells; by default as many as suit its learner. Deep agents train on the `device`. Ctrl-C or SIGTERM
    stops at the next checkpoint, a second one at once. `factory` names the function `cells, device -> Learner`.
    """
    count = default_workers() if workers is None else Integer(0, 4096).parse("workers", workers)
    if pack_size is not None:
        Integer(1).parse("pack_size", pack_size)
    check_device(device)
    began = time.monotonic()
    shown = choose(progress) if isinstance(progress, str) else progress
    with store.sole_writer(), _stop_on_signals() as stop:
        store.add(plan)
        todo, done, failed = _todo(plan, store, retry_failed)
        size = pack_size or partial(suited_size, total=len(todo), workers=count)
        run = _Run(store, shown, size, factory, device, Pace(checkpoint_seconds, chunk), stop)
        jobs = run.jobs(todo)
        shown.start(cells=len(plan.cells), done=done, failed=failed, steps=sum(run.left.values()))
        try:
            if jobs:
                (_with_workers if count else _in_process)(run, jobs, count)
        finally:
            shown.close()
        interrupted = stop.is_set() and len(run.over) < len(todo)
        return Summary(
            done + run.done, failed + run.failed, interrupted, time.monotonic() - began, run.steps, len(plan.cells)
        )


def default_workers() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _todo(plan: Plan, store: Store, retry_failed: bool) -> tuple[list[Cell], int, int]:
    """The cells to run, and how many others of the plan are done and failed."""
    statuses = store.statuses(c.key for c in plan.cells)
    failed = [key for key, status in statuses.items() if status == "failed"]
    if retry_failed and failed:
        store.retry(failed)
        statuses |= dict.fromkeys(failed, "pending")
    todo = [c for c in plan.cells if statuses[c.key] == "pending"]
    values = list(statuses.values())
    return todo, values.count("done"), values.count("failed")


@dataclass
class _Job:
    """A pack, the step it starts from, and how many workers have died of it."""

    cells: Sequence[Cell]
    at: int
    deaths: int = 0


@dataclass
class _Run:
    """What the coordinator knows while it runs."""

    store: Store
    progress: Progress
    size: Size
    factory: str
    device: str
    pace: Pace
    stop: threading.Event
    left: dict[str, int] = field(default_factory=dict)  # steps that each cell had before it at the start
    over: set[str] = field(default_factory=set)
    done: int = 0
    failed: int = 0
    steps: int = 0

    def jobs(self, cells: Sequence[Cell], deaths: int = 0) -> list[_Job]:
        """Packs of cells at one step, the longest work first, so that the last ones to finish are short."""
        at = self.store.checkpoint_steps(c.key for c in cells)
        self.left = {c.key: c.steps - at.get(c.key, 0) for c in cells} | self.left
        jobs = [_Job(pack, at.get(pack[0].key, 0), deaths) for pack in packs(cells, self.size, at)]
        return sorted(jobs, key=lambda job: -len(job.cells) * (job.cells[0].steps - job.at))

    def take(self, messages: Iterable[Message]) -> None:
        """Writes what was reported in one transaction, then shows it."""
        done: dict[str, Curves] = {}
        failed: dict[str, str] = {}
        saved: dict[str, tuple[int, bytes]] = {}
        steps = 0
        for message in messages:
            if isinstance(message, Stepped):
                steps += message.count
            elif isinstance(message, Saved):
                saved |= message.states
            elif isinstance(message, Finished):
                done |= message.results
            elif isinstance(message, Noted):
                self.progress.note(message.text)
            else:
                failed[message.cell] = message.error
        over = {*done, *failed}
        self.store.write(done, failed, {key: state for key, state in saved.items() if key not in over})
        self.over |= over
        self.done += len(done)
        self.failed += len(failed)
        self.steps += steps
        dropped = sum(self.left[key] for key in failed)
        self.progress.update(done=len(done), failed=len(failed), steps=steps, dropped=dropped)


def _in_process(run: _Run, jobs: Iterable[_Job], _workers: int) -> None:
    for job in jobs:
        if run.stop.is_set():
            break
        resume = run.store.checkpoints(c.key for c in job.cells)
        with contextlib.redirect_stdout(sys.stderr):  # what an agent prints must not mix with data
            for message in run_cells(job.cells, lazy(run.factory, run.device), resume, run.stop.is_set, run.pace):
                run.take([message])


def _with_workers(run: _Run, jobs: Sequence[_Job], workers: int) -> None:
    waiting = deque(jobs)
    busy: dict[Worker, _Busy] = {}
    pool: list[Worker] = []
    false_starts, deadline = 0, None
    try:
        while waiting or busy:
            if run.stop.is_set() and deadline is None:
                run.progress.note("stopping at the next checkpoint; Ctrl-C again to quit at once")
                deadline = time.monotonic() + STOP_SECONDS
                waiting.clear()
                for worker in busy:
                    worker.send(Stop())
            if deadline is not None and time.monotonic() > deadline:
                break
            while len(pool) < min(workers, len(waiting) + len(busy)):
                pool.append(Worker())
            for worker in pool:
                if waiting and worker.ready and worker not in busy:
                    job = waiting.popleft()
                    busy[worker] = _Busy(job)
                    worker.send(_work(run, job))  # if it is gone, the next look finds out
            for worker in _heard(pool):
                alive = _listen(run, worker, busy)
                if not alive:
                    pool.remove(worker)
                    epitaph = worker.epitaph()
                    worker.kill()
                    false_starts = 0 if worker.ready else false_starts + 1
                    if false_starts >= FALSE_STARTS:
                        raise MohsError(f"worker processes cannot be started ({epitaph}).")
                    if worker in busy:
                        waiting.extend(_after_death(run, busy.pop(worker), epitaph, deadline is not None))
    finally:
        for worker in pool:
            worker.kill()


@dataclass
class _Busy:
    """A job in the hands of a worker, and the steps it reported since its last checkpoint."""

    job: _Job
    unsaved: int = 0


def _work(run: _Run, job: _Job) -> Work:
    cells = {c.key: canonical_json(c.to_json()) for c in job.cells}
    return Work(cells, run.store.checkpoints(cells), run.factory, run.device, run.pace)


def _heard(pool: Sequence[Worker]) -> list[Worker]:
    """The workers that have something to say, or have died."""
    loud = set(wait([w.connection for w in pool], LOOK_SECONDS))
    return [w for w in pool if w.connection in loud or w.process.poll() is not None]


def _listen(run: _Run, worker: Worker, busy: dict[Worker, _Busy]) -> bool:
    """Takes in what a worker reports; False if it has died."""
    reports, alive = worker.reports()
    messages: list[Message] = []
    for report in reports:
        if isinstance(report, Ready):
            worker.ready = True
        elif isinstance(report, Ended):
            busy.pop(worker, None)
        else:
            messages.append(report)
            if worker in busy:
                unsaved = busy[worker].unsaved + (report.count if isinstance(report, Stepped) else 0)
                busy[worker].unsaved = 0 if isinstance(report, Saved | Finished) else unsaved
    run.take(messages)
    return alive


def _after_death(run: _Run, lost: _Busy, epitaph: str, stopping: bool) -> list[_Job]:
    """A pack whose worker died runs once more, then its cells alone; a cell that kills its worker alone has failed."""
    left = [c for c in lost.job.cells if c.key not in run.over]
    run.take([Stepped(-lost.unsaved)])
    if stopping or not left:
        return []
    if lost.job.deaths == 0:
        return run.jobs(left, deaths=1)
    if len(left) > 1:
        return [job for cell in left for job in run.jobs([cell], deaths=1)]
    run.take([Failed(left[0].key, epitaph)])
    return []


@contextlib.contextmanager
def _stop_on_signals() -> Iterator[threading.Event]:
    """An event that Ctrl-C and SIGTERM set; the second one interrupts at once."""
    stop = threading.Event()

    def handle(_number: int, _frame: object) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
