"""Which positions of a game are reachable? All of them, numbered in order of discovery, and the moves between them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mohs.tables.games.game import BATCH, NONE, Game
from mohs.tables.numbering import Numbering, Progress


@dataclass(frozen=True, eq=False)
class Graph:
    """The moves of position p lead to `to[first[p] : first[p + 1]]`; `outcome` is for the player to move."""

    numbers: Numbering
    first: npt.NDArray[np.int64]
    to: npt.NDArray[np.int32]
    outcome: npt.NDArray[np.int8]


def graph(game: Game, *, limit: int = 2**31 - 1, progress: Progress | None = None) -> Graph:
    """Every position that the start can lead to, the start first."""
    numbers = Numbering(limit, f"positions of {game.name}")
    numbers.add(np.array([game.start]))
    counts, to, outcome, done = [np.zeros(1, dtype=np.int64)], [], [], 0
    while done < numbers.count:
        keys = numbers.keys[done : done + BATCH].copy()
        children, ended = game.children(keys)
        led = numbers.add(children)
        counts.append((led != NONE).sum(axis=1))
        to.append(led[led != NONE])
        outcome.append(ended)
        done += len(keys)
        if progress is not None:
            progress(f"positions of {game.name}", numbers.count)
    return Graph(numbers, np.cumsum(np.concatenate(counts)), np.concatenate(to), np.concatenate(outcome))
