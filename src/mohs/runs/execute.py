"""How does a plan become results? A coordinator hands packs to workers and writes what they report.

The coordinator alone writes the store. The same call resumes an interrupted run. Results are bit-identical to those of
an uninterrupted run, whatever the packs and the workers.
"""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from mohs.core.cell import Cell
from mohs.core.errors import MohsError
from mohs.core.values import canonical_json
from mohs.runs.curves import Curves
from mohs.runs.execution import Execution
from mohs.runs.places import Place, this_place
from mohs.runs.plan import Plan, Size, packs, suited_size
from mohs.runs.progress import Progress, choose
from mohs.runs.store import CellStatus, Store, damage_text
from mohs.runs.workers import registrations
from mohs.runs.workers.executor import Ended, Executor, Printed, Returned, Stop, W, Work
from mohs.runs.workers.in_process import InProcess
from mohs.runs.workers.interrupts import stop_on_signals
from mohs.runs.workers.local import LocalProcesses
from mohs.runs.workers.pack import Failed, Finished, Message, Noted, Pace, Saved, Stepped

LEARNERS = "mohs.agents.registry:learner"
LOOK_SECONDS = 0.2  # how long the coordinator waits for a report before it looks around
STOP_SECONDS = 10.0  # how long workers that are to stop may take for their checkpoints
FALSE_STARTS = 3  # workers in a row that die before they are ready
LOSSES = 5  # machines that a pack may lose before its cells are blamed


@dataclass(frozen=True)
class Summary:
    """How a run ended. `done`, `failed` and `cells` count the plan, `steps` what was trained in this call.

    `stopped` says that the stages that ran were enough: the other cells were not started.
    """

    done: int
    failed: int
    interrupted: bool
    seconds: float
    steps: int
    cells: int
    stopped: bool = False


def execute(
    plan: Plan,
    store: Store,
    execution: Execution,
    *,
    stages: Sequence[Collection[str]] = (),
    proceed: Callable[[], bool] = lambda: True,
    executor: Executor[Any] | None = None,
    retry_failed: bool = True,
    factory: str = LEARNERS,
    checkpoint_seconds: float = 5.0,
    chunk: int | None = None,
) -> Summary:
    """Runs the cells of a plan that are not done yet.

    Ctrl-C or SIGTERM stops at the next checkpoint, a second one at once.

    Args:
        plan: the cells to run.
        store: an open store, which holds what was done before and gets the results.
        execution: workers, pack size, device and progress.
        stages: keys of cells that run first, one stage after the other; all other cells run last.
        proceed: whether to go on, asked when a stage is over and cells are left. The store then holds the results of
            the stages so far.
        executor: who trains the packs, in place of the workers of `execution`. The caller closes it.
        retry_failed: run cells again that failed before.
        factory: name of the function `cells, device -> Learner`.
        checkpoint_seconds: least time between two checkpoints of a pack.
        chunk: steps between looks at the clock. None lets the clock decide.

    Returns:
        How the run ended.

    Raises:
        UsageError: a value of `execution` is out of range, or an environment cannot be sent to workers.
        StoreError: the store cannot be written, or another run is using it.
        MohsError: no worker can be started.
    """
    execution.check()
    began = time.monotonic()
    shown = choose(execution.progress)
    stop = threading.Event()
    # A cluster's library sets signal handlers of its own: ours come after it.
    with (
        store.sole_writer(),
        _opened(executor, plan, execution, shown, stop) as pool,
        stop_on_signals(stop),
    ):
        environments = b"" if pool.shares_process else registrations.pack(plan.cells)
        damaged = store.add(plan)
        mine = [cell for cell in plan.cells if execution.has(cell.key)]
        todo, done, failed = _todo(mine, store, retry_failed)
        pace = Pace(checkpoint_seconds, chunk)
        work = Work({}, {}, factory, execution.device, pace, environments)
        at = store.checkpoint_steps(cell.key for cell in todo)
        left = {cell.key: cell.steps - at.get(cell.key, 0) for cell in todo}
        run = _Run(store, shown, execution.pack_size, pool.room(), work, stop, left, store.places(at))
        shown.start(cells=len(mine), done=done, failed=failed, steps=sum(run.left.values()))
        if damaged:
            shown.note(f"{damage_text(damaged)} and will run again")
        try:
            _coordinate(run, pool, _phases(run, todo, stages, proceed))
        finally:
            shown.close()
        unfinished = len(run.over) < len(todo)
        return Summary(
            done + run.done,
            failed + run.failed,
            interrupted=stop.is_set() and unfinished,
            seconds=time.monotonic() - began,
            steps=run.steps,
            cells=len(mine),
            stopped=not stop.is_set() and unfinished,
        )


