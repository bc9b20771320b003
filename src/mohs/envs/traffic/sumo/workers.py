"""How is a simulation spoken to? Through the pipes of a process of its own, which is used again by later episodes.

An environment holds a process only while an episode is under way, so a task set of many intersections needs few.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import subprocess
import sys
import weakref
from typing import Any, BinaryIO, cast

from mohs.core.errors import UsageError
from mohs.envs.traffic.sumo import worker
from mohs.envs.traffic.sumo.package import check_installed, reported, surroundings

_IDLE = 2  # processes that wait for the next episode
_waiting: list[subprocess.Popen[bytes]] = []  # one pool in each process, like the simulation that each of them holds

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_waiting.clear)  # they answer the process that started them


def _stop(process: subprocess.Popen[bytes], starter: int) -> None:
    """Ends a process, which removes its files; not those that a forked process inherited."""
    if os.getpid() != starter:
        return
    assert process.stdin is not None
    with contextlib.suppress(OSError, ValueError):
        worker.write(cast(BinaryIO, process.stdin), ("quit",))
        process.stdin.close()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout is not None:
        process.stdout.close()


@atexit.register
def stop_idle() -> None:
    """Ends the processes that wait for another episode."""
    while _waiting:
        _stop(_waiting.pop(), os.getpid())


def _process() -> subprocess.Popen[bytes]:
    """An idle process, or a new one."""
    while _waiting:
        process = _waiting.pop()
        if process.poll() is None:
            return process
        _stop(process, os.getpid())
    check_installed()
    return subprocess.Popen(
        [sys.executable, "-P", worker.__file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=surroundings()
    )


class Run:
    """A simulation under way in a process of its own.

    Args:
        order: What `worker.Simulation` needs.
        what: What is simulated, for messages.
    """

    def __init__(self, order: dict[str, Any], what: str) -> None:
        self._what, self._process, self._starter = what, _process(), os.getpid()
        self._end = weakref.finalize(self, _stop, self._process, self._starter)
        self.seen: dict[str, Any] = self._ask("begin", order)

    @property
    def usable(self) -> bool:
        """Whether the simulation is there and takes orders: not of a forked process, which has only inherited it."""
        return self._end.alive and os.getpid() == self._starter

    def show(self, plan: list[tuple[str, float]]) -> dict[str, Any]:
        """Shows states one after the other, each until a time; what is seen then."""
        self.seen = self._ask("show", plan)
        return self.seen

    def hand_over(self, name: str, kind: int, until: float) -> dict[str, Any]:
        """Leaves the signal to a program of SUMO's, of a type by its number, until a time; what is seen then."""
        self.seen = self._ask("hand_over", name, kind, until)
        return self.seen

    def finish(self, edges: list[str]) -> tuple[bytes, set[str]]:
        """Ends the simulation: the record of all trips, and the vehicles on these edges."""
        trips, on = self._ask("finish", edges)
        self._release()
        return trips, set(on)

    def close(self) -> None:
        """Ends the simulation. Its process is kept for another one, unless enough of them wait."""
        if self.usable:
            with contextlib.suppress(UsageError):  # it has ended by itself
                self._ask("close")
                self._release()

    def _release(self) -> None:
        if len(_waiting) < _IDLE:
            self._end.detach()
            _waiting.append(self._process)
        else:
            self._end()

    def _ask(self, *order: Any) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            worker.write(cast(BinaryIO, self._process.stdin), order)
            kind, answer = worker.read(cast(BinaryIO, self._process.stdout))
        except (EOFError, OSError) as error:
            self._end()
            raise UsageError(f"SUMO ended without a word while it simulated {self._what}.") from error
        except BaseException:  # an interrupt: its answer must not be taken for that to another order
            self._end()
            raise
        if kind == "error":
            self._end()
            raise UsageError(f"SUMO cannot simulate {self._what}: {reported(answer)}.")
        return answer
