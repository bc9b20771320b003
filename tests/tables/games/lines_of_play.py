"""Games as their tests play them: how many lines of play there are."""

from __future__ import annotations

from collections import Counter

import numpy as np

from mohs.tables.games.game import NONE, Game


def perft(game: Game, depth: int) -> list[int]:
    """How many lines of 1, 2, … moves there are."""
    positions = Counter({game.start: 1})
    counts = []
    for _ in range(depth):
        keys = np.array(list(positions))
        children, _ = game.children(keys)
        after: Counter[int] = Counter()
        for key, row in zip(keys.tolist(), children.tolist(), strict=True):
            for child in row:
                if child != NONE:
                    after[child] += positions[key]
        positions = after
        counts.append(sum(positions.values()))
    return counts


def legal(game: Game, key: int) -> tuple[list[int], int]:
    """Where the moves of a position lead, and how it ended."""
    children, outcomes = game.children(np.array([key]))
    return [child for child in children[0].tolist() if child != NONE], int(outcomes[0])
