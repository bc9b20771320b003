"""How is code of users tried before a run? In a worker process, so that its crash or hang costs one sentence."""

from __future__ import annotations

import contextlib
import sys
import time
from typing import Any

from mohs.core.errors import UsageError
from mohs.runs.workers.executor import Call, Printed, Returned
from mohs.runs.workers.local import LocalProcesses, LocalWorker
from mohs.runs.workers.pack import Noted
from mohs.runs.workers.watch import Limits

SECONDS = 300.0  # that a trial may wait; while it computes, it may take
PATIENCE = 3  # times as long: compilation takes a minute, and more on a busy machine
LOOK_SECONDS = 0.2


class Aside:
    """A worker process that calls functions, one after the other. Another one takes its place when it dies."""

    def __init__(self, seconds: float | None = None) -> None:
        self._seconds = SECONDS if seconds is None else seconds
        self._executor = LocalProcesses(1, Limits(idle=self._seconds))
        self._worker: LocalWorker | None = None

    def __enter__(self) -> Aside:
        return self

    def __exit__(self, *_: object) -> None:
        self._executor.close()

    def call(self, what: str, target: str, *arguments: Any, environments: bytes = b"") -> Any:
        """What a function returns that is named by `module:function`.

        Args:
            what: what is tried, for the sentence that says why it failed.
            target: the name of the function.
            *arguments: its arguments.
            environments: what `registrations.pack` made of what it needs.

        Raises:
            UsageError: it raised, hung, or ended its process.
        """
        worker = self._worker = self._worker or self._executor.start()
        worker.send(Call(target, arguments, environments))
        longest = PATIENCE * self._seconds
        deadline = time.monotonic() + longest
        while time.monotonic() < deadline:
            self._executor.heard([worker], LOOK_SECONDS)
            reports, alive = worker.reports()
            for report in reports:
                if isinstance(report, Printed | Noted):
                    with contextlib.suppress(OSError):
                        sys.stderr.write(report.text if isinstance(report, Printed) else f"mohs: {report.text}\n")
                elif isinstance(report, Returned):
                    if report.error:
                        raise UsageError(report.error)
                    return report.value
            if not alive:
                why = worker.epitaph().rpartition("\n")[2]
                self._give_up(worker)
                raise UsageError(f"{what} cannot be tried: {why}")
        self._give_up(worker)
        raise UsageError(f"{what} cannot be tried: it did not answer for {longest:g} s.")

    def _give_up(self, worker: LocalWorker) -> None:
        worker.kill()
        self._worker = None
