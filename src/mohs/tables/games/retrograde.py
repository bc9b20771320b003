"""What is the value of each position of a game for the player to move? Computed backwards from the final positions.

An end that is n moves away counts `DISCOUNT` to the power of n, so players prefer to win soon and to lose late; endless
play is a draw and counts 0. Noisy players choose a move at random with some probability and the best one otherwise, and
know that of each other.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mohs.core.domain import Real
from mohs.core.kernel import kernel
from mohs.tables.games.game import ONGOING
from mohs.tables.games.graph import Graph

DISCOUNT = 0.99
SETTLED = 1e-9  # a sweep over noisy play that changes no more leaves an error below 1e-7, since `DISCOUNT` contracts
DIGITS = 6  # of noisy play that are kept, so that moves of equal worth are equal

Worths = npt.NDArray[np.float32]


def outcomes(graph: Graph) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int16]]:
    """The outcome of each position under perfect play, 1, 0 or -1, and the number of moves; 0 for a draw."""
    count = len(graph.outcome)
    result = np.where(graph.outcome == ONGOING, 0, graph.outcome).astype(np.int8)
    length = np.zeros(count, dtype=np.int16)
    first, origin = np.zeros(count + 1, dtype=np.int64), np.empty(len(graph.to), dtype=np.int32)
    reverse(graph.first, graph.to, first, origin)
    left = np.diff(graph.first).astype(np.int16)
    settle(first, origin, left, np.empty(count, dtype=np.int32), result, length)
    return result, length


def perfect_worths(graph: Graph) -> Worths:
    """The value of each position under perfect play of both sides."""
    result, length = outcomes(graph)
    powers = np.power(DISCOUNT, np.arange(int(length.max()) + 1)).astype(np.float32)
    return result * powers[length]


def noisy_worths(graph: Graph, noise: float) -> Worths:
    """The value of each position where both sides choose at random with probability `noise`."""
    noise = Real(0, 1).parse("noise", noise)
    worths = np.where(graph.outcome == ONGOING, 0, graph.outcome).astype(np.float64)
    while average(graph.first, graph.to, DISCOUNT, noise, worths) > SETTLED:
        pass
    return worths.round(DIGITS).astype(np.float32)


@kernel
def reverse(first, to, first_back, origin):
    """Where the moves that lead to a position come from: `origin[first_back[p] : first_back[p + 1]]`."""
    for move in range(len(to)):
        first_back[to[move] + 1] += 1
    for position in range(len(first_back) - 1):
        first_back[position + 1] += first_back[position]
    for position in range(len(first) - 1, 0, -1):
        for move in range(first[position - 1], first[position]):
            first_back[to[move] + 1] -= 1  # the next free place, from behind
            origin[first_back[to[move] + 1]] = position - 1
    for position in range(len(first_back) - 1):
        first_back[position] = first_back[position + 1]
    first_back[len(first_back) - 1] = len(origin)


@kernel
def settle(first_back, origin, left, queue, result, length):
    """Goes back from the positions that are decided; `left` are the moves of a position that do not lose yet."""
    decided = 0
    for position in range(len(result)):
        if result[position] != 0:
            queue[decided] = position
            decided += 1
    at = 0
    while at < decided:
        position = queue[at]
        at += 1
        for move in range(first_back[position], first_back[position + 1]):
            before = origin[move]
            if result[before] != 0:
                continue
            if result[position] < 0:
                result[before] = 1
            else:
                left[before] -= 1
                if left[before] > 0:
                    continue
                result[before] = -1
            length[before] = length[position] + 1
            queue[decided] = before
            decided += 1


@kernel
def average(first, to, discount, noise, worths):
    """One sweep, last positions first: the largest change."""
    change = 0.0
    for position in range(len(worths) - 1, -1, -1):
        moves = first[position + 1] - first[position]
        if moves == 0:
            continue
        best, total = -1.0, 0.0
        for move in range(first[position], first[position + 1]):
            worth = -worths[to[move]]
            best = max(best, worth)
            total += worth
        worth = discount * (best + noise * (total / moves - best))
        change = max(change, abs(worth - worths[position]))
        worths[position] = worth
    return change
