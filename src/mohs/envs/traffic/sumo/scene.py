"""What is simulated, and how is it observed? The intersection of the parameters, a user's network, or a map."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.core.errors import UsageError
from mohs.core.task import Task
from mohs.engines.traffic.junction import APPROACHES, LEFT, MOVEMENTS, THROUGH, junction
from mohs.engines.traffic.signal import LANE_FEATURES, MOVEMENT_FEATURES, Signal, signal, slots
from mohs.envs.traffic.sumo import plain
from mohs.envs.traffic.sumo.demand import count, routes
from mohs.envs.traffic.sumo.files import HASH, hash_of, names_of
from mohs.envs.traffic.sumo.network import Net, read_net, text_of
from mohs.envs.traffic.sumo.osm import converted, random_trips
from mohs.envs.traffic.sumo.states import share

NET_FILE, ROUTE_FILE = "sumo.net.xml", "sumo.rou.xml"
_STEPS = (1.0, 0.5, 0.2, 0.1)  # s of a step of SUMO, of which the longest that divides all times is taken
Slot = tuple[tuple[str, ...], tuple[int, ...], tuple[str, ...]]  # incoming lanes, links, outgoing lanes


@dataclass(frozen=True)
class Scene:
    """All that a simulation of a task needs.

    Attributes:
        what: What it is called in messages.
        net: The network.
        signal: What controllers may know of it.
        slots: What each observed slot is made of: incoming lanes, links and outgoing lanes.
        keep: Whether links that are green before and after a change stay green.
        step: Seconds of a step of SUMO.
        files: Files that SUMO reads in every episode, by name.
        vehicles: `key, episode, steps -> files, number of vehicles` of an episode.
        crossing: Whether vehicles count as served behind the stop line; else where they end their trips.
    """

    what: str
    net: Net
    signal: Signal
    slots: tuple[Slot, ...]
    keep: bool
    step: float
    files: Mapping[str, bytes]
    vehicles: Callable[[int, int, int], tuple[dict[str, bytes], int]]
    crossing: bool

    def exits(self) -> tuple[str, ...]:
        """The outgoing lanes that are looked at. Roads that leave the network count as empty."""
        found = dict.fromkeys(lane for _, _, lanes in self.slots for lane in lanes)
        return tuple(lane for lane in found if lane.rpartition("_")[0] not in self.net.ends)

    def incidence(self, part: int, of: Sequence[Any]) -> npt.NDArray[np.float64]:
        """Which of these each slot has, [slots, of]; `part` as in `Slot`."""
        return np.array([[float(one in slot[part]) for one in of] for slot in self.slots]).reshape(
            len(self.slots), len(of)
        )


def scene(task: Task) -> Scene:
    """The scene of a task.

    Raises:
        UsageError: A file is missing or malformed, or has no such signal.
    """
    return _own(task) if task["net"] or task["osm"] else _built(task)


def _built(task: Task) -> Scene:
    """The intersection of the parameters, with the vehicles of the compiled engine."""
    built = junction(task.values)
    data, step = plain.network(built), step_of(task)
    net = read_net(data, plain.TLS, "the intersection")
    found, ways = signal(task.values), plain.links(built)

    def of(approach: int, movements: Sequence[int], lanes: Sequence[int]) -> Slot:
        names = tuple(f"{APPROACHES[approach]}_in_{lane}" for lane in lanes)
        served = [link for link in net.links if link.lane in names and ways[link.index].movement in movements]
        return names, tuple(link.index for link in served), tuple(link.exit for link in served)

    parts: list[Slot] = []
    for a in range(len(APPROACHES)):
        lanes = built.of(a)
        if found.features == MOVEMENT_FEATURES:
            for m in (LEFT, THROUGH):
                parts.append(of(a, [m], [len(lanes) - 1 - i for i, lane in enumerate(lanes) if m in lane.movements]))
        else:
            parts += [of(a, range(len(MOVEMENTS)), [len(lanes) - 1 - i]) for i in range(len(lanes))]
            parts += [((), (), ())] * (slots(task.values, built) - len(lanes))

    def vehicles(key: int, episode: int, steps: int) -> tuple[dict[str, bytes], int]:
        text, count = routes(built, task["profile"], key, episode, steps * task["decision"], step)
        return {ROUTE_FILE: text}, count

    return Scene("the intersection", net, found, tuple(parts), False, step, {NET_FILE: data}, vehicles, True)


def _own(task: Task) -> Scene:
    """A network or a map of the user's."""
    name = task["net"] or task["osm"]
    if task[HASH] != hash_of(task.values):
        raise UsageError(f"the files of {name} have changed since the task was made: make the task again.")
    data = text_of(Path(name))
    if task["osm"]:
        data = converted(data, f"the map {name}")
    net = read_net(data, task["tls"], f"the network of {name}")
    begin, decision = task["begin"], task["decision"]
    own = {path: text_of(Path(path)) for path in names_of(task.values)["routes"]}
    files = {f"own{i}.rou.xml": text for i, text in enumerate(own.values())}

    def vehicles(key: int, episode: int, steps: int) -> tuple[dict[str, bytes], int]:
        end = begin + steps * decision
        if own:
            return files, sum(
                count(text, net.edges, begin, end, f"the route file {path}") for path, text in own.items()
            )
        return random_trips(data, task["inflow"], key, episode, begin, end)

    if own:
        vehicles(0, 0, task["max_episode_steps"])  # says what is wrong with them
    parts = _movements(net) if task["observation"] == "movements" else _lanes(net)
    return Scene(name, net, _signal(task, net, parts), parts, True, step_of(task), {NET_FILE: data}, vehicles, False)


def _lanes(net: Net) -> tuple[Slot, ...]:
    served = {lane: [link for link in net.links if link.lane == lane] for lane in net.lanes}
    return tuple(
        ((lane,), tuple(link.index for link in links), tuple(link.exit for link in links))
        for lane, links in served.items()
    )


def _movements(net: Net) -> tuple[Slot, ...]:
    """From one edge to another."""
    pairs = dict.fromkeys((link.edge, link.exit_edge) for link in net.links)
    found = []
    for pair in pairs:
        links = [link for link in net.links if (link.edge, link.exit_edge) == pair]
        lanes, exits = (tuple(dict.fromkeys(getattr(link, name) for link in links)) for name in ("lane", "exit"))
        found.append((lanes, tuple(link.index for link in links), exits))
    return tuple(found)


def _signal(task: Task, net: Net, parts: tuple[Slot, ...]) -> Signal:
    """The streams are the links of the signal."""
    greens = np.array([[share(letter) for letter in state] for state in net.phases])
    permits = np.array([[i in links for i in range(greens.shape[1])] for _, links, _ in parts])
    features = MOVEMENT_FEATURES if task["observation"] == "movements" else LANE_FEATURES
    times = {name: task[name] for name in ("decision", "yellow", "all_red")}
    return Signal(features, permits, greens, **times)


def step_of(task: Task) -> float:
    """Seconds of a step of SUMO: the longest that divides all times."""
    times = [task[name] for name in ("decision", "yellow", "all_red")]
    fits = (step for step in _STEPS if all(abs(t / step - round(t / step)) < 1e-9 for t in times))
    found = next(fits, None)
    if found is None:
        raise UsageError("decision, yellow and all_red must be multiples of 0.1 s in SUMO.")
    return found
