"""How does an intersection become a network of SUMO? As plain XML, which netconvert turns into a network.

The junction is C. Approach N enters on the edge `N_in`, and the exit beside it is `N_out`.
SUMO counts lanes from the right.
"""

from __future__ import annotations

import tempfile
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import quoteattr

from mohs.engines.traffic.junction import APPROACHES, LEFT, MOVEMENTS, RIGHT, THROUGH, Junction, Stream
from mohs.envs.traffic.sumo.package import run, tool
from mohs.envs.traffic.sumo.states import GREEN, YIELDING

TLS = "C"
_ARMS = ((0, 1), (1, 0), (0, -1), (-1, 0))  # where the approaches come from
_TURNS = {LEFT: 1, THROUGH: 2, RIGHT: 3}  # the arm by which a movement leaves, counted clockwise from its approach
_ROOM = 60.0  # m of a lane that may lie within the junction; lengths are set in any case
_RADIUS, _WIDE = 4.0, 10.0  # m of its corners: netconvert's, and one with room for opposite left turns on two lanes


class Link(NamedTuple):
    """A way from a lane of an approach to a lane of an exit, both counted from the right."""

    approach: int
    lane: int
    movement: int
    exit_lane: int


def exit_of(stream: Stream) -> int:
    """The arm by which a stream leaves."""
    return (stream[0] + _TURNS[stream[1]]) % len(APPROACHES)


def exit_lanes(built: Junction, arm: int) -> int:
    """As many as the widest movement that leaves by this arm has."""
    widths = [
        sum(movement in lane.movements for lane in built.of(approach))
        for approach in range(len(APPROACHES))
        for movement in range(len(MOVEMENTS))
        if exit_of((approach, movement)) == arm
    ]
    return max(1, *widths)


def links(built: Junction) -> tuple[Link, ...]:
    """All ways, in the order of the signal's links: by approach, lane from the right, and movement from the right.

    Movements do not change lanes within the junction: left turns keep to the left, others to the right.
    """
    found = []
    for approach in range(len(APPROACHES)):
        lanes = built.of(approach)[::-1]
        for i, lane in enumerate(lanes):
            for movement in sorted(lane.movements, reverse=True):
                serving = [k for k, other in enumerate(lanes) if movement in other.movements]
                out = serving.index(i)
                if movement == LEFT:
                    out += exit_lanes(built, exit_of((approach, movement))) - len(serving)
                found.append(Link(approach, i, movement, out))
    return tuple(found)


def phase_states(built: Junction) -> tuple[str, ...]:
    """What each phase shows, as SUMO writes it: a letter for each link."""
    letters = {0: "r", 1: YIELDING, 2: GREEN}
    return tuple(
        "".join(letters[phase.green(link.approach, link.movement)] for link in links(built)) for phase in built.phases
    )


@lru_cache(maxsize=256)
def network(built: Junction) -> bytes:
    """The network, made by netconvert."""
    with tempfile.TemporaryDirectory(prefix="mohs-sumo-") as directory:
        for name, text in _plain(built).items():
            Path(directory, name).write_text(text)
        command = [
            tool("netconvert"), "--node-files", "nodes.xml", "--edge-files", "edges.xml",
            "--connection-files", "connections.xml", "--tllogic-files", "signal.xml", "--output-file", "out.net.xml",
            "--no-turnarounds", "--offset.disable-normalization", "--precision", "4",
        ]  # fmt: skip
        run(command, directory, "netconvert cannot build this intersection")
        return Path(directory, "out.net.xml").read_bytes()


def _plain(built: Junction) -> dict[str, str]:
    """The files that netconvert reads, by name."""
    length = built.lanes[0].length
    left = [sum(lane.movements == (LEFT,) for lane in built.of(approach)) for approach in range(len(APPROACHES))]
    radius = _WIDE if max(left) > 1 else _RADIUS
    nodes, edges = [_element("node", id=TLS, x=0, y=0, type="traffic_light", tl=TLS, radius=radius)], []
    for a, (name, (x, y)) in enumerate(zip(APPROACHES, _ARMS, strict=True)):
        far = length + _ROOM
        nodes.append(_element("node", id=name, x=x * far, y=y * far, type="priority"))
        common = {"speed": f"{built.speed:.4f}", "length": f"{length:.4f}", "priority": 1}
        into, out = (f"{name}_in", name, TLS), (f"{name}_out", TLS, name)
        for (edge, start, end), lanes in ((into, len(built.of(a))), (out, exit_lanes(built, a))):
            edges.append(_element("edge", id=edge, **{"from": start, "to": end}, numLanes=lanes, **common))
    ways = [_way(link) for link in links(built)]
    indexed = [{**way, "tl": TLS, "linkIndex": i} for i, way in enumerate(ways)]
    shown = "".join(_element("phase", duration=40, state=state) for state in phase_states(built))
    logic = f'<tlLogic id="{TLS}" type="static" programID="0" offset="0">{shown}</tlLogic>'
    return {
        "nodes.xml": _document("nodes", nodes),
        "edges.xml": _document("edges", edges),
        "connections.xml": _document("connections", [_element("connection", **way) for way in ways]),
        "signal.xml": _document("tlLogics", [logic, *(_element("connection", **way) for way in indexed)]),
    }


def _way(link: Link) -> dict[str, str | int]:
    start, end = APPROACHES[link.approach], APPROACHES[exit_of((link.approach, link.movement))]
    return {"from": f"{start}_in", "to": f"{end}_out", "fromLane": link.lane, "toLane": link.exit_lane}


def _element(tag: str, **attributes: object) -> str:
    return f"<{tag} {' '.join(f'{name}={quoteattr(str(value))}' for name, value in attributes.items())}/>"


def _document(root: str, elements: list[str]) -> str:
    return f"<{root}>\n" + "\n".join(elements) + f"\n</{root}>\n"
