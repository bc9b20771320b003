"""The engine of the arcade beside plain Python, and its dials: each changes what it names and nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from arcade_reference import GAMES, make

import mohs
from mohs import Task, UsageError
from mohs.engines import loops
from mohs.engines.arcade.fleet import HELD_OUT, fleet, held_out, levels

SUB_GOALS = {"maze", "cross"}


def played(game, steps=130, count=16, **params):
    """Levels, states, rewards and ends of some instances under random actions."""
    built = fleet([Task.make(f"arcade/{game}", **params)] * count)
    built.seed(np.arange(1, count + 1, dtype=np.uint64))
    seen, rewards = built.new_observations(), np.empty(count)
    ended, cut = np.empty(count, dtype=bool), np.empty(count, dtype=bool)
    actions = np.random.default_rng(0).integers(5, size=(steps, count, 1))
    loops.begin_fleet(built.memory, np.ones(count, dtype=bool), seen)
    course = [(built.instances["level"].copy(), seen.copy(), np.zeros(count), ended & False, cut & False)]
    for action in actions:
        loops.step_fleet(built.memory, action, seen, rewards, ended, cut, seen, False)
        level = built.instances["level"].copy()
        course.append((level, seen.copy(), rewards.copy(), ended.copy(), cut.copy()))
    return actions[..., 0], [np.array(part) for part in zip(*course, strict=True)]


@pytest.mark.parametrize("deadly", [False, True])
@pytest.mark.parametrize("game", GAMES)
def test_every_step_is_that_of_plain_python(game, deadly):
    shaping = {"shaping": 0.5} if game in SUB_GOALS else {}
    params = {"max_episode_steps": 40, "deadly": deadly, **shaping}
    for seed in range(2):
        actions, (level, seen, rewards, ended, cut) = played(game, start_level=seed * 1000, count=12, **params)
        for i in range(level.shape[1]):
            plain, t = make(game, int(level[0, i])), 0
            for step in range(len(level)):
                if step > 0 and t < 0:
                    plain, t = make(game, int(level[step, i])), 0
                    assert rewards[step, i] == 0
                elif step > 0:
                    t += 1
                    reward, goals, touched, over = plain.step(int(actions[step - 1, i]), t)
                    assert rewards[step, i] == pytest.approx(reward + 0.5 * goals * bool(shaping))
                    assert ended[step, i] == (over or (deadly and touched))
                    assert cut[step, i] == (t == 40)
                assert seen[step, i, :36].reshape(6, 6).tolist() == plain.picture()
                assert int.from_bytes(seen[step, i, 36:40].tobytes(), "little") == level[step, i]
                t = -1 if ended[step, i] or cut[step, i] else t


def whole(rewards, ended, cut):
    """Of each instance the sums of its episodes that are over."""
    found = []
    for i in range(rewards.shape[1]):
        ends = np.flatnonzero(ended[:, i] | cut[:, i])
        found += [part.sum() for part in np.split(rewards[:, i], ends + 1)[:-1]]
    return np.array(found)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(
    "dial", [{"pay_every": 0}, {"pay_every": 5}, {"quota": 3}, {"reward_probability": 0.5}], ids=lambda dial: str(dial)
)
def test_a_learning_dial_moves_rewards_and_nothing_else(game, dial):
    _, plain = played(game)
    _, turned = played(game, **dial)
    for i in (0, 1, 3, 4):
        np.testing.assert_array_equal(plain[i], turned[i])
    assert (plain[2] != turned[2]).any()
    if "pay_every" in dial:
        np.testing.assert_allclose(whole(*plain[2:]), whole(*turned[2:]))


def test_pay_days_come_every_so_many_steps_and_at_the_end():
    _, plain = played("avoid", steps=64)
    _, turned = played("avoid", steps=64, pay_every=10)
    days = np.append(np.arange(10, 64, 10), 64)
    np.testing.assert_allclose(turned[2][days], np.add.reduceat(plain[2][1:], np.append(0, days[:-1])))
    assert not np.delete(turned[2], days, axis=0).any()


def test_a_quota_holds_all_back_until_it_is_met():
    _, plain = played("collect", steps=64)
    _, turned = played("collect", steps=64, quota=3)
    for i in range(plain[2].shape[1]):
        ends = np.flatnonzero(plain[3][:, i])
        stop = ends[0] + 1 if len(ends) else 65
        own, other = plain[2][:stop, i], turned[2][:stop, i]
        met = np.flatnonzero(np.cumsum(own > 0) >= 3)
        first = met[0] if len(met) else stop
        assert not other[:first].any()
        if len(met):
            assert other[first] == own[: first + 1].sum()
            np.testing.assert_array_equal(other[first + 1 :], own[first + 1 :])


@pytest.mark.parametrize("p", [0.25, 0.5])
def test_masking_keeps_the_mean(p):
    """Given or not is drawn apart from all else, so the mean over draws is the reward: exactly p of 1 / p."""
    _, plain = played("avoid", count=2000, steps=64)
    _, masked = played("avoid", count=2000, steps=64, reward_probability=p)
    kept = masked[2] != 0
    np.testing.assert_allclose(masked[2][kept], plain[2][kept] / p)
    share = kept[1:].mean()
    assert abs(share - p) < 5 * np.sqrt(p * (1 - p) / kept[1:].size)
    error = plain[2][1:].std() / np.sqrt(p * kept[1:].size)
    assert abs(masked[2][1:].mean() - plain[2][1:].mean()) < 5 * error


@pytest.mark.parametrize("game", GAMES)
def test_a_deadly_distractor_ends_what_goes_on_without(game):
    actions, plain = played(game, num_levels=1)
    _, deadly = played(game, num_levels=1, deadly=True)
    died = False
    for i in range(actions.shape[1]):
        ends = np.flatnonzero((deadly[3] | deadly[4])[:, i])
        first = ends[0]
        np.testing.assert_array_equal(plain[1][: first + 1, i], deadly[1][: first + 1, i])
        np.testing.assert_array_equal(plain[2][: first + 1, i], deadly[2][: first + 1, i])
        died |= bool(deadly[3][first, i] and not plain[3][first, i])
    assert died


@pytest.mark.parametrize("game", GAMES)
def test_a_level_plays_the_same_in_any_stream(game):
    env = mohs.make(f"arcade/{game}", num_levels=1, start_level=77)
    actions = np.random.default_rng(1).integers(5, size=30).tolist()

    def course(seed):
        seen = [env.reset(seed=seed)[0]]
        rewards = []
        for action in actions:
            one, reward, *_ = env.step(action)
            seen.append(one)
            rewards.append(reward)
        return np.array(seen), rewards

    (one, first), (other, second) = course(1), course(2)
    np.testing.assert_array_equal(one, other)
    assert first == second


def test_levels_are_drawn_from_those_of_the_task():
    _, course = played("dig", count=200, num_levels=5, start_level=40)
    assert set(course[0].ravel().tolist()) == {40, 41, 42, 43, 44}
    _, course = played("dig", count=200)
    assert len(np.unique(course[0])) > 300
    assert course[0].max() < HELD_OUT


def test_held_out_levels_are_no_training_levels():
    for params in ({}, {"num_levels": 500, "start_level": 3}):
        task = Task.make("arcade/cue", deadly=True, **params)
        other = held_out(task)
        first, count = levels(task)
        assert first + count <= levels(other)[0] == HELD_OUT
        assert sum(levels(other)) == 2 * HELD_OUT
        assert other["deadly"]
    with pytest.raises(UsageError, match="held out already"):
        held_out(other)


@pytest.mark.parametrize(
    "params", [{"start_level": HELD_OUT - 2, "num_levels": 3}, {"start_level": 2 * HELD_OUT - 1, "num_levels": 2}]
)
def test_levels_are_all_for_training_or_all_held_out(params):
    with pytest.raises(UsageError, match="start_level \\+ num_levels is"):
        Task.make("arcade/collect", **params)
