"""How does a plan run without other processes? One worker, whose pack is trained while the coordinator listens."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator, Sequence

from mohs.runs.places import Place, this_place
from mohs.runs.workers.executor import Ended, Report, Stop, Work
from mohs.runs.workers.pack import Message
from mohs.runs.workers.worker import run_work


class InProcessWorker:
    """Trains until its next report whenever it is asked for reports."""

    ready, lost, overdue, place = True, False, False, "this process"

    def __init__(self, stop: threading.Event) -> None:
        self._stop = stop
        self._running: Iterator[Message] | None = None

    @property
    def where(self) -> Place:
        return this_place()

    @property
    def busy(self) -> bool:
        return self._running is not None

    def send(self, message: Work | Stop) -> bool:
        if isinstance(message, Stop):
            self._stop.set()
        else:
            self._running = run_work(message, self._stop.is_set)
        return True

    def reports(self) -> tuple[list[Report], bool]:
        """The next report, or all that are left where the pack is to stop."""
        found: list[Report] = []
        if self._running is None:
            return found, True
        with contextlib.redirect_stdout(sys.stderr):  # what an agent prints must not mix with data
            for message in self._running:
                found.append(message)
                if not self._stop.is_set():
                    return found, True
        self._running = None
        return [*found, Ended()], True

    def epitaph(self) -> str:
        return "worker died: its process is this one."

    def kill(self) -> None:
        self._running = None


class InProcess:
    """An executor with one worker. Setting the event stops it, also in the middle of a pack."""

    shares_process = True

    def __init__(self, stop: threading.Event | None = None) -> None:
        self._stop = stop or threading.Event()

    def room(self) -> int:
        return 1

    def start(self) -> InProcessWorker:
        return InProcessWorker(self._stop)

    def heard(self, workers: Sequence[InProcessWorker], seconds: float) -> list[InProcessWorker]:
        return [worker for worker in workers if worker.busy]

    def close(self) -> None:
        pass