def _phases(
    run: _Run, todo: Sequence[Cell], stages: Sequence[Collection[str]], proceed: Callable[[], bool]
) -> Iterator[Sequence[_Job]]:
    """The jobs of each stage, then those of all other cells, until what has run is enough."""
    left = list(todo)
    for stage in (*stages, {cell.key for cell in todo}):
        now = [cell for cell in left if cell.key in stage]
        left = [cell for cell in left if cell.key not in stage]
        if now:
            run.together = len(now)
            yield run.jobs(now)
        if left and not proceed():
            return


def _opened(
    given: Executor[Any] | None, plan: Plan, execution: Execution, shown: Progress, stop: threading.Event
) -> contextlib.AbstractContextManager[Executor[Any]]:
    """The executor of a run; one that is made here is closed here."""
    if given is not None:
        return contextlib.nullcontext(given)
    if execution.cluster is not None:
        return contextlib.closing(_on_cluster(plan, execution, execution.cluster, shown.note))
    count = execution.worker_count
    return contextlib.closing(LocalProcesses(count, execution.limits) if count else InProcess(stop))


def _on_cluster(plan: Plan, execution: Execution, address: str, note: Callable[[str], None]) -> Executor[Any]:
    """Workers on the nodes of a Ray cluster, with the user's code where the plan needs it."""
    from mohs.runs import shipping
    from mohs.runs.user_code import has_user_code
    from mohs.runs.workers.hosts import Hosts
    from mohs.runs.workers.ray_cluster import RayCluster

    code = shipping.pack(Path.cwd()) if any(map(has_user_code, plan.cells)) else b""
    cluster = RayCluster(address, execution.limits, code, execution.device)
    try:
        return Hosts(cluster, this_place(execution.device), execution.workers, note)
    except BaseException:
        cluster.close()
        raise


def _todo(cells: Sequence[Cell], store: Store, retry_failed: bool) -> tuple[list[Cell], int, int]:
    """The cells to run, and how many others of these are done and failed."""
    statuses = store.statuses(c.key for c in cells)
    failed = [key for key, status in statuses.items() if status == CellStatus.FAILED]
    if retry_failed and failed:
        store.retry(failed)
        statuses |= dict.fromkeys(failed, CellStatus.PENDING)
    todo = [c for c in cells if statuses[c.key] == CellStatus.PENDING]
    values = list(statuses.values())
    return todo, values.count(CellStatus.DONE), values.count(CellStatus.FAILED)


@dataclass
class _Job:
    """A pack, the step it starts from, and how many workers crashed and how many machines were lost with it."""

    cells: Sequence[Cell]
    at: int
    crashes: int = 0
    losses: int = 0


@dataclass
class _Run:
    """What the coordinator knows while it runs. `work` is a pack without cells."""

    store: Store
    progress: Progress
    pack_size: int | None
    workers: int
    work: Work
    stop: threading.Event
    left: dict[str, int]  # steps that each cell had to take at the start
    places: dict[str, list[Place]]  # where cells ran that have a checkpoint, and those that report here
    together: int = 0  # cells that share the workers
    over: set[str] = field(default_factory=set)
    done: int = 0
    failed: int = 0
    steps: int = 0

    def jobs(self, cells: Sequence[Cell], crashes: int = 0, losses: int = 0) -> list[_Job]:
        """Packs of cells at one step, the longest work first, so that the last ones to finish are short."""
        at = self.store.checkpoint_steps(c.key for c in cells)
        size: Size = self.pack_size or partial(suited_size, total=self.together, workers=self.workers)
        jobs = [_Job(pack, at.get(pack[0].key, 0), crashes, losses) for pack in packs(cells, size, at)]
        return sorted(jobs, key=lambda job: -len(job.cells) * (job.cells[0].steps - job.at))

    def work_of(self, job: _Job) -> Work:
        cells = {c.key: canonical_json(c.to_json()) for c in job.cells}
        return replace(self.work, cells=cells, resume=self.store.checkpoints(cells))

    def take(self, messages: Iterable[Message], where: Place | None = None) -> None:
        """Writes what was reported in one transaction, with where it was computed, then shows it."""
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
        if where is not None:
            self._passed(replace(where, device=self.work.device), {*done, *saved})
        self.over |= over
        self.done += len(done)
        self.failed += len(failed)
        self.steps += steps
        dropped = sum(self.left[key] for key in failed)
        self.progress.update(done=len(done), failed=len(failed), steps=steps, dropped=dropped)

    def _passed(self, where: Place, keys: Collection[str]) -> None:
        """Keeps that cells have passed through a place, the first time that they report from there."""
        new = [key for key in keys if where not in self.places.get(key, ())]
        for key in new:
            self.places.setdefault(key, []).append(where)
        self.store.ran_at({key: self.places[key] for key in new})


