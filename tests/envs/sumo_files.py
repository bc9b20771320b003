"""Networks, routes and a map for tests of SUMO, written by hand or by SUMO's own tools."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from mohs.envs.traffic.sumo.package import run, tool

ROUTES = """<routes>
    <flow id="east" begin="0" end="300" vehsPerHour="600" from="left0A0" to="B0right0"/>
    <flow id="north" begin="0" end="300" number="25" from="bottom0A0" to="A1top0"/>
    <trip id="one" depart="5" from="left1A1" to="B0bottom1"/>
</routes>"""
VEHICLES = 50 + 25 + 1

MAP = """<?xml version="1.0" encoding="UTF-8"?>
<osm version="0.6"><bounds minlat="40.0" minlon="-112.0" maxlat="40.01" maxlon="-111.99"/>
<node id="1" version="1" lat="40.005" lon="-111.995"><tag k="highway" v="traffic_signals"/></node>
<node id="2" version="1" lat="40.0075" lon="-111.995"/><node id="3" version="1" lat="40.005" lon="-111.9915"/>
<node id="4" version="1" lat="40.0025" lon="-111.995"/><node id="5" version="1" lat="40.005" lon="-111.9985"/>
<way id="10" version="1"><nd ref="2"/><nd ref="1"/><nd ref="4"/>
<tag k="highway" v="secondary"/><tag k="lanes" v="4"/><tag k="maxspeed" v="35 mph"/></way>
<way id="11" version="1"><nd ref="5"/><nd ref="1"/><nd ref="3"/>
<tag k="highway" v="primary"/><tag k="lanes" v="2"/></way>
</osm>"""


def grid(directory: Path) -> dict[str, str]:
    """A grid of two by two signals with routes, of which A0 is controlled: the parameters of its task."""
    command = [
        tool("netgenerate"), "--grid", "--grid.number", "2", "--grid.attach-length", "200", "-j", "traffic_light",
        "--default.lanenumber", "2", "--output-file", "grid.net.xml",
    ]  # fmt: skip
    run(command, str(directory), "netgenerate fails")
    (directory / "grid.rou.xml").write_text(ROUTES)
    return {"net": str(directory / "grid.net.xml"), "routes": str(directory / "grid.rou.xml"), "tls": "A0"}


def crossing(directory: Path) -> dict[str, str]:
    """A map with one signal."""
    (directory / "map.osm.xml").write_text(MAP)
    return {"osm": str(directory / "map.osm.xml")}


def foes(net: bytes, tls: str) -> dict[int, set[int]]:
    """By link of a signal the links with which it conflicts, as the junctions of a network know their own links."""
    root, found = ElementTree.fromstring(net), dict[int, set[int]]()
    by_inner = {c.attrib["via"]: c.attrib for c in root.iter("connection") if "via" in c.attrib}

    def start(inner: str) -> dict[str, str]:
        """The connection from an approach that leads over an inner lane; a turn that waits within has two."""
        connection = by_inner[inner]
        edge = connection["from"]
        return start(f"{edge}_{connection['fromLane']}") if edge.startswith(":") else connection

    for junction in root.iter("junction"):
        requests = junction.findall("request")
        starts = [start(inner) for inner in junction.get("intLanes", "").split()] if requests else []
        for request in requests:
            own = starts[int(request.attrib["index"])]
            others = [starts[i] for i, bit in enumerate(reversed(request.attrib["foes"])) if bit == "1"]
            if own.get("tl") == tls:
                found[int(own["linkIndex"])] = {int(o["linkIndex"]) for o in others if o.get("tl") == tls}
    return found
