"""The replay buffer against plain Python: what is kept, what is drawn, what n steps earn; the sum tree against sums."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mohs.agents.deep.buffers import replay_kernels as kernels
from mohs.agents.deep.buffers.replay import Replay
from mohs.agents.deep.draws import Draws
from mohs.agents.deep.frames import Compressed, Plain
from mohs.agents.stage import Step

GO, TERMINATED, CUT = range(3)
DISCOUNT = 0.9
EVENTS = st.lists(st.tuples(st.sampled_from([GO, GO, GO, TERMINATED, CUT]), st.sampled_from([GO, CUT])), min_size=1)


class Plainly:
    """The memory of one cell as lists. A step is named by the frame that it starts with."""

    def __init__(self, capacity):
        self.kept = deque(maxlen=max(capacity, 2))  # steps, and None for the last frame of a cut episode
        self.steps = {}

    def add(self, before, reward, after, end):
        self.steps[before] = (reward, after, end)
        self.kept.extend([before] if end != CUT else [before, None])

    def cut(self):
        newest = self.kept[-1] if self.kept else None
        if newest is not None and self.steps[newest][2] == GO:
            reward, after, _ = self.steps[newest]
            self.steps[newest] = reward, after, CUT
            self.kept.append(None)

    def starts(self):
        return {before for before in self.kept if before is not None}

    def follow(self, before, n):
        """What n steps earn, what is seen then, and what it counts."""
        total, factor = 0.0, 1.0
        for _ in range(n):
            reward, after, end = self.steps[before]
            total, factor = total + factor * reward, factor * DISCOUNT
            if end == TERMINATED:
                return total, after, 0.0
            if end == CUT or after not in self.steps:
                break
            before = after
        return total, after, factor


def play(replay, plain, events, first=0):
    """The same steps for both; frames are numbered on, and those of cell 1 are negative."""
    frame, sign = first, np.array([1, -1])
    for now in events:
        reward = sign * (frame % 7 - 3.0)
        before, after = sign * (frame + 1), sign * (frame + 2)
        ends = np.array(now)
        step = Step(before, before, reward, after[:, None], ends == TERMINATED, ends == CUT, after)
        replay.add(before[:, None], before, step)
        for of_cell, b, r, a, end in zip(plain, before.tolist(), reward.tolist(), after.tolist(), now, strict=True):
            of_cell.add(b, r, a, end)
        # A frame's number is used twice where the episode goes on, and never else.
        frame += 1 if now == (GO, GO) else 2
        if now != (GO, GO):
            goes_on = ends == GO
            if goes_on.any():
                replay.cut()
                for of_cell in plain:
                    of_cell.cut()
    return frame


def memory(capacity, prioritised=False):
    frame = (1,), np.int32
    return Replay(2, capacity, frame, ((), np.int64), prioritised=prioritised), [Plainly(capacity), Plainly(capacity)]


def check(replay, plain, n, draws):
    batch = replay.sample(draws, 400, n, DISCOUNT)
    for i, of_cell in enumerate(plain):
        assert set(batch.before[i, :, 0].tolist()) == of_cell.starts()
        for j, before in enumerate(batch.before[i, :, 0].tolist()):
            total, after, left = of_cell.follow(before, n)
            assert batch.action[i, j] == before
            assert batch.after[i, j, 0] == after or left == 0
            assert batch.n_step_return[i, j] == pytest.approx(total, abs=1e-5)
            assert batch.discount[i, j] == pytest.approx(left)
    return batch


@given(events=EVENTS, capacity=st.integers(1, 12), n=st.integers(1, 4), prioritised=st.booleans())
def test_what_is_kept_and_drawn(events, capacity, n, prioritised):
    replay, plain = memory(capacity, prioritised)
    play(replay, plain, events)
    batch = check(replay, plain, n, Draws([1, 2]))
    assert (batch.weight == 1).all()  # nothing has been prioritised yet


@given(before=EVENTS, after=EVENTS, capacity=st.integers(1, 12), prioritised=st.booleans())
def test_a_saved_memory_goes_on(before, after, capacity, prioritised):
    replay, plain = memory(capacity, prioritised)
    frame = play(replay, plain, before)
    again, _ = memory(capacity, prioritised)
    play(again, memory(capacity)[1], after)  # whatever lay there is gone
    for i in range(2):
        again.load(i, replay.save(i))
    for of_both in (replay, again):
        play(of_both, memory(capacity)[1], after, frame)
    play(memory(capacity)[0], plain, after, frame)
    check(again, plain, 3, Draws([5, 6]))
    mine, other = (of.sample(Draws([3, 4]), 30, 2, DISCOUNT) for of in (replay, again))
    assert all(np.array_equal(a, b) for a, b in zip(mine, other, strict=True))


def test_priorities_decide_what_is_drawn_and_what_it_counts():
    replay, plain = memory(8, prioritised=True)
    play(replay, plain, [(GO, GO)] * 8)
    slots = np.arange(8)[None].repeat(2, 0)
    errors = np.array([1.0, 4.0, 0.0, 9.0, 16.0, 1.0, 1.0, 1.0])
    replay.prioritise(slots, errors[None].repeat(2, 0))
    probs = np.sqrt(errors + 1e-6) / np.sqrt(errors + 1e-6).sum()
    batch = replay.sample(Draws([1, 2]), 4000, 1, DISCOUNT, beta=0.5)
    for i in range(2):
        counts = np.bincount(batch.slot[i], minlength=8) / 4000
        np.testing.assert_allclose(counts, probs, atol=0.002)  # drawn in equal parts of the mass
        weights = probs[batch.slot[i]] ** -0.5
        np.testing.assert_allclose(batch.weight[i], weights / weights.max(), rtol=1e-5)
    play(replay, plain, [(GO, GO)], first=8)
    batch = replay.sample(Draws([1, 2]), 4000, 1, DISCOUNT)
    newest = (batch.before[0, :, 0] == 9).mean()
    kept = np.append(np.sqrt(errors[1:] + 1e-6), 4.0)  # what is new counts as much as the largest so far
    assert newest == pytest.approx(4 / kept.sum(), abs=0.002)


@given(st.lists(st.tuples(st.integers(0, 7), st.floats(0, 10)), min_size=1), st.floats(0, 1, exclude_max=True))
def test_the_sum_tree(changes, share):
    tree, leaves = np.zeros((1, 16)), np.zeros(8)
    for place, priority in changes:
        kernels.prioritise(tree, np.ones(1), np.array([[place]]), np.array([[priority]]))
        leaves[place] = priority
    for level in (8, 4, 2, 1):
        np.testing.assert_allclose(tree[0, level : 2 * level], leaves.reshape(level, -1).sum(1))
    if leaves.sum() > 0:
        found = kernels.find.py_func(tree[0], share * tree[0, 1])
        assert leaves[found] > 0
        below = leaves[:found].sum()
        assert below - 1e-9 <= share * leaves.sum() <= below + leaves[found] + 1e-9


def test_images_are_kept_without_loss_in_little_memory():
    rng = np.random.default_rng(0)
    plain, packed = Plain(2, 5, (1, 60, 60), np.uint8), Compressed(2, 5, (1, 60, 60))
    cells, slots = np.array([0, 1, 1]), np.array([4, 0, 3])
    seen = np.zeros((3, 60, 60, 1), dtype=np.uint8)
    seen[:, 20:30, 15:35] = rng.integers(0, 2, (3, 1, 1, 1)) * 200 + 55
    for kept in (plain, packed):
        kept.put(cells, slots, np.moveaxis(seen, -1, 1))
    again = Compressed(2, 5, (1, 60, 60))
    for i, used in ((0, np.array([4])), (1, np.array([0, 3]))):
        again.load(i, used, packed.save(i, used))
    for taken in (packed, again):
        assert np.array_equal(taken.take(np.array([[4, 4], [0, 3]])), plain.take(np.array([[4, 4], [0, 3]])))
    assert len(packed.save(0, np.array([4]))[0]) < 60 * 60 / 20
