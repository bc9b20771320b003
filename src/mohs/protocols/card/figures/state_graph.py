"""How are a few states connected? All that can be reached, layer by layer from the start, and what leads where."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from mohs.protocols.card.figures.value_colours import blues, value_colours
from mohs.report.numbers import written
from mohs.report.theme import LIGHT, WIDTH, blank
from mohs.tables.table import Float, Table

MOST_STATES = 60
SWEEPS = 8  # over the layers, to have few edges cross
MARGIN = {"l": 8, "r": 90, "t": 46, "b": 66}
BORDER = 38.0  # pixels around the nodes
SPAN = WIDTH - MARGIN["l"] - MARGIN["r"] - 2 * BORDER  # pixels that all layers together may take
STEP = 62.0  # pixels between two states of a layer
LEAST_STEP = 170.0  # pixels between two layers, if there is room
LOWEST, HIGHEST = 180.0, 600.0
KINDS = (("leads to", LIGHT.neutral, 1.0), ("pays", LIGHT.second, 1.8), ("costs", LIGHT.break_, 1.3))

Points = npt.NDArray[np.float64]  # [n, 2]


@dataclass(frozen=True)
class StateNode:
    state: int
    distance: int
    value: float
    start: bool
    terminal: bool


@dataclass(frozen=True)
class StateEdge:
    """All that leads from one node to another, by any action: their indices, and the reward furthest from zero."""

    source: int
    target: int
    reward: float


@dataclass(frozen=True)
class StateGraph:
    nodes: tuple[StateNode, ...]
    edges: tuple[StateEdge, ...]


def state_graph(table: Table, value: Float, distance: npt.NDArray[np.int64]) -> StateGraph:
    """The states with a distance, by distance, and the moves among them that are possible in an episode."""
    reached = np.flatnonzero(distance >= 0)
    reached = reached[np.argsort(distance[reached], kind="stable")]
    number = {int(s): i for i, s in enumerate(reached)}
    nodes = tuple(
        StateNode(s, int(distance[s]), float(value[s]), bool(table.initial[s] > 0), bool(table.terminal[s]))
        for s in number
    )
    rewards: dict[tuple[int, int], float] = {}
    for s in (node.state for node in nodes if not node.terminal):
        for row in range(s * table.actions, (s + 1) * table.actions):
            entries = [row] if table.indptr is None else range(table.indptr[row], table.indptr[row + 1])
            for entry in entries:
                target = number.get(int(table.succ[entry]))
                if target is None or (table.prob is not None and table.prob[entry] == 0):
                    continue
                key = (number[s], target)
                rewards[key] = max(rewards.get(key, 0.0), float(table.reward[entry]), key=abs)
    return StateGraph(nodes, tuple(StateEdge(*ends, reward) for ends, reward in rewards.items()))


def graph_figure(data: StateGraph, horizon: int) -> go.Figure:
    places, height = layout(data)
    size = node_size(places)
    note = f"V*: the best expected return of {horizon:,} steps from a state · {len(data.nodes)} states"
    figure = blank(
        round(height + 2 * BORDER + MARGIN["t"] + MARGIN["b"]), f"{note} · distance from the start grows to the right"
    )
    if _ringed(data):
        figure.update_layout(title={"text": f"{note} on a ring, by distance from the start"})
    _draw_edges(figure, data, places, size)
    extent = float(places[:, 0].max())
    wide = (extent + 2 * BORDER) / (SPAN + 2 * BORDER)
    _draw_nodes(figure, data, places, size, wide)
    hidden = {"showgrid": False, "showline": False, "showticklabels": False, "ticks": ""}
    figure.update_xaxes(hidden, range=[-BORDER, extent + BORDER], domain=[0, wide])
    figure.update_yaxes(hidden, range=[-height / 2 - BORDER, height / 2 + BORDER])
    figure.update_layout(margin=MARGIN, legend={"itemsizing": "trace"})
    return figure


def _ringed(data: StateGraph) -> bool:
    """Whether most states are at one distance, so that layers would be a single column."""
    counts = np.bincount([node.distance for node in data.nodes])
    return len(data.nodes) > 4 and bool(counts.max() > len(data.nodes) / 2)


def layout(data: StateGraph) -> tuple[Points, float]:
    """The place of every node in pixels of a figure of full width, and the height that they take."""
    if _ringed(data):
        angles = np.pi - 2 * np.pi * np.arange(len(data.nodes)) / len(data.nodes)
        return HIGHEST / 2 * np.stack([1.2 * (1 + np.cos(angles)), np.sin(angles)], axis=1), HIGHEST
    layers: list[list[int]] = [[] for _ in range(max(node.distance for node in data.nodes) + 1)]
    for i, node in enumerate(data.nodes):
        layers[node.distance].append(i)
    height = min(HIGHEST, max(LOWEST, STEP * max(map(len, layers))))
    step = min(max(LEAST_STEP, 0.55 * height), SPAN / max(1, len(layers) - 1))
    rank = _ordered(data, layers)
    places = np.zeros((len(data.nodes), 2))
    for depth, layer in enumerate(layers):
        gap = min(STEP, height / len(layer))
        for i in layer:
            places[i] = depth * step, gap * (rank[i] - (len(layer) - 1) / 2)
    return places, height


def _ordered(data: StateGraph, layers: list[list[int]]) -> dict[int, int]:
    """The rank of every node in its layer: near the mean rank of its neighbours (Sugiyama et al. 1981)."""
    near: dict[int, list[int]] = {i: [] for i in range(len(data.nodes))}
    for edge in data.edges:
        if edge.source != edge.target:
            near[edge.source].append(edge.target)
            near[edge.target].append(edge.source)
    rank = {i: k for layer in layers for k, i in enumerate(layer)}
    for sweep in range(SWEEPS):
        pairs = list(itertools.pairwise(layers))
        if sweep % 2:
            pairs = [(after, before) for before, after in reversed(pairs)]
        for fixed, moved in pairs:
            behind = set(fixed)
            goals = {
                i: _goal(rank[i], len(moved), [rank[j] for j in near[i] if j in behind], len(fixed)) for i in moved
            }
            moved.sort(key=goals.__getitem__)
            rank |= {i: k for k, i in enumerate(moved)}
    return rank


def _goal(own: int, size: int, neighbours: list[int], their_size: int) -> float:
    """How far from the middle a node ought to be: as its neighbours in the next layer are; else where it is."""
    if not neighbours:
        return own - (size - 1) / 2
    return sum(neighbours) / len(neighbours) - (their_size - 1) / 2


def node_size(places: Points) -> float:
    """A diameter that leaves room between the two nearest nodes."""
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    return float(min(30.0, max(9.0, 0.55 * apart.min(initial=np.inf))))


def _draw_edges(figure: go.Figure, data: StateGraph, places: Points, size: float) -> None:
    opacity = min(0.9, max(0.4, 90 / max(1, len(data.edges))))
    for (name, colour, width), chosen in zip(KINDS, (0.0, 1.0, -1.0), strict=True):
        paths = [
            _path(places[e.source], places[e.target], data.nodes[e.target].distance - data.nodes[e.source].distance,
                  size / 2)
            for e in data.edges
            if np.sign(e.reward) == chosen
        ]  # fmt: skip
        if not paths:
            continue
        gap = np.full((1, 2), np.nan)
        points = np.concatenate([part for path in paths for part in (path, gap)])
        tips = np.concatenate([[0.0] * (len(path) - 1) + [0.3 * size + 3.0, 0.0] for path in paths])
        figure.add_scatter(
            x=points[:, 0].astype(np.float32), y=points[:, 1].astype(np.float32), mode="lines+markers", name=name,
            opacity=opacity if chosen == 0 else 1.0, hoverinfo="skip", line={"color": colour, "width": width},
            marker={
                "symbol": "arrow", "angleref": "previous", "size": tips.astype(np.float32), "color": colour,
                "line": {"width": 0},
            },
        )  # fmt: skip


def _path(a: Points, b: Points, layers: int, radius: float) -> Points:
    """A bent line from border to border; a loop above where both ends are the same."""
    if np.array_equal(a, b):
        angles = np.radians(np.linspace(-50, 230, 15))
        ring = np.stack([np.cos(angles), np.sin(angles)], axis=1)
        return np.asarray(a + [0, 1.45 * radius] + 0.75 * radius * ring)
    # A way back, or past other layers, keeps away from the nodes between.
    across = np.array([-(b - a)[1], (b - a)[0]])
    length = float(np.linalg.norm(across))
    bend = min(0.07 if layers == 1 else 0.24, 150.0 / length)
    middle = (a + b) / 2 + bend * across
    first, second = middle - a, b - middle
    start = a + first / np.linalg.norm(first) * radius
    stop = b - second / np.linalg.norm(second) * (radius + 1.5)
    t = np.linspace(0, 1, 15)[:, None]
    return np.asarray((1 - t) ** 2 * start + 2 * t * (1 - t) * middle + t**2 * stop)


def _draw_nodes(figure: go.Figure, data: StateGraph, places: Points, size: float, wide: float) -> None:
    colours = value_colours(np.array([node.value for node in data.nodes if not node.terminal]))
    figure.update_layout(coloraxis=colours.axis(wide + 0.01))
    # The key has a trace of its own: Plotly shows marks of a shared axis of colours in black in the legend.
    figure.add_scatter(
        x=[None], y=[None], mode="markers", marker={"color": [colours.low], "coloraxis": "coloraxis"},
        showlegend=False, hoverinfo="skip",
    )  # fmt: skip
    for name, start, terminal, symbol in (
        ("start", True, False, "circle"), ("state", False, False, "circle"), ("end", False, True, "square"),
    ):  # fmt: skip
        chosen = [i for i, n in enumerate(data.nodes) if n.terminal == terminal and (terminal or n.start == start)]
        if not chosen:
            continue
        nodes = [data.nodes[i] for i in chosen]
        figure.add_scatter(
            x=places[chosen, 0], y=places[chosen, 1], mode="markers+text", name=name, cliponaxis=False,
            text=[str(n.state) if size >= 17 else "" for n in nodes],
            textfont={"size": 11 if size >= 22 else 10, "color": LIGHT.muted if terminal else LIGHT.ink},
            customdata=[_described(n) for n in nodes], hovertemplate="%{customdata}<extra></extra>",
            marker={
                "size": size if not terminal else 0.85 * size, "symbol": symbol, "colorscale": blues(),
                "cmin": colours.low, "cmax": colours.high,
                "color": LIGHT.panel if terminal else [n.value for n in nodes],
                "line": {"color": LIGHT.second if start else LIGHT.hatch if terminal else LIGHT.accent,
                         "width": 3.0 if start else 1.2},
            },
        )  # fmt: skip


def _described(node: StateNode) -> str:
    steps = f"{node.distance} {'step' if node.distance == 1 else 'steps'} from the start"
    return f"state {node.state}, {steps}: {'the end' if node.terminal else f'V* = {written(node.value)}'}"
