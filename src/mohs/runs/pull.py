"""How does a process help with a store that others work on too? It claims pending cells, trains them, claims more.

The claims live in the store (`sql/claims.py`), so nobody hands out work: processes come and go as they like. Cells
whose process died are claimed by another one, from their last checkpoint.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from mohs.core.cell import Cell
from mohs.core.errors import UsageError
from mohs.core.values import sealed
from mohs.runs.coordinate import CHECKPOINT_BYTES, Job, Run, coordinate
from mohs.runs.execute import LEARNERS, Summary, note_differences, opened
from mohs.runs.execution import Execution
from mohs.runs.places import this_place
from mohs.runs.plan import Plan
from mohs.runs.progress import choose
from mohs.runs.sql.claims import STALE_SECONDS, Claims
from mohs.runs.sql.store import SqlStore
from mohs.runs.store import CellStatus, Store
from mohs.runs.user_code import has_user_code, tasks
from mohs.runs.workers.executor import Executor, Work
from mohs.runs.workers.interrupts import stop_on_signals
from mohs.runs.workers.pack import Pace

BEATS = 6  # in the time after which a claim is stale
EACH = 16  # cells that are claimed for a worker, at most
IDLE_SECONDS = 0.2
LOOK_SECONDS = 2.0  # between two looks for cells where there were none


def pull(
    store: Store,
    execution: Execution,
    study: str | None = None,
    *,
    executor: Executor[Any] | None = None,
    factory: str = LEARNERS,
    checkpoint_seconds: float = 5.0,
    chunk: int | None = None,
    stale: float = STALE_SECONDS,
) -> Summary:
    """Trains pending cells of a store until none is left, beside others that do the same.

    Args:
        store: an open PostgreSQL store.
        execution: workers, pack size, device, limits and progress.
        study: the key of the study to help with; None for all.
        executor: who trains the packs, in place of local processes.
        factory: name of the function `cells, device -> Learner`.
        checkpoint_seconds: least time between two checkpoints of a pack.
        chunk: steps between looks at the clock.
        stale: seconds without a beat after which a claim is anyone's.

    Returns:
        How it ended; the counts are those of the cells that were trained here.

    Raises:
        UsageError: the store is no PostgreSQL store.
        StoreError: a run owns the store, or others work on it with another version of mohs.
    """
    execution.check()
    if not isinstance(store, SqlStore) or store.engine.dialect.name != "postgresql":
        raise UsageError(
            f"{store.name} cannot be shared by several machines: use a postgresql:// store, or --shard and mohs merge."
        )
    began, shown, stop = time.monotonic(), choose(execution.progress), threading.Event()
    here = this_place(execution.device)
    claims = Claims(store, here.host, here.code, stale)
    none, keys = Plan("", "", {}, ()), [found.key for found in store.studies()]
    with opened(executor, none, execution, shown, stop) as pool, stop_on_signals(stop):
        pace = Pace(checkpoint_seconds, chunk, CHECKPOINT_BYTES / max(1, pool.room()))
        work = Work({}, {}, factory, execution.device, pace, trust=execution.trust)
        run = Run(store, shown, execution.pack_size, pool.room(), work, stop, {}, {}, write=claims.write)
        claims.join()
        try:
            left = claims.pending(study)
            shown.start(cells=left.cells, done=0, failed=0, steps=left.steps)
            note_differences(shown, [here, *(p for s in ([study] if study else keys) for p in store.places_of(s))])
            coordinate(run, pool, Pull(claims, run, study, stop))
        finally:
            shown.close()
            claims.leave()
        return Summary(
            run.done,
            run.failed,
            interrupted=stop.is_set(),
            seconds=time.monotonic() - began,
            steps=run.steps,
            cells=len(run.left),
        )


@dataclass
class Pull:
    """Jobs made of what is claimed."""

    claims: Claims
    run: Run
    study: str | None
    stop: threading.Event
    clock: Callable[[], float] = time.monotonic
    _beat: float = field(default_factory=time.monotonic)
    _looked: float = -math.inf

    def more(self, free: int, idle: bool) -> Sequence[Job] | None:
        if free < 1 or self.clock() - self._looked < LOOK_SECONDS:
            return ()
        left = self.claims.pending(self.study)
        if not left.cells:
            return None if idle else ()
        share = math.ceil(left.cells / (2 * max(1, left.claimants)))  # so that all end at about the same time
        found = self.claims.claim(max(free, min(EACH * free, share)), self.study)
        if not found:
            self._looked = self.clock()  # others run what is left; one of them may die
            if idle:
                time.sleep(IDLE_SECONDS)
            return ()
        cells = _trusted(found.values(), self.run.work.trust)
        at = self.run.store.checkpoint_steps(found)
        self.run.left |= {cell.key: cell.steps - at.get(cell.key, 0) for cell in cells}
        self.run.places |= self.run.store.places(at)
        self.run.over -= found.keys()
        self.run.together = len(cells)
        return self.run.jobs(cells)

    def look(self) -> None:
        if self.clock() - self._beat >= self.claims.stale / BEATS:
            self._beat = self.clock()
            self.claims.beat()


def _trusted(texts: Iterable[str], trust: bool) -> list[Cell]:
    """The cells that are claimed.

    Raises:
        UsageError: they name code, which others have written into the store, and it is not trusted.
    """
    if trust:
        return [Cell.from_json(text) for text in texts]
    with sealed():
        cells = [Cell.from_json(text) for text in texts]
        if foreign := [cell for cell in cells if has_user_code(cell)]:
            raise UsageError(
                f"the store holds cells that name code, such as {foreign[0].agent} on {next(tasks(foreign[0])).env}: "
                "--trust imports and runs it."
            )
    return cells


def enqueue(store: Store, plan: Plan) -> int:
    """Enters the cells of a plan for others to run, failed ones again; how many of them are pending.

    Raises:
        StoreError: the store cannot be written, or a run owns it.
    """
    keys = [cell.key for cell in plan.cells]
    with _sharing(store):
        store.add(plan)
        store.retry([key for key, status in store.statuses(keys).items() if status == CellStatus.FAILED])
    return list(store.statuses(keys).values()).count(CellStatus.PENDING)


@contextmanager
def _sharing(store: Store) -> Iterator[None]:
    """Keeps runs off a store, but not workers that pull."""
    if not isinstance(store, SqlStore) or store.engine.dialect.name != "postgresql":
        with store.sole_writer():
            yield
        return
    claims = Claims(store, this_place().host, this_place().code)
    claims.join()
    try:
        yield
    finally:
        claims.leave()
