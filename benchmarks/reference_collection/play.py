"""How does an agent play a table of the collection? As a Gymnasium environment whose observations are numbers."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from benchmarks.reference_collection.tasks import table_path
from mohs.agents.tabular.learner import TabularConfig
from mohs.tables.table import Table

SIZES = (16, 64, 256, 1024, 4096)  # of observation spaces: agents on spaces of one size train in one pack


class TablePlay(gymnasium.Env[np.int64, np.int64]):
    """Draws starts and next states by the table's probabilities. Its task sets the time limit."""

    def __init__(self, table: Table) -> None:
        numbers, self._seen = np.unique(table.observation, return_inverse=True)
        self.observation_space = gymnasium.spaces.Discrete(next(size for size in SIZES if size >= len(numbers)))
        self.action_space = gymnasium.spaces.Discrete(table.actions)
        self._table = table
        self._starts = np.cumsum(table.initial)
        self._state = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        drawn = self.np_random.random() * self._starts[-1]
        self._state = int(np.searchsorted(self._starts, drawn, side="right"))
        return self._observation(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        table, row = self._table, self._state * self._table.actions + int(action)
        if table.indptr is not None:
            first, last = table.indptr[row], table.indptr[row + 1]
            if table.prob is None:
                row = int(first)
            else:
                sums = np.cumsum(table.prob[first:last])
                row = int(first + np.searchsorted(sums, self.np_random.random() * sums[-1], side="right"))
        self._state = int(table.succ[row])
        return self._observation(), float(table.reward[row]), bool(table.terminal[self._state]), False, {}

    def _observation(self) -> np.int64:
        return np.int64(self._seen[self._state])


def play(name: str = "") -> TablePlay:
    """The kept table of this name."""
    return TablePlay(Table.load(table_path(name)))


class QLearning:
    """Plain tabular Q-learning with the settings of mohs' own, which plays the numbered states of its engines only."""

    def __init__(self, env: gymnasium.Env[Any, Any], seed: int, **settings: Any) -> None:
        self._config = TabularConfig(**settings)
        self._rng = np.random.default_rng(seed)
        self._values = np.zeros((env.observation_space.n, env.action_space.n))  # type: ignore[attr-defined]
        self._steps = 0

    def train(self, env: gymnasium.Env[Any, Any], steps: int) -> None:
        config, values = self._config, self._values
        observation, _ = env.reset()
        for _ in range(steps):
            share = min(1.0, self._steps / max(1, config.exploration_steps))
            epsilon = config.exploration_initial_eps * (1 - share) + config.exploration_final_eps * share
            explore = self._rng.random() < epsilon
            action = int(self._rng.integers(values.shape[1])) if explore else self._greedy(observation)
            after, reward, terminated, truncated, _ = env.step(action)
            target = float(reward) + (0.0 if terminated else config.gamma * values[after].max())
            values[observation, action] += config.learning_rate * (target - values[observation, action])
            observation, self._steps = after, self._steps + 1
            if terminated or truncated:
                observation, _ = env.reset()

    def act(self, observation: Any, memory: Any, deterministic: bool) -> tuple[int, Any]:
        return self._greedy(observation), memory

    def _greedy(self, observation: Any) -> int:
        """Ties are broken at random: before the first reward every action looks alike."""
        row = self._values[observation]
        return int(self._rng.choice(np.flatnonzero(row == row.max())))


def q_learning(env: gymnasium.Env[Any, Any], seed: int, **settings: Any) -> QLearning:
    """The agent, as mohs asks for custom ones."""
    return QLearning(env, seed, **settings)
