"""When is a worker given up? A watch beside its process counts the time since its last sign of life.

A sign of life is a report, or environment steps within a long call. What lasts is not ended lightly: compilation takes
a minute, an evaluation may take many. So silence is mentioned first; a process that uses no processor time is ended
after minutes, one that computes after an hour. A limit for each cell (`cell_seconds`) takes the place of that hour.

Time counts only while somebody looks: a run that is suspended and continued ends no worker.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from mohs.runs.workers.processes import Usage, usage

LONGEST_LOOK = 2.0  # seconds that count between two looks, at most
MEMORY_SECONDS = 0.5  # between two looks at the memory
BUSY_SECONDS = 0.3  # of processor time: a process that has not used them since the last time waits for something
SHOWN_KEY = 8


@dataclass(frozen=True)
class Limits:
    """What a worker may use.

    Attributes:
        cell_seconds: time for a cell; a pack has the time of all its cells. None: no limit.
        memory: bytes of memory of a worker with the processes that it started. None: no limit.
        mention: seconds without a sign of life until it is mentioned.
        idle: seconds without a sign of life and without processor time until the worker is ended.
        silent: seconds without a sign of life until a worker that computes is ended, where `cell_seconds` is None.
    """

    cell_seconds: float | None = None
    memory: int | None = None
    mention: float = 60.0
    idle: float = 300.0
    silent: float = 3600.0


UNLIMITED = Limits()


class Watch:
    """The watch on one process. `look` says what is to be mentioned, and sets `verdict` when it is to be ended."""

    def __init__(self, pid: int, limits: Limits) -> None:
        self._pid, self._limits = pid, limits
        self.verdict = ""  # why it is to be ended
        self.overdue = False  # because its cells used up their time
        self.cells: Sequence[str] = ()
        self._what = "a process that starts"
        self._resting = False
        self._looked = self._measured = time.monotonic()
        self._taken = 0.0
        self.alive()

    def begin(self, cells: Sequence[str]) -> None:
        """It was given a pack, or without cells something to try."""
        self.cells, self._resting, self._taken = cells, False, 0.0
        self._what = named(cells)
        self.alive()

    def rest(self) -> None:
        """It has nothing to do, and need not say so."""
        self.cells, self._resting = (), True

    def alive(self) -> None:
        """It gave a sign of life."""
        self._silence, self._idle, self._mention = 0.0, 0.0, self._limits.mention
        self._seconds: float | None = None

    def look(self) -> str:
        """Looks once, often. What is to be mentioned; "" where all is well."""
        now = time.monotonic()
        passed = min(now - self._looked, LONGEST_LOOK)
        self._looked = now
        if self.verdict:
            return ""
        if self._limits.memory is not None and now - self._measured >= MEMORY_SECONDS:
            self._measured = now
            self._check_memory(usage(self._pid).memory)
        if self._resting:
            return ""
        self._silence += passed
        self._taken += passed
        self._check_time()
        if self._silence < min(self._limits.mention, self._limits.idle, self._limits.silent) / 2:
            return ""
        return self._silent(passed, usage(self._pid))

    def _check_memory(self, used: int) -> None:
        limit = self._limits.memory
        if limit is not None and used > limit:
            self.verdict = f"it used more than the {limit / 1e9:.2g} GB of worker_memory"

    def _check_time(self) -> None:
        each = self._limits.cell_seconds
        if each is not None and self.cells and self._taken > each * len(self.cells):
            self.overdue = True
            many = "" if len(self.cells) == 1 else f"{len(self.cells)} × "
            self.verdict = f"it took longer than {many}{each:g} s (cell_timeout)"

    def _silent(self, passed: float, used: Usage) -> str:
        """Judges a process that has been silent for a while."""
        if self._seconds is None or used.seconds is None or used.seconds - self._seconds > BUSY_SECONDS:
            self._seconds, self._idle = used.seconds, 0.0
        else:
            self._idle += passed
        state = "its process is stopped" if used.stopped else "it uses no processor time" if self._idle else ""
        if self._idle >= self._limits.idle:
            self.verdict = f"it had not reported for {self._limits.idle:g} s, and {state}"
        elif self._silence >= self._limits.silent and self._limits.cell_seconds is None:
            self.verdict = f"it had not reported for {self._limits.silent:g} s"
        elif self._silence >= self._mention:
            self._mention *= 4  # once a minute would hide all else
            return f"{self._what} has not reported for {self._silence:.0f} s: {state or 'it computes'}"
        return ""


def named(cells: Sequence[str]) -> str:
    """A pack in messages to people."""
    if not cells:
        return "the trial"
    first = cells[0][:SHOWN_KEY]
    return f"cell {first}" if len(cells) == 1 else f"a pack of {len(cells)} cells ({first} ...)"
