"""How is a rewardable sequence recognised? By an automaton that reads one state after another.

Its nodes are the prefixes of the rewardable sequences (a trie with failure links, Aho and Corasick 1975): the node
after some history is the longest prefix of a sequence that the history ends with. So a step costs one look-up, however
long and however many the sequences are, and the node is all that the exact table needs to remember of the past.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Int = npt.NDArray[np.int64]
Float = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Automaton:
    """`step[node, state]` is the next node (0 at the start of an episode).

    `full[node]` is the reward of the sequence that ends there, `partial[node]` what make_denser pays for the shorter
    prefixes that end there: the sum of i/n times the largest reward among the sequences that share the prefix.
    """

    step: npt.NDArray[np.int32]
    full: Float
    partial: Float


def build(sequences: Int, rewards: Float, num_states: int) -> Automaton:
    """The automaton of sequences [count, n], level by level of the trie."""
    count, length = sequences.shape
    parents = np.zeros(count, dtype=np.int64)  # the node of each sequence's prefix read so far
    levels: list[tuple[Int, Int, Float]] = []  # of each level: parent node, state read, largest reward below
    nodes = 1
    for depth in range(length):
        edge = parents * num_states + sequences[:, depth]
        edges, inverse = np.unique(edge, return_inverse=True)
        best = np.full(len(edges), -np.inf)
        np.maximum.at(best, inverse, rewards)
        levels.append((edges // num_states, edges % num_states, best))
        parents = nodes + inverse
        nodes += len(edges)

    step = np.zeros((nodes, num_states), dtype=np.int32)
    fail = np.zeros(nodes, dtype=np.int64)
    full, partial = np.zeros(nodes), np.zeros(nodes)
    first = 1
    for depth, (parent, state, best) in enumerate(levels, start=1):
        node = np.arange(first, first + len(parent))
        if depth > 1:
            fail[node] = step[fail[parent], state]
        # A node's own transitions start as those of its failure node; its children then replace some of them.
        step[parent, state] = node
        step[node] = step[fail[node]]
        partial[node] = partial[fail[node]]
        if depth < length:
            partial[node] += depth / length * best
        else:
            full[node] = best
        first += len(parent)
    return Automaton(step, full, partial)
