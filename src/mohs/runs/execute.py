"""How does a plan become results? A coordinator hands packs to workers and writes what they report.

The coordinator alone writes the store. The same call resumes an interrupted run. Results are bit-identical to those of
an uninterrupted run, whatever the packs and the workers.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mohs.core.cell import Cell
from mohs.runs.coordinate import CHECKPOINT_BYTES, Job, Run, Write, coordinate
from mohs.runs.curves import Curves
from mohs.runs.execution import Execution
from mohs.runs.places import Place, differences, this_place
from mohs.runs.plan import Plan
from mohs.runs.progress import Progress, choose
from mohs.runs.store import CellStatus, Store, damage_text
from mohs.runs.workers import registrations
from mohs.runs.workers.executor import Executor, Work
from mohs.runs.workers.in_process import InProcess
from mohs.runs.workers.interrupts import stop_on_signals
from mohs.runs.workers.local import LocalProcesses
from mohs.runs.workers.pack import Pace

LEARNERS = "mohs.agents.registry:learner"


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
        opened(executor, plan, execution, shown, stop) as pool,
        stop_on_signals(stop),
    ):
        environments = b"" if pool.shares_process else registrations.pack(plan.cells)
        damaged = store.add(plan)
        mine = [cell for cell in plan.cells if execution.has(cell.key)]
        todo, done, failed = _todo(mine, store, retry_failed)
        pace = Pace(checkpoint_seconds, chunk, CHECKPOINT_BYTES / max(1, pool.room()))
        work = Work({}, {}, factory, execution.device, pace, environments, execution.trust)
        at = store.checkpoint_steps(cell.key for cell in todo)
        left = {cell.key: cell.steps - at.get(cell.key, 0) for cell in todo}
        run = Run(store, shown, execution.pack_size, pool.room(), work, stop, left, store.places(at), _writing(store))
        shown.start(cells=len(mine), done=done, failed=failed, steps=sum(run.left.values()))
        if damaged:
            shown.note(f"{damage_text(damaged)} and will run again")
        note_differences(shown, [this_place(execution.device), *store.places_of(plan.key)])
        try:
            coordinate(run, pool, Phases(_phases(run, todo, stages, proceed)))
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
    run: Run, todo: Sequence[Cell], stages: Sequence[Collection[str]], proceed: Callable[[], bool]
) -> Iterator[Sequence[Job]]:
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


def _writing(store: Store) -> Write:
    """Writes to a store that is this run's alone."""

    def write(
        done: Mapping[str, Curves],
        failed: Mapping[str, str],
        saved: Mapping[str, tuple[int, bytes]],
        ran: Mapping[str, Sequence[Place]],
    ) -> tuple[()]:
        store.write(done, failed, saved, ran)
        return ()

    return write


def note_differences(shown: Progress, places: Sequence[Place]) -> None:
    """Says where cells of a study ran on something else than this machine."""
    if found := differences(places):
        shown.note(f"cells of this study ran elsewhere: {', '.join(found)}; deep agents may give other bits")


@dataclass
class Phases:
    """Jobs phase by phase: the next one begins when the last one is over."""

    left: Iterator[Sequence[Job]]

    def more(self, free: int, idle: bool) -> Sequence[Job] | None:
        return next(self.left, None) if idle else ()

    def look(self) -> None:
        pass


def opened(
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
