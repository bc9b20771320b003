"""What does the grid look like to Gymnasium? The faces of the discrete toy, with states shown as cells."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from mohs.core.errors import UsageError
from mohs.engines.discrete.fleet import Fleet
from mohs.envs.discrete import DiscreteEnv, DiscreteVectorEnv
from mohs.envs.fleets import Info, View
from mohs.envs.render.text import grid_text
from mohs.envs.views.points import grid_view
from mohs.tables.grid import coordinates
from mohs.tables.grid_parameters import Cell

Cells = npt.NDArray[np.int64]


def _cells(built: Fleet) -> tuple[spaces.Space[Any], Cells]:
    """The space of cells, and the coordinates of each by its number; those of -1, before the start, are -1."""
    shapes: list[Cell] = list(dict.fromkeys(task["grid_shape"] for task in built.numbers))
    if len(shapes) > 1:
        raise UsageError(f"the grids of one fleet must have the same shape, but some are {shapes[0]} and {shapes[1]}.")
    points = coordinates(shapes[0])
    grids = 2 if built.spaces[2] else 1
    return spaces.MultiDiscrete(np.array(shapes[0] * grids)), np.vstack([points, np.full_like(points[:1], -1)])


class _Grid:
    """What both faces have in common: how states are seen."""

    environment: ClassVar[str] = "toy/grid"
    fleet: Fleet

    def _view(self) -> View | None:
        return grid_view(self.fleet)

    def _seen_space(self) -> spaces.Space[Any]:
        space, self._cells = _cells(self.fleet)
        return space


class GridEnv(_Grid, DiscreteEnv):
    """The grid. Observations are the coordinates of the cell; `info` holds what it holds of the discrete toy, as cells.

    Action 2i goes back along dimension i, action 2i + 1 forth. With irrelevant features the coordinates of the second
    grid follow.
    """

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[Any, Info]:
        state, info = super().reset(seed=seed, options=options)
        return self._cell(state), self._walk(info)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, Info]:
        state, reward, terminated, truncated, info = super().step(action)
        return self._cell(state), reward, terminated, truncated, self._walk(info)

    def _cell(self, seen: Any) -> Any:
        return self._cells[seen].flatten() if self.view is None else seen

    def _walk(self, info: Info) -> Info:
        """The history of N-states as cells."""
        numbers: npt.NDArray[np.int32] = info["history"]
        history = self._cells.take(numbers, axis=0)  # three times as fast as an index
        return {"history": history, "augmented_state": history[self._augmented]}

    def _text(self) -> str:
        inst = self.fleet.instances[0]
        return grid_text(self.task, self._cells[int(inst["state"])], int(inst["t"]))


class GridVectorEnv(_Grid, DiscreteVectorEnv):
    """Many grids of one shape stepped by one kernel."""

    def _shown(self, states: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        return self._cells.take(states, axis=0).reshape(len(states), -1)

    def _histories(self, task: Any, traces: npt.NDArray[np.int32], there: npt.NDArray[np.bool_]) -> Info:
        info = super()._histories(task, traces, there)
        return {**info, **{name: self._cells[info[name]] for name in ("history", "augmented_state")}}
