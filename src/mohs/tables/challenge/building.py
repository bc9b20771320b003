"""How are many MDPs built at once? By worker processes, each with the MDPs of one game at a time.

MDPs of one game against one kind of player share its positions, so they are built one after the other by one process.
What has been built is kept, MDP by MDP: the same call goes on where another one stopped.
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
    """What a worker tells: it has counted so far, or an MDP is done or failed; `memory` is the most it has had."""

    id: str
    what: str
    count: int
    seconds: float
    memory: int
    done: bool = False
    error: str = ""


def build_all(ids: Sequence[str], workers: int) -> Iterator[Event]:
    """Builds what is not kept yet, and tells how it goes."""
    groups = _groups([candidate(id) for id in ids if not is_stored(id)])
    context = multiprocessing.get_context("spawn")
    with context.Manager() as manager, ProcessPoolExecutor(max(1, workers), mp_context=context) as pool:
        told: Any = manager.Queue()
        running = [pool.submit(_build, [c.id for c in group], told) for group in groups]
        try:
            while not all(future.done() for future in running) or not told.empty():
                try:
                    yield told.get(timeout=OFTEN)
                except queue.Empty:
                    continue
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
        for future in running:
            future.result()


def _groups(wanted: Sequence[Candidate]) -> list[list[Candidate]]:
    """MDPs that one process builds one after the other; games first, for they take longest."""
    groups: dict[tuple[Any, ...], list[Candidate]] = {}
    for one in sorted(wanted, key=lambda one: one.kind != Kind.GAME):
        params = dict(one.params)
        groups.setdefault((one.source, params.get("board"), params.get("worth")), []).append(one)
    return list(groups.values())


def _build(ids: Sequence[str], told: Any) -> None:
    for id in ids:
        began = last = time.monotonic()

        def progress(what: str, count: int, id: str = id, began: float = began) -> None:
            nonlocal last
            if time.monotonic() - last > OFTEN:
                last = time.monotonic()
                told.put(Event(id, what, count, last - began, _memory()))

        try:
            make(id, progress)
        except UsageError as error:
            told.put(Event(id, "states", 0, time.monotonic() - began, _memory(), error=str(error)))
            continue
        told.put(Event(id, "states", read(id).states, time.monotonic() - began, _memory(), done=True))


def _memory() -> int:
    """Bytes; the system counts in kilobytes, macOS in bytes."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else 1024 * most
