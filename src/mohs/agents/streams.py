"""Where do the random numbers of a cell come from? From streams that are addressed below the cell's seed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from mohs.core import seeding
from mohs.core.cell import Cell
from mohs.core.task import Source, members
from mohs.engines.fleets import NumberedFleet
from mohs.engines.numbered import begin_all


def keys(cells: Sequence[Cell], *names: str | int) -> list[int]:
    """One key for each cell."""
    return [seeding.key(seeding.child(cell.seed, *names)) for cell in cells]


def seeds(cells: Sequence[Cell], num_envs: int, *names: str | int) -> list[int]:
    """One seed for each of the `num_envs` environments of every cell, those of a cell side by side."""
    return [seeding.seed_of(seeding.child(cell.seed, *names, j)) for cell in cells for j in range(num_envs)]


def started(sources: Sequence[Source], streams: Sequence[int]) -> NumberedFleet:
    """A fleet of environments whose states are numbered, each in the first episode of its stream."""
    environment = members(sources[0])[0][0].environment
    built: NumberedFleet = environment.realisation("fleet")(sources)
    built.seed(np.array(streams, dtype=np.uint64))
    begin_all(*built.arrays)
    return built


def bursts(steps: int, of: NumberedFleet) -> Iterator[int]:
    """How many steps to take at once: all, or one by one where reward noise is a function, drawn before each."""
    if not of.noise:
        yield steps
        return
    for _ in range(steps):
        of.draw_noise()
        yield 1
