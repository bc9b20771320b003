"""What does a process use, and how is it ended with all that it started? From `/proc`, where there is one.

Elsewhere nothing is known of a process, and only the process itself is ended.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
_SET_DEATH_SIGNAL = 1  # of prctl


@dataclass(frozen=True)
class Usage:
    """What a process and those that it started use: seconds of processor time, bytes of memory; whether it is stopped.

    `seconds` is None where the system does not say.
    """

    seconds: float | None
    memory: int
    stopped: bool = False


def usage(pid: int) -> Usage:
    """What a process and its descendants use now."""
    seconds, memory, stopped = None, 0, False
    for one in family(pid):
        with contextlib.suppress(OSError, ValueError, IndexError):  # it may end at any moment
            words = (PROC / str(one) / "stat").read_bytes().rpartition(b")")[2].split()
            seconds = (seconds or 0.0) + sum(map(int, words[11:15])) / os.sysconf("SC_CLK_TCK")
            memory += int(words[21]) * os.sysconf("SC_PAGE_SIZE")
            stopped |= one == pid and words[0] in (b"T", b"t")
    return Usage(seconds, memory, stopped)


def family(pid: int) -> list[int]:
    """A process and its descendants, parents first."""
    found = [pid]
    for one in found:
        with contextlib.suppress(OSError):
            for task in (PROC / str(one) / "task").iterdir():
                found += map(int, (task / "children").read_text().split())
    return found


def end(pid: int) -> None:
    """Kills a process and its descendants."""
    for one in family(pid):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(one, signal.SIGKILL)


def die_with_parent(parent: int) -> None:
    """Lets the system end this process when its parent ends, also where it is stopped or hangs. Linux only."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_SET_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != parent:  # it was faster
        os._exit(1)
