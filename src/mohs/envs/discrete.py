"""How does Gymnasium play the discrete toy? Two environments on the compiled fleet."""

from __future__ import annotations

from operator import index
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from mohs.core.errors import UsageError
from mohs.core.task import TaskSet
from mohs.engines.discrete.fleet import DiscreteFleet, fleet
from mohs.envs.fleets import Face, FleetVectorEnv, Info, Spaces
from mohs.envs.single import FleetEnv
from mohs.envs.views.shapes import shape_view


def _space(relevant: int, irrelevant: int) -> spaces.Space[Any]:
    return spaces.MultiDiscrete([relevant, irrelevant]) if irrelevant else spaces.Discrete(relevant)


def action_space(built: DiscreteFleet) -> spaces.Space[Any]:
    return _space(built.spaces[1], built.spaces[3])


def _spaces(built: DiscreteFleet) -> Spaces:
    return _space(built.spaces[0], built.spaces[2]), action_space(built)


FACE = Face("toy/discrete", fleet, _spaces, shape_view)


class DiscreteEnv(FleetEnv):
    """The discrete toy.

    `info` holds `history`, the last delay + sequence_length + 1 N-states, oldest first, -1 before the start, and
    `augmented_state`, the M-state: the N-states of one sequence length that ended `delay` steps ago.
    """

    face = FACE
    fleet: DiscreteFleet
    _history = True
    _bound = ("_trace",)

    def _example(self) -> tuple[int, int]:
        return 0, 0  # the second one has no effect without irrelevant actions

    def _bind(self) -> None:
        super()._bind()
        _, self._actions, self._irrelevant_states, self._irrelevant_actions = self.fleet.spaces
        self._plain = self.view is None and not self._irrelevant_actions
        self._varied = isinstance(self.source, TaskSet)
        self._trace = self.fleet.traces[0]
        self._ready = False  # to step without more ado: see `_make_ready`
        self._augmented = self._m_state()

    def _begun(self) -> None:
        if self._varied:
            self._augmented = self._m_state()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, Info]:
        # Written flat, because a call or two would be a tenth of the whole.
        if not self._plain:
            return self._step_seen(action)
        try:
            chosen = index(action)
        except TypeError:
            raise self._outside(action) from None
        if not 0 <= chosen < self._actions:
            raise self._outside(action)
        if not self._ready:
            self._make_ready(chosen)
        state, reward, terminated = self._step_one(self._memory, (chosen, 0))
        history = self._trace.copy()
        return state, reward, terminated, False, {"history": history, "augmented_state": history[self._augmented]}

    def _step_seen(self, action: Any) -> tuple[Any, float, bool, bool, Info]:
        """A step with an irrelevant action beside the relevant one, or of states that are seen through a view."""
        try:
            chosen, other = map(index, action) if self._irrelevant_actions else (index(action), 0)
        except (TypeError, ValueError):
            raise self._outside(action) from None
        if not (0 <= chosen < self._actions and 0 <= other < max(self._irrelevant_actions, 1)):
            raise self._outside(action)
        if not self._ready:
            self._make_ready(chosen)
        number, reward, terminated = self._step_one(self._memory, (chosen, other))
        state = np.array(divmod(number, self._irrelevant_states) if self._irrelevant_states else (number,))
        return self._seen(state), reward, terminated, False, self._info()

    def _info(self) -> Info:
        history = self._trace.copy()
        return {"history": history, "augmented_state": history[self._augmented]}

    def _look(self) -> npt.NDArray[np.int32]:
        """The relevant and the irrelevant N-state."""
        inst = self.fleet.instances[0]
        return np.array([inst["state"], inst["irrelevant"]])

    def _m_state(self) -> slice:
        """Where in the history the M-state of the task that is being played lies."""
        task = self.fleet.tasks[self.fleet.instances["task"][0]]
        first = len(self._trace) - int(task["delay"] + task["length"])
        return slice(first, first + int(task["length"]))

    def _make_ready(self, action: int) -> None:
        if not self._started:
            raise gymnasium.error.ResetNeeded("call reset() before step().")
        if self.fleet.noise:
            self.fleet.draw_noise(np.array([[action]]), unlimited=True)
        else:
            self._ready = True

    def _outside(self, action: Any) -> UsageError:
        allowed = f"an integer from 0 to {self._actions - 1}"
        if self._irrelevant_actions:
            allowed = f"two integers, from 0 to {self._actions - 1} and from 0 to {self._irrelevant_actions - 1}"
        return UsageError(f"the action is {action!r}, but must be {allowed}.")

    @property
    def augmented_state(self) -> npt.NDArray[np.int32]:
        """The M-state."""
        state: npt.NDArray[np.int32] = self._trace[self._augmented].copy()
        return state

    def _text(self) -> str:
        inst = self.fleet.instances[0]
        return f"step {inst['t']}: state {inst['state']}, last N-states {self._trace.tolist()}"


class DiscreteVectorEnv(FleetVectorEnv):
    """Many discrete toys stepped by one kernel; with `history`, `info` holds what it holds of a single one."""

    face = FACE
    fleet: DiscreteFleet

    def _info(self) -> Info:
        return self._histories(*self._keep(), np.ones(self.num_envs, dtype=np.bool_)) if self._history else {}

    def _keep(self) -> tuple[Any, Any]:
        """The tasks that are being played, and their histories."""
        return self.fleet.tasks[self.fleet.instances["task"]], self.fleet.traces.copy()

    def _final_info(self, before: Any, final: npt.NDArray[Any], over: npt.NDArray[np.bool_]) -> Info:
        if before is None:
            return {}
        task, traces = before
        return self._histories(task, np.hstack([traces[:, 1:], final[:, :1].astype(traces.dtype)]), over)

    def _histories(self, task: Any, traces: npt.NDArray[np.int32], there: npt.NDArray[np.bool_]) -> Info:
        """The histories, right-aligned, and the M-states, left-aligned, where tasks differ in length."""
        length, span = task["length"], task["delay"] + task["length"] + 1
        width = traces.shape[1]
        history = np.where(np.arange(width) >= width - span[:, None], traces, -1)
        place = np.arange(self.fleet.tasks["length"].max())
        source = np.minimum(width - span[:, None] + 1 + place, width - 1)
        augmented = np.where(place < length[:, None], np.take_along_axis(traces, source, axis=1), -1)
        return {"history": history, "_history": there, "augmented_state": augmented, "_augmented_state": there.copy()}
