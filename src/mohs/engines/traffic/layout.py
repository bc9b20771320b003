"""What is kept of an intersection and of an instance? Records; an instance has a block of the float arena.

A block holds a `STREAM` for each movement of each approach, a `LANE` for each lane, and for each lane a ring of `CAR`s.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mohs.core.kernel import law
from mohs.engines.law import instance_record
from mohs.engines.traffic.junction import STREAMS

VIEWS = ("lanes", "movements")
REWARDS = ("wait", "queue", "pressure", "delay")
WAIT, QUEUE, PRESSURE, DELAY = range(len(REWARDS))
METRICS = ("delay", "stops", "queue", "throughput", "inside")

INSTANCE = instance_record(
    ("block", np.int64),  # its offset in the float arena
    ("phase", np.int64),  # that has a green, or −1
    ("now", np.float64),  # s from the start of the episode
    ("amber", np.float64),  # since when the signal is yellow; infinite while it is green
    ("outside", np.int64),  # vehicles that wait to enter
    ("outside_since", np.float64),  # the sum of their arrivals
    ("lost", np.float64),  # s, of vehicles that have crossed, and on entering
    ("late", np.float64),  # s that all vehicles have lost, at the last decision
    ("crossed", np.int64),
    ("halts", np.int64),  # stops of vehicles that have crossed
    ("queued", np.float64),  # vehicles that queue, summed over decisions
    ("vehicles", np.float64),  # of the whole episode; for the reward `delay`
    *((name, np.float64) for name in METRICS),  # of the last episode that has ended
)

TASK = np.dtype(
    [(name, np.int64) for name in (
        "horizon", "lanes", "phases", "storage", "width", "movements", "reward",
        "first", "permits", "greens", "slots",  # offsets in the integer arena
        "headways", "losses", "gaps", "rates", "hours",  # offsets in the float arena
    )]
    + [(name, np.float64) for name in ("decision", "yellow", "all_red", "cleared", "speed", "length", "stopping")],
    align=True,
)  # fmt: skip

STREAM = np.dtype(
    [
        ("entering", np.int64),  # the number of the next vehicle to enter
        ("arriving", np.int64),  # and of the next one to arrive; others between them wait outside
        ("enters", np.float64),  # their arrivals
        ("arrives", np.float64),
        ("gate", np.float64),  # when the next one may enter: infinite while its lanes are full
    ],
    align=True,
)

LANE = np.dtype(
    [
        ("ready", np.float64),  # when its first vehicle crosses: infinite while it must wait
        ("last", np.float64),  # when the last one crossed, or the start of the green
        ("gone", np.float64),  # when the last one was at the end of the exit
        ("start", np.float64),  # when the first vehicle of its queue sets off
        ("approaching", np.float64),  # what detectors see
        ("wait", np.float64),
        ("queue", np.float64),
        ("speeds", np.float64),
        ("head", np.int32),  # the place of its first vehicle in the ring
        ("count", np.int32),
        ("served", np.int32),  # vehicles of its queue that have left; FLOWING: there is none
        ("approach", np.int32),
    ],
    align=True,
)

CAR = np.dtype(
    [
        ("due", np.float64),  # when it would cross on a free road
        ("speed", np.float64),
        ("since", np.float64),  # when it came to a stand for the first time; infinite before
        ("movement", np.int64),
    ],
    align=True,
)

FLOWING = 1 << 20
_STREAM, _LANE, _CAR = (np.int64(record.itemsize // 8) for record in (STREAM, LANE, CAR))


def block_size(lanes: int, storage: int) -> int:
    """Words of the block of an instance."""
    return int(STREAMS * _STREAM + lanes * (_LANE + storage * _CAR))


@law
def streams_of(floats: Any, block: Any) -> Any:
    """The streams of the instance whose block this is: a view."""
    return floats[block : block + STREAMS * _STREAM].view(STREAM)


@law
def lanes_of(floats: Any, block: Any, lanes: Any) -> Any:
    """Its lanes, so many: a view."""
    first = block + STREAMS * _STREAM
    return floats[first : first + lanes * _LANE].view(LANE)


@law
def cars_of(floats: Any, block: Any, lanes: Any, storage: Any) -> Any:
    """The rings of all its lanes, one after the other: a view."""
    first = block + STREAMS * _STREAM + lanes * _LANE
    return floats[first : first + lanes * storage * _CAR].view(CAR)
