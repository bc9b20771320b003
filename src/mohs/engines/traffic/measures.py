"""What do detectors see of the queues, and how much time have vehicles lost?

As in RESCO: within 200 m of the stop line, a vehicle queues from its first stand until it crosses, and waits as long.
"""

from __future__ import annotations

import math

import numpy as np

from mohs.core.kernel import law, routine
from mohs.engines.traffic.discharge import ACCELERATION, REACTION, SPACE
from mohs.engines.traffic.layout import FLOWING

RANGE = 200.0  # m


@law
def sets_off(lane, i):
    """When the i-th vehicle on a lane, from 0, starts to move with the queue; infinite while the first one waits."""
    if lane.ready == math.inf:
        return math.inf
    return lane.start + REACTION * (lane.served + i) if lane.served < FLOWING else -math.inf


@law
def stands_from(lane, car, i):
    """When the i-th vehicle on a lane reaches the end of the queue in front of it."""
    ahead = lane.served + i if lane.ready < math.inf and lane.served < FLOWING else i
    return car.due - SPACE * ahead / car.speed


@routine
def measure(inst, task, lanes, cars):
    """Writes what detectors see into the lanes.

    Returns how many vehicles queue, near or far or outside, and how many seconds all have lost.
    """
    now = inst.now
    queue, late = inst.outside, inst.lost + inst.outside * now - inst.outside_since
    for k in range(task.lanes):
        lane = lanes[np.uint64(k)]
        approaching, wait, queued, speeds = 0.0, 0.0, 0.0, 0.0
        place = k * task.storage + lane.head
        last = (k + 1) * task.storage
        for i in range(lane.count):
            car = cars[np.uint64(place)]
            place = place + 1 if place + 1 < last else k * task.storage
            late += max(now - car.due, 0.0)
            off = sets_off(lane, i)
            if car.since == math.inf:
                stands = stands_from(lane, car, i)
                if stands <= now and stands < off:
                    car.since = stands
            queues = car.since < math.inf
            queue += queues
            if max(SPACE * i, (car.due - now) * car.speed) <= RANGE:
                if queues:
                    queued += 1.0
                    wait += now - car.since
                    speeds += min(ACCELERATION * max(now - off, 0.0), car.speed)
                else:
                    approaching += 1.0
                    speeds += car.speed
        lane.approaching, lane.wait, lane.queue, lane.speeds = approaching, wait, queued, speeds
    return queue, late
