"""How does a queue leave? Constants of a car, and tables of headways and of time lost behind the stop line.

The n-th vehicle of a queue sets off START_UP + REACTION · (n − 1) seconds after the green, and accelerates from its
place to the stop line. All constants are those of the default car of SUMO 1.28 or were measured with it, one by one;
none is fitted to a delay.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from mohs.engines.traffic.junction import LEFT, MOVEMENTS, RIGHT

SPACE = 7.5  # m of a lane that a vehicle in a queue takes: 5 m and a gap
START_UP = 0.2  # s from the green to the start of the first vehicle
REACTION = 1.37  # s from the start of one vehicle to that of the next one
ACCELERATION, BRAKING = 2.6, 4.5  # m/s²
TURNING = {LEFT: 6.76, RIGHT: 7.28}  # m/s: saturation headways are 2.48 and 2.40 s
GAP, WIDER = 5.3, 0.65  # s: the gap in oncoming traffic that a permissive left turn takes, more for each further lane
DAWDLE = 0.65  # m/s by which drivers are slower, on average, than they would like to be
CLEARED = 0.4  # s of yellow in which vehicles still pass: 0.2 vehicles of a saturated lane
PLATOON = 32  # vehicles of a queue whose headways differ; the later ones leave at the saturation headway


def cruising(speed: float, movement: int) -> float:
    """The speed at the stop line without a queue, in m/s."""
    return min(speed, TURNING.get(movement, math.inf))


def time_from_rest(distance: float, speed: float) -> float:
    """Seconds to drive so far from rest, up to this speed."""
    ramp = speed**2 / (2 * ACCELERATION)
    if distance <= ramp:
        return math.sqrt(2 * distance / ACCELERATION)
    return speed / ACCELERATION + (distance - ramp) / speed


def headways(speed: float) -> npt.NDArray[np.float64]:
    """Seconds from the (n − 1)-th to the n-th vehicle of a queue at the stop line, [movement, n].

    The first one, n = 1, follows the start of the green. The last column is the saturation headway.
    """
    table = np.zeros((len(MOVEMENTS), PLATOON))
    for movement in range(len(MOVEMENTS)):
        top = cruising(speed, movement)
        at = [time_from_rest(SPACE * n, top) for n in range(PLATOON)]
        table[movement, 1] = START_UP
        table[movement, 2:] = REACTION + np.diff(at)[: PLATOON - 2]
    return table


def losses(speed: float) -> npt.NDArray[np.float64]:
    """Seconds lost behind the stop line by the n-th vehicle of a queue, which is still slow there, [movement, n].

    Column 0 is for a vehicle that did not queue: it brakes before a turn and accelerates after it.
    """
    table = np.zeros((len(MOVEMENTS), PLATOON))
    for movement in range(len(MOVEMENTS)):
        top = cruising(speed, movement)
        for n in range(PLATOON):
            crossing = top if n == 0 else min(math.sqrt(2 * ACCELERATION * SPACE * (n - 1)), top)
            rate = 1 / ACCELERATION + (1 / BRAKING if n == 0 else 0.0)
            table[movement, n] = (speed - crossing) ** 2 / (2 * speed) * rate
    return table


def stopping_loss(speed: float) -> float:
    """Seconds lost by braking to rest and accelerating again: who loses more has stood."""
    return speed / 2 * (1 / ACCELERATION + 1 / BRAKING)


def gap(lanes: int) -> float:
    """The gap that a permissive left turn takes in oncoming traffic on so many lanes, in s."""
    return GAP + WIDER * max(lanes - 1, 0)


def saturation_flow(speed: float, movement: int) -> float:
    """Vehicles per second of one lane while a long queue leaves."""
    return float(1 / (REACTION + SPACE / cruising(speed, movement)))


def start_up_loss(speed: float) -> float:
    """Seconds of a green that a queue does not use: after them, it is as if vehicles left at the saturation headway."""
    return START_UP + speed / (2 * ACCELERATION)
