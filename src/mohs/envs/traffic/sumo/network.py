"""What does a network of SUMO say of a signal? Its links, the program that it shows, and what is around it."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from mohs.core.errors import UsageError, unknown
from mohs.envs.traffic.sumo.states import green_phases

Element = ElementTree.Element


@dataclass(frozen=True)
class Link:
    """A way through the junction, by its place in the states of the signal. Lanes are ids."""

    index: int
    lane: str
    exit: str
    edge: str
    exit_edge: str


@dataclass(frozen=True)
class Net:
    """What is needed of a network. `foes` has a set of links for each link that crosses others, as SUMO sees it."""

    tls: str
    links: tuple[Link, ...]
    phases: tuple[str, ...]
    edges: frozenset[str]
    ends: frozenset[str]  # edges behind which the network ends
    foes: tuple[tuple[int, frozenset[int]], ...]

    @cached_property
    def lanes(self) -> tuple[str, ...]:
        """The incoming lanes, in the order of the links."""
        return tuple(dict.fromkeys(link.lane for link in self.links))

    @cached_property
    def incoming(self) -> tuple[str, ...]:
        """The incoming edges."""
        return tuple(dict.fromkeys(link.edge for link in self.links))


def text_of(path: Path) -> bytes:
    """The contents of a file, unpacked if it is packed by gzip."""
    data = path.read_bytes()
    try:
        return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    except (OSError, EOFError) as error:
        raise UsageError(f"{path} cannot be unpacked: {error}.") from error


def elements(data: bytes, root: str, what: str) -> Iterator[Element]:
    """The children of the root of an XML document, one after the other; each is forgotten after it was used.

    Raises:
        UsageError: It is no XML, or its root is another one.
    """
    depth, top = 0, None
    try:
        for event, element in ElementTree.iterparse(io.BytesIO(data), ("start", "end")):
            if event == "start":
                if top is None:
                    top = element
                    if element.tag != root:
                        raise UsageError(f"{what} must have the root <{root}>, but has <{element.tag}>.")
                depth += 1
                continue
            depth -= 1
            if depth == 1:
                yield element
                assert top is not None
                top.clear()
    except ElementTree.ParseError as error:
        raise UsageError(f"{what} is not well-formed XML: {error}.") from error


@lru_cache(maxsize=64)
def read_net(data: bytes, tls: str, what: str) -> Net:
    """What a network says of a signal.

    Args:
        data: The network, as XML.
        tls: The id of the signal; empty for the only one.
        what: What it is called in messages.

    Raises:
        UsageError: It is no network, or has no such signal.
    """
    kept: dict[str, list[dict[str, Any]]] = {"edge": [], "tlLogic": [], "connection": [], "junction": []}
    for element in elements(data, "net", what):
        if element.tag in kept:
            kept[element.tag].append(_record(element))
    programs: dict[str, dict[str, Any]] = {}
    for logic in kept["tlLogic"]:
        if logic["id"] not in programs or logic.get("programID") == "0":
            programs[logic["id"]] = logic
    name = _chosen(tls, programs, what)
    mine = [c for c in kept["connection"] if c.get("tl") == name and "linkIndex" in c and not c["from"].startswith(":")]
    links = tuple(sorted((_link(c) for c in mine), key=lambda link: link.index))
    if not links:
        raise UsageError(f"the signal {name} of {what} controls no lanes.")
    phases = green_phases(child["state"] for child in programs[name]["children"] if child["tag"] == "phase")
    if len(phases) < 2:
        raise UsageError(f"the program of the signal {name} of {what} has {len(phases)} green phases, but must have 2.")
    if min(map(len, phases)) <= links[-1].index:
        raise UsageError(f"the program of the signal {name} of {what} has fewer letters than the signal has links.")
    plain = {e["id"]: e for e in kept["edge"] if not e["id"].startswith(":")}
    leaving = {e.get("from") for e in plain.values()}
    ends = frozenset(edge for edge, e in plain.items() if e.get("to") not in leaving)
    return Net(name, links, phases, frozenset(plain), ends, tuple(_foes(kept["junction"], kept["connection"], name)))


def _record(element: Element) -> dict[str, Any]:
    """Attributes of an element, and of its children."""
    return {**element.attrib, "children": [{**child.attrib, "tag": child.tag} for child in element]}


def _chosen(tls: str, programs: dict[str, dict[str, Any]], what: str) -> str:
    if not programs:
        raise UsageError(f"{what} has no traffic light.")
    if tls:
        if tls not in programs:
            raise unknown(f"traffic light of {what}", tls, programs)
        return tls
    if len(programs) > 1:
        some = ", ".join(sorted(programs)[:10])
        raise UsageError(f"{what} has {len(programs)} traffic lights: say which one by tls= ({some}).")
    return next(iter(programs))


def _link(connection: dict[str, Any]) -> Link:
    edge, exit_edge = connection["from"], connection["to"]
    lane, out = f"{edge}_{connection['fromLane']}", f"{exit_edge}_{connection['toLane']}"
    return Link(int(connection["linkIndex"]), lane, out, edge, exit_edge)


def _foes(
    junctions: list[dict[str, Any]], connections: list[dict[str, Any]], tls: str
) -> Iterator[tuple[int, frozenset[int]]]:
    """By link of the signal the links with which it conflicts, as the junctions know their own links."""
    by_inner = {c["via"]: c for c in connections if "via" in c}

    def start(inner: str) -> dict[str, Any]:
        """The connection from an approach that leads over an inner lane; where one waits within, it has two."""
        connection = by_inner[inner]
        edge = connection["from"]
        return start(f"{edge}_{connection['fromLane']}") if edge.startswith(":") else connection

    for junction in junctions:
        inner, requests = (
            junction.get("intLanes", "").split(),
            [c for c in junction["children"] if c["tag"] == "request"],
        )
        if not requests or not all(lane in by_inner for lane in inner):
            continue  # one within a junction, or with crossings of pedestrians
        starts = [start(lane) for lane in inner]
        for request in requests:
            own = starts[int(request["index"])]
            others = [starts[i] for i, bit in enumerate(reversed(request["foes"])) if bit == "1"]
            if own.get("tl") == tls:
                foes = frozenset(int(other["linkIndex"]) for other in others if other.get("tl") == tls)
                yield int(own["linkIndex"]), foes
