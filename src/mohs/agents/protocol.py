"""What must an agent offer? Two functions for people, one small class for packs.

**A custom agent** is `file.py:make_agent`: a function `make_agent(env, seed)` that returns an object with

* `train(env, steps)`: train for that many steps in a Gymnasium environment; it may be called again to continue;
* `act(observation, memory, deterministic)`: return `(action, memory)`; `memory` is None at the start of an episode.

It may also offer `save() -> bytes` and `load(bytes)`, which let an interrupted run resume from its last evaluation;
without them the cell restarts.

**A built-in agent** trains a whole *pack* of cells at once and is a `Learner`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from mohs.core import seeding
from mohs.core.cell import Cell


class UserAgent(Protocol):
    def train(self, env: Any, steps: int) -> None: ...

    def act(self, observation: Any, memory: Any, deterministic: bool) -> tuple[Any, Any]: ...


# Curves by metric name: the steps and the values at them.
Points = Mapping[str, tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]]

ACTIONS = "actions"  # what a recorded episode is called, beside the metrics of its probe
# The seed of the episode that is recorded: the same for all agents, so that they can be shown side by side.
RECORDED = seeding.seed_of(seeding.child(0, "recorded"))
NONE_FAILED: Mapping[int, str] = MappingProxyType({})


class Learner(Protocol):
    """Trains the cells of one pack in step. The cells differ in tasks and seeds only.

    Nothing a cell does may depend on the others: the results are the same, bit for bit, in any pack.
    """

    cells: Sequence[Cell]

    @property
    def failed(self) -> Mapping[int, str]:
        """The cells of the pack that broke, by their numbers, and why: a text whose last line says it.

        They stay in the pack, but nobody asks for what they do. An exception is about all cells: they run again, alone.
        """
        ...

    def train(self, steps: int) -> None:
        """Every cell takes `steps` more environment steps. Never called across the end of a segment."""
        ...

    def evaluate(self, probe: int) -> dict[str, npt.NDArray[np.float64]]:
        """The mean of each metric over the episodes of the cells' probe with this number, one value for each cell."""
        ...

    def curves(self) -> Sequence[Points]:
        """For each cell the training curve so far: `train/return` and `train/length` at the ends of its windows."""
        ...

    def save(self) -> Sequence[bytes] | None:
        """For each cell all that is needed to resume bit-identically; None where the agent cannot.

        What stands for a cell that has failed is not kept.
        """
        ...

    def load(self, states: Sequence[bytes]) -> None: ...


class Recorder(Learner, Protocol):
    """A learner that can also say what its agents do in an episode."""

    def record(self, probe: int) -> Sequence[npt.NDArray[np.int64]]:
        """For each cell the actions of one more episode of its probe, in an environment reset with `RECORDED`."""
        ...
