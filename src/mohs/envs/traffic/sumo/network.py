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
    """What is needed of a network."""

    tls: str
    links: tuple[Link, ...]
    phases: tuple[str, ...]
    edges: frozenset[str]
    ends: frozenset[str]  # edges behind which the network ends

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
    kept: dict[str, list[dict[str, Any]]] = {"edge": [], "tlLogic": [], "connection": []}
    for element in elements(data, "net", what):
        if element.tag in kept:
            kept[element.tag].append(_record(element))
    try:
        return _net(kept, tls, what)
    except UsageError:
        raise
    except (KeyError, ValueError) as error:
        reason = f"an element has no {error}" if isinstance(error, KeyError) else str(error)
        raise UsageError(f"{what} is malformed: {reason}.") from error


def _net(kept: dict[str, list[dict[str, Any]]], tls: str, what: str) -> Net:
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
    lengths = set(map(len, phases))
    if len(lengths) > 1 or min(lengths) <= links[-1].index:
        raise UsageError(f"the program of the signal {name} of {what} must have a letter for each link in each phase.")
    edges = frozenset(edge["id"] for edge in kept["edge"] if not edge["id"].startswith(":"))
    leading_on = {c["from"] for c in kept["connection"] if c.get("dir") != "t"}  # not only back
    return Net(name, links, phases, edges, edges - leading_on)


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
