"""Playing a table in plain Python: one instance, one dictionary look-up a step."""

from __future__ import annotations

from toy_reference import NOISE, TASK, pick, uniform

from mohs.tables.challenge.cache import END


class Player:
    """One instance in the random stream of a key; of several tasks one is drawn for every episode."""

    def __init__(self, tasks, key, stored):
        self._tasks, self._key, self._stored = tasks, key, stored
        self.episode = -1

    def begin(self):
        self.episode += 1
        shares = [1 / len(self._tasks)] * len(self._tasks)
        drawn = pick(shares, uniform(self._key, self.episode, 0, TASK)) if len(self._tasks) > 1 else 0
        self.task = self._tasks[drawn]
        self.mdp = self._stored[self.task["mdp"]]
        self.t, self.state, self._last = 0, self.mdp.start, None
        return self.state

    def step(self, action):
        """(state, reward, terminated, truncated)."""
        self.t += 1
        if self._last is not None and uniform(self._key, self.episode, self.t, NOISE) < self.task["sticky_actions"]:
            action = self._last
        self._last = action
        entry = self.mdp.entries[self.state * self.mdp.actions + action]
        self.state = int(entry["next"] & ~END)
        return self.state, float(entry["reward"]), bool(entry["next"] & END), self.t >= self.task["max_episode_steps"]
