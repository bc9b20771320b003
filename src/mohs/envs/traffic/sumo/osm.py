"""How does a map of OpenStreetMap become a network with vehicles? By netconvert, randomTrips and duarouter of SUMO."""

from __future__ import annotations

import sys
import tempfile
from functools import lru_cache
from pathlib import Path

import numpy as np

from mohs.core.errors import UsageError
from mohs.envs.traffic.sumo.network import elements
from mohs.envs.traffic.sumo.package import home, run, tool

_TRIPS_FILE = "trips.rou.xml"


@lru_cache(maxsize=16)
def converted(data: bytes, what: str) -> bytes:
    """The network of a map: roads for cars, with signals at one junction joined."""
    for _ in elements(data, "osm", what):
        pass  # netconvert says less clearly what is wrong
    with tempfile.TemporaryDirectory(prefix="mohs-sumo-") as directory:
        Path(directory, "map.osm.xml").write_bytes(data)
        types = home() / "data" / "typemap" / "osmNetconvert.typ.xml"
        command = [
            tool("netconvert"), "--osm-files", "map.osm.xml", "--output-file", "out.net.xml",
            "--geometry.remove", "--ramps.guess", "--junctions.join", "--tls.guess-signals", "--tls.discard-simple",
            "--tls.join", "--tls.default-type", "static", "--no-turnarounds", "--keep-edges.by-vclass", "passenger",
            "--remove-edges.isolated",
        ]  # fmt: skip
        if types.is_file():
            command += ["--type-files", str(types)]
        run(command, directory, f"netconvert cannot convert {what}")
        return Path(directory, "out.net.xml").read_bytes()


def random_trips(
    net: bytes, flow: float, key: int, episode: int, begin: float, end: float
) -> tuple[dict[str, bytes], int]:
    """Vehicles from `begin` to `end` between random places, mostly at the borders of the map: `flow` per hour.

    The same key and episode give the same vehicles.
    """
    if flow <= 0:
        return {_TRIPS_FILE: b"<routes/>"}, 0
    seed = int(np.random.SeedSequence([key, episode]).generate_state(1)[0] >> 1)
    with tempfile.TemporaryDirectory(prefix="mohs-sumo-") as directory:
        Path(directory, "map.net.xml").write_bytes(net)
        command = [
            sys.executable, str(home() / "tools" / "randomTrips.py"), "--net-file", "map.net.xml",
            "--output-trip-file", "random.trips.xml", "--route-file", "random.rou.xml", "--begin", str(begin),
            "--end", str(end), "--insertion-rate", str(flow), "--poisson", "--seed", str(seed),
            "--fringe-factor", "10", "--min-distance", "100", "--validate",
            "--trip-attributes", 'departLane="best" departSpeed="max"',
        ]  # fmt: skip
        run(command, directory, "randomTrips finds no trips on this map")
        data = Path(directory, "random.rou.xml").read_bytes()
    count = sum(element.tag in ("vehicle", "trip") for element in elements(data, "routes", "the random trips"))
    if count == 0:
        raise UsageError("randomTrips finds no trips on this map: give routes.")
    return {_TRIPS_FILE: data}, count
