"""Where do the random numbers of a cell come from? From streams that are addressed below the cell's seed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from mohs.core import seeding
from mohs.core.cell import Cell
from mohs.engines.discrete.fleet import Fleet
from mohs.engines.discrete.law import begin_fleet


def keys(cells: Sequence[Cell], *names: str | int) -> list[int]:
    """One key for each cell."""
    return [seeding.key(seeding.child(cell.seed, *names)) for cell in cells]


def start(of: Fleet, streams: Sequence[int]) -> None:
    """Begins the first episode of every instance, each in its stream."""
    of.seed(np.array(streams, dtype=np.uint64))
    begin_fleet(*of.arrays, np.ones(len(of), dtype=np.bool_), np.empty((len(of), 2), dtype=np.int64))


def bursts(steps: int, of: Fleet) -> Iterator[int]:
    """How many steps to take at once: all, or one by one where reward noise is a function, drawn before each."""
    if not of.noise:
        yield steps
        return
    for _ in range(steps):
        of.draw_noise()
        yield 1
