"""How are many MDPs built at once? By worker processes, each with the MDPs of one game at a time.

MDPs of one game against one kind of player share its positions, so one process builds them in a row. Each finished MDP
is stored: an interrupted call resumes with the missing ones.
"""

from __future__ import annotations

import multiprocessing
import queue
import resource
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

from mohs.core.errors import UsageError
from mohs.tables.challenge.cache import is_stored, make, read
from mohs.tables.challenge.grid import Candidate, Kind, candidate

OFTEN = 0.5  # seconds between two events of a worker


@dataclass(frozen=True)
class Event:
    """A message of a worker: the states found so far, or an MDP is done or failed. `memory` is its peak, in bytes."""

    id: str
    what: str
    count: int
    seconds: float
    memory: int
    done: bool = False
    error: str = ""


def build_all(ids: Sequence[str], workers: int) -> Iterator[Event]:
    """Builds the MDPs that are not stored yet, and yields their progress."""
    groups = _groups([candidate(id) for id in ids if not is_stored(id)])
    context = multiprocessing.get_context("spawn")
    with context.Manager() as manager, ProcessPoolExecutor(max(1, workers), mp_context=context) as pool:
        events: Any = manager.Queue()
        running = [pool.submit(_build, [c.id for c in group], events) for group in groups]
        try:
            while not all(future.done() for future in running) or not events.empty():
                try:
                    yield events.get(timeout=OFTEN)
                except queue.Empty:
                    continue
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
        for future in running:
            future.result()


def _groups(wanted: Sequence[Candidate]) -> list[list[Candidate]]:
    """Groups of MDPs that one process builds in a row; games first, because they take longest."""
    groups: dict[tuple[Any, ...], list[Candidate]] = {}
    for one in sorted(wanted, key=lambda one: one.kind != Kind.GAME):
        params = dict(one.params)
        groups.setdefault((one.source, params.get("board"), params.get("worth")), []).append(one)
    return list(groups.values())


def _build(ids: Sequence[str], events: Any) -> None:
    for id in ids:
        began = last = time.monotonic()

        def progress(what: str, count: int, id: str = id, began: float = began) -> None:
            nonlocal last
            if time.monotonic() - last > OFTEN:
                last = time.monotonic()
                events.put(Event(id, what, count, last - began, _memory()))

        try:
            make(id, progress)
        except UsageError as error:
            events.put(Event(id, "states", 0, time.monotonic() - began, _memory(), error=str(error)))
            continue
        events.put(Event(id, "states", read(id).states, time.monotonic() - began, _memory(), done=True))


def _memory() -> int:
    """Bytes; the system counts in kilobytes, macOS in bytes."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else 1024 * most
