"""SQIRL fits what its definition says, looks k steps ahead, and finds its way under chance and in continuous spaces."""

from __future__ import annotations

import math

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from small_tasks import TableEnv, corridor, greedy_return, toy

import mohs
from mohs import Cell, Probe, Segment
from mohs.agents.planning.gorp import make_gorp
from mohs.agents.planning.regression import _forest
from mohs.agents.planning.sqirl import make_sqirl
from mohs.agents.registry import agent, learner
from mohs.exact.lookahead.qvi import min_k
from mohs.exact.values.solve import returns


@pytest.mark.parametrize(("k", "m"), [(1, 3), (2, 5)])
def test_sqirl_is_charged_for_every_step(k, m):
    table = corridor(2, 5)
    made, env = make_sqirl(TableEnv(table), 0, k=k, m=m, horizon=5), TableEnv(table)
    made.train(env, 5**2 * m - 1)
    assert len(made.policy) == 4
    made.train(env, 1)
    assert len(made.policy) == 5


def test_sqirl_crosses_a_small_frozen_lake():
    env = gymnasium.make("FrozenLake-v1", is_slippery=False, desc=["SFF", "FHF", "FFG"], max_episode_steps=8)
    made = make_sqirl(env, 0, m=200)
    made.train(env, 8**2 * 200)
    assert len(made.policy) == 8
    assert greedy_return(made, env) == 1.0


def test_sqirl_learns_a_toy_with_any_start_and_noise():
    task = toy(transition_noise=0.1)
    one = Cell(agent("sqirl", m=100), 0, (Segment(task, 10_000),), (Probe("eval", task, (10_000,), 400),), 100)
    of = learner([one])
    of.train(10_000)
    exact = returns(mohs.table(task))
    assert (of.evaluate(0)["return"][0] - exact.random) / (exact.optimal - exact.random) > 0.85


def test_sqirl_looks_k_steps_ahead():
    """The bait at the start is better than the way to the end followed by random play, one step ahead only."""
    table = corridor(2, 4, width=4)
    assert min_k(table) == 2
    solved = {}
    for k in (1, 2):
        made, env = make_sqirl(TableEnv(table), 0, k=k, m=1000, horizon=4), TableEnv(table)
        made.train(env, 4**2 * 1000)
        solved[k] = greedy_return(made, env) == returns(table).optimal
    assert solved == {1: False, 2: True}


class Recording(gymnasium.Wrapper):
    """Remembers episodes as lists of (observation, action, reward)."""

    def __init__(self, env):
        super().__init__(env)
        self.episodes = []

    def reset(self, **options):
        self.episodes.append([])
        self.seen, info = self.env.reset(**options)
        return self.seen, info

    def step(self, action):
        before = self.seen
        self.seen, reward, *rest = self.env.step(action)
        self.episodes[-1].append((before, action, reward))
        return self.seen, reward, *rest


def test_sqirl_fits_what_its_definition_says():
    """Q² of the first step: mean random returns after the second, then rewards and the best of these."""
    env = Recording(gymnasium.make("FrozenLake-v1", desc=["SF", "FG"], is_slippery=True, max_episode_steps=4))
    env.reset(seed=0)
    made, m, gamma = make_sqirl(env, 0, k=2, m=60, gamma=0.9), 60, 0.9
    while not made.policy:
        made.train(env, 1)
    episodes = [e for e in env.episodes if e][:m]
    second = {}
    for episode in episodes:
        if len(episode) > 1:
            gain = sum(gamma**t * reward for t, (_, _, reward) in enumerate(episode[1:]))
            second.setdefault(episode[1][:2], []).append(gain)
    second = {at: np.mean(gains) for at, gains in second.items()}
    first = {}
    for episode in episodes:
        later = [v for (seen, _), v in second.items() if len(episode) > 1 and seen == episode[1][0]]
        first.setdefault(episode[0][1], []).append(episode[0][2] + gamma * max(later, default=0))
    expected = [np.mean(first[action]) for action in range(4)]
    assert made.policy[0].values[(0,)] == pytest.approx(expected)
    assert len(set(expected)) > 1


def test_a_forest_is_that_of_its_library():
    from sklearn.ensemble import ExtraTreesRegressor

    rng, space = np.random.default_rng(0), spaces.Box(-1, 1, (3,))
    seen, actions = rng.uniform(-1, 1, (200, 3)).astype(np.float32), rng.integers(2, size=200)
    targets = seen[:, 0] * (2 * actions - 1) + 0.1 * rng.normal(size=200)
    found = _forest(space, 2, list(seen), actions.tolist(), targets.tolist(), 10, seed=7)
    rows = np.hstack([seen, np.eye(2)[actions]])
    model = ExtraTreesRegressor(10, min_samples_leaf=5, random_state=7).fit(rows, targets)
    for observation in seen[:20]:
        both = model.predict(np.hstack([[observation] * 2, np.eye(2)]))
        assert found.largest(observation) == pytest.approx(both.max())
        assert found.best(observation).tolist() == [int(np.argmax(both))]
    assert len(_forest(space, 2, [], [], [], 10, seed=7).best(seen[0])) == 0


class Signs(gymnasium.Env):
    """Every step shows a number; action 1 pays if it is positive and action 0 if not."""

    observation_space, action_space = spaces.Box(-1, 1, (2,)), spaces.Discrete(2, start=5)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self._show(), {}

    def step(self, action):
        reward = float((action == 6) == (self.shown[0] > 0))
        return self._show(), reward, False, False, {}

    def _show(self):
        self.shown = self.np_random.uniform(-1, 1, 2).astype(np.float32)
        return self.shown


def test_sqirl_sees_continuous_observations_and_gorp_sees_none():
    found = {}
    for make, m in ((make_gorp, 50), (make_sqirl, 200)):
        env = Signs()
        env.reset(seed=0)
        made = make(env, 0, m=m, horizon=3)
        made.train(env, 3**2 * 200)
        found[make] = greedy_return(made, env, episodes=200)
        again = make(env, 0, m=m, horizon=3)
        again.load(made.save())
        assert greedy_return(again, env, episodes=200) == found[make]
    assert found[make_sqirl] > 2.6
    assert abs(found[make_gorp] - 1.5) < 5 * math.sqrt(3 / 4 / 200)
