"""What does a continuous toy consist of? A point mass, the relevant dimensions, a target and terminal regions.

Nothing is generated: the parts follow from the parameters. The engine simulates them, `exact.continuous` derives the
optimum from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Float = npt.NDArray[np.float64]

POINT, LINE = "move_to_a_point", "move_along_a_line"


@dataclass(frozen=True)
class PointMass:
    """The parts of a continuous toy. `target` and `centres` are over the relevant dimensions, in their order."""

    dims: int  # relevant and irrelevant
    relevant: npt.NDArray[np.int64]
    inertia: Float  # of each dimension
    limit: float  # positions lie between minus this and this
    target: Float | None  # None: the task is to move along a line
    radius: float
    centres: Float  # [cubes, relevant dimensions]
    half_edge: float  # of the terminal cubes
    start: Float | None  # None: uniform where it is not terminal

    def terminal(self, states: Float) -> npt.NDArray[np.bool_]:
        """Which of the states [N, dims] end an episode: closer to the target than its radius, or in a cube.

        The ball is open ("closer than") and the cubes are closed, as in the authors' code.
        """
        at = states[:, self.relevant]
        ended = np.zeros(len(at), dtype=np.bool_)
        if self.target is not None:
            ended |= np.linalg.norm(at - self.target, axis=1) < self.radius
        for centre in self.centres:
            ended |= (np.abs(at - centre) <= self.half_edge).all(axis=1)
        return ended

    def uniform(self, rng: np.random.Generator, count: int) -> Float:
        """States [count, dims] drawn from the whole space."""
        return rng.uniform(-self.limit, self.limit, (count, self.dims))


def point_mass(values: Mapping[str, Any]) -> PointMass:
    """The parts of a task with these (complete, checked) parameters."""
    dims = values["state_space_dim"] + values["irrelevant_dimensions"]
    chosen = values["relevant_indices"]
    relevant = np.array(range(values["state_space_dim"]) if chosen is None else chosen, dtype=np.int64)
    target = values["target_point"]
    start = values["start_point"]
    return PointMass(
        dims,
        relevant,
        np.broadcast_to(np.array(values["inertia"], dtype=np.float64), dims),
        values["state_space_max"],
        None if values["reward_function"] == LINE else np.array(target or [0.0] * len(relevant)),
        values["target_radius"],
        np.array(values["terminal_states"], dtype=np.float64).reshape(-1, len(relevant)),
        values["term_state_edge"] / 2,
        None if start is None else np.array(start),
    )
