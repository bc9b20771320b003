"""How does Gymnasium play the continuous toy? Two environments on the compiled fleet."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from mohs.engines.continuous.fleet import ContinuousFleet, fleet
from mohs.envs.fleets import Face, FleetVectorEnv, Info, Spaces
from mohs.envs.single import FleetEnv
from mohs.envs.views.points import plane_view


def _boxes(built: ContinuousFleet) -> Spaces:
    """The spaces of positions and of actions."""
    dims, states, actions = built.spaces
    return spaces.Box(-states, states, (dims,), np.float32), spaces.Box(-actions, actions, (dims,), np.float32)


FACE = Face("toy/continuous", fleet, _boxes, plane_view)


class ContinuousEnv(FleetEnv):
    """The continuous toy. Observations are positions (the N-state of section 4.2 of MDP Playground).

    `info["derivatives"]` is the whole state in double precision, [order, dimensions]: the position, its first
    derivative, and so on.
    """

    face = FACE
    fleet: ContinuousFleet
    _bound = ("_state",)

    def _bind(self) -> None:
        super()._bind()
        self._state = self._whole_state()

    def _whole_state(self) -> npt.NDArray[np.float64]:
        """A view of the position and the derivatives, [order, dimensions], of the task that is being played."""
        inst = self.fleet.instances[0]
        order = self.fleet.tasks["order"][inst["task"]]
        return self.fleet.floats[inst["state"] :][: order * self.fleet.width].reshape(order, -1)

    def _begun(self) -> None:
        self._state = self._whole_state()

    def _info(self) -> Info:
        return {"derivatives": self._state.copy()}

    def _look(self) -> npt.NDArray[np.float64]:
        return self._state.copy()

    def _text(self) -> str:
        inst = self.fleet.instances[0]
        rows = (" ".join(f"{x:.4g}" for x in row) for row in self._look())
        return f"step {inst['t']}: position {', derivative '.join(rows)}"


class ContinuousVectorEnv(FleetVectorEnv):
    """Many point masses stepped by one kernel; with `history`, `info` holds what it holds of a single one."""

    face = FACE
    fleet: ContinuousFleet

    def _info(self) -> Info:
        if not self._history:
            return {}
        return {"derivatives": self.fleet.states(), "_derivatives": np.ones(self.num_envs, dtype=np.bool_)}

    def _keep(self) -> npt.NDArray[np.int32]:
        """The tasks that are being played."""
        return self.fleet.instances["task"].copy()

    def _final_info(self, before: Any, final: npt.NDArray[Any], over: npt.NDArray[np.bool_]) -> Info:
        return {} if before is None else {"derivatives": self.fleet.states(before), "_derivatives": over.copy()}
