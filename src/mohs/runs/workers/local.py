"""How do packs run on this machine? An executor whose workers are local processes.

Each worker is a fresh interpreter, not a copy of this one: it inherits no thread or lock, numerical libraries see one
thread from the start, and the caller's script is not run again. A watch ends it where it says nothing for too long or
uses more than it may.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from mohs.core.errors import MohsError
from mohs.core.values import import_path
from mohs.runs.places import Place, this_place
from mohs.runs.workers import processes
from mohs.runs.workers.channel import Channel
from mohs.runs.workers.executor import Call, Ended, Printed, Report, Returned, Stop, Work
from mohs.runs.workers.output import SHOWN, Output
from mohs.runs.workers.pack import Noted
from mohs.runs.workers.watch import UNLIMITED, Limits, Watch
from mohs.runs.workers.worker import Alive, Ready

# Neither the start nor the worker looks into the working directory before anything that is installed.
_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[3]); from mohs.runs.workers.worker import main; "
    "main(int(sys.argv[1]), int(sys.argv[2]))"
)
_GIGABYTE = str(2**30)
# Numerical libraries have one thread, and memory that arrays have used stays with the process: to give it back after
# each product and ask for it again would take up to a tenth of the time of large networks.
ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "BLIS_NUM_THREADS": "1",
    "VECLIB_MAXIMUM_THREADS": "1",
    "NUMEXPR_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
    "MALLOC_MMAP_THRESHOLD_": _GIGABYTE,
    "MALLOC_TRIM_THRESHOLD_": _GIGABYTE,
}

LAST_SECONDS = 5.0  # how long a process that closed its connection, or was killed, may take to end
BUFFER = 1 << 20


class LocalProcesses:
    """Up to `count` worker processes within limits."""

    shares_process = False

    def __init__(self, count: int, limits: Limits = UNLIMITED) -> None:
        self._count, self._limits = count, limits
        self._started: list[LocalWorker] = []

    def room(self) -> int:
        return self._count

    def start(self, environment: Mapping[str, str] = MappingProxyType({})) -> LocalWorker:
        worker = LocalWorker(self._limits, environment)
        self._started = [other for other in self._started if not other.ended] + [worker]
        return worker

    def heard(self, workers: Sequence[LocalWorker], seconds: float) -> list[LocalWorker]:
        with selectors.DefaultSelector() as selector:
            for worker in workers:
                worker.register(selector)
            loud = {id(key.data) for key, _ in selector.select(seconds)}
        return [worker for worker in workers if worker.look() or id(worker) in loud]

    def close(self) -> None:
        for worker in self._started:
            worker.kill()


class LocalWorker:
    """The coordinator's end of one worker process. It shares the machine, so it is never lost."""

    lost = False

    def __init__(self, limits: Limits = UNLIMITED, environment: Mapping[str, str] = MappingProxyType({})) -> None:
        self.ready = self.ended = False
        ours, theirs = socket.socketpair()
        for end in (ours, theirs):
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER)
        reading, writing = os.pipe()
        numbers = map(str, (theirs.fileno(), os.getpid()))
        command = [sys.executable, "-P", "-c", _START, *numbers, json.dumps(import_path())]
        # The new process inherits the mask: a Ctrl-C at the terminal cannot end it before it can ignore it.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
        try:
            self.process = subprocess.Popen(
                command,
                env={**os.environ, **ENVIRONMENT, **environment},
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=writing,
                stderr=writing,
            )
        except OSError as error:
            ours.close()
            os.close(reading)
            raise MohsError(f"worker processes cannot be started ({error.strerror}).") from error
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            theirs.close()
            os.close(writing)
        self._channel, self._output = Channel(ours), Output(reading)
        self._watch = Watch(self.process.pid, limits)
        self._mentions: list[Report] = []
        self._given = False  # something to do, perhaps before it was ready
        self.place = f"process {self.process.pid}"

    @property
    def where(self) -> Place:
        return this_place()

    @property
    def overdue(self) -> bool:
        return self._watch.overdue

    def register(self, selector: selectors.BaseSelector) -> None:
        """What a coordinator waits for."""
        if self._channel.open:
            events = selectors.EVENT_READ | (selectors.EVENT_WRITE if self._channel.waits else 0)
            selector.register(self._channel, events, self)
        if self._output.open:
            selector.register(self._output, selectors.EVENT_READ, self)

    def look(self) -> bool:
        """Looks after the process. Whether there is something to report."""
        self._channel.flush()
        if mention := self._watch.look():
            self._mentions.append(Noted(f"{self.place}: {mention}"))
        if self._watch.verdict and self.process.poll() is None:
            processes.end(self.process.pid)
        return bool(self._mentions) or self.process.poll() is not None

    def send(self, message: Work | Stop | Call) -> bool:
        if isinstance(message, Work | Call):
            self._given = True
            self._output.begin()
            self._watch.begin(list(message.cells) if isinstance(message, Work) else [])
        return self._channel.send(message)

    def reports(self) -> tuple[list[Report], bool]:
        alive = self.process.poll() is None  # asked first: what it said before it died is still read
        found, self._mentions = self._mentions, []
        flooded = self._output.flooded
        if text := self._output.read():
            found.append(Printed(text))
        if self._output.flooded and not flooded:
            found.append(Noted(f"{self.place} printed more than {SHOWN // 1024} kB; the rest is not shown"))
        try:
            for message in self._channel.receive():
                self._watch.alive()
                if isinstance(message, Ready):
                    self.ready = True
                    if not self._given:
                        self._watch.rest()
                elif not isinstance(message, Alive):
                    found.append(message)
                    if isinstance(message, Ended | Returned):
                        self._watch.rest()
        except Exception:  # the process wrote what is no message
            self._channel.close()
        return found, alive and self._channel.open

    def epitaph(self) -> str:
        if self._watch.verdict:
            return f"worker ended: {self._watch.verdict}."
        how = self._how()
        self._output.read()
        return f"{self._output.last()}\nworker died: {how}".lstrip()

    def _how(self) -> str:
        try:
            code = self.process.wait(LAST_SECONDS)
        except subprocess.TimeoutExpired:
            return "the process closed its connection."
        if code >= 0:
            return f"the process exited with code {code}."
        name = signal.Signals(-code).name if -code in {s.value for s in signal.Signals} else str(-code)
        hint = " The machine may be out of memory." if -code == signal.SIGKILL else ""
        return f"the process was ended by signal {name}.{hint}"

    def kill(self) -> None:
        if self.ended:
            return
        if self.process.poll() is None:
            processes.end(self.process.pid)
            self.process.kill()
            with contextlib.suppress(subprocess.TimeoutExpired):  # it waits for a device; the system ends it later
                self.process.wait(LAST_SECONDS)
        self._channel.close()
        self._output.close()
        self.ended = True
