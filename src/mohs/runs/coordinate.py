"""How are workers kept busy? Jobs go to workers, reports to the store; what a dead worker leaves behind runs again."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol

from mohs.core.cell import Cell
from mohs.core.errors import MohsError
from mohs.core.values import canonical_json
from mohs.runs.curves import Curves
from mohs.runs.places import Place
from mohs.runs.plan import Size, packs, suited_size
from mohs.runs.progress import Progress
from mohs.runs.store import Store
from mohs.runs.workers.executor import Ended, Executor, Printed, Returned, Stop, W, Work
from mohs.runs.workers.pack import Failed, Finished, Message, Noted, Saved, Stepped
from mohs.runs.workers.watch import named

LOOK_SECONDS = 0.2  # how long the coordinator waits for a report before it looks around
CHECKPOINT_BYTES = 20e6  # a second, that the coordinator takes from all workers together
STOP_SECONDS = 10.0  # how long workers that are to stop may take for their checkpoints
FALSE_STARTS = 3  # workers in a row that die before they are ready
LOSSES = 5  # machines that a pack may lose before its cells are blamed


# Curves of cells that are done, errors, checkpoints, and where cells ran.
Write = Callable[
    [Mapping[str, Curves], Mapping[str, str], Mapping[str, tuple[int, bytes]], Mapping[str, Sequence[Place]]],
    Collection[str],
]


@dataclass
class Job:
    """A pack, the step it starts from, and how many workers crashed and how many machines were lost with it."""

    cells: Sequence[Cell]
    at: int
    crashes: int = 0
    losses: int = 0


@dataclass
class Run:
    """What the coordinator knows while it runs. `work` is a pack without cells."""

    store: Store
    progress: Progress
    pack_size: int | None
    workers: int
    work: Work
    stop: threading.Event
    left: dict[str, int]  # steps that each cell had to take at the start
    places: dict[str, list[Place]]  # where cells ran that have a checkpoint, and those that report here
    write: Write  # to the store; returns the keys of cells that are not this run's any more
    together: int = 0  # cells that share the workers
    over: set[str] = field(default_factory=set)
    noted: set[str] = field(default_factory=set)
    done: int = 0
    failed: int = 0
    steps: int = 0

    def jobs(self, cells: Sequence[Cell], crashes: int = 0, losses: int = 0) -> list[Job]:
        """Packs of cells at one step, the longest work first, so that the last ones to finish are short."""
        at = self.store.checkpoint_steps(c.key for c in cells)
        size: Size = self.pack_size or partial(suited_size, total=self.together, workers=self.workers)
        jobs = [Job(pack, at.get(pack[0].key, 0), crashes, losses) for pack in packs(cells, size, at)]
        return sorted(jobs, key=lambda job: -len(job.cells) * (job.cells[0].steps - job.at))

    def work_of(self, job: Job) -> Work:
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
                if message.text not in self.noted:  # many packs may have the same to say
                    self.noted.add(message.text)
                    self.progress.note(message.text)
            else:
                failed[message.cell] = message.error
        over = {*done, *failed}
        saved = {key: state for key, state in saved.items() if key not in over}
        self.over |= over
        ran = {} if where is None else self._passed(replace(where, device=self.work.device), {*done, *saved})
        if refused := set(self.write(done, failed, saved, ran)):
            self.progress.note(
                f"{len(refused)} cells were taken over by another worker; what they gave here is dropped"
            )
            done = {key: curves for key, curves in done.items() if key not in refused}
            failed = {key: error for key, error in failed.items() if key not in refused}
        self.done += len(done)
        self.failed += len(failed)
        self.steps += steps
        dropped = sum(self.left[key] for key in failed)
        self.progress.update(done=len(done), failed=len(failed), steps=steps, dropped=dropped)

    def _passed(self, where: Place, keys: Collection[str]) -> dict[str, Sequence[Place]]:
        """The places of those cells that report from a place for the first time."""
        new = [key for key in keys if where not in self.places.get(key, ())]
        for key in new:
            self.places[key] = [*self.places.get(key, ()), where]
        return {key: self.places[key] for key in new}


@dataclass
class Held:
    """A job in the hands of a worker, and the steps it reported since its last checkpoint."""

    job: Job
    unsaved: int = 0


class Feed(Protocol):
    """Where jobs come from."""

    def more(self, free: int, idle: bool) -> Sequence[Job] | None:
        """More jobs, asked for where none waits: for so many free workers; `idle` where no pack is under way.

        None where there will be no more. May be empty where there are none now.
        """
        ...

    def look(self) -> None:
        """Called often while packs are under way."""
        ...


def coordinate(run: Run, executor: Executor[W], feed: Feed) -> None:
    """Keeps workers busy until the feed has no more jobs, or until all have saved where the run is to stop."""
    waiting = deque(feed.more(run.workers, True) or ())
    busy: dict[W, Held] = {}
    workers: list[W] = []
    false_starts, deadline = 0, None
    try:
        while True:
            feed.look()
            if not waiting and not run.stop.is_set():
                more = feed.more(executor.room() - len(busy), not busy)
                if more is None and not busy:
                    break
                waiting.extend(more or ())
            if run.stop.is_set() and not waiting and not busy:
                break
            if run.stop.is_set() and deadline is None:
                run.progress.note("stopping at the next checkpoint; Ctrl-C again to quit at once")
                deadline = time.monotonic() + STOP_SECONDS
                waiting.clear()
                for worker in busy:
                    worker.send(Stop())
            if deadline is not None and time.monotonic() > deadline:
                break
            room = executor.room()
            if room > run.workers:  # machines have come: packs that were cut for fewer are too large
                run.workers = room
                waiting = deque(_cut_again(run, waiting))
            while len(workers) < min(room, len(waiting) + len(busy)):
                workers.append(executor.start())
            for worker in workers:
                if waiting and worker.ready and worker not in busy:
                    busy[worker] = Held(waiting.popleft())
                    worker.send(run.work_of(busy[worker].job))  # if it is gone, the next look finds out
            for worker in executor.heard(workers, LOOK_SECONDS):
                if _listen(run, worker, busy):
                    continue
                workers.remove(worker)
                epitaph = worker.epitaph()
                if deadline is None:
                    what = f", {named(job_keys(busy[worker].job))}" if worker in busy else ""
                    run.progress.note(f"{worker.place}{what}: {last_line(epitaph)}")
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
    finally:
        for worker in workers:
            worker.kill()


def _cut_again(run: Run, waiting: Iterable[Job]) -> list[Job]:
    """The jobs that wait, in packs for the workers there are now. What died once stays as it is."""
    fresh = [cell for job in waiting if not job.crashes + job.losses for cell in job.cells]
    return [*run.jobs(fresh), *(job for job in waiting if job.crashes + job.losses)]


def _listen(run: Run, worker: W, busy: dict[W, Held]) -> bool:
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


def _left_behind(run: Run, job: Job, epitaph: str, lost: bool, overdue: bool) -> list[Job]:
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


def job_keys(job: Job) -> list[str]:
    return [cell.key for cell in job.cells]


def last_line(text: str) -> str:
    return text.strip().rpartition("\n")[2]
