"""What does the task look like? The states of one generated MDP as a graph, and its transitions as a table."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from mohs.core.task import Task
from mohs.report import numbers
from mohs.report.theme import LIGHT, dress, heading
from mohs.tables.toys.toy import Toy, toy

MOST_STATES = 40
MOST_IN_TABLE = 16
MOST_SEQUENCES = 3
WIDE = 1.5  # how far the columns of several sets reach to the left and right
RADIUS = 0.085  # of a state, where the circle of states has radius 1

Place = tuple[float, float]


@dataclass(frozen=True)
class Node:
    state: int
    place: Place
    terminal: bool
    rewardable: bool
    again: bool = False  # a second picture of the first set, where the last set leads


@dataclass(frozen=True)
class Edge:
    source: int  # indices of nodes
    target: int
    action: int
    probability: float


@dataclass(frozen=True)
class MdpGraph:
    task: Task
    states: int
    actions: int
    sets: int
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    sequences: tuple[tuple[int, ...], ...]  # the first few
    rewardable: int  # how many there are
    density: float | None  # the share of the possible ones that they are: the reward density achieved
    table: tuple[tuple[int, ...], ...] | None  # next state for [state][action], where it is certain


def mdp_graph(task: Task) -> MdpGraph | None:
    """The graph of a discrete toy; None for other environments and where it would be too large to read."""
    if task.environment.place != "discrete toy":
        return None
    parts = toy(task)
    if parts.num_states > MOST_STATES:
        return None
    single = parts.sequences.shape[1] == 1  # longer sequences are drawn as paths, not as states
    rewardable = {int(s) for s in parts.sequences[:, -1]} if single else set()
    if parts.reward is not None:
        rewardable = {int(s) for s in np.flatnonzero(parts.reward.max(axis=1) > 0)}
    nodes = [Node(s, _place(parts, s, 0), bool(parts.terminal[s]), s in rewardable) for s in range(parts.num_states)]
    if parts.sets > 1:
        nodes += [
            Node(n.state, _place(parts, n.state, 1), n.terminal, n.rewardable, True) for n in nodes[: parts.set_size]
        ]
    certain = parts.succ is not None
    return MdpGraph(
        task,
        parts.num_states,
        parts.num_actions,
        parts.sets,
        tuple(nodes),
        _edges(parts),
        tuple(tuple(int(s) for s in row) for row in parts.sequences[:MOST_SEQUENCES]),
        len(parts.sequences),
        parts.density if parts.possible_sequences else None,
        tuple(tuple(int(t) for t in row) for row in parts.succ) if certain and parts.succ is not None else None,
    )


def _place(parts: Toy, state: int, again: int) -> Place:
    """One set: on a circle. Several: a column for each, and the first once more at the end."""
    if parts.sets == 1:
        angle = math.pi / 2 - 2 * math.pi * state / parts.num_states
        return math.cos(angle), math.sin(angle)
    column = state // parts.set_size + again * parts.sets
    row = state % parts.set_size
    return WIDE * (2.0 * column / parts.sets - 1.0), 1.0 - 2.0 * row / max(parts.set_size - 1, 1)


def _edges(parts: Toy) -> tuple[Edge, ...]:
    """What every action does in every state that does not end the episode."""
    edges = []
    for s in range(parts.num_states):
        if parts.terminal[s]:
            continue
        last = parts.sets > 1 and s // parts.set_size == parts.sets - 1
        for a in range(parts.num_actions):
            if parts.succ is not None:
                targets = [(int(parts.succ[s, a]), 1.0)]
            else:
                assert parts.probs is not None
                row = parts.probs[s, a]
                targets = [(int(t), float(row[t])) for t in np.flatnonzero(row > 0)]
            edges += [Edge(s, t + parts.num_states if last and t < parts.set_size else t, a, p) for t, p in targets]
    return tuple(edges)


def mdp_figure(graph: MdpGraph) -> go.Figure:
    tabled = graph.table is not None and graph.states <= MOST_IN_TABLE and graph.actions <= MOST_IN_TABLE
    columns = {"cols": 2, "column_widths": [0.56, 0.44]} if tabled else {"cols": 1}
    figure = make_subplots(rows=1, horizontal_spacing=0.07, **columns)
    ends = sum(n.terminal for n in graph.nodes if not n.again)
    note = f"one generated task (n = 1, structure seed {graph.task.seed}) · {graph.states} states, "
    note += f"{graph.actions} actions, {graph.sets} independent set{'s' if graph.sets > 1 else ''}, {ends} terminal"
    if graph.density is not None:
        note += f" · {numbers.percent(graph.density)} of the possible sequences rewardable"
    dress(figure, 620, note)
    _draw_edges(figure, graph)
    _draw_sequences(figure, graph)
    _draw_nodes(figure, graph)
    hidden = {"showgrid": False, "showline": False, "showticklabels": False, "ticks": "", "zeroline": False}
    figure.update_xaxes(hidden, range=[-1.34, 1.34] if graph.sets == 1 else [-WIDE - 0.2, WIDE + 0.2], row=1, col=1)
    figure.update_yaxes(hidden, range=[-1.3, 1.3], scaleanchor="x", row=1, col=1)
    figure.add_annotation(heading("The graph: an edge for each action", 0, 1, "x domain", "y domain"))
    if tabled:
        _draw_table(figure, graph)
    return figure


def _draw_edges(figure: go.Figure, graph: MdpGraph) -> None:
    for action in range(graph.actions):
        x: list[float] = []
        y: list[float] = []
        tips: list[tuple[float, float, float]] = []
        for edge in (e for e in graph.edges if e.action == action):
            path = _path(graph.nodes[edge.source].place, graph.nodes[edge.target].place, graph.sets == 1)
            x += [*path[:, 0].tolist(), math.nan]
            y += [*path[:, 1].tolist(), math.nan]
            step = path[-1] - path[-3]
            tips.append((path[-1, 0], path[-1, 1], math.degrees(math.atan2(step[0], step[1]))))
        if not tips:
            continue
        colour = LIGHT.actions[action % len(LIGHT.actions)]
        group = {"legendgroup": f"action {action}", "hoverinfo": "skip"}
        dash = ("solid", "dash", "dot")[action // len(LIGHT.actions) % 3]
        figure.add_scatter(
            x=np.array(x, dtype=np.float32), y=np.array(y, dtype=np.float32), mode="lines", opacity=0.6,
            line={"color": colour, "width": 1.2, "dash": dash}, name=f"action {action}", **group, row=1, col=1,
        )  # fmt: skip
        figure.add_scatter(
            x=[t[0] for t in tips], y=[t[1] for t in tips], mode="markers", showlegend=False, opacity=0.9, **group,
            marker={"symbol": "arrow", "size": 8, "color": colour, "angle": [t[2] for t in tips], "line": {"width": 0}},
            row=1, col=1,
        )  # fmt: skip


def _path(start: Place, end: Place, bent: bool) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """A curve between two states, [points, 2], from border to border; a loop outward where they are the same."""
    a, b = np.array(start), np.array(end)
    t = np.linspace(0, 1, 17)[:, None]
    if np.allclose(a, b):
        out = a / (np.linalg.norm(a) or 1.0)
        angles = np.linspace(-2.45, 2.45, 17) + math.atan2(out[1], out[0])
        ring = np.stack([np.cos(angles), np.sin(angles)], axis=1)
        return np.asarray(a + out * RADIUS * 1.75 + ring * RADIUS * 1.05)
    across = np.array([-(b - a)[1], (b - a)[0]])
    middle = (a + b) / 2 + (0.14 * across if bent else 0.0)
    first, second = middle - a, b - middle
    a = a + first / np.linalg.norm(first) * RADIUS
    b = b - second / np.linalg.norm(second) * RADIUS * 1.15
    return np.asarray((1 - t) ** 2 * a + 2 * t * (1 - t) * middle + t**2 * b)


def _draw_sequences(figure: go.Figure, graph: MdpGraph) -> None:
    """Rewardable sequences of two and more states as broad bands under the states."""
    x: list[float] = []
    y: list[float] = []
    for sequence in graph.sequences:
        for s, t in itertools.pairwise(sequence):
            wrapped = graph.sets > 1 and t < s
            target = t + graph.states if wrapped and t + graph.states < len(graph.nodes) else t
            x += [graph.nodes[s].place[0], graph.nodes[target].place[0], math.nan]
            y += [graph.nodes[s].place[1], graph.nodes[target].place[1], math.nan]
    if x:
        figure.add_scatter(
            x=x, y=y, mode="lines", line={"color": LIGHT.band, "width": 9}, hoverinfo="skip",
            name=f"{len(graph.sequences)} of {graph.rewardable:,} rewardable sequences", row=1, col=1,
        )  # fmt: skip


def _draw_nodes(figure: go.Figure, graph: MdpGraph) -> None:
    size = 30 if graph.states <= 24 else 22
    for name, chosen, fill, line, text, symbol in (
        ("state", lambda n: not n.terminal and not n.rewardable, LIGHT.paper, LIGHT.ink, LIGHT.ink, "circle"),
        ("rewardable state", lambda n: n.rewardable, LIGHT.accent, LIGHT.accent, LIGHT.paper, "circle"),
        ("terminal state", lambda n: n.terminal, LIGHT.panel, LIGHT.hatch, LIGHT.muted, "square"),
    ):
        for again in (False, True):
            nodes = [n for n in graph.nodes if chosen(n) and n.again == again]
            if nodes:
                figure.add_scatter(
                    x=[n.place[0] for n in nodes], y=[n.place[1] for n in nodes], mode="markers+text",
                    text=[str(n.state) for n in nodes], textfont={"size": 12, "color": text}, name=name,
                    legendgroup=name, showlegend=not again, hoverinfo="skip", opacity=0.55 if again else 1.0,
                    marker={"size": size, "color": fill, "symbol": symbol, "line": {"color": line, "width": 1.6}},
                    row=1, col=1,
                )  # fmt: skip


def _draw_table(figure: go.Figure, graph: MdpGraph) -> None:
    assert graph.table is not None
    rewardable = {n.state for n in graph.nodes if n.rewardable}
    terminal = {n.state for n in graph.nodes if n.terminal}
    kinds = [
        [math.nan if s in terminal else 2.0 if t in rewardable else 1.0 if t in terminal else 0.0 for t in row]
        for s, row in enumerate(graph.table)
    ]
    text = [["" if s in terminal else str(t) for t in row] for s, row in enumerate(graph.table)]
    fills = (LIGHT.paper, LIGHT.grid, LIGHT.accent_soft)
    scale = [[edge / 3, fills[k]] for k in range(3) for edge in (k, k + 1)]
    figure.add_heatmap(
        z=kinds, text=text, texttemplate="%{text}", textfont={"size": 12, "color": LIGHT.ink}, xgap=2, ygap=2,
        zmin=-0.5, zmax=2.5, colorscale=scale, showscale=False, hoverinfo="skip", row=1, col=2,
    )  # fmt: skip
    plain = {"showgrid": False, "showline": False, "ticks": ""}
    figure.update_xaxes(
        plain,
        tickvals=list(range(graph.actions)),
        title={"text": "action"},
        range=[-0.5, graph.actions - 0.5],
        row=1,
        col=2,
    )
    labels = [f"{s}" for s in range(graph.states)]
    figure.update_yaxes(
        plain, tickvals=list(range(graph.states)), ticktext=labels, title={"text": "state"},
        range=[graph.states - 0.5, -0.5], row=1, col=2,
    )  # fmt: skip
    for s in terminal:
        figure.add_annotation(
            x=(graph.actions - 1) / 2, y=s, xref="x2", yref="y2", text="terminal: the episode ends", showarrow=False,
            font={"size": 12, "color": LIGHT.muted},
        )  # fmt: skip
    figure.add_annotation(heading("Next state for each action; rewardable shaded", 0, 1, "x2 domain", "y2 domain"))
