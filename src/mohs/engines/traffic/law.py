"""How does a traffic signal go on? A decision names a phase; yellow and all-red come before a phase that is new.

No conflicting greens can be asked for. An episode starts with empty roads and the first phase.
"""

from __future__ import annotations

import math

import numpy as np

from mohs.core.kernel import law, routine
from mohs.engines.common_law import at, draw_task
from mohs.engines.law import Law
from mohs.engines.traffic.discharge import START_UP
from mohs.engines.traffic.junction import LEFT, MOVEMENTS, STREAMS, THROUGH
from mohs.engines.traffic.layout import (
    DELAY,
    INSTANCE,
    PRESSURE,
    QUEUE,
    TASK,
    WAIT,
    cars_of,
    lanes_of,
    streams_of,
)
from mohs.engines.traffic.measures import measure
from mohs.engines.traffic.queues import after, look_everywhere, open_gates, run

_MOVEMENTS = len(MOVEMENTS)
CARS, TOP_SPEED = 28.0, 20.0  # by which RESCO divides numbers of vehicles, and speeds in m/s
WAITING, CLIP = 224.0, 4.0  # and its reward: −wait / 224, in ±4


@law
def parts_of(inst, task, floats):
    """The streams, the lanes and the rings of an instance: views."""
    block, lanes = inst.block, task.lanes
    return streams_of(floats, block), lanes_of(floats, block, lanes), cars_of(floats, block, lanes, task.storage)


@routine
def clear(inst, task, streams, lanes, cars, ints, floats):
    """Empties the roads."""
    for s in range(STREAMS):
        one = streams[np.uint64(s)]
        one.entering, one.arriving = 0, 0
        one.enters = after(inst, task, floats, s, 0, 0.0)
        one.arrives = one.enters
    for approach in range(4):
        for k in range(at(ints, task.first + approach), at(ints, task.first + approach + 1)):
            lane = lanes[np.uint64(k)]
            lane.head, lane.count, lane.approach, lane.gone = 0, 0, approach, 0.0
    for approach in range(4):
        open_gates(task, streams, lanes, ints, approach)


@routine
def expected(inst, task, floats):
    """How many vehicles arrive in the episode."""
    count, end = 0, task.horizon * task.decision
    for s in range(STREAMS):
        n, time = 0, after(inst, task, floats, s, 0, 0.0)
        while time <= end:
            n += 1
            time = after(inst, task, floats, s, n, time)
        count += n
    return count


@routine
def show_green(inst, task, lanes, cars, ints, floats, phase):
    """A phase gets its green: queues begin to leave."""
    inst.phase, inst.amber = phase, math.inf
    for k in range(task.lanes):
        lane = lanes[np.uint64(k)]
        lane.served, lane.start, lane.last = 0, inst.now + START_UP, inst.now
    look_everywhere(inst, task, lanes, cars, ints, floats)


@routine
def change(inst, task, streams, lanes, cars, ints, floats, phase):
    """Yellow, all-red, and the green of another phase."""
    begun = inst.now
    inst.amber = begun
    look_everywhere(inst, task, lanes, cars, ints, floats)
    run(inst, task, streams, lanes, cars, ints, floats, begun + task.cleared)
    inst.phase = -1
    look_everywhere(inst, task, lanes, cars, ints, floats)
    run(inst, task, streams, lanes, cars, ints, floats, begun + task.yellow + task.all_red)
    show_green(inst, task, lanes, cars, ints, floats, phase)


@routine
def reward_of(inst, task, lanes, late):
    """What a decision pays."""
    wait, queue, approaching = 0.0, 0.0, 0.0
    for k in range(task.lanes):
        lane = lanes[np.uint64(k)]
        wait, queue, approaching = wait + lane.wait, queue + lane.queue, approaching + lane.approaching
    if task.reward == WAIT:
        return -min(wait / WAITING, CLIP)
    if task.reward == QUEUE:
        return -queue
    if task.reward == PRESSURE:
        return -(queue + approaching)
    return (inst.late - late) / max(inst.vehicles, 1.0)


