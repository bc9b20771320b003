"""The best returns of the arcade: beside all courses of actions of short episodes, and beside what must hold."""

from __future__ import annotations

from copy import copy, deepcopy

import numpy as np
import pytest
from arcade_reference import GAMES, make

from mohs import Task, UsageError
from mohs.core.score import ReferenceKind
from mohs.engines.arcade.collect import FRUIT
from mohs.engines.arcade.cue import EACH
from mohs.engines.arcade.dig import GEMS
from mohs.engines.arcade.references import LEVELS, bounds

STEPS = 4
ROUTES = {"collect": FRUIT, "cue": EACH, "dig": GEMS}


def copied(plain):
    """Another game in the same state."""
    other = copy(plain)
    for name, value in vars(plain).items():
        if isinstance(value, set):
            setattr(other, name, set(value))
        elif name in ("kinds", "cars"):
            setattr(other, name, deepcopy(value))
    return other


def best(plain, t, steps, deadly, quota, total=0.0, count=0):
    """The best that any course of actions is paid from here on."""
    found = total if count >= quota else 0.0
    if t > steps:
        return found
    values = []
    for action in range(5):
        after = copied(plain)
        reward, _, touched, over = after.step(action, t)
        last = steps if over or (deadly and touched) else t
        values.append(best(after, last + 1, steps, deadly, quota, total + reward, count + (reward > 0)))
    return max(values)


@pytest.mark.parametrize(("deadly", "quota"), [(False, 0), (True, 0), (False, 2)])
@pytest.mark.parametrize("game", GAMES)
def test_the_bounds_hold_the_best_of_all_courses(game, deadly, quota):
    task = Task.make(f"arcade/{game}", deadly=deadly, quota=quota, max_episode_steps=STEPS)
    for level, (lower, upper) in enumerate(bounds(task, np.arange(3))):
        value = best(make(game, level), 1, STEPS, deadly, quota)
        assert lower - 1e-9 <= value <= upper + 1e-9
        if game not in ROUTES and not quota:
            assert lower == upper


@pytest.mark.parametrize("game", ROUTES)
@pytest.mark.parametrize("deadly", [False, True])
def test_everything_can_be_had_in_every_level(game, deadly):
    found = bounds(Task.make(f"arcade/{game}", deadly=deadly), np.arange(500))
    assert (found == ROUTES[game]).all()


@pytest.mark.parametrize("deadly", [False, True])
def test_both_treasures_can_be_had_in_every_maze(deadly):
    assert (bounds(Task.make("arcade/maze", deadly=deadly), np.arange(60)) == 2).all()


@pytest.mark.parametrize("game", GAMES)
def test_more_time_is_never_worse(game):
    best = [bounds(Task.make(f"arcade/{game}", max_episode_steps=n), np.arange(8)) for n in (4, 8, 16, 32)]
    assert (np.diff(np.array(best), axis=0) >= 0).all()


@pytest.mark.parametrize("game", GAMES)
def test_the_score_knows_how_it_is_known(game):
    def score(**params):
        task = Task.make(f"arcade/{game}", **params)
        return task.environment.realisation("score")(task)

    plain, few = score(), score(num_levels=3)
    assert plain.high.kind == ReferenceKind.ESTIMATED
    assert f"{LEVELS} levels" in plain.high.source
    assert few.high.kind == ReferenceKind.EXACT
    assert few.high.value == pytest.approx(bounds(Task.make(f"arcade/{game}"), np.arange(3))[:, 1].mean())
    assert plain.low.value < plain.high.value
    turned = score(texture=1.0, view="semantic", pay_every=0, reward_probability=0.25)
    assert turned == plain
    assert score(quota=100 if game == "avoid" else 50).high.value == 0
    if game in ROUTES:
        assert score(max_episode_steps=9).high.kind == ReferenceKind.BOUND


def test_long_episodes_have_no_references():
    task = Task.make("arcade/chase", max_episode_steps=1001)
    with pytest.raises(UsageError, match="max_episode_steps up to 1,000"):
        task.environment.realisation("score")(task)
