"""What does the continuous toy look like to Gymnasium? Two thin faces on the compiled fleet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from mohs.core.errors import UsageError
from mohs.core.kernel import entry
from mohs.core.task import Source
from mohs.engines.continuous import kernels
from mohs.engines.continuous.fleet import Fleet, fleet
from mohs.envs.fleets import Address, FleetVectorEnv, Info
from mohs.envs.single import FleetEnv
from mohs.envs.views.points import plane_view

Numbers = npt.NDArray[np.float32]


def _boxes(built: Fleet) -> tuple[spaces.Box, spaces.Box]:
    """The spaces of positions and of actions."""
    dims, states, actions = built.spaces
    return spaces.Box(-states, states, (dims,), np.float32), spaces.Box(-actions, actions, (dims,), np.float32)


def _as_numbers(given: Any, shape: tuple[int, ...]) -> Numbers | None:
    """Actions of one type and layout, so that one kernel is compiled; None where they are no numbers of this shape."""
    read = np.asarray(given)
    if read.shape != shape or read.dtype.kind not in "fiu":
        return None
    if read.dtype == np.float32 and read.flags.carray:
        return read
    with np.errstate(over="ignore"):  # what is too large for a float32 is infinite, and out of every range
        return np.require(read, np.float32, ("C", "W"))


class ContinuousEnv(FleetEnv):
    """The continuous toy. Observations are positions (the N-state of section 4.2 of MDP Playground).

    `info["derivatives"]` is the whole state in double precision, [order, dimensions]: the position, its first
    derivative, and so on.
    """

    environment = "toy/continuous"
    fleet: Fleet
    _bound = ("_memory", "_state", "_step_one")

    def _build(self) -> None:
        self.fleet = fleet([self.source])
        self.view = plane_view(self.fleet)
        self.observation_space, self.action_space = _boxes(self.fleet)
        self._shape = self.action_space.shape

    def _bind(self) -> None:
        self._memory = self.fleet.memory
        room = np.empty(self._shape, dtype=np.float32)
        self._step_one = entry(kernels.step_one, self._memory, room, room)
        self._state = self._whole_state()

    def _whole_state(self) -> npt.NDArray[np.float64]:
        """A view of the position and the derivatives, [order, dimensions], of the task that is being played."""
        inst = self.fleet.instances[0]
        order = self.fleet.tasks["order"][inst["task"]]
        return self.fleet.floats[inst["state"] :][: order * self._shape[0]].reshape(order, -1)

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[Any, Info]:
        self._open_stream(seed)
        position = np.empty(self._shape, dtype=np.float32)
        kernels.begin_one(self._memory, position)
        self._state = self._whole_state()
        if self._show is not None:
            self._show.begin(self.task)
        return self._seen(position), {"derivatives": self._state.copy()}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, Info]:
        if not self._started:
            raise gymnasium.error.ResetNeeded("call reset() before step().")
        chosen = _as_numbers(action, self._shape)
        if chosen is None:
            raise UsageError(f"the action is {action!r}, but must be {self._shape[0]} numbers.")
        if self.fleet.noise:
            self.fleet.draw_noise(chosen[None], unlimited=True)
        position = np.empty(self._shape, dtype=np.float32)
        reward, terminated, allowed = self._step_one(self._memory, chosen, position)
        if not allowed:
            raise UsageError(f"the action is {chosen.tolist()}, outside {self.action_space}.")
        if self._show is not None:
            self._show.add(reward)
        return self._seen(position), reward, terminated, False, {"derivatives": self._state.copy()}

    def _seen(self, position: Numbers) -> Any:
        return position if self.view is None else self.view(position[None], Address.of(self.fleet.instances))[0]

    def _look(self) -> npt.NDArray[np.float64]:
        return self._state.copy()

    def _text(self) -> str:
        inst = self.fleet.instances[0]
        rows = (" ".join(f"{x:.4g}" for x in row) for row in self._look())
        return f"step {inst['t']}: position {', derivative '.join(rows)}"


class ContinuousVectorEnv(FleetVectorEnv):
    """Many point masses stepped by one kernel; with `history`, `info` holds what it holds of a single one."""

    environment = "toy/continuous"
    fleet: Fleet

    def _build(self, sources: Sequence[Source]) -> None:
        self.fleet = fleet(sources, history=self._history)
        self.view = plane_view(self.fleet)
        self.single_observation_space, self.single_action_space = _boxes(self.fleet)
        self._dims = self.fleet.spaces[0]

    def _new_states(self) -> Numbers:
        return np.empty((self.num_envs, self._dims), dtype=np.float32)

    def _begin(self, chosen: npt.NDArray[np.bool_], states: Numbers) -> None:
        kernels.begin_fleet(self.fleet.memory, chosen, states)

    def _read(self, actions: Any) -> Numbers:
        read = _as_numbers(actions, (self.num_envs, self._dims))
        if read is None:
            given = np.asarray(actions)
            raise UsageError(
                f"actions must be numbers of shape {self.action_space.shape}, not {given.dtype} of {given.shape}."
            )
        return read

    def _advance(self, actions: npt.NDArray[Any], states: Any, final: Any, rewards: Any, over: tuple[Any, Any]) -> int:
        memory = self.fleet.memory
        return int(kernels.step_fleet(memory, actions, states, rewards, *over, final, self._same_step))

    def _info(self) -> Info:
        if not self._history:
            return {}
        return {"derivatives": self.fleet.states(), "_derivatives": np.ones(self.num_envs, dtype=np.bool_)}

    def _keep(self) -> npt.NDArray[np.int32]:
        """The tasks that are being played."""
        return self.fleet.instances["task"].copy()

    def _final_info(self, before: Any, final: npt.NDArray[Any], over: npt.NDArray[np.bool_]) -> Info:
        return {} if before is None else {"derivatives": self.fleet.states(before), "_derivatives": over.copy()}
