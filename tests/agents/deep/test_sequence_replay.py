"""Are sequences what was played, from whichever slot of the ring they are drawn?"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mohs.agents.deep.buffers.sequence_replay import SequenceReplay
from mohs.agents.deep.draws import Draws

STEP, LAST = "step", "last"


def played(rng, steps, ends=0.2, cuts=()):
    """One cell's history as a plain list: steps, and the last frames of episodes. No two moments are alike."""
    history, begins, frame = [], True, 0
    for t in range(steps):
        kind = rng.choice(["on", "terminated", "truncated"], p=[1 - 2 * ends, ends, ends])
        kind = "cut" if t in cuts else kind
        history.append((STEP, frame, begins, 1000 + t, float(t), kind, t + 0.5))
        if kind != "on":
            history.append((LAST, frame + 1, False, None, None, None, None))
        frame += 2 if kind != "on" else 1
        begins = kind != "on"
    return history


def remember(replay, histories):
    for moments in zip(*[[m for m in h if m[0] == STEP] for h in histories], strict=True):
        _, frame, _, action, reward, kind, memory = (np.array(x) for x in zip(*moments, strict=True))
        replay.add(
            frame[:, None], memory[:, None].astype(np.float32), action, reward, frame[:, None] + 1,
            kind == "terminated", kind == "truncated",
        )  # fmt: skip
        if (kind == "cut").all():
            replay.cut()


def check(replay, histories, seed, steps):
    """Every sequence drawn is a run of its cell's newest moments."""
    drawn = replay.sample(Draws([seed + i for i in range(len(histories))]), 20, steps)
    for i, history in enumerate(histories):
        place = {moment[1]: k for k, moment in enumerate(history)}
        for j in range(20):
            start = place[int(drawn.frame[i, j, 0, 0])]
            for t in range(steps):
                kind, frame, begins, action, reward, end, memory = history[start + t]
                assert drawn.frame[i, j, t, 0] == frame
                assert drawn.acts[i, j, t] == (kind == STEP)
                if kind == LAST:
                    continue
                assert (drawn.action[i, j, t], drawn.reward[i, j, t]) == (action, reward)
                assert drawn.lives[i, j, t] == (end != "terminated")
                assert t == 0 or drawn.begins[i, j, t] == begins
                if drawn.lives[i, j, t]:
                    assert drawn.frame[i, j, t + 1, 0] == frame + 1
                if t == 0:
                    assert drawn.memory[i, j, 0] == memory
                if not drawn.begins[i, j, t]:
                    assert (drawn.last_action[i, j, t], drawn.last_reward[i, j, t]) == history[start + t - 1][3:5]
    return drawn


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(8, 40), st.integers(8, 60), st.sampled_from([0.0, 0.1, 0.45]))
def test_sequences_are_what_was_played(seed, capacity, steps, ends):
    rng = np.random.default_rng(seed)
    replay = SequenceReplay(2, capacity, ((1,), np.int64), 1)
    histories = [played(rng, steps, ends) for _ in range(2)]
    remember(replay, histories)
    kept = min(min(map(len, histories)), capacity + 1)
    assert replay._size.min() == kept
    check(replay, histories, seed, min(6, kept))


def test_the_oldest_and_the_newest_step_are_drawn():
    replay = SequenceReplay(1, 10, ((1,), np.int64), 1)
    histories = [played(np.random.default_rng(0), 30, 0.0)]
    remember(replay, histories)
    frames = {int(f) for _ in range(20) for f in check(replay, histories, _, 4).frame[0, :, 0, 0]}
    assert frames == set(range(19, 27))


def test_a_cut_keeps_the_last_frame_and_begins_anew():
    histories = [played(np.random.default_rng(1), 20, 0.0, cuts=(7,)) for _ in range(2)]
    replay = SequenceReplay(2, 40, ((1,), np.int64), 1)
    remember(replay, histories)
    drawn = check(replay, histories, 3, 12)
    assert drawn.lives[drawn.acts].all()
    assert (~drawn.acts).any()


def test_a_cell_is_saved_and_goes_on_elsewhere():
    histories = [played(np.random.default_rng(i), 40) for i in range(2)]
    one, other = (SequenceReplay(2, 15, ((1,), np.int64), 1) for _ in range(2))
    remember(one, histories)
    remember(other, histories[::-1])
    state = [one.save(i) for i in range(2)]
    for i in range(2):
        other.load(i, state[i])
    for a, b in zip(one.sample(Draws([1, 2]), 8, 5), other.sample(Draws([1, 2]), 8, 5), strict=True):
        assert np.array_equal(a, b)


@pytest.mark.parametrize("memory", [0, 3])
def test_what_the_network_remembered_is_kept_only_where_asked(memory):
    replay = SequenceReplay(1, 5, ((1,), np.int64), memory)
    over = np.array([False])
    for t in range(3):
        frame = np.array([[t]])
        replay.add(frame, np.full((1, 3), t + 0.5, dtype=np.float32), np.array([0]), np.zeros(1), frame + 1, over, over)
    assert replay.sample(Draws([0]), 4, 2).memory.shape == (1, 4, memory)
