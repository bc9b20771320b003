"""By what is the return of a control problem normalised? 0 is the random policy, 1 the best that is known.

The random policy is played. The best is the time limit (cartpole), the whole course (quad), or the return of a policy
found by dynamic programming (pendulum, mountain cars). That policy is played from the same start states as the random
one; a better policy may exist, and score a little above 1. Acrobot has four state variables, too many for a grid, and
no references.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.core.errors import UsageError
from mohs.core.score import Reference, ReferenceKind, Score
from mohs.core.task import Task
from mohs.engines.control import cartpole, mountain_car, mountain_car_continuous, pendulum, quad
from mohs.engines.control.common import ControlFleet
from mohs.engines.control.grid_optimum import Finished, Grid, attained, optimal_values
from mohs.engines.play import returns
from mohs.exact.kept import kept

EPISODES = 1000
POINTS, FORCES = 201, 9  # of a grid: values of each state variable, and of an action that is a number
_LONGEST = 10_000  # steps of an episode that is played
_KIND = f"control-{EPISODES}-{POINTS}-{FORCES}"

Actions = npt.NDArray[Any]


@dataclass(frozen=True)
class Mean:
    """A mean over episodes, and its standard error."""

    value: float
    error: float

    @property
    def deviation(self) -> float:
        """Of the return of one episode."""
        return self.error * math.sqrt(EPISODES)

    @classmethod
    def of(cls, values: npt.NDArray[np.float64]) -> Mean:
        return cls(float(values.mean()), float(values.std(ddof=1) / math.sqrt(len(values))))


def cartpole_score(task: Task) -> Score:
    """From the random policy to the time limit."""
    steps = task["max_episode_steps"]
    high = Reference(float(steps), f"time limit, {steps:,} steps", ReferenceKind.BOUND)
    return _score(task, lambda rng: rng.integers(2, size=(EPISODES, 1)), high)


def pendulum_score(task: Task) -> Score:
    """From the random policy to the policy of dynamic programming."""
    return _score(task, _numbers(task["max_torque"]), _best(task, _pendulum_grid(task), _upright(task)))


def mountain_car_score(task: Task) -> Score:
    """From the random policy to the policy of dynamic programming."""
    high = _best(task, _hills(task, np.arange(3)[:, None]))
    return _score(task, lambda rng: rng.integers(3, size=(EPISODES, 1)), high)


def mountain_car_continuous_score(task: Task) -> Score:
    """From the random policy to the policy of dynamic programming."""
    return _score(task, _numbers(1.0), _best(task, _hills(task, _levels(1.0))))


def quad_score(task: Task) -> Score:
    """From the random policy to the end of the course."""
    limit, distance = task["max_episode_steps"], task["tunnels"]
    steps = math.ceil(distance / (task["speed"] * task["dt"]))
    covered = min(1.0, limit / steps)
    value = covered if task["reward"] == "distance" else float(min(steps, limit))
    high = Reference(value, f"the whole course of {distance:,} m", ReferenceKind.BOUND)
    return _score(task, _numbers(task["max_acceleration"]), high)


_FLEETS: dict[str, Callable[[list[Task]], ControlFleet]] = {
    "control/cartpole": cartpole.fleet,
    "control/pendulum": pendulum.fleet,
    "control/mountain_car": mountain_car.fleet,
    "control/mountain_car_continuous": mountain_car_continuous.fleet,
    "control/quad": quad.fleet,
}


def _fleet(task: Task, count: int) -> ControlFleet:
    return _FLEETS[task.env]([task] * count)


def _score(task: Task, act: Callable[[np.random.Generator], Actions], high: Reference) -> Score:
    rng = np.random.default_rng(1)
    low = _played(task, "random", lambda: returns(_fleet(task, EPISODES), lambda: act(rng)))
    source = f"random policy, mean of {EPISODES:,} episodes ± {low.error:.2g}"
    random = Reference(low.value, source, ReferenceKind.ESTIMATED, low.deviation)
    return Score("return", "reward per episode", True, random, high)


def _best(task: Task, grid: Grid, finished: Finished | None = None) -> Reference:
    def solve() -> npt.NDArray[np.float64]:
        build = partial(_fleet, task)
        values = optimal_values(build, grid, task["max_episode_steps"], finished)
        return attained(build, grid, values, EPISODES, finished)

    best = _played(task, "best", solve)
    size = f"{POINTS} × {POINTS} states and {len(grid.actions)} actions"
    source = (
        f"policy of dynamic programming on a grid of {size}, mean of {EPISODES:,} episodes ± {best.error:.2g} from "
        "the same starts"
    )
    return Reference(best.value, source, ReferenceKind.BASELINE, best.deviation)


def _played(task: Task, who: str, play: Callable[[], npt.NDArray[np.float64]]) -> Mean:
    """The mean return of a policy, kept for the next time."""
    if task["max_episode_steps"] > _LONGEST:
        raise UsageError(
            f"the references of {task.env} are found by playing, which takes too long with "
            f"{task['max_episode_steps']:,} steps an episode: max_episode_steps must be at most {_LONGEST:,}."
        )
    # Only a random course is generated; other tasks have the same references for all seeds.
    plain = task if task.values.get("course") == "random" else replace(task, seed=0)
    return kept(f"{_KIND}-{who}", plain.key, plain, lambda: Mean.of(play()), lambda fields: Mean(**fields))


def _numbers(bound: float) -> Callable[[np.random.Generator], Actions]:
    return lambda rng: (rng.random((EPISODES, 1), dtype=np.float32) * 2 - 1) * np.float32(bound)


def _levels(bound: float) -> npt.NDArray[np.float32]:
    return np.linspace(-1, 1, FORCES, dtype=np.float32)[:, None] * np.float32(bound)


def _pendulum_grid(task: Task) -> Grid:
    """Speeds up to the limit, or up to what a fall and the torque of a whole episode can give."""
    pull, gain = 3 * task["g"] / (2 * task["l"]), 3 / (task["m"] * task["l"] ** 2)
    seconds = task["max_episode_steps"] * task["dt"]
    fastest = math.sqrt(pendulum.START[1] ** 2 + 4 * pull) + gain * task["max_torque"] * seconds
    speed = min(task["max_speed"], fastest)
    return Grid((-math.pi, -speed), (math.pi, speed), (POINTS, POINTS), True, _levels(task["max_torque"]))


def _upright(task: Task) -> Finished | None:
    """With `upright_time`, a pendulum that has been upright gets no more rewards."""
    if task["reward"] != "upright_time":
        return None
    return lambda fleet: np.asarray(fleet.instances["upright"] == 1)


def _hills(task: Task, actions: npt.NDArray[Any]) -> Grid:
    speed = task["max_speed"]
    low, high = (task["min_position"], -speed), (task["max_position"], speed)
    return Grid(low, high, (POINTS, POINTS), False, actions)
