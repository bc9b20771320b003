"""How does Gymnasium play the grid? The environments of the discrete toy, with states shown as cells."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from mohs.core.errors import UsageError
from mohs.engines.discrete.fleet import DiscreteFleet, fleet
from mohs.envs.discrete import DiscreteEnv, DiscreteVectorEnv, action_space
from mohs.envs.fleets import Face, Info, Spaces
from mohs.envs.render.text import grid_text
from mohs.envs.views.points import grid_view
from mohs.tables.toys.grid import coordinates
from mohs.tables.toys.grid_parameters import Cell

Cells = npt.NDArray[np.int64]


def _shape(built: DiscreteFleet) -> Cell:
    shapes: list[Cell] = list(dict.fromkeys(task["grid_shape"] for task in built.numbers))
    if len(shapes) > 1:
        raise UsageError(f"the grids of one fleet must have the same shape, but some are {shapes[0]} and {shapes[1]}.")
    return shapes[0]


def _spaces(built: DiscreteFleet) -> Spaces:
    grids = 2 if built.spaces[2] else 1
    return spaces.MultiDiscrete(np.array(_shape(built) * grids)), action_space(built)


def _cells(built: DiscreteFleet) -> Cells:
    """The coordinates of each cell by its number; those of -1, before the start, are -1."""
    points = coordinates(_shape(built))
    return np.vstack([points, np.full_like(points[:1], -1)])


FACE = Face("toy/grid", fleet, _spaces, grid_view)


class GridEnv(DiscreteEnv):
    """The grid. Observations are the coordinates of the cell; `info` holds what it holds of the discrete toy, as cells.

    Action 2i goes back along dimension i, action 2i + 1 forth. With irrelevant features the coordinates of the second
    grid follow.
    """

    face = FACE

    def _bind(self) -> None:
        super()._bind()
        self._cells = _cells(self.fleet)

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


class GridVectorEnv(DiscreteVectorEnv):
    """Many grids of one shape stepped by one kernel."""

    face = FACE

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._cells = _cells(self.fleet)

    def _shown(self, states: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        return self._cells.take(states, axis=0).reshape(len(states), -1)

    def _histories(self, task: Any, traces: npt.NDArray[np.int32], there: npt.NDArray[np.bool_]) -> Info:
        info = super()._histories(task, traces, there)
        return {**info, **{name: self._cells[info[name]] for name in ("history", "augmented_state")}}
