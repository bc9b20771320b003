"""Which mountain cars can no policy drive to the goal? Those whose reachable states, taken too large, exclude it.

The plane of position and velocity is cut into cells. A step from a cell leads, under all forces, into a box of other
cells, which interval arithmetic bounds from outside. All cells that are found so from the start states contain every
state that any policy can reach in any number of steps. If none of them touches the goal, the task is proved unsolvable.
The converse does not hold: where nothing is proved, the goal may still be out of reach.

A pendulum gains energy by any torque, a cartpole and a quadcopter start in more states than we can bound: for these
nothing is claimed.
"""

from __future__ import annotations

import math

import numpy as np

from mohs.core.kernel import kernel
from mohs.core.task import Task
from mohs.engines.control.mountain_car import START

CELLS = 800  # of each state variable
_MARGIN = 1e-6  # above all rounding, also that of single precision


def mountain_car(task: Task) -> str | None:
    """Why no policy reaches the goal, or None where that is not proved.

    Args:
        task: A task of either mountain car.

    Example:
        >>> import mohs
        >>> from mohs.engines.control.unsolvable import mountain_car
        >>> mountain_car(mohs.Task.make("control/mountain_car")) is None
        True
        >>> mountain_car(mohs.Task.make("control/mountain_car", max_speed=0.02))
        'no policy reaches the goal at 0.5: no start state leads beyond position -0.096, whatever the forces'
    """
    force = task["force"] if task.env == "control/mountain_car" else task["power"]
    limits = (task["min_position"], task["max_position"], task["max_speed"])
    goal = (task["goal_position"], task["goal_velocity"])
    found, stack = np.zeros((CELLS, CELLS), dtype=np.bool_), np.empty((CELLS * CELLS, 2), dtype=np.int64)
    starts = (START[0] - START[1], START[0] + START[1])
    farthest, reached = spread(limits, force, task["gravity"], goal, starts, found, stack)
    if reached:
        return None
    where = f"the goal at {goal[0]:g}"
    if farthest >= goal[0]:
        return f"no policy reaches {where} at a velocity of {goal[1]:g} or more, whatever the forces"
    return f"no policy reaches {where}: no start state leads beyond position {farthest:.2g}, whatever the forces"


@kernel
def spread(limits, force, gravity, goal, starts, found, stack):
    """Marks all cells that may be reached: the largest position among them, and whether the goal is."""
    low, high, fastest = limits
    rows, columns = found.shape
    wide, tall = (high - low) / rows, 2.0 * fastest / columns
    size, farthest = 0, -np.inf
    first, last = int((starts[0] - _MARGIN - low) / wide), int((starts[1] + _MARGIN - low) / wide)
    middle = columns // 2
    for i in range(max(first, 0), min(last, rows - 1) + 1):
        for j in range(middle - 1, middle + 1):  # rest lies on the edge of two cells
            found[i, j] = True
            stack[size, 0], stack[size, 1] = i, j
            size += 1
    while size > 0:
        size -= 1
        i, j = stack[size, 0], stack[size, 1]
        left, right = low + i * wide - _MARGIN, low + (i + 1) * wide + _MARGIN
        slow, fast = -fastest + j * tall - _MARGIN, -fastest + (j + 1) * tall + _MARGIN
        least, most = cosine_range(3.0 * left, 3.0 * right)
        slow = min(max(slow - force - gravity * most, -fastest), fastest)
        fast = min(max(fast + force - gravity * least, -fastest), fastest)
        left, right = left + slow - _MARGIN, right + fast + _MARGIN
        if left <= low and fast < 0.0:  # the wall stops the car
            fast = 0.0
        left, right = min(max(left, low), high), min(max(right, low), high)
        farthest = max(farthest, right)
        if right >= goal[0] - _MARGIN and fast >= goal[1] - _MARGIN:
            return farthest, True
        for a in range(place(left, low, wide, rows), place(right, low, wide, rows) + 1):
            for b in range(
                place(slow - _MARGIN, -fastest, tall, columns), place(fast + _MARGIN, -fastest, tall, columns) + 1
            ):
                if not found[a, b]:
                    found[a, b] = True
                    stack[size, 0], stack[size, 1] = a, b
                    size += 1
    return farthest, False


@kernel
def place(value, low, width, count):
    """The cell of a value, the first or the last one where it lies outside."""
    return min(max(math.floor((value - low) / width), 0), count - 1)


@kernel
def cosine_range(first, last):
    """The least and the greatest cosine between two angles."""
    least, most = min(math.cos(first), math.cos(last)), max(math.cos(first), math.cos(last))
    turn = math.ceil(first / math.pi)
    while turn * math.pi <= last:
        if int(turn) % 2 == 0:
            most = 1.0
        else:
            least = -1.0
        turn += 1.0
    return least - 1e-12, most + 1e-12
