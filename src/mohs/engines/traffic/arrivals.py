"""When does which vehicle come? Poisson streams, one for each movement of each approach, drawn by address.

A vehicle is the n-th of its stream, so its arrival does not depend on the signal, nor on the simulator that asks.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from mohs.core.kernel import kernel, law
from mohs.engines.draws import LANE_START, as_normal, as_uniform, bits, nth
from mohs.engines.traffic.junction import MOVEMENTS, STREAMS, Junction

PROFILES = ("flat", "morning", "evening", "day")
HOUR, HOURS = 3600.0, 24
_STARTS = {"day": 0, "morning": 7, "evening": 16}
# Percent of a day's traffic in each hour from midnight: a working day in a city, by assumption.
_PERCENT = (
    0.8, 0.5, 0.4, 0.4, 0.7, 1.8, 4.2, 6.6, 6.7, 5.2, 4.8, 5.2,
    5.7, 5.7, 6.0, 6.9, 7.8, 8.1, 6.5, 4.9, 3.9, 3.3, 2.4, 1.5,
)  # fmt: skip
SLOWEST, FASTEST, SPREAD = 0.8, 1.2, 0.1  # of the factor by which drivers multiply the speed limit
_NEVER = 1e12  # s: longer than any episode
_ROOM = 16  # addresses of the n-th vehicles of all streams

ARRIVAL = np.dtype(
    [("time", np.float64), ("approach", np.int64), ("movement", np.int64), ("speed_factor", np.float64)], align=True
)


def factors(profile: str) -> npt.NDArray[np.float64]:
    """By what the mean flow is multiplied in each hour of an episode; after 24 hours they repeat."""
    if profile == "flat":
        return np.ones(HOURS)
    return np.roll(np.array(_PERCENT) * HOURS / 100, -_STARTS[profile])


def rates(junction: Junction) -> npt.NDArray[np.float64]:
    """Mean vehicles per second of each stream."""
    return np.array(junction.flows).ravel() / HOUR


@law
def next_arrival(key, episode, stream, n, time, rate, hours):
    """When the n-th vehicle of a stream arrives, if the one before it arrived at `time`."""
    if rate <= 0.0:
        return math.inf
    x = bits(key, episode, n * _ROOM + stream, LANE_START)
    due = -math.log(1.0 - as_uniform(x)) / rate  # seconds at the mean flow
    if due > _NEVER:
        return math.inf
    hour = int(time / HOUR)
    while True:
        factor = hours[np.uint64(hour % HOURS)]
        end = HOUR * (hour + 1)
        if due <= factor * (end - time):
            return time + due / factor
        due -= factor * (end - time)
        time = end
        hour += 1
        if due > HOUR * HOURS:  # whole days have the mean flow
            days = math.floor(due / (HOUR * HOURS))
            due -= days * HOUR * HOURS
            hour += HOURS * int(days)
            time = HOUR * hour


@law
def speed_factor(key, episode, stream, n):
    """By what the driver of the n-th vehicle of a stream multiplies the speed limit."""
    x = bits(key, episode, n * _ROOM + stream, LANE_START)
    return min(max(1.0 + SPREAD * as_normal(nth(x, 0)), SLOWEST), FASTEST)


@kernel
def _count(key, episode, rate, hours, seconds, counts):
    """How many vehicles of each stream arrive in time."""
    for stream in range(STREAMS):
        n, time = 0, next_arrival(key, episode, stream, 0, 0.0, rate[stream], hours)
        while time <= seconds:
            n += 1
            time = next_arrival(key, episode, stream, n, time, rate[stream], hours)
        counts[stream] = n


@kernel
def _list(key, episode, rate, hours, counts, found):
    """Writes these vehicles, stream by stream."""
    i = 0
    for stream in range(STREAMS):
        time = 0.0
        for n in range(counts[stream]):
            time = next_arrival(key, episode, stream, n, time, rate[stream], hours)
            found[i].time = time
            found[i].approach, found[i].movement = stream // len(MOVEMENTS), stream % len(MOVEMENTS)
            found[i].speed_factor = speed_factor(key, episode, stream, n)
            i += 1


def arrivals(junction: Junction, profile: str, key: int, episode: int, seconds: float) -> npt.NDArray[np.void]:
    """The vehicles of an episode, in the order of their arrival.

    Args:
        junction: The intersection, with its mean flows.
        profile: One of `PROFILES`.
        key: The key of the instance's random stream.
        episode: The number of the episode in that stream, from 0.
        seconds: Until when.

    Returns:
        Records of time (s), approach, movement and the factor by which the driver multiplies the speed limit.
    """
    rate, hours, counts = rates(junction), factors(profile), np.zeros(STREAMS, dtype=np.int64)
    _count(np.uint64(key), episode, rate, hours, float(seconds), counts)
    found = np.zeros(counts.sum(), dtype=ARRIVAL)
    _list(np.uint64(key), episode, rate, hours, counts, found)
    return found[np.argsort(found["time"], kind="stable")]
