"""How do vehicles enter and cross? One event after the other; between two of them nothing has to be computed.

A vehicle enters the shortest lane that permits its movement and has room, or waits outside. It crosses when it arrives
at the stop line, or when the queue in front of it has left. A permissive left turn waits for a gap in oncoming traffic.
"""

from __future__ import annotations

import math

import numpy as np

from mohs.core.kernel import law, routine
from mohs.engines.common_law import at
from mohs.engines.traffic.arrivals import HOURS, next_arrival, speed_factor
from mohs.engines.traffic.discharge import DAWDLE, PLATOON
from mohs.engines.traffic.junction import LEFT, MOVEMENTS, STREAMS, THROUGH
from mohs.engines.traffic.layout import FLOWING

_MOVEMENTS = len(MOVEMENTS)


@law
def after(inst, task, floats, stream, n, time):
    """When the n-th vehicle of a stream arrives, if the one before it arrived at `time`."""
    hours = floats[task.hours : task.hours + HOURS]
    return next_arrival(inst.key, inst.episode, stream, n, time, at(floats, task.rates + stream), hours)


@law
def queue_place(lane):
    """Which vehicle of the queue its first one is, counted from 1; at most the last column of the tables."""
    return min(lane.served + 1, PLATOON - 1)


@law
def earliest(task, floats, lane, car):
    """When the first vehicle of a lane can be at the stop line."""
    headway = at(floats, task.headways + car.movement * PLATOON + queue_place(lane))
    return max(car.due, lane.last + headway)


@routine
def oncoming(inst, task, lanes, cars, ints, approach):
    """When the next vehicle crosses that left turns of this approach give way to."""
    across = (approach + 2) % 4
    soonest = math.inf
    for k in range(at(ints, task.first + across), at(ints, task.first + across + 1)):
        lane = lanes[np.uint64(k)]
        if lane.ready < soonest and cars[np.uint64(k * task.storage + lane.head)].movement != LEFT:
            soonest = lane.ready
    return soonest


@routine
def look(inst, task, lanes, cars, ints, floats, k):
    """Finds when the first vehicle of a lane crosses."""
    lane = lanes[np.uint64(k)]
    lane.ready = math.inf
    if lane.count == 0 or inst.phase < 0:
        return
    car = cars[np.uint64(k * task.storage + lane.head)]
    green = at(ints, task.greens + inst.phase * STREAMS + lane.approach * _MOVEMENTS + car.movement)
    if green == 2:
        lane.ready = earliest(task, floats, lane, car)
    elif green == 1:
        there = earliest(task, floats, lane, car)
        then = max(there, inst.now)
        gap = at(floats, task.gaps + lane.approach)
        if oncoming(inst, task, lanes, cars, ints, lane.approach) - then >= gap:
            lane.ready = then
        elif there <= inst.amber < math.inf:  # it waits in the junction, and clears it
            lane.ready = inst.amber + task.cleared


@routine
def look_across(inst, task, lanes, cars, ints, floats, approach):
    """The same for permissive left turns of the opposite approach."""
    across = (approach + 2) % 4
    if inst.phase < 0 or at(ints, task.greens + inst.phase * STREAMS + across * _MOVEMENTS + LEFT) != 1:
        return
    for k in range(at(ints, task.first + across), at(ints, task.first + across + 1)):
        lane = lanes[np.uint64(k)]
        if lane.count > 0 and cars[np.uint64(k * task.storage + lane.head)].movement == LEFT:
            look(inst, task, lanes, cars, ints, floats, k)


@routine
def look_everywhere(inst, task, lanes, cars, ints, floats):
    """The same for all lanes: those that give way come last."""
    for k in range(task.lanes):
        look(inst, task, lanes, cars, ints, floats, k)
    for approach in range(4):
        look_across(inst, task, lanes, cars, ints, floats, approach)


@law
def shortest(task, lanes, ints, stream):
    """The shortest lane with room for a stream, the outer one of two; −1 where all are full."""
    approach, movement = stream // _MOVEMENTS, stream % _MOVEMENTS
    best, fewest = -1, task.storage
    for k in range(at(ints, task.first + approach), at(ints, task.first + approach + 1)):
        count = lanes[np.uint64(k)].count
        if (at(ints, task.permits + k) >> movement) & 1 and (count < fewest or (count == fewest and best >= 0)):
            best, fewest = k, count
    return best


