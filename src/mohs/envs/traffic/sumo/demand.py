"""Who comes when? The vehicles of the compiled engine, as a route file of SUMO; or those of a user's route files."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache

from mohs.core.errors import UsageError
from mohs.engines.traffic.arrivals import arrivals
from mohs.engines.traffic.junction import APPROACHES, Junction
from mohs.envs.traffic.sumo.network import Element, elements
from mohs.envs.traffic.sumo.plain import exit_of


def routes(built: Junction, profile: str, key: int, episode: int, seconds: float, step: float) -> tuple[bytes, int]:
    """The vehicles of an episode as a route file, and how many they are.

    They are those of the compiled engine: the same streams, times and drivers. SUMO lets a vehicle enter at a step, so
    each comes at the first step after its arrival; what lies between is no delay.
    """
    found = arrivals(built, profile, key, episode, seconds)
    lines = ["<routes>"]
    for i, (time, approach, movement, factor) in enumerate(found.tolist()):
        edges = f"{APPROACHES[approach]}_in {APPROACHES[exit_of((approach, movement))]}_out"
        lines.append(
            f'<vehicle id="{i}" depart="{math.ceil(time / step) * step:.1f}" departLane="best" departSpeed="max" '
            f'speedFactor="{factor!r}"><route edges="{edges}"/></vehicle>'
        )
    return "\n".join([*lines, "</routes>"]).encode(), len(found)


@lru_cache(maxsize=16)
def count(data: bytes, edges: frozenset[str], begin: float, end: float, what: str) -> int:
    """How many vehicles a route file has from `begin` to `end`; of flows with random times, how many are expected.

    Raises:
        UsageError: It is no route file, or uses edges that the network does not have.
    """
    found = 0.0
    for element in elements(data, "routes", what):
        for edge in _used(element):
            if edge not in edges:
                raise UsageError(f"{what} uses the edge {edge}, which the network does not have.")
        try:
            found += _vehicles(element, begin, end)
        except ValueError as error:
            raise UsageError(
                f"{what} has a malformed <{element.tag}> ({element.get('id', 'no id')}): {error}."
            ) from error
    return math.ceil(found)


def _used(element: Element) -> Iterator[str]:
    """The edges that a vehicle, a flow or a route names."""
    for one in (element, *element.iter("route")):
        yield from one.get("edges", "").split()
    for name in ("from", "to", "via"):
        if element.tag in ("trip", "flow"):
            yield from element.get(name, "").split()


def _vehicles(element: Element, begin: float, end: float) -> float:
    """How many vehicles an element stands for within a time."""
    if element.tag in ("vehicle", "trip"):
        return float(_is_within(element.get("depart", "0"), begin, end))
    if element.tag != "flow":
        return 0.0
    first, last = float(element.get("begin", begin)), float(element.get("end", end))
    share = max(min(last, end) - max(first, begin), 0.0)
    if (number := element.get("number")) is not None and element.get("end") is not None:
        return float(number) * share / (last - first) if last > first else 0.0
    for name, rate in (("vehsPerHour", 1 / 3600), ("perHour", 1 / 3600), ("probability", 1.0)):
        if (given := element.get(name)) is not None:
            return share * float(given) * rate
    if (period := element.get("period")) is not None:
        if period.startswith("exp("):
            return share * float(period[4:].rstrip(")"))
        return share / float(period)
    return float(element.get("number", 0))


def _is_within(depart: str, begin: float, end: float) -> bool:
    """Whether a vehicle departs in time; those that wait for something else count."""
    try:
        return begin <= float(depart) <= end
    except ValueError:
        return True
