"""How is the training loop of a library paused? It runs in a thread of its own that waits its turn.

A library trains in one call for the whole run: its rollouts, schedules and updates span every evaluation. Cut
into several calls it would lose the rollout in progress and restart its schedules.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import gymnasium

from mohs.agents.external import BudgetSpentError, Recorder


class Loop:
    """A function that runs piece by piece: from `resume` to its next `pause`, or to its end, while the caller waits."""

    def __init__(self, function: Callable[[Loop], None]) -> None:
        self._may_go, self._has_stopped = threading.Semaphore(0), threading.Semaphore(0)
        self._cancelled = self._over = False
        self._error: BaseException | None = None
        threading.Thread(target=self._run, args=(function,), daemon=True).start()

    def resume(self) -> None:
        """Lets the function run, unless it is over; raises what it raised."""
        if self._over:
            return
        self._may_go.release()
        self._has_stopped.acquire()
        if self._error is not None:
            raise self._error

    def pause(self) -> None:
        """For the function: waits here until it may go on."""
        self._has_stopped.release()
        self._wait()

    def cancel(self, wait: bool = True) -> None:
        """Ends a function that is paused."""
        if self._over:
            return
        self._cancelled = True
        self._may_go.release()
        if wait:
            self._has_stopped.acquire()

    def _wait(self) -> None:
        self._may_go.acquire()
        if self._cancelled:
            raise BudgetSpentError("the loop was cancelled.")

    def _run(self, function: Callable[[Loop], None]) -> None:
        try:
            self._wait()
            function(self)
        except BudgetSpentError:
            pass
        except BaseException as error:
            self._error = error
        finally:
            self._over = True
            self._has_stopped.release()


class Gate(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Pauses a loop that asks for a step when those of a piece are spent; at the end of the run there is no other."""

    def __init__(self, env: gymnasium.Env[Any, Any], recorder: Recorder, loop: Loop) -> None:
        super().__init__(env)
        self._recorder, self._loop = recorder, loop

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        if self._recorder.left == 0 and self._recorder.windows.step < self._recorder.windows.total:
            self._loop.pause()
        return self.env.step(action)
