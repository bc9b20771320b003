"""What must an algorithm offer to train in a pack? It acts and learns; its parts have a state for each cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import torch
from gymnasium import spaces
from torch import Tensor

from mohs.agents.deep.draws import Draws
from mohs.agents.stage import Array, Step
from mohs.core.cell import Cell


class Part(Protocol):
    """Something that has a state for each cell: a network, an optimiser, a replay buffer."""

    def save(self, i: int) -> Any: ...

    def load(self, i: int, state: Any) -> None: ...


class Algorithm(Protocol):
    """What an agent does in a pack. Arrays have one row for each instance, the `num_envs` of a cell side by side."""

    num_envs: int  # parallel environments of each cell
    parts: Mapping[str, Part]

    def act(self, now: Array) -> Array:
        """Actions for training, as the environments take them."""
        ...

    def learn(self, step: Step) -> None:
        """Takes in a step of all instances and updates the networks when that is due."""
        ...

    def enter(self) -> None:
        """Training enters new environments; episodes in the old ones end."""
        ...

    def play(self, now: Array, memory: Any, greedy: bool, draws: Draws) -> tuple[Array, Any]:
        """Actions for an evaluation with any number of instances for each cell.

        `memory` is None at first, then what was returned, wherever an episode has not just begun; see `forget`.
        """
        ...

    def forget(self, memory: Any, step: Step) -> Any:
        """The memory after a step of an evaluation; instances whose episode is over begin a new one without it."""
        ...

    def likelihood(self, draws: Draws, steps: int) -> Tensor:
        """Log likelihoods [cells] of outputs sampled from the networks' own distributions, for that many stored steps.

        Only their gradients are used (Fisher information).
        """
        ...

    def finite(self) -> npt.NDArray[np.bool_]:
        """For each cell, whether all weights of its networks are finite."""
        ...


class Maker(Protocol):
    def __call__(
        self,
        cells: Sequence[Cell],
        config: Any,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        device: torch.device,
    ) -> Algorithm: ...