@routine
def open_gates(task, streams, lanes, ints, approach):
    """Finds which vehicles of an approach may enter, where a lane has become full or has room again."""
    for stream in range(approach * _MOVEMENTS, (approach + 1) * _MOVEMENTS):
        one = streams[np.uint64(stream)]
        one.gate = one.enters if shortest(task, lanes, ints, stream) >= 0 else math.inf


@routine
def enter(inst, task, streams, lanes, cars, ints, floats, s):
    """The next vehicle of a stream enters, now or when it arrives."""
    stream = streams[np.uint64(s)]
    inst.now = max(inst.now, stream.enters)
    inst.lost += inst.now - stream.enters
    if stream.entering < stream.arriving:
        inst.outside -= 1
        inst.outside_since -= stream.enters
    k = shortest(task, lanes, ints, s)
    lane = lanes[np.uint64(k)]
    place = lane.head + lane.count
    car = cars[np.uint64(k * task.storage + (place - task.storage if place >= task.storage else place))]
    car.speed = task.speed * speed_factor(inst.key, inst.episode, s, stream.entering) - DAWDLE
    car.due = inst.now + task.length / car.speed
    car.since = math.inf
    car.movement = s % _MOVEMENTS
    lane.count += 1
    stream.entering += 1
    stream.enters = after(inst, task, floats, s, stream.entering, stream.enters)
    stream.gate = stream.enters
    if stream.arriving < stream.entering:
        stream.arriving, stream.arrives = stream.entering, stream.enters
    if lane.count == task.storage:
        open_gates(task, streams, lanes, ints, lane.approach)
    if lane.count == 1:
        look(inst, task, lanes, cars, ints, floats, k)
        look_across(inst, task, lanes, cars, ints, floats, lane.approach)


@routine
def cross(inst, task, streams, lanes, cars, ints, floats, k):
    """The first vehicle of a lane crosses, and follows the one before it on an exit as long as the lane."""
    lane = lanes[np.uint64(k)]
    car = cars[np.uint64(k * task.storage + lane.head)]
    time, place = lane.ready, queue_place(lane)
    there = earliest(task, floats, lane, car)
    if time == car.due:
        place, lane.served = 0, FLOWING
    elif time > there:  # it waited for a gap, and a queue leaves behind it
        place, lane.served, lane.start = 1, 1, time
    elif lane.served < FLOWING:
        lane.served += 1
    slow = at(floats, task.losses + car.movement * PLATOON + place)
    behind = at(floats, task.headways + (THROUGH + 1) * PLATOON - 1)
    lane.gone = max(time + slow + task.length / car.speed, lane.gone + behind)
    inst.now = time
    inst.lost += lane.gone - (car.due - task.length / car.speed) - 2.0 * task.length / (car.speed + DAWDLE)
    inst.halts += int(time - car.due + slow > task.stopping)
    inst.crossed += 1
    lane.last = time
    lane.head = lane.head + 1 if lane.head + 1 < task.storage else 0
    lane.count -= 1
    if lane.count == task.storage - 1:
        open_gates(task, streams, lanes, ints, lane.approach)
    look(inst, task, lanes, cars, ints, floats, k)
    look_across(inst, task, lanes, cars, ints, floats, lane.approach)


@routine
def wait_outside(inst, task, streams, floats):
    """Counts the vehicles that have arrived and could not enter."""
    for s in range(STREAMS):
        stream = streams[np.uint64(s)]
        while stream.arrives <= inst.now:
            inst.outside += 1
            inst.outside_since += stream.arrives
            stream.arriving += 1
            stream.arrives = after(inst, task, floats, s, stream.arriving, stream.arrives)


@routine
def run(inst, task, streams, lanes, cars, ints, floats, until):
    """All that happens until then under the present signal."""
    while True:
        s, k, gate, ready = 0, 0, math.inf, math.inf
        for i in range(STREAMS):
            if streams[np.uint64(i)].gate < gate:
                s, gate = i, streams[np.uint64(i)].gate
        for i in range(task.lanes):
            if lanes[np.uint64(i)].ready < ready:
                k, ready = i, lanes[np.uint64(i)].ready
        if min(gate, ready) > until:
            break
        if gate <= ready:
            enter(inst, task, streams, lanes, cars, ints, floats, s)
        else:
            cross(inst, task, streams, lanes, cars, ints, floats, k)
    inst.now = until
    wait_outside(inst, task, streams, floats)
