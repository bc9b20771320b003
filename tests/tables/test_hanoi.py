"""The towers of Hanoi are what their rules say: played a second time with stacks of discs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mohs import UsageError
from mohs.exact.values.solve import values
from mohs.tables.puzzles.hanoi import hanoi_mdp, puzzle


def legal(stacks, source, to):
    return bool(stacks[source]) and (not stacks[to] or stacks[to][-1] > stacks[source][-1])


def moved(stacks, source, to):
    after = [list(stack) for stack in stacks]
    after[to].append(after[source].pop())
    return after


def plain_step(stacks, action):
    smallest = next(peg for peg in range(3) if stacks[peg] and stacks[peg][-1] == 1)
    if action < 2:
        return moved(stacks, smallest, (smallest + (1, -1)[action]) % 3)
    a, b = (peg for peg in range(3) if peg != smallest)
    for source, to in ((a, b), (b, a)):
        if legal(stacks, source, to):
            return moved(stacks, source, to)
    return stacks


def plain_satisfied(stacks, discs):
    """Each disc directly on the next larger one, and the largest at the bottom of the last peg."""
    pairs = [(upper, lower) for stack in stacks for lower, upper in itertools.pairwise(stack)]
    return sum((disc, disc + 1) in pairs for disc in range(1, discs)) + (stacks[2][:1] == [discs])


def plain_cells(stacks, discs):
    rows = [[stack[level] if level < len(stack) else 0 for stack in stacks] for level in range(discs)]
    return [disc for row in reversed(rows) for disc in row]


def packed(stacks):
    return sum(peg << 2 * (disc - 1) for peg, stack in enumerate(stacks) for disc in stack)


@given(st.lists(st.integers(0, 2), min_size=1, max_size=6))
def test_the_kernels_follow_the_plain_rules(pegs):
    discs = len(pegs)
    stacks = [[disc for disc in range(discs, 0, -1) if pegs[disc - 1] == peg] for peg in range(3)]
    rules, key = puzzle(discs), np.array([packed(stacks)])
    assert rules.children(key)[0].tolist() == [packed(plain_step(stacks, action)) for action in range(3)]
    assert rules.cells(key)[0].tolist() == plain_cells(stacks, discs)
    assert rules.satisfied(key)[0] == plain_satisfied(stacks, discs)
    # Three actions are all that the rules allow.
    allowed = [(a, b) for a in range(3) for b in range(3) if a != b and legal(stacks, a, b)]
    led = {packed(moved(stacks, a, b)) for a, b in allowed}
    assert led == set(rules.children(key)[0].tolist()) - {int(key[0])}


@pytest.mark.parametrize("discs", range(1, 8))
def test_known_counts_and_the_shortest_solution(discs):
    shortest = 2**discs - 1
    made = hanoi_mdp(discs, horizon=shortest)
    assert made.table.states == 3**discs
    assert made.table.terminal.sum() == 1
    # All predicates but one hold at the start.
    assert values(made.table)[made.start] == 1
    assert values(made.table, horizon=shortest - 1)[made.start] == 0


@pytest.mark.parametrize("discs", [0, 14, 2.5])
def test_towers_that_are_none(discs):
    with pytest.raises(UsageError, match=r"discs is .*, but must be an integer in \[1, 13\]"):
        hanoi_mdp(discs, horizon=50)
