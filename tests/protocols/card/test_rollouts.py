"""What random play shows of a task without a table agrees with the exact values of one that has a table."""

from __future__ import annotations

import gymnasium
import pytest

import mohs
from mohs import Table, UsageError
from mohs.envs.rollouts import rollouts
from mohs.exact.values.solve import returns


def test_the_interval_holds_the_exact_random_return():
    env = gymnasium.make("FrozenLake-v1")
    seen = rollouts(env, episodes=2000)
    exact = returns(Table.from_gymnasium("FrozenLake-v1")).random
    assert seen.random_return.low <= exact <= seen.random_return.high
    assert seen.random_return.n == 2000
    # An episode pays at most once, at its end.
    assert seen.silent_episodes.value == pytest.approx(1 - seen.random_return.value)


class Uneven(gymnasium.Env):
    """Half of the episodes are one paid step, half nine unpaid ones: one step in ten pays."""

    action_space = gymnasium.spaces.Discrete(2)
    observation_space = gymnasium.spaces.Discrete(10)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = 1 if self.np_random.random() < 0.5 else 9
        self.pay = float(self.left == 1)
        return 0, {}

    def step(self, action):
        self.left -= 1
        return self.left, self.pay, self.left == 0, False, {}


def test_the_share_of_paying_steps_is_one_of_steps_not_of_episodes():
    share = rollouts(Uneven(), horizon=20, episodes=2000).paying_steps
    assert share.low <= 0.1 <= share.high
    assert share.high - share.low < 0.02


def test_a_horizon_longer_than_the_time_limit_is_not_believed():
    assert rollouts(gymnasium.make("CartPole-v1"), horizon=5000, episodes=3).horizon == 500


def test_rewards_that_are_no_numbers():
    broken = gymnasium.wrappers.TransformReward(gymnasium.make("CartPole-v1"), lambda reward: float("nan"))
    with pytest.raises(UsageError, match="not finite"):
        rollouts(broken, episodes=3)


def test_outcomes_that_depend_on_nothing_on_the_seed_or_on_chance():
    certain = rollouts(gymnasium.make("FrozenLake-v1", is_slippery=False), episodes=5)
    assert (certain.repeatable, certain.deterministic) == (True, True)
    seeded = rollouts(gymnasium.make("CartPole-v1"), episodes=5)
    assert (seeded.repeatable, seeded.deterministic) == (True, False)

    class Careless(gymnasium.Wrapper):
        """Forgets the seed."""

        def reset(self, *, seed=None, options=None):
            return self.env.reset(options=options)

    careless = rollouts(Careless(gymnasium.make("CartPole-v1")), episodes=5)
    assert (careless.repeatable, careless.deterministic) == (False, False)


def test_the_same_seed_gives_the_same_rollouts():
    first, second = (rollouts(gymnasium.make("CartPole-v1"), episodes=20, seed=7) for _ in range(2))
    assert (first.returns == second.returns).all()


def test_a_time_limit_is_needed():
    env = mohs.make("toy/discrete").unwrapped
    env.spec = None
    with pytest.raises(UsageError, match="no time limit"):
        rollouts(env)
    assert rollouts(env, horizon=7, episodes=3).length.value <= 7
