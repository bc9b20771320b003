"""What does the discrete toy look like to Gymnasium? Two thin faces on the compiled fleet."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from mohs.core.errors import UsageError
from mohs.core.kernel import entry
from mohs.core.task import Source, TaskSet
from mohs.engines.discrete import kernels
from mohs.engines.discrete.fleet import Fleet, fleet
from mohs.engines.discrete.law import begin_fleet
from mohs.envs.fleets import Address, FleetVectorEnv, Info, View
from mohs.envs.single import FleetEnv
from mohs.envs.views.shapes import shape_view


def _space(relevant: int, irrelevant: int) -> spaces.Space[Any]:
    return spaces.MultiDiscrete([relevant, irrelevant]) if irrelevant else spaces.Discrete(relevant)


class DiscreteEnv(FleetEnv):
    """The discrete toy.

    `info` holds `history`, the last delay + sequence_length + 1 N-states, oldest first, -1 before the start, and
    `augmented_state`, the M-state: the N-states of one sequence length that ended `delay` steps ago.
    """

    environment = "toy/discrete"
    fleet: Fleet
    _bound = ("_memory", "_trace", "_irrelevant", "_kernel", "_step_one")

    def _build(self) -> None:
        self.fleet = fleet([self.source], history=True)
        _, self._actions, _, self._irrelevant_actions = self.fleet.spaces
        self.view = self._view()
        own = self._seen_space()
        self.observation_space = own if self.view is None else self.view.space
        self.action_space = _space(self._actions, self._irrelevant_actions)
        self._plain = self.view is None and not self._irrelevant_actions
        self._varied = isinstance(self.source, TaskSet)

    def _view(self) -> View | None:
        """What is seen of states, where it is not the states themselves."""
        return shape_view(self.fleet)

    def _seen_space(self) -> spaces.Space[Any]:
        states, _, irrelevant_states, _ = self.fleet.spaces
        return _space(states, irrelevant_states)

    def _bind(self) -> None:
        self._memory = self.fleet.memory
        self._trace = self.fleet.traces[0]
        self._kernel = entry(kernels.step_one, self._memory, 0, 0)
        self._step_one = self._kernel if self._show is None else self._filmed_step  # so only those who look pay for it
        self._irrelevant = self.fleet.instances["irrelevant"]
        self._ready = self._started and not self.fleet.noise
        self._augmented = self._m_state()

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[Any, Info]:
        self._open_stream(seed)
        self._ready = not self.fleet.noise
        state = kernels.begin_one(self._memory)
        if self._varied:
            self._augmented = self._m_state()
        if self._show is not None:
            self._show.begin(self.task)
        history = self._trace.copy()
        info = {"history": history, "augmented_state": history[self._augmented]}
        return self._seen(state), info

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
        state, reward, terminated = self._step_one(self._memory, chosen, 0)
        history = self._trace.copy()
        return state, reward, terminated, False, {"history": history, "augmented_state": history[self._augmented]}

    def _step_seen(self, action: Any) -> tuple[Any, float, bool, bool, Info]:
        """A step with an irrelevant action beside the relevant one, or of states that are not seen as they are."""
        try:
            chosen, other = map(index, action) if self._irrelevant_actions else (index(action), 0)
        except (TypeError, ValueError):
            raise self._outside(action) from None
        if not (0 <= chosen < self._actions and 0 <= other < max(self._irrelevant_actions, 1)):
            raise self._outside(action)
        if not self._ready:
            self._make_ready(chosen)
        state, reward, terminated = self._step_one(self._memory, chosen, other)
        history = self._trace.copy()
        info = {"history": history, "augmented_state": history[self._augmented]}
        return self._seen(state), reward, terminated, False, info

    def _seen(self, state: int) -> Any:
        if self._plain:
            return state
        both = np.array([state, self._irrelevant[0]])
        if self.view is None:
            return both
        panels = 2 if self._irrelevant_actions else 1
        return self.view(both[None, :panels], Address.of(self.fleet.instances))[0]

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
        self.fleet.draw_noise(np.array([[action]]), unlimited=True)

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

    environment = "toy/discrete"
    fleet: Fleet

    def _build(self, sources: Sequence[Source]) -> None:
        self.fleet = fleet(sources, history=self._history)
        _, actions, _, irrelevant_actions = self.fleet.spaces
        self.view = self._view()
        self.single_observation_space = self._seen_space()
        self.single_action_space = _space(actions, irrelevant_actions)
        self._width = 2 if irrelevant_actions else 1

    def _view(self) -> View | None:
        """What is seen of states, where it is not the states themselves."""
        return shape_view(self.fleet)

    def _seen_space(self) -> spaces.Space[Any]:
        states, _, irrelevant_states, _ = self.fleet.spaces
        return _space(states, irrelevant_states)

    def _new_states(self) -> npt.NDArray[np.int64]:
        return np.empty((self.num_envs, self._width), dtype=np.int64)

    def _begin(self, chosen: npt.NDArray[np.bool_], states: npt.NDArray[np.int64]) -> None:
        begin_fleet(*self.fleet.arrays, chosen, states)

    def _read(self, actions: Any) -> npt.NDArray[np.int64]:
        return self._integers(actions).reshape(self.num_envs, self._width)

    def _advance(self, actions: npt.NDArray[Any], states: Any, final: Any, rewards: Any, over: tuple[Any, Any]) -> int:
        memory = self.fleet.memory
        return int(kernels.step_fleet(memory, actions, states, rewards, *over, final, self._same_step))

    def _shown(self, states: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        return states[:, 0] if self._width == 1 else states

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
