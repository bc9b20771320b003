"""An environment that is kept in the middle of an episode goes on as if nothing had happened."""

from __future__ import annotations

import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium.utils import EzPickle

from mohs import Task, TaskSet
from mohs.envs.keeping import pickled
from mohs.envs.make import make

DIALS = {"delay": 2, "reward_noise": 0.5}
TASKS = {
    "cartpole": Task.make("CartPole-v1", **DIALS),
    "atari": Task.make("atari/Breakout", max_episode_steps=60, **DIALS),
    "sticky atari": Task.make("ALE/Pong-v5", max_episode_steps=60, repeat_action_probability=0.25),
    "reacher": Task.make("Reacher-v5", action_space_max=4.0, time_unit=2.0, transition_noise=0.01),
    "cheetah": Task.make("HalfCheetah-v5", max_episode_steps=30, **DIALS),
    "ant": Task.make("Ant-v5", max_episode_steps=30),
    "pendulum": Task.make("Pendulum-v1", transition_noise=0.01, **DIALS),
    "set": TaskSet.make([Task.make("Reacher-v5"), Task.make("Reacher-v5", delay=3)]),
}


def played(env, actions):
    """What is seen and earned, over the ends of episodes."""
    found = []
    for action in actions:
        seen, reward, terminated, truncated, _ = env.step(action)
        found.append((np.array(seen), float(reward), terminated, truncated))
        if terminated or truncated:
            found.append((np.array(env.reset()[0]), 0.0, False, False))
    return found


@pytest.mark.parametrize("name", TASKS)
def test_it_goes_on_with_the_same_bits(name):
    env = make(TASKS[name])
    env.reset(seed=3)
    env.action_space.seed(4)
    actions = [env.action_space.sample() for _ in range(140)]
    played(env, actions[:23])
    again = pickle.loads(pickled(env))
    for (seen, *rest), (other, *others) in zip(played(env, actions[23:]), played(again, actions[23:]), strict=True):
        assert np.array_equal(seen, other)
        assert rest == others


class Forgetful(gymnasium.Env, EzPickle):
    observation_space = action_space = gymnasium.spaces.Discrete(2)

    def __init__(self):
        EzPickle.__init__(self)


def test_what_would_come_back_anew_is_refused():
    assert pickled(Forgetful()) is None
    assert pickled(lambda: None) is None
