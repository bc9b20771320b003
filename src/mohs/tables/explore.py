"""Which product states of a toy can be reached, and by which transitions? Breadth-first, in compiled code.

A product state is a row of integers: N-state, node of the sequence automaton, phase of the reward gate, and the delay
line as numbers of reward levels. Rows are found again through an open-addressing hash table. The kernel stops when an
array is full; the caller doubles it and calls again.
"""

from __future__ import annotations

import numpy as np

from mohs.core.kernel import kernel, law
from mohs.core.seeding import GOLDEN, MIX_1

_SEED, _FACTOR, _SHIFT = np.uint64(GOLDEN), np.uint64(MIX_1), np.uint64(29)

STATE, NODE, PHASE, LINE = range(4)  # columns of a row; the delay line starts at LINE


@law
def slot_of(rows, row, slots):
    """Where this row is in the hash table, or the free slot where it belongs."""
    h = _SEED
    for i in range(rows.shape[1]):
        h = (h ^ np.uint64(rows[row, i])) * _FACTOR
        h ^= h >> _SHIFT
    mask = np.uint64(len(slots) - 1)
    slot = h & mask
    while slots[slot] >= 0:
        same = True
        for i in range(rows.shape[1]):
            if rows[slots[slot], i] != rows[row, i]:
                same = False
                break
        if same:
            break
        slot = (slot + np.uint64(1)) & mask
    return slot


@kernel
def rehash(rows, count, slots):
    slots[:] = -1
    for row in range(count):
        slots[slot_of(rows, row, slots)] = row


@kernel
def expand(
    cursor, count, limit, rows, slots, indptr, succ, prob, reward,  # grown by the caller; `cursor` rows are done
    base_indptr, base_succ, base_prob, terminal, actions,  # the dynamics of the N-states
    node_step, closed, opened, rewards, levels,  # what a node earns with the gate closed and open; or rewards by row
    delay, length, gated, pay_at_end, scale, shift, terminal_reward,
):  # fmt: skip
    """Explores rows from `cursor` on: (cursor, count). It stops early if an array is full or `limit` is passed."""
    width = rows.shape[1]
    while cursor < count and count <= limit:
        source = rows[cursor]
        state = source[STATE]
        first = base_indptr[state * actions]
        branches = base_indptr[(state + 1) * actions] - first
        entry = indptr[cursor * actions]
        room = count + branches + 1 <= len(rows) and 2 * (count + branches + 1) <= len(slots)
        if not room or entry + branches > len(succ) or (cursor + 1) * actions + 1 > len(indptr):
            break
        if terminal[state]:
            for action in range(actions):
                indptr[cursor * actions + action + 1] = entry
            cursor += 1
            continue
        phase = (source[PHASE] + 1) % length if gated else 0
        for action in range(actions):
            row = state * actions + action
            for branch in range(base_indptr[row], base_indptr[row + 1]):
                after = base_succ[branch]
                node = 0
                if len(node_step) > 0:
                    node = node_step[source[NODE], after]
                    earned = opened[node] if phase == 0 else closed[node]
                else:
                    earned = rewards[row]
                paid = levels[earned]
                target = rows[count]  # written as if new, kept only if it is
                if delay > 0:
                    paid = levels[source[LINE]]
                    for i in range(delay - 1):
                        target[LINE + i] = source[LINE + i + 1]
                    target[LINE + delay - 1] = earned
                target[STATE], target[NODE], target[PHASE] = after, node, phase
                bonus = 0.0
                if terminal[after]:
                    bonus = terminal_reward * scale
                    if pay_at_end:
                        for i in range(delay):
                            paid += levels[target[LINE + i]]
                    for i in range(NODE, width):
                        target[i] = 0
                slot = slot_of(rows, count, slots)
                if slots[slot] < 0:
                    slots[slot] = count
                    count += 1
                succ[entry] = slots[slot]
                prob[entry] = base_prob[branch]
                reward[entry] = paid * scale + shift + bonus
                entry += 1
            indptr[cursor * actions + action + 1] = entry
        cursor += 1
    return cursor, count
