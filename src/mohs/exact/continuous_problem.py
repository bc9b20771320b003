"""What is the best return of a point mass from each start state, and is it exact?

The derivation is in `exact.continuous`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.core.errors import UsageError
from mohs.core.task import Task
from mohs.exact.measures.mean_distance import mean_distance
from mohs.tables.toys.point_mass import PointMass, point_mass

Float = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Problem:
    """A noise-free task as its optimum sees it; lengths are over the relevant dimensions."""

    mass: PointMass
    target: Float  # the origin where there is none
    order: int
    jump: Float  # B(1)
    horizon: int
    dense: bool
    loss: Float  # c: what going a unit costs, in units of reward; in order 1
    delay: int
    paid: bool  # what is pending is paid when the target is reached
    scale: float
    shift: float
    terminal: float  # before scaling

    @classmethod
    def of(cls, task: Task) -> Problem:
        values = task.values
        if values["reward_scale"] <= 0:
            raise UsageError(
                f"the optimum of {task} is not known: reward_scale must be positive, since otherwise the best policy "
                "runs away from what it is asked to do."
            )
        mass, order, time = point_mass(values), values["transition_dynamics_order"], values["time_unit"]
        inertia = mass.inertia[mass.relevant]
        return cls(
            mass=mass,
            target=np.zeros(len(mass.relevant)) if mass.target is None else mass.target,
            order=order,
            jump=values["action_space_max"] / inertia * time**order / math.factorial(order),
            horizon=values["max_episode_steps"],
            dense=values["make_denser"],
            loss=values["action_loss_weight"] * inertia / time,
            delay=values["delay"],
            paid=values["delay"] == 0 or values["delay_at_end"] == "terminated",
            scale=values["reward_scale"],
            shift=values["reward_shift"],
            terminal=values["term_state_reward"],
        )

    @property
    def line(self) -> bool:
        return self.mass.target is None

    @property
    def cubes(self) -> bool:
        return len(self.mass.centres) > 0

    @property
    def whole(self) -> float:
        """The shift of an episode that lasts until the horizon."""
        return self.shift * self.horizon

    def offsets(self, states: Float) -> Float:
        return np.abs(states[:, self.mass.relevant] - self.target)

    def reach(self, k: Any) -> Float:
        """B(k), in each relevant dimension."""
        return np.asarray(np.multiply.outer(np.asarray(k, dtype=np.float64) ** self.order, self.jump))

    def nearest(self, y: Float, k: Any) -> Float:
        """m(k)."""
        return _length(np.maximum(y - self.reach(k), 0.0))

    def lands_within(self, steps: int) -> bool:
        """Can the target be landed on exactly in so many steps from every start?"""
        start = self.mass.start
        farthest = self.mass.limit + np.abs(self.target) if start is None else self.offsets(start[None])[0]
        return steps > 0 and bool((farthest <= self.reach(steps)).all())

    @property
    def exact_jump(self) -> bool:
        """Is the last jump onto the target never shorter than its radius?"""
        share = 1.0 if self.order == 1 else 1.0 - 2.0**-self.order
        return bool(self.mass.radius <= self.jump.min() * share)

    @property
    def loss_counts(self) -> bool:
        """Is the action loss part of the value? Where its effect is not known, leaving it out gives a bound."""
        if not self.loss.any() or self.cubes or self.order > 1 or self.shift < 0 or not self.paid:
            return False
        cheap, dear, equal = (self.loss <= 1).all(), (self.loss >= 1).all(), np.ptp(self.loss) == 0
        known = equal or (self.dense and ((cheap and self.terminal >= 0) or (dear and self.terminal <= 0)))
        return bool(known and self.lands_within(self.horizon - self.delay))

    def doubt(self) -> str:
        """Why the value is only a bound; "" if it is exact."""
        if self.line:
            harmless = not self.cubes or (self.shift >= 0 and self.terminal <= 0)
            return "" if harmless else "ending in a terminal region may pay"
        if self.cubes:
            return "terminal regions may be in the way"
        if self.loss.any() and not self.loss_counts:
            return "the action loss is left out"
        if self.dense and not self.exact_jump:
            return "the target's radius is too large to jump onto its middle"
        if self.dense and not self.paid and (self.order > 1 or self.shift < 0):
            return "delayed rewards are dropped at the end"
        if self.dense and self.delay > 0 and self.order > 1 and self.terminal < -self.mass.radius:
            return "the mass may not be able to stop before the target"
        return ""

    def best(self, y: Float) -> Float:
        """The best return from each offset y [N, relevant dimensions]."""
        if self.line:  # staying at rest is moving along a line
            value = np.full(len(y), self.whole)
        elif self.loss_counts:
            value = self.scale * self._less_loss(y) + self.whole
        else:
            value = np.maximum(self._reaching(y), self.scale * self._staying_out(y) + self.whole)
        if self.cubes:  # at best one lies where the target is, a step away
            gain = _length(y) if self.dense else 0.0
            value = np.maximum(value, self.scale * (gain + self.terminal) + max(self.whole, self.shift))
        return value

    def _less_loss(self, y: Float) -> Float:
        """What is earned, before scaling, going to the middle of the target, to its edge, or nowhere."""
        distance, c, radius = _length(y), float(self.loss.max()), self.mass.radius
        if not self.dense:
            return np.maximum(1.0 + self.terminal - c * (distance - radius), 0.0)
        if c <= 1:
            return distance - _length(self.loss * y) + max(self.terminal, (c - 1) * radius)
        return np.maximum(self.terminal + (1 - c) * (distance - radius), 0.0)

    def _reaching(self, y: Float) -> Float:
        """The best return with the target reached; minus infinity where it cannot be."""
        distance, first = _length(y), self._first_reached(y)
        last = np.full(len(y), self.horizon)
        steps = [last] if self.shift >= 0 else [first, np.minimum(first + 1, last)]
        gains = [self._gain(y, k) for k in steps]
        if self.shift < 0 and self.dense and not (self.exact_jump and self.paid):
            gains = [distance, distance]
        options = [self.scale * (g + self.terminal) + self.shift * k for g, k in zip(gains, steps, strict=True)]
        return np.where(first <= self.horizon, np.max(options, axis=0), -np.inf)

    def _gain(self, y: Float, k: npt.NDArray[np.int64]) -> Float:
        """What is earned, before scaling, by reaching the target in step k."""
        if not self.dense:
            return np.full(len(y), 1.0 if self.paid else 0.0)
        return _length(y) - self.nearest(y, k) if self.paid else self._staying_out(y)

    def _staying_out(self, y: Float) -> Float:
        """What is earned, before scaling, without the target, until rewards are handed out no more."""
        left = self.horizon - self.delay
        if not self.dense or left <= 0:
            return np.zeros(len(y))
        return _length(y) - np.maximum(self.nearest(y, left), self.mass.radius)

    def _first_reached(self, y: Float) -> npt.NDArray[np.int64]:
        """The first step at which the target can be reached; horizon + 1 where it cannot."""
        low, high = np.zeros(len(y), dtype=np.int64), np.full(len(y), self.horizon + 1)
        while (high - low > 1).any():
            middle = (low + high) // 2
            there = self.nearest(y, middle) < self.mass.radius
            low, high = np.where(there, low, middle), np.where(there, middle, high)
        return high

    def mean(self) -> float | None:
        """The mean of `best` over uniform starts, where it is one of distances and a constant; else None."""
        if self.line:
            return float(self.best(self.target[None])[0])
        if self.mass.start is not None or self.shift < 0 or not self.lands_within(self.horizon):
            return self._mean_of_a_short_episode()
        radius, terminal = self.mass.radius, self.terminal
        early = self.lands_within(self.horizon - self.delay)
        if self.loss_counts:
            c = float(self.loss.max())
            if not self.dense or c > 1:
                return self.whole if self.dense and terminal <= 0 else None
            return self._of_distances(max(terminal, (c - 1) * radius), self.loss)
        if not self.dense:
            return self.scale * max(0.0, terminal + (1.0 if self.paid else 0.0)) + self.whole
        if not self.paid:
            return self._of_distances(max(terminal, 0.0) - radius) if early and not self.cubes else None
        return self._of_distances(max(terminal, -radius)) if terminal >= -radius or early else None

    def _mean_of_a_short_episode(self) -> float | None:
        """Where not all starts reach the target: the distance come closer, if there is nothing else to gain."""
        plain = self.dense and self.terminal == 0 and self.delay == 0 and self.shift >= 0 and not self.loss_counts
        if not plain or self.cubes or self.mass.start is not None:
            return None
        left = mean_distance(self.mass, np.ones(len(self.target)), self.reach(self.horizon))
        return None if left is None else self._of_distances(-left)

    def _of_distances(self, constant: float, loss: Float | None = None) -> float | None:
        """The mean return, where distance + constant − loss is earned from each start."""
        none, all_of_it = np.zeros(len(self.target)), np.ones(len(self.target))
        far = mean_distance(self.mass, all_of_it, none)
        lost = 0.0 if loss is None else mean_distance(self.mass, loss, none)
        return None if far is None or lost is None else self.scale * (far - lost + constant) + self.whole


def _length(vectors: Float) -> Float:
    return np.asarray(np.linalg.norm(vectors, axis=1))
