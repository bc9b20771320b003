"""What does a worker process do? It takes packs from its coordinator, runs them and reports, one thread of work.

It ignores Ctrl-C and `kill`, which are the coordinator's to answer, and ends at once when the coordinator is gone.
"""

from __future__ import annotations

import os
import queue
import signal
import threading
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection

from mohs.core.cell import Cell
from mohs.core.values import resolve
from mohs.runs.pack import Factory, Failed, Message, Pace, run_cells


@dataclass(frozen=True)
class Work:
    """A pack as it travels: cells as JSON, because functions of the user's own files cannot be pickled."""

    cells: Mapping[str, str]
    resume: Mapping[str, bytes]
    factory: str
    device: str
    pace: Pace


@dataclass(frozen=True)
class Stop:
    pass


@dataclass(frozen=True)
class Ready:
    """The process is up."""


@dataclass(frozen=True)
class Ended:
    """The pack is over: every cell has finished, failed, or was told to stop."""


Report = Message | Ready | Ended


def main(descriptor: int) -> None:
    """The life of a worker on one end of a pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.set_inheritable(descriptor, False)
    connection: Connection[Report, Work | Stop] = Connection(descriptor)
    inbox: queue.Queue[Work] = queue.Queue()
    stop = threading.Event()
    threading.Thread(target=_listen, args=(connection, inbox, stop), daemon=True).start()
    connection.send(Ready())
    while True:
        work = inbox.get()
        try:
            run_work(work, connection, stop)
            connection.send(Ended())
        except (BrokenPipeError, ConnectionResetError):
            os._exit(1)


def run_work(work: Work, connection: Connection[Report, Work | Stop], stop: threading.Event) -> None:
    cells = []
    for key, text in work.cells.items():
        try:
            cells.append(Cell.from_json(text))
        except Exception:  # a function of the user's own that this process cannot import
            connection.send(Failed(key, traceback.format_exc()))
    if cells:
        for message in run_cells(cells, lazy(work.factory, work.device), work.resume, stop.is_set, work.pace):
            connection.send(message)


def lazy(factory: str, device: str) -> Factory:
    """The learner factory by name, imported on first use, so that a name that is wrong fails like a cell does."""
    return lambda cells: resolve(factory)(cells, device)


def _listen(connection: Connection[Report, Work | Stop], inbox: queue.Queue[Work], stop: threading.Event) -> None:
    try:
        while True:
            message = connection.recv()
            if isinstance(message, Stop):
                stop.set()
            else:
                inbox.put(message)
    except (EOFError, OSError):
        os._exit(1)  # the coordinator is gone; nobody waits for the results
