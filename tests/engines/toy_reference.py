"""The law of the discrete toy in plain Python, from the words of the paper and of its authors' tests.

Nothing is shared with the engine but the addresses of the draws: histories are lists, sequences are searched for, and
delayed rewards wait in a queue.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any

import numpy as np

from mohs.core.task import Task, TaskSet
from mohs.core.values import FunctionRef
from mohs.tables.toys.toy import Toy, toy

SUCCESSOR, NOISE, REWARD, IRRELEVANT, START, IRRELEVANT_START, TASK = range(7)
MASK = 2**64 - 1


def bits(key: int, episode: int, t: int, lane: int) -> int:
    """splitmix64 at an address."""
    x = (key + 0x9E3779B97F4A7C15 * ((episode << 32 | t << 3 | lane) + 1)) & MASK
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB & MASK
    return x ^ (x >> 31)


def uniform(key: int, episode: int, t: int, lane: int) -> float:
    return (bits(key, episode, t, lane) >> 11) / 2**53


def normal(key: int, episode: int, t: int, lane: int) -> float:
    x = bits(key, episode, t, lane)
    z = NormalDist().inv_cdf(((x >> 12) + 0.5) / 2**53)
    return -z if x & 1 else z


def pick(probabilities: Any, u: float) -> int:
    """Inverse of the cumulative distribution."""
    total, last = 0.0, 0
    for i, p in enumerate(probabilities):
        total += float(p)
        if p > 0:
            last = i
            if u < total:
                return i
    return last


def other_state(target: int, members: list[int], noise: float, u: float) -> int:
    """With probability `noise` one of the other members, each equally likely."""
    if u >= noise:
        return target
    others = [s for s in members if s != target]
    return target if not others else others[min(math.floor(u / noise * len(others)), len(others) - 1)]


@dataclass
class Reference:
    """One instance."""

    source: Task | TaskSet
    key: int
    episode: int = -1
    task: Task = field(init=False)
    parts: Toy = field(init=False)
    visited: list[int] = field(init=False)  # N-states of the episode, the start included
    irrelevant: int = 0
    queue: list[float] = field(init=False)

    def begin(self) -> int:
        self.episode += 1
        if isinstance(self.source, TaskSet):
            self.task = self.source.tasks[pick(self.source.weights, uniform(self.key, self.episode, 0, TASK))]
        else:
            self.task = self.source
        self.parts, self.values = toy(self.task), self.task.values
        self.visited = [pick(self.parts.initial, uniform(self.key, self.episode, 0, START))]
        if self.parts.irrelevant is not None:
            u = uniform(self.key, self.episode, 0, IRRELEVANT_START)
            self.irrelevant = math.floor(u * len(self.parts.irrelevant))
        self.queue = [0.0] * self.values["delay"]
        return self.visited[0]

    def step(self, action: int, irrelevant_action: int = 0) -> tuple[int, float, bool, bool]:
        parts, values = self.parts, self.values
        before, t = self.visited[-1], len(self.visited)
        if parts.succ is not None:
            state = int(parts.succ[before, action])
        else:
            assert parts.probs is not None
            state = pick(parts.probs[before, action], self._u(t, SUCCESSOR))
        noise = values["transition_noise"]
        if noise > 0:
            state = other_state(state, connected(self.task, before), noise, self._u(t, NOISE))
        self.visited.append(state)
        if parts.irrelevant is not None:
            states, actions = parts.irrelevant.shape
            other = int(parts.irrelevant[self.irrelevant, irrelevant_action])
            if noise > 0:
                other = other_state(other, next_set(self.irrelevant, actions, states), noise, self._u(t, IRRELEVANT))
            self.irrelevant = other

        self.queue.append(self._earned(before, action))
        reward = self.queue.pop(0)
        terminated = bool(parts.terminal[state])
        if terminated and values["delay_at_end"] == "terminated":
            reward += sum(self.queue)
        function = values["reward_noise"]
        if isinstance(function, FunctionRef):
            counter = [0, REWARD, t, self.episode]
            reward += function(np.random.Generator(np.random.Philox(key=self.key, counter=counter)))
        elif function > 0:
            reward += function * normal(self.key, self.episode, t, REWARD)
        reward = reward * values["reward_scale"] + values["reward_shift"]
        if terminated:
            reward += values["term_state_reward"] * values["reward_scale"]
        return state, reward, terminated, t >= values["max_episode_steps"]

    def history(self) -> list[int]:
        size = self.values["delay"] + self.values["sequence_length"] + 1
        return ([-1] * size + self.visited)[-size:]

    def augmented_state(self) -> list[int]:
        """The N-states of one sequence length that ended `delay` steps ago."""
        length, delay = self.values["sequence_length"], self.values["delay"]
        ended = self.visited[: len(self.visited) - delay] if delay < len(self.visited) else []
        return ([-1] * length + ended)[-length:]

    def _u(self, t: int, lane: int) -> float:
        return uniform(self.key, self.episode, t, lane)

    def _earned(self, before: int, action: int) -> float:
        """The reward of the step just taken, before delay, noise and scale."""
        if self.parts.reward is not None:
            return float(self.parts.reward[before, action])
        length = self.values["sequence_length"]
        path = self.visited[1:]  # the start state is no part of a sequence
        earned = 0.0
        for i in range(1, length + 1):
            if i < length and not self.values["make_denser"]:
                continue
            if i == length and self.values["reward_every_n_steps"] and len(path) % length != 0:
                continue
            if len(path) >= i:
                found = [
                    float(reward)
                    for sequence, reward in zip(self.parts.sequences, self.parts.sequence_rewards, strict=True)
                    if list(sequence[:i]) == path[-i:]
                ]
                earned += i / length * max(found, default=0.0)
        return earned


def connected(task: Task, state: int) -> list[int]:
    """The states that some action leads to: the next set, of given dynamics those of its rows."""
    parts = toy(task)
    if task["transition_function"] is None:
        return next_set(state, parts.set_size, parts.num_states)
    if parts.succ is not None:
        return sorted({int(after) for after in parts.succ[state]})
    assert parts.probs is not None
    return [after for after in range(parts.num_states) if any(p > 0 for p in parts.probs[state, :, after])]


def next_set(state: int, size: int, states: int) -> list[int]:
    first = (state // size + 1) * size % states
    return list(range(first, first + size))
