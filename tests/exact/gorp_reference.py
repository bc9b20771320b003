"""GORP by enumeration: the exact probability of success, and tables on which it is neither nothing nor all."""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np
import pytest
from scipy.stats import binomtest

from mohs import Table

SURPRISE = 1e-7  # a p-value that does not happen by chance


def surprising(successes, runs, chance):
    return binomtest(successes, runs, min(chance, 1.0)).pvalue < SURPRISE


def corridor(steps, horizon=12, width=2):
    """One action leads on, all others back to the start, where they pay 1; every step at the end of the way pays 4."""
    moves = [[s + 1] + [0] * (width - 1) for s in range(steps)] + [[steps] * width]
    rewards = [[0.0] + [float(s == 0)] * (width - 1) for s in range(steps)] + [[4.0] * width]
    return Table.from_arrays(moves, rewards, horizon=horizon)


def random_table(states=40, actions=11, horizon=6, seed=0, scale=1.0):
    rng = np.random.default_rng(seed)
    moves, rewards = rng.integers(states, size=(states, actions)), rng.integers(-2, 4, size=(states, actions))
    return Table.from_arrays(moves, rewards * scale, horizon=horizon)


class Chance:
    """The exact probability that GORP succeeds, with whole rewards: all random returns, their means, ties and paths.

    A distribution is an array of probabilities of whole numbers, from `-reach` on. A discount of ½ is kept whole by
    counting in units of ½ to the power of the horizon.
    """

    def __init__(self, table, k, m, gamma=1.0):
        self.table, self.k, self.m, self.gamma = table, k, m, gamma
        self.unit = 1 if gamma == 1 else 2**table.horizon
        self.reach = m * table.horizon * int(np.abs(table.reward).max()) * self.unit
        self.best, self.random_return = cache(self._best), cache(self._random_return)
        self.sum_of_returns = cache(self._sum_of_returns)
        starts = np.flatnonzero(table.initial).tolist()
        self.value = sum(table.initial[s] * self.succeeds(s, table.horizon) for s in starts)

    def step(self, state, action):
        row = state * self.table.actions + action
        return int(self.table.succ[row]), int(self.table.reward[row])

    def over(self, state, left):
        return left == 0 or bool(self.table.terminal[state])

    def _best(self, state, left):
        if self.over(state, left):
            return 0
        moves = [self.step(state, a) for a in range(self.table.actions)]
        return max(reward + self.best(after, left - 1) for after, reward in moves)

    def _random_return(self, state, left, weight):
        """Of `weight` times the return; as a dictionary."""
        if self.over(state, left):
            return {0: 1.0}
        found = {}
        for action in range(self.table.actions):
            after, reward = self.step(state, action)
            for gain, chance in self.random_return(after, left - 1, self.later(weight)).items():
                found[weight * reward + gain] = found.get(weight * reward + gain, 0) + chance / self.table.actions
        return found

    def later(self, weight):
        return weight if self.gamma == 1 else weight // 2

    def _sum_of_returns(self, state, left, weight):
        """Of m random episodes."""
        one, sums = np.zeros(2 * self.reach + 1), np.zeros(2 * self.reach + 1)
        for gain, chance in self.random_return(state, left, weight).items():
            one[gain + self.reach] = chance
        sums[self.reach] = 1.0
        for _ in range(self.m):
            sums = np.convolve(sums, one)[self.reach : 3 * self.reach + 1]
        return sums

    def choices(self, state, left):
        """The probability of each first action; a tie goes to each of the best sequences alike."""
        depth = min(self.k, left)
        sequences = list(itertools.product(range(self.table.actions), repeat=depth))
        at = np.array([self.sum_along(state, left, sequence) for sequence in sequences])
        under = np.cumsum(at, axis=1) - at
        chosen = np.zeros(self.table.actions)
        for i, sequence in enumerate(sequences):
            rivals = np.ones((1, at.shape[1]))  # the probability of 0, 1, … others at the same value and none above
            for j in range(len(sequences)):
                if j != i:
                    rivals = np.vstack([rivals * under[j], 0 * at[j]]) + np.vstack([0 * at[j], rivals * at[j]])
            chosen[sequence[0]] += (at[i] * rivals / np.arange(1, len(rivals) + 1)[:, None]).sum()
        assert chosen.sum() == pytest.approx(1)
        return chosen

    def sum_along(self, state, left, sequence):
        """The sum of m returns that begin with a sequence."""
        gain, weight = 0, self.unit
        for action in sequence:
            if not self.over(state, left):
                state, reward = self.step(state, action)
                gain, weight = gain + weight * reward, self.later(weight)
            left -= 1
        return np.roll(self.sum_of_returns(state, left, weight), self.m * gain)

    def succeeds(self, state, left):
        if self.over(state, left):
            return 1.0
        total = 0.0
        for action, chance in enumerate(self.choices(state, left)):
            after, reward = self.step(state, action)
            if chance > 0 and reward + self.best(after, left - 1) == self.best(state, left):
                total += chance * self.succeeds(after, left - 1)
        return total
