"""What became of the vehicles of an episode? SUMO's record of all trips, as the metrics of the compiled engine."""

from __future__ import annotations

from collections.abc import Container
from typing import NamedTuple

from mohs.envs.traffic.sumo.network import elements

_MILLIGRAMS = 1000.0  # in a gram


class Trip(NamedTuple):
    """One vehicle: seconds lost on the road and before it, stops, and grams of CO2 and of fuel."""

    id: str
    entered: bool
    arrived: bool
    lost: float
    waited: float
    stops: int
    co2: float
    fuel: float


def trips(data: bytes) -> list[Trip]:
    """The trips in a file that SUMO wrote, also of vehicles that have not arrived or never entered."""
    found = []
    for element in elements(data, "tripinfos", "SUMO's record of trips"):
        if element.tag != "tripinfo":
            continue
        said = element.find("emissions")
        emitted = {} if said is None else said.attrib
        entered = float(element.get("depart", -1)) >= 0
        found.append(
            Trip(
                element.get("id", ""),
                entered,
                float(element.get("arrival", -1)) >= 0,
                float(element.get("timeLoss", 0)) if entered else 0.0,
                float(element.get("departDelay", 0)),
                int(element.get("waitingCount", 0)) if entered else 0,
                float(emitted.get("CO2_abs", 0)) / _MILLIGRAMS,
                float(emitted.get("fuel_abs", 0)) / _MILLIGRAMS,
            )
        )
    return found


def metrics(made: list[Trip], before: Container[str] | None, queue: float) -> dict[str, float]:
    """The metrics of an episode.

    Args:
        made: All trips.
        before: The vehicles that are before the stop line; None counts those that have not arrived.
        queue: Vehicles that queue or wait to enter, mean over decisions.
    """
    crossed = [t for t in made if t.entered and (t.arrived if before is None else t.id not in before)]
    entered = sum(t.entered for t in made)
    return {
        "delay": sum(t.lost + t.waited for t in made) / max(len(made), 1),
        "stops": sum(t.stops for t in crossed) / max(len(crossed), 1),
        "queue": queue,
        "throughput": float(len(crossed)),
        "inside": float(len(made) - len(crossed)),
        "co2": sum(t.co2 for t in made) / max(entered, 1),
        "fuel": sum(t.fuel for t in made) / max(entered, 1),
    }
