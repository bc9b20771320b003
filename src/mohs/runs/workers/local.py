"""How do packs run on this machine? An executor whose workers are local processes.

Each worker is a fresh interpreter, not a copy of this one: it inherits no thread or lock, numerical libraries see one
thread from the start, and the caller's script is not run again.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from multiprocessing.connection import Connection, Pipe, wait

from mohs.core.errors import MohsError
from mohs.core.values import import_path
from mohs.runs.workers.executor import Report, Stop, Work
from mohs.runs.workers.worker import Ready

# Neither the start nor the worker looks into the working directory before anything that is installed.
_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[2]); from mohs.runs.workers.worker import main; "
    "main(int(sys.argv[1]))"
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

LAST_SECONDS = 5.0  # how long a process that closed its connection may take to end


class LocalProcesses:
    """Up to `count` worker processes."""

    shares_process = False

    def __init__(self, count: int) -> None:
        self._count = count
        self._started: list[LocalWorker] = []

    def room(self) -> int:
        return self._count

    def start(self) -> LocalWorker:
        worker = LocalWorker()
        self._started.append(worker)
        return worker

    def heard(self, workers: Sequence[LocalWorker], seconds: float) -> list[LocalWorker]:
        loud = set(wait([worker.connection for worker in workers], seconds))
        return [worker for worker in workers if worker.connection in loud or worker.process.poll() is not None]

    def close(self) -> None:
        for worker in self._started:
            worker.kill()


class LocalWorker:
    """The coordinator's end of one worker process. It shares the machine, so it is never lost."""

    lost = False

    def __init__(self) -> None:
        self.ready = False
        here, there = Pipe()
        self.connection: Connection[Work | Stop, Report | Ready] = here
        command = [sys.executable, "-P", "-c", _START, str(there.fileno()), json.dumps(import_path())]
        environment = {**os.environ, **ENVIRONMENT}
        # The new process inherits the mask: a Ctrl-C at the terminal cannot end it before it can ignore it.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
        try:
            self.process = subprocess.Popen(
                command,
                env=environment,
                pass_fds=[there.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=2,  # what an agent prints must not mix with data on the standard output
            )
        except OSError as error:
            here.close()
            raise MohsError(f"worker processes cannot be started ({error.strerror}).") from error
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            there.close()
        self.place = f"process {self.process.pid}"

    def send(self, message: Work | Stop) -> bool:
        try:
            self.connection.send(message)
        except OSError:
            return False
        return True

    def reports(self) -> tuple[list[Report], bool]:
        found: list[Report] = []
        alive = self.process.poll() is None  # asked first: what it said before it died is still read
        try:
            while self.connection.poll():
                report = self.connection.recv()
                if isinstance(report, Ready):
                    self.ready = True
                else:
                    found.append(report)
        except (EOFError, OSError):
            return found, False
        return found, alive

    def epitaph(self) -> str:
        try:
            code = self.process.wait(LAST_SECONDS)
        except subprocess.TimeoutExpired:
            return "worker died: the process closed its connection."
        if code >= 0:
            return f"worker died: the process exited with code {code}."
        name = signal.Signals(-code).name if -code in {s.value for s in signal.Signals} else str(-code)
        hint = " The machine may be out of memory." if -code == signal.SIGKILL else ""
        return f"worker died: the process was ended by signal {name}.{hint}"

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        self.connection.close()
