"""What does a worker process do? It takes packs from its coordinator, trains them in one thread and reports.

It ignores Ctrl-C, SIGTERM and the end of its terminal, which the coordinator answers. It ends at once when the
coordinator is gone, also where it is stopped or hangs.
"""

from __future__ import annotations

import faulthandler
import os
import queue
import signal
import socket
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from mohs.agents.pulse import Pulse
from mohs.core.cell import Cell
from mohs.core.errors import UsageError
from mohs.core.values import resolve
from mohs.runs.workers import channel
from mohs.runs.workers.executor import Call, Ended, Report, Returned, Stop, Work
from mohs.runs.workers.pack import Factory, Failed, Message, run_cells
from mohs.runs.workers.processes import die_with_parent
from mohs.runs.workers.registrations import register

PULSE_SECONDS = 5.0


@dataclass(frozen=True)
class Ready:
    """The process is up."""


@dataclass(frozen=True)
class Alive:
    """A call lasts, but environment steps are taken."""


def main(descriptor: int, parent: int) -> None:
    """Serves a coordinator on one end of a socket until it is gone."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    die_with_parent(parent)
    faulthandler.enable()  # what crashed is the last that the process says
    os.set_inheritable(descriptor, False)
    end = socket.socket(fileno=descriptor)
    inbox: queue.Queue[Work | Call] = queue.Queue()
    stop, lock = threading.Event(), threading.Lock()

    def say(message: Report | Ready | Alive) -> None:
        with lock:
            channel.write(end, message)

    threading.Thread(target=_listen, args=(end, inbox, stop), daemon=True).start()
    threading.Thread(target=_beat, args=(say,), daemon=True).start()
    try:
        say(Ready())
        while True:
            task = inbox.get()
            if isinstance(task, Call):
                say(answer(task))
                continue
            for message in run_work(task, stop.is_set):
                say(message)
            say(Ended())
    except OSError:
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


def answer(call: Call) -> Returned:
    """What a function returns, or the sentence that says why it does not."""
    try:
        register(call.environments)
        return Returned(resolve(call.target)(*call.arguments))
    except UsageError as error:
        return Returned(None, str(error))
    except BaseException as error:  # code of the user may raise anything
        return Returned(None, " ".join("".join(traceback.format_exception_only(error)).split()))


def _lazy(factory: str, device: str) -> Factory:
    """The learner factory by name, imported on first use, so that a wrong name fails like a cell does."""
    return lambda cells: resolve(factory)(cells, device)


def _listen(end: socket.socket, inbox: queue.Queue[Work | Call], stop: threading.Event) -> None:
    try:
        while True:
            message = channel.read(end)
            if isinstance(message, Stop):
                stop.set()
            else:
                inbox.put(message)
    except (EOFError, OSError):
        os._exit(1)  # the coordinator is gone; nobody waits for the results


def _beat(say: Callable[[Alive], None]) -> None:
    """Says from time to time that environment steps were taken, if any were."""
    seen = 0
    while True:
        time.sleep(PULSE_SECONDS)
        if Pulse.steps != seen:
            seen = Pulse.steps
            try:
                say(Alive())
            except OSError:
                os._exit(1)
