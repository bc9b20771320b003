"""The law of the continuous toy in plain Python, from the words of the paper.

Nothing is shared with the engine but the addresses of the draws: the motion is a matrix exponential, the straight line
a singular value decomposition, delayed rewards wait in a queue.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cache
from statistics import NormalDist
from typing import Any

import numpy as np
from scipy.linalg import expm
from toy_reference import MASK, NOISE, REWARD, START, TASK, bits, normal, pick, uniform

from mohs.core.task import Task, TaskSet
from mohs.core.values import FunctionRef


def nth(x: int, n: int) -> int:
    """splitmix64, n + 1 steps after x."""
    x = (x + 0x9E3779B97F4A7C15 * (n + 1)) & MASK
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB & MASK
    return x ^ (x >> 31)


def as_uniform(x: int) -> float:
    return (x >> 11) / 2**53


def as_normal(x: int) -> float:
    z = NormalDist().inv_cdf(((x >> 12) + 0.5) / 2**53)
    return -z if x & 1 else z


@cache
def motion(order: int, time: float) -> np.ndarray:
    """exp(time · N), where N takes each derivative to the one above it and leaves the highest as it is."""
    return np.asarray(expm(time * np.eye(order + 1, k=1)))


def line_deviation(points: np.ndarray) -> float:
    """The root mean square distance of points from their best straight line."""
    singular = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    return float(np.sqrt((singular[1:] ** 2).sum() / len(points)))


@dataclass
class Reference:
    """One instance. `state` is [order, dims]."""

    source: Task | TaskSet
    key: int
    episode: int = -1
    task: Task = field(init=False)
    state: np.ndarray = field(init=False)
    path: list[np.ndarray] = field(init=False)
    queue: list[float] = field(init=False)

    def begin(self) -> np.ndarray:
        self.episode += 1
        self.task = self.source if isinstance(self.source, Task) else self.source.tasks[
            pick(self.source.weights, uniform(self.key, self.episode, 0, TASK))
        ]  # fmt: skip
        v = self.values = self.task.values
        self.dims = v["state_space_dim"] + v["irrelevant_dimensions"]
        self.relevant = list(v["relevant_indices"] or range(v["state_space_dim"]))
        self.target = np.array(v["target_point"] or [0.0] * len(self.relevant))
        self.inertia = np.broadcast_to(np.array(v["inertia"]), self.dims)
        self.state = np.zeros((v["transition_dynamics_order"], self.dims))
        self.state[0] = self._start()
        self.path = [self.state[0].copy()]
        self.queue = [0.0] * v["delay"]
        return self.state[0]

    def _start(self) -> np.ndarray:
        v = self.values
        if v["start_point"] is not None:
            return np.array(v["start_point"])
        attempt = 0
        while True:
            x = bits(self.key, self.episode, attempt, START)
            point = np.array([v["state_space_max"] * (2 * as_uniform(nth(x, d)) - 1) for d in range(self.dims)])
            if not self.ends(point):
                return point
            attempt += 1

    def distance(self, point: np.ndarray) -> float:
        return math.dist(point[self.relevant], self.target)

    def ends(self, point: np.ndarray) -> bool:
        v = self.values
        if v["reward_function"] == "move_to_a_point" and self.distance(point) < v["target_radius"]:
            return True
        half = v["term_state_edge"] / 2
        return any(
            all(abs(x - c) <= half for x, c in zip(point[self.relevant], centre, strict=True))
            for centre in v["terminal_states"]
        )

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool]:
        v, t = self.values, len(self.path)
        action = np.asarray(action, dtype=np.float64)
        order = len(self.state)
        before = self.state[0].copy()
        moved = motion(order, v["time_unit"]) @ np.vstack([self.state, action / self.inertia])
        self.state = moved[:order]
        self.state[0] += self._noise(t, action, before)
        limit = v["state_space_max"]
        for d in range(self.dims):
            if abs(self.state[0, d]) > limit:
                self.state[0, d] = math.copysign(limit, self.state[0, d])
                self.state[1:, d] = 0.0
        here = self.state[0].copy()
        self.path.append(here)
        terminated = self.ends(here)
        self.queue.append(self._earned(before, here, action))
        reward = self.queue.pop(0)
        if terminated and v["delay_at_end"] == "terminated":
            reward += sum(self.queue)
        function = v["reward_noise"]
        if isinstance(function, FunctionRef):
            reward += function(self._rng(t, REWARD))
        elif function > 0:
            reward += function * normal(self.key, self.episode, t, REWARD)
        reward = reward * v["reward_scale"] + v["reward_shift"]
        if terminated:
            reward += v["term_state_reward"] * v["reward_scale"]
        return here, reward, terminated, t >= v["max_episode_steps"]

    def _noise(self, t: int, action: np.ndarray, before: np.ndarray) -> Any:
        noise = self.values["transition_noise"]
        if isinstance(noise, FunctionRef):
            return noise(self._rng(t, NOISE))
        x = bits(self.key, self.episode, t, NOISE)
        return np.array([noise * as_normal(nth(x, d)) for d in range(self.dims)])

    def _rng(self, t: int, lane: int) -> np.random.Generator:
        return np.random.Generator(np.random.Philox(key=self.key, counter=[0, lane, t, self.episode]))

    def _earned(self, before: np.ndarray, here: np.ndarray, action: np.ndarray) -> float:
        v = self.values
        if v["reward_function"] == "move_along_a_line":
            last = np.array(self.path[-v["sequence_length"] - 1 :])[:, self.relevant]
            earned = -line_deviation(last) if len(last) == v["sequence_length"] + 1 else 0.0
        elif v["make_denser"]:
            earned = self.distance(before) - self.distance(here)
        else:
            earned = float(self.distance(here) < v["target_radius"])
        return earned - v["action_loss_weight"] * float(np.linalg.norm(action))
