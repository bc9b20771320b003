"""How are transitions kept and drawn? The kernels of the replay buffer.

A slot's end says what the step that starts there led to: the episode went on, it terminated, or it was cut off (the
next slot holds its last frame); or that no step starts there.
"""

from __future__ import annotations

import numpy as np

from mohs.core.kernel import kernel, law
from mohs.engines.draws import as_uniform, bits, nth

WENT_ON, TERMINATED, CUT, NO_START = range(4)


@law
def put(tree, place, priority):
    """Sets a leaf of a sum tree: node k is the sum of nodes 2k and 2k + 1, the leaves are the second half."""
    node = place + len(tree) // 2
    tree[node] = priority
    node //= 2
    while node >= 1:
        tree[node] = tree[2 * node] + tree[2 * node + 1]
        node //= 2


@law
def find(tree, mass):
    """The leaf in which a share of the total mass falls."""
    node = 1
    while node < len(tree) // 2:
        node *= 2
        if mass >= tree[node] and tree[node + 1] > 0:
            mass -= tree[node]
            node += 1
    return node - len(tree) // 2


@kernel
def add(heads, rewards, ends, tree, largest, reward, terminated, truncated):
    """Writes a step of every cell at its head, which moves on by one slot, or by two where the episode is cut off."""
    slots = ends.shape[1]
    for i in range(len(heads)):
        head, size = heads[i, 0], heads[i, 1]
        rewards[i, head] = reward[i]
        cut = truncated[i] and not terminated[i]
        ends[i, head] = TERMINATED if terminated[i] else (CUT if cut else WENT_ON)
        if tree.shape[1] > 0:
            put(tree[i], head, largest[i])
        moves = 2 if cut else 1
        # The slots of the last frame and of the next head start nothing, whatever lay there.
        for k in range(1, moves + 1):
            at = (head + k) % slots
            ends[i, at] = NO_START
            if tree.shape[1] > 0:
                put(tree[i], at, 0.0)
        heads[i, 0] = (head + moves) % slots
        heads[i, 1] = min(size + moves, slots - 1)


@kernel
def cut(heads, ends, tree):
    """Ends what is under way as if it were cut off; its last frame is in the slot of the head already."""
    slots = ends.shape[1]
    for i in range(len(heads)):
        head, size = heads[i, 0], heads[i, 1]
        newest = (head - 1) % slots
        if size > 0 and ends[i, newest] == WENT_ON:
            ends[i, newest] = CUT
            heads[i, 0] = (head + 1) % slots
            heads[i, 1] = min(size + 1, slots - 1)
            ends[i, heads[i, 0]] = NO_START
            if tree.shape[1] > 0:
                put(tree[i], heads[i, 0], 0.0)


@kernel
def sample(keys, count, heads, rewards, ends, tree, n, gamma, beta, slot, after, n_step_return, discount, weight):
    """Draws starts and follows each for n steps, or to the end of its episode or of the buffer."""
    slots = ends.shape[1]
    for i in range(slot.shape[0]):
        head, size = heads[i, 0], heads[i, 1]
        first = bits(keys[i], count, 0, 0)
        drawn = 0
        least = np.inf
        for j in range(slot.shape[1]):
            if tree.shape[1] > 0:
                total = tree[i, 1]
                u = (j + as_uniform(nth(first, drawn))) / slot.shape[1]
                drawn += 1
                start = find(tree[i], u * total)
                weight[i, j] = (tree[i, len(tree[i]) // 2 + start] / total) ** -beta
                least = min(least, tree[i, len(tree[i]) // 2 + start])
            else:
                while True:
                    place = np.int64(as_uniform(nth(first, drawn)) * size)
                    drawn += 1
                    start = (head - size + place) % slots
                    if ends[i, start] != NO_START:
                        break
            at, total_return, factor = start, 0.0, 1.0
            for _ in range(n):
                total_return += factor * rewards[i, at]
                factor *= gamma
                end = ends[i, at]
                at = (at + 1) % slots
                if end == TERMINATED:
                    factor = 0.0
                if end != WENT_ON or at == head:
                    break
            slot[i, j], after[i, j], n_step_return[i, j], discount[i, j] = start, at, total_return, factor
        if tree.shape[1] > 0:
            # The largest weight of the batch counts as 1.
            most = (least / tree[i, 1]) ** -beta
            for j in range(slot.shape[1]):
                weight[i, j] /= most


@kernel
def prioritise(tree, largest, slot, priority):
    for i in range(slot.shape[0]):
        for j in range(slot.shape[1]):
            put(tree[i], slot[i, j], priority[i, j])
            largest[i] = max(largest[i], priority[i, j])


@kernel
def fill_tree(tree, places, priorities):
    tree[:] = 0.0
    for j in range(len(places)):
        put(tree, places[j], priorities[j])
