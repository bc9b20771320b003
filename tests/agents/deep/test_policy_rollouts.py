"""Rollouts: advantages against a plain reference, minibatches, what is kept."""

from __future__ import annotations

import numpy as np
import pytest

from mohs.agents.deep.buffers.rollouts import Rollout, flat, minibatches
from mohs.agents.deep.draws import Draws
from mohs.agents.stage import Step

CELLS, STEPS, COPIES = 2, 12, 3


def filled(steps=STEPS, seed=0):
    """A rollout with ends of both kinds, and the steps it was made of."""
    rng = np.random.default_rng(seed)
    rollout = Rollout(CELLS, STEPS, COPIES, ((1,), np.float32), ((2,), np.int64))
    n, log = CELLS * COPIES, []
    before = rng.normal(size=(n, 1))
    for _ in range(steps):
        after, now = rng.normal(size=(n, 1)), rng.normal(size=(n, 1))
        step = Step(
            before,
            rng.integers(5, size=(n, 2)),
            rng.normal(size=n),
            after,
            rng.random(n) < 0.2,
            rng.random(n) < 0.2,
            now,
        )
        later = rng.normal(size=n)
        rollout.add(before, step.action, step, now, later)
        log.append((step, later))
        before = now
    return rollout, log


def reference(log, values, discount, trace):
    """Equation 16 of the paper, as the sum of all later errors that it is, for every step and instance."""
    n = CELLS * COPIES
    found = np.zeros((len(log), n))
    for k in range(n):
        for t in range(len(log)):
            factor = 1.0
            for s in range(t, len(log)):
                step, later = log[s]
                cut, end = step.truncated[k] and not step.terminated[k], step.terminated[k]
                after = 0.0 if end else later[k] if cut else values[s + 1, k]
                found[t, k] += factor * (step.reward[k] + discount * after - values[s, k])
                factor *= discount * trace
                if end or cut:
                    break
    return found


@pytest.mark.parametrize("trace", [0.0, 0.9, 1.0])
def test_advantages_are_those_of_a_plain_reference(trace):
    rollout, log = filled()
    values = np.random.default_rng(1).normal(size=(STEPS + 1, CELLS * COPIES)).astype(np.float32)
    mine = values.reshape(STEPS + 1, CELLS, COPIES).swapaxes(0, 1)
    found = rollout.advantages(mine, 0.9, trace)
    expected = reference(log, values, 0.9, trace).reshape(STEPS, CELLS, COPIES).swapaxes(0, 1)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


def test_a_break_is_a_cut_of_what_is_under_way_only():
    rollout, log = filled(4)
    step, later = log[-1]
    ended = (step.terminated | step.truncated).reshape(CELLS, COPIES)
    worth = np.full(CELLS * COPIES, 7.0)
    rollout.cut(worth)
    assert rollout.over[:, 3].all()
    cut = (step.truncated & ~step.terminated).reshape(CELLS, COPIES)
    kept = np.where(cut, later.reshape(CELLS, COPIES), 0.0)
    np.testing.assert_allclose(rollout.later[:, 3], np.where(ended, kept, 7.0), rtol=1e-6)


def test_steps_and_frames_are_kept_in_the_order_of_cells_and_copies():
    rollout, log = filled()
    assert rollout.full
    for t, (step, _) in enumerate(log):
        np.testing.assert_array_equal(rollout.seen[:, t].ravel(), step.before.ravel().astype(np.float32))
        np.testing.assert_array_equal(
            flat(rollout.actions).reshape(CELLS, STEPS, -1)[:, t].ravel(), step.action.ravel()
        )
    np.testing.assert_array_equal(rollout.now.ravel(), log[-1][0].now.ravel().astype(np.float32))


def test_a_cell_is_saved_and_loaded_wherever_it_lies():
    rollout, _ = filled(7)
    other, _ = filled(2, seed=5)
    other.load(0, rollout.save(1))
    assert other.size == 7
    for name in ("actions", "rewards", "over", "later"):
        np.testing.assert_array_equal(getattr(other, name)[0, :7], getattr(rollout, name)[1, :7])
    np.testing.assert_array_equal(other.now[0], rollout.now[1])


def test_minibatches_are_a_pass_in_an_order_of_each_cells_own():
    together, alone = list(minibatches(Draws([5, 6]), 10, 4)), list(minibatches(Draws([6]), 10, 4))
    assert [part.shape for part in together] == [(2, 4), (2, 4), (2, 2)]
    order = np.concatenate(together, 1)
    assert (np.sort(order, 1) == np.arange(10)).all()
    assert not np.array_equal(order[0], order[1])
    np.testing.assert_array_equal(np.concatenate(alone, 1)[0], order[1])


def test_all_orders_are_equally_likely():
    draws = Draws([5])
    orders = [tuple(next(minibatches(draws, 3, 3))[0].tolist()) for _ in range(3000)]
    counts = [orders.count(order) for order in set(orders)]
    assert len(counts) == 6
    assert max(abs(count - 500) for count in counts) < 110  # five deviations
