"""What does the discrete toy look like to Gymnasium? Two thin faces on the compiled fleet."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from mohs.core.domain import Choice
from mohs.core.errors import UsageError
from mohs.core.kernel import entry
from mohs.core.task import Source, Task, TaskSet
from mohs.engines.discrete import kernels
from mohs.engines.discrete.fleet import Fleet, fleet
from mohs.engines.discrete.law import begin_fleet
from mohs.envs.fleets import FleetVectorEnv, Info, stream_key


def _space(relevant: int, irrelevant: int) -> spaces.Space[Any]:
    return spaces.MultiDiscrete([relevant, irrelevant]) if irrelevant else spaces.Discrete(relevant)


class DiscreteEnv(gymnasium.Env[Any, Any]):
    """The discrete toy. `seed` decides what is generated; `reset(seed=)` seeds start states and noise.

    `info` holds `history`, the last delay + sequence_length + 1 N-states, oldest first, -1 before the start, and
    `augmented_state`, the M-state: the N-states of one sequence length that ended `delay` steps ago.
    Truncation is left to Gymnasium's `TimeLimit`.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 4}  # noqa: RUF012 – as Gymnasium declares it

    def __init__(
        self, *, seed: int = 0, source: Source | None = None, render_mode: str | None = None, **params: Any
    ) -> None:
        self.source = Task.make("toy/discrete", seed=seed, **params) if source is None else source
        if render_mode is not None:
            Choice(("ansi",)).parse("render_mode", render_mode)
        self.render_mode = render_mode
        self.fleet = fleet([self.source], history=True)
        states, self._actions, irrelevant_states, self._irrelevant_actions = self.fleet.spaces
        self.observation_space = _space(states, irrelevant_states)
        self.action_space = _space(self._actions, self._irrelevant_actions)
        self._started = False
        self._bind()
        self._augmented = self._m_state()
        self._varied = isinstance(self.source, TaskSet)

    def _bind(self) -> None:
        """What a step reads of the fleet."""
        self._memory = self.fleet.memory
        self._trace = self.fleet.traces[0]
        self._step_one = entry(kernels.step_one, self._memory, 0, 0)
        self._irrelevant = self.fleet.instances["irrelevant"]
        self._ready = self._started and not self.fleet.noise

    def __getstate__(self) -> dict[str, Any]:
        views = ("_memory", "_trace", "_irrelevant", "_step_one")
        return {name: value for name, value in self.__dict__.items() if name not in views}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._bind()

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[Any, Info]:
        if seed is not None or not self._started:
            super().reset(seed=seed)
            _ = self.np_random  # Gymnasium chooses a seed where none was ever given
            assert self.np_random_seed is not None
            self.fleet.seed(stream_key(self.np_random_seed))
            self._started = True
            self._ready = not self.fleet.noise
        state = kernels.begin_one(self._memory)
        if self._varied:
            self._augmented = self._m_state()
        history = self._trace.copy()
        info = {"history": history, "augmented_state": history[self._augmented]}
        return (np.array([state, self._irrelevant[0]]) if self._irrelevant_actions else state), info

    def step(self, action: Any) -> tuple[Any, float, bool, bool, Info]:
        # Written flat, because a call or two would be a tenth of the whole.
        if self._irrelevant_actions:
            return self._step_both(action)
        try:
            chosen = index(action)
        except TypeError:
            raise self._outside(action) from None
        if not 0 <= chosen < self._actions:
            raise self._outside(action)
        if not self._ready:
            self._make_ready()
        state, reward, terminated = self._step_one(self._memory, chosen, 0)
        history = self._trace.copy()
        return state, reward, terminated, False, {"history": history, "augmented_state": history[self._augmented]}

    def _step_both(self, action: Any) -> tuple[Any, float, bool, bool, Info]:
        """A step with a relevant and an irrelevant action."""
        try:
            chosen, other = map(index, action)
        except (TypeError, ValueError):
            raise self._outside(action) from None
        if not (0 <= chosen < self._actions and 0 <= other < self._irrelevant_actions):
            raise self._outside(action)
        if not self._ready:
            self._make_ready()
        state, reward, terminated = self._step_one(self._memory, chosen, other)
        history = self._trace.copy()
        info = {"history": history, "augmented_state": history[self._augmented]}
        return np.array([state, self._irrelevant[0]]), reward, terminated, False, info

    def _m_state(self) -> slice:
        """Where in the history the M-state of the task that is being played lies."""
        task = self.fleet.tasks[self.fleet.instances["task"][0]]
        first = len(self._trace) - int(task["delay"] + task["length"])
        return slice(first, first + int(task["length"]))

    def _make_ready(self) -> None:
        if not self._started:
            raise gymnasium.error.ResetNeeded("call reset() before step().")
        self.fleet.draw_noise()

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

    def render(self) -> str | None:
        if not self._started:
            raise gymnasium.error.ResetNeeded("call reset() before render().")
        if self.render_mode is None:
            gymnasium.logger.warn("render() was called without a render_mode; make the environment with 'ansi'.")
            return None
        inst = self.fleet.instances[0]
        return f"step {inst['t']}: state {inst['state']}, last N-states {self._trace.tolist()}"


class DiscreteVectorEnv(FleetVectorEnv):
    """Many discrete toys stepped by one kernel; with `history`, `info` holds what it holds of a single one."""

    environment = "toy/discrete"
    fleet: Fleet

    def _build(self, sources: Sequence[Source]) -> None:
        self.fleet = fleet(sources, history=self._history)
        states, actions, irrelevant_states, irrelevant_actions = self.fleet.spaces
        self.single_observation_space = _space(states, irrelevant_states)
        self.single_action_space = _space(actions, irrelevant_actions)
        self._width = 2 if irrelevant_actions else 1

    def _new_states(self) -> npt.NDArray[np.int64]:
        return np.empty((self.num_envs, self._width), dtype=np.int64)

    def _begin(self, chosen: npt.NDArray[np.bool_], states: npt.NDArray[np.int64]) -> None:
        begin_fleet(*self.fleet.arrays, chosen, states)

    def _read(self, actions: Any) -> npt.NDArray[np.int64]:
        given = np.asarray(actions)
        if given.shape != self.action_space.shape or given.dtype.kind not in "iu":
            raise UsageError(
                f"actions must be integers of shape {self.action_space.shape}, not {given.dtype} of {given.shape}."
            )
        # One type and layout, so that one kernel is compiled.
        return np.ascontiguousarray(given, dtype=np.int64).reshape(self.num_envs, self._width)

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