@routine
def conclude(inst, task, lanes, late):
    """Writes the metrics of an episode that ends."""
    inside = inst.outside
    for k in range(task.lanes):
        inside += lanes[np.uint64(k)].count
    inst.delay = late / max(inst.crossed + inside, 1)
    inst.stops = inst.halts / max(inst.crossed, 1)
    inst.queue = inst.queued / inst.t
    inst.throughput = inst.crossed
    inst.inside = inside


@law
def begin(inst, tasks, ints, floats):
    """Starts the next episode."""
    episode = inst.episode + 1
    draw_task(inst, ints, floats, episode)
    task = at(tasks, inst.task)
    streams, lanes, cars = parts_of(inst, task, floats)
    inst.episode, inst.t, inst.over = episode, 0, 0
    inst.now, inst.lost, inst.late, inst.queued = 0.0, 0.0, 0.0, 0.0
    inst.outside, inst.outside_since, inst.crossed, inst.halts = 0, 0.0, 0, 0
    clear(inst, task, streams, lanes, cars, ints, floats)
    inst.vehicles = expected(inst, task, floats) if task.reward == DELAY else 0
    show_green(inst, task, lanes, cars, ints, floats, 0)
    measure(inst, task, lanes, cars)


@law
def advance(inst, tasks, ints, floats, action):
    """One decision: (reward, terminated, truncated)."""
    task, t, phase = at(tasks, inst.task), inst.t + 1, np.int64(action[0])
    streams, lanes, cars = parts_of(inst, task, floats)
    if phase != inst.phase:
        change(inst, task, streams, lanes, cars, ints, floats, phase)
    run(inst, task, streams, lanes, cars, ints, floats, t * task.decision)
    queue, late = measure(inst, task, lanes, cars)
    reward = reward_of(inst, task, lanes, late)
    truncated = t >= task.horizon
    inst.t, inst.over = t, truncated
    inst.late = late
    inst.queued += queue
    if truncated:
        conclude(inst, task, lanes, late)
    return reward, False, truncated


@routine
def show_lanes(inst, task, lanes, ints, observation):
    """Five numbers of each lane, as in RESCO; 0 where an approach has fewer lanes than are observed."""
    for i in range(task.width):
        observation[i] = 0.0
    for k in range(task.lanes):
        lane, i = lanes[np.uint64(k)], 5 * at(ints, task.slots + k)
        green = 0
        for m in range(_MOVEMENTS):
            if (at(ints, task.permits + k) >> m) & 1:
                green = max(green, at(ints, task.greens + inst.phase * STREAMS + lane.approach * _MOVEMENTS + m))
        observation[i] = green / 2
        observation[i + 1] = lane.approaching / CARS
        observation[i + 2] = lane.wait / CARS
        observation[i + 3] = lane.queue / CARS
        observation[i + 4] = lane.speeds / TOP_SPEED / CARS


@routine
def show_movements(inst, task, lanes, ints, observation):
    """Four numbers of the through traffic and the left turn of each approach: of the lanes that permit them."""
    for approach in range(4):
        for m in (LEFT, THROUGH):
            queue, approaching = 0.0, 0.0
            for k in range(at(ints, task.first + approach), at(ints, task.first + approach + 1)):
                if (at(ints, task.permits + k) >> m) & 1:
                    queue += lanes[np.uint64(k)].queue
                    approaching += lanes[np.uint64(k)].approaching
            i = 4 * (2 * approach + m)
            observation[i] = at(ints, task.greens + inst.phase * STREAMS + approach * _MOVEMENTS + m) / 2
            observation[i + 1] = queue / CARS
            observation[i + 2] = approaching / CARS
            observation[i + 3] = (queue + approaching) / CARS


@law
def observe(inst, tasks, ints, floats, observation):
    """Writes what detectors see."""
    task = at(tasks, inst.task)
    lanes = lanes_of(floats, inst.block, task.lanes)
    if task.movements:
        show_movements(inst, task, lanes, ints, observation)
    else:
        show_lanes(inst, task, lanes, ints, observation)


@law
def bounds(inst, tasks, component):
    """The phases."""
    return 0, tasks[0].phases - 1


LAW = Law("traffic", INSTANCE, TASK, begin, advance, observe, bounds)
