"""What does a worker process do? It takes packs from its coordinator, trains them in one thread and reports.

It ignores Ctrl-C and SIGTERM, which the coordinator answers. It ends at once when the coordinator is gone.
"""

from __future__ import annotations

import os
import queue
import signal
import threading
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection

from mohs.core.cell import Cell
from mohs.core.values import resolve
from mohs.runs.workers.executor import Ended, Report, Stop, Work
from mohs.runs.workers.pack import Factory, Failed, Message, run_cells
from mohs.runs.workers.registrations import register


@dataclass(frozen=True)
class Ready:
    """The process is up."""


def main(descriptor: int) -> None:
    """Serves a coordinator on one end of a pipe until it is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.set_inheritable(descriptor, False)
    connection: Connection[Report | Ready, Work | Stop] = Connection(descriptor)
    inbox: queue.Queue[Work] = queue.Queue()
    stop = threading.Event()
    threading.Thread(target=_listen, args=(connection, inbox, stop), daemon=True).start()
    try:
        connection.send(Ready())
        while True:
            for message in run_work(inbox.get(), stop.is_set):
                connection.send(message)
            connection.send(Ended())
    except (BrokenPipeError, ConnectionResetError):
        os._exit(1)


def run_work(work: Work, should_stop: Callable[[], bool]) -> Iterator[Message]:
    """Runs a pack as it travelled, with the environments that came with it."""
    try:
        register(work.environments)
    except Exception:  # an environment or an agent of the user's own that this process cannot import
        error = traceback.format_exc()
        yield from (Failed(key, error) for key in work.cells)
        return
    cells = []
    for key, text in work.cells.items():
        try:
            cells.append(Cell.from_json(text))
        except Exception:  # a function of the user's own that this process cannot import
            yield Failed(key, traceback.format_exc())
    if cells:
        yield from run_cells(cells, _lazy(work.factory, work.device), work.resume, should_stop, work.pace, work.trust)


def _lazy(factory: str, device: str) -> Factory:
    """The learner factory by name, imported on first use, so that a wrong name fails like a cell does."""
    return lambda cells: resolve(factory)(cells, device)


def _listen(
    connection: Connection[Report | Ready, Work | Stop], inbox: queue.Queue[Work], stop: threading.Event
) -> None:
    try:
        while True:
            message = connection.recv()
            if isinstance(message, Stop):
                stop.set()
            else:
                inbox.put(message)
    except (EOFError, OSError):
        os._exit(1)  # the coordinator is gone; nobody waits for the results
