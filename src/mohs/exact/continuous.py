"""What is the best return of a continuous toy? An exact value where one is known, else an upper bound.

**Reach.** From rest, actions within ±A move the position by at most B(k) = A/inertia · (k · time_unit)ⁿ / n! in k steps
of order n, in each dimension on its own: all coefficients of the actions are positive, and they add up to this. With y
the offset from the target, the nearest that one can be after k steps is m(k) = ‖(|y| − B(k))₊‖. Walls do not help: they
stop the mass farther from the target than it was. A constant action, in proportion to y, goes to the target in a
straight line in any number of steps with B(k) ≥ |y|, and arrives *exactly*; it is not stopped on the way by the
target's ball if the last jump is longer than its radius. That is so for every start if radius ≤ B(1) · (1 − 2⁻ⁿ);
in order 1 the last jump can be a full one, and radius ≤ B(1) is enough.

**Dense.** Rewards add up to scale · (first − last distance). So the best is scale · (E‖y‖ − E m(T)) over T steps, plus
shift · T, plus the terminal reward where the target is reached. A positive shift is collected by waiting at rest until
the target can just be reached in the last step; a negative one by the first step k with m(k) < radius, or by the
step after it, which arrives exactly. With a terminal reward below −radius it is better to stop at that distance.

**Sparse.** 1 and the terminal reward for reaching the target at all, and the same for the shift.

**Action loss** (order 1). Going from x to z loses at least ‖c · (z − x)‖, where c = weight · inertia / time_unit, and a
straight line loses just that. So one goes all the way where c ≤ 1 in all dimensions; where c ≥ 1, nowhere, or to the
edge of a target that pays for it (which can be approached as closely as one likes, but not attained).

**Delay.** What is pending is paid when the target is reached, so a delay costs nothing, unless it is dropped at the end
(`delay_at_end="drop"`): then the last `delay` steps before the end earn nothing. It always costs the last steps of an
episode that is truncated.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from mohs.core.task import Task
from mohs.exact.continuous_problem import Problem
from mohs.tables.toys.point_mass import PointMass

Float = npt.NDArray[np.float64]
STARTS = 2**17  # over which a mean is taken where it has no closed form


class OptimumKind(StrEnum):
    """How an optimum is known."""

    EXACT = "exact"  # in closed form, integrals to 1e-9
    MEAN = "mean"  # the mean of exact values over `STARTS` start states
    BOUND = "bound"  # an upper bound


@dataclass(frozen=True)
class Optimum:
    """The expected return of the best policy, noise-free, over the start states of the task.

    Attributes:
        value: The return.
        kind: How it is known.
        error: The standard error of a mean over start states; 0 for a closed form.
        reason: Why the value is only a bound; empty otherwise.
    """

    value: float
    kind: OptimumKind
    error: float = 0.0
    reason: str = ""


def optimum(task: Task) -> Optimum:
    """The best expected return of the task without its noise."""
    problem = Problem.of(task.noise_free())
    reason = problem.doubt()
    closed = problem.mean()
    if closed is not None:
        return Optimum(closed, OptimumKind.BOUND if reason else OptimumKind.EXACT, 0.0, reason)
    start = problem.mass.start
    values = problem.best(problem.offsets(_starts(problem.mass) if start is None else start[None]))
    if start is not None:
        return Optimum(float(values[0]), OptimumKind.BOUND if reason else OptimumKind.EXACT, 0.0, reason)
    error = float(values.std(ddof=1) / math.sqrt(len(values)))
    return Optimum(float(values.mean()), OptimumKind.BOUND if reason else OptimumKind.MEAN, error, reason)


def best_returns(task: Task, starts: Float) -> tuple[Float, str]:
    """The best return from each of the starts [N, dims], noise-free; and why it is only a bound, "" if it is exact."""
    problem = Problem.of(task.noise_free())
    return problem.best(problem.offsets(starts)), problem.doubt()


def _starts(mass: PointMass) -> Float:
    """Uniform starts, drawn again where they are terminal."""
    rng = np.random.default_rng(0)
    drawn = mass.uniform(rng, STARTS)
    while (again := mass.terminal(drawn)).any():
        drawn[again] = mass.uniform(rng, int(again.sum()))
    return drawn