@dataclass
class _Held:
    """A job in the hands of a worker, and the steps it reported since its last checkpoint."""

    job: _Job
    unsaved: int = 0


def _coordinate(run: _Run, executor: Executor[W], phases: Iterator[Sequence[_Job]]) -> None:
    """Keeps workers busy until no job of any phase is left, or until all have saved where the run is to stop."""
    waiting = deque(next(phases, ()))
    busy: dict[W, _Held] = {}
    workers: list[W] = []
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
            if (
                room := executor.room()
            ) > run.workers:  # machines have come: packs that were cut for fewer are too large
                run.workers = room
                waiting = deque(_cut_again(run, waiting))
            while len(workers) < min(room, len(waiting) + len(busy)):
                workers.append(executor.start())
            for worker in workers:
                if waiting and worker.ready and worker not in busy:
                    busy[worker] = _Held(waiting.popleft())
                    worker.send(run.work_of(busy[worker].job))  # if it is gone, the next look finds out
            for worker in executor.heard(workers, LOOK_SECONDS):
                if _listen(run, worker, busy):
                    continue
                workers.remove(worker)
                epitaph = worker.epitaph()
                if deadline is None:
                    run.progress.note(f"{worker.place}: {last_line(epitaph)}")
                worker.kill()
                if worker.ready:
                    false_starts = 0
                elif not worker.lost:
                    false_starts += 1
                if false_starts >= FALSE_STARTS:
                    raise MohsError(f"workers cannot be started ({last_line(epitaph)}).")
                if worker in busy:
                    held = busy.pop(worker)
                    run.take([Stepped(-held.unsaved)])
                    if deadline is None:
                        waiting.extend(_left_behind(run, held.job, epitaph, worker.lost, worker.overdue))
            if not waiting and not busy and not run.stop.is_set():
                waiting.extend(next(phases, ()))
    finally:
        for worker in workers:
            worker.kill()


def _cut_again(run: _Run, waiting: Iterable[_Job]) -> list[_Job]:
    """The jobs that wait, in packs for the workers there are now. What died once stays as it is."""
    fresh = [cell for job in waiting if not job.crashes + job.losses for cell in job.cells]
    return [*run.jobs(fresh), *(job for job in waiting if job.crashes + job.losses)]


def _listen(run: _Run, worker: W, busy: dict[W, _Held]) -> bool:
    """Takes in what a worker reports; False if it has died."""
    reports, alive = worker.reports()
    messages: list[Message] = []
    for report in reports:
        if isinstance(report, Ended | Returned):
            busy.pop(worker, None)
            continue
        if isinstance(report, Printed):
            with contextlib.suppress(OSError):  # the terminal may be gone
                sys.stderr.write(report.text)
            continue
        messages.append(report)
        if worker in busy:
            unsaved = busy[worker].unsaved + (report.count if isinstance(report, Stepped) else 0)
            busy[worker].unsaved = 0 if isinstance(report, Saved | Finished) else unsaved
    run.take(messages, worker.where)
    return alive


def _left_behind(run: _Run, job: _Job, epitaph: str, lost: bool, overdue: bool) -> list[_Job]:
    """The jobs that a dead worker leaves behind.

    A pack whose machine was lost runs again, a few times. A pack whose worker died runs again once, then its cells
    alone; one that used up its time runs as cells alone at once. A cell has failed that ends its worker alone.
    """
    left = [c for c in job.cells if c.key not in run.over]
    if not left:
        return []
    if lost and job.losses < LOSSES:
        return run.jobs(left, job.crashes, job.losses + 1)
    if job.crashes == 0 and not overdue:
        return run.jobs(left, 1, job.losses)
    if len(left) > 1:
        return [again for cell in left for again in run.jobs([cell], 1, job.losses)]
    run.take([Failed(left[0].key, epitaph)])
    return []


def last_line(text: str) -> str:
    return text.strip().rpartition("\n")[2]
