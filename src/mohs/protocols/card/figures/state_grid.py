"""What is each cell of a grid worth? The best return from there, the actions that earn it, the start and the ends."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from mohs.protocols.card.figures.value_colours import value_colours
from mohs.report.numbers import written
from mohs.report.theme import LIGHT, WIDTH, blank
from mohs.tables.table import Float, Table

ARROWS = {"left": (-1, 0), "down": (0, 1), "right": (1, 0), "up": (0, -1)}  # rows are counted downwards
MARGIN = {"l": 8, "r": 90, "t": 46, "b": 62}
LARGEST, WIDEST, HIGHEST = 74.0, WIDTH - MARGIN["l"] - MARGIN["r"], 620.0  # pixels of a cell, and of all together
ROOM_FOR_TEXT, ROOM_FOR_ARROWS = 40, 15  # pixels that a cell needs
AWAY = 0.37  # of an arrow from the centre of its cell

Cell = tuple[int, int]  # row, column


@dataclass(frozen=True, eq=False)
class StateGrid:
    """Of each cell [row, column] the state shown (-1: none is reached) and its value; terminal states have none."""

    state: npt.NDArray[np.int64]
    value: Float
    starts: tuple[Cell, ...]
    ends: tuple[Cell, ...]
    paying_ends: tuple[Cell, ...]  # entering pays more than nothing
    moves: tuple[tuple[Cell, str], ...]  # the optimal first actions that have a direction
    hidden: int  # reached states whose cell shows another one


def grid_shape(table: Table) -> tuple[int, int] | None:
    """Rows and columns, if the table says that its states are cells of a grid and they are."""
    kind, *sizes = table.renderer.split() or [""]
    if kind != "grid" or len(sizes) != 2 or not all(size.isdecimal() for size in sizes):
        return None
    rows, columns = map(int, sizes)
    return (rows, columns) if table.observation.max() < rows * columns else None


def state_grid(
    table: Table,
    shape: tuple[int, int],
    value: Float,
    optimal: npt.NDArray[np.bool_],
    distance: npt.NDArray[np.int64],
) -> StateGrid:
    """An observation is row · columns + column. Of several states in a cell one that goes on is shown, the nearest."""
    placed = np.flatnonzero((distance >= 0) & (table.observation >= 0))
    order = placed[np.lexsort((placed, distance[placed], table.terminal[placed]))]
    cells, first = np.unique(table.observation[order], return_index=True)
    shown = order[first]
    state = np.full(shape, -1, dtype=np.int64)
    state.flat[cells] = shown
    seen = np.full(shape, np.nan)
    seen.flat[cells] = np.where(table.terminal[shown], np.nan, value[shown])
    best_entry = _best_entry(table)
    ends = placed[table.terminal[placed]]
    directions = {a: name.lower() for a, name in enumerate(table.action_names) if name.lower() in ARROWS}
    return StateGrid(
        state=state,
        value=seen,
        starts=_cells(table, shape, np.flatnonzero((table.initial > 0) & (table.observation >= 0))),
        ends=_cells(table, shape, ends[best_entry[ends] <= 0]),
        paying_ends=_cells(table, shape, ends[best_entry[ends] > 0]),
        moves=tuple(
            (_cell(table, shape, s), name)
            for s in shown[~table.terminal[shown]].tolist()
            for a, name in directions.items()
            if optimal[s, a]
        ),
        hidden=len(placed) - len(shown),
    )


def _best_entry(table: Table) -> Float:
    """The largest reward of entering each state; minus infinity where none is entered."""
    rows = np.arange(table.states * table.actions)
    source = (rows if table.indptr is None else np.repeat(rows, np.diff(table.indptr))) // table.actions
    possible = ~table.terminal[source]
    if table.prob is not None:
        possible &= table.prob > 0
    best = np.full(table.states, -np.inf)
    np.maximum.at(best, table.succ[possible], table.reward[possible])
    return best


def _cell(table: Table, shape: tuple[int, int], state: int) -> Cell:
    row, column = divmod(int(table.observation[state]), shape[1])
    return row, column


def _cells(table: Table, shape: tuple[int, int], states: npt.NDArray[np.int64]) -> tuple[Cell, ...]:
    """The cells of states, each once."""
    return tuple(dict.fromkeys(_cell(table, shape, state) for state in states.tolist()))


def grid_figure(data: StateGrid, horizon: int) -> go.Figure:
    rows, columns = data.state.shape
    size = min(LARGEST, WIDEST / columns, HIGHEST / rows)
    note = f"V*: the best expected return of {horizon:,} steps from a state"
    note += " · arrows: every optimal first action" if data.moves and size >= ROOM_FOR_ARROWS else ""
    note += f" · {data.hidden:,} more states share these cells" if data.hidden else ""
    figure = blank(round(max(rows * size, 170) + MARGIN["t"] + MARGIN["b"]), note)
    wide = min(1.0, columns * size / WIDEST)
    _draw_cells(figure, data, wide, labelled=size >= ROOM_FOR_TEXT)
    if size >= ROOM_FOR_ARROWS:
        _draw_moves(figure, data, size)
    _draw_marks(figure, data, size)
    hidden = {"showgrid": False, "showline": False, "showticklabels": False, "ticks": "", "constrain": "domain"}
    figure.update_xaxes(hidden, range=[-0.55, columns - 0.45], constraintoward="left", domain=[0, wide])
    figure.update_yaxes(hidden, range=[rows - 0.45, -0.55], scaleanchor="x", constraintoward="top")
    figure.update_layout(margin=MARGIN)
    return figure


def _draw_cells(figure: go.Figure, data: StateGrid, wide: float, labelled: bool) -> None:
    ends = np.isnan(data.value) & (data.state >= 0)
    figure.add_heatmap(
        z=np.where(ends, 1.0, 0.0), zmin=0, zmax=1, colorscale=[[0, LIGHT.grid], [1, LIGHT.panel]], showscale=False,
        hoverinfo="skip", xgap=1, ygap=1,
    )  # fmt: skip
    figure.update_layout(coloraxis=value_colours(data.value).axis(wide + 0.01))
    texts = [["" if np.isnan(v) else written(v) for v in row] for row in data.value.tolist()]
    hover = [
        ["" if s < 0 else f"state {s}, row {r}, column {c}: V* = {texts[r][c] or '0 (the end)'}"
         for c, s in enumerate(line)]
        for r, line in enumerate(data.state.tolist())
    ]  # fmt: skip
    figure.add_heatmap(
        z=data.value, coloraxis="coloraxis", xgap=1, ygap=1,
        text=texts if labelled else None, texttemplate="%{text}" if labelled else None,
        textfont={"size": 11, "color": LIGHT.ink}, customdata=hover, hovertemplate="%{customdata}<extra></extra>",
        hoverongaps=False,
    )  # fmt: skip


def _draw_moves(figure: go.Figure, data: StateGrid, size: float) -> None:
    for name, (right, down) in ARROWS.items():
        cells = [cell for cell, move in data.moves if move == name]
        figure.add_scatter(
            x=[c + AWAY * right for _, c in cells], y=[r + AWAY * down for r, _ in cells], mode="markers",
            marker={"symbol": f"triangle-{name}", "size": max(5.0, 0.15 * size), "color": LIGHT.ink},
            hoverinfo="skip", showlegend=False,
        )  # fmt: skip


def _draw_marks(figure: go.Figure, data: StateGrid, size: float) -> None:
    x: list[float | None] = []
    y: list[float | None] = []
    for r, c in data.starts:
        x += [c - 0.5, c + 0.5, c + 0.5, c - 0.5, c - 0.5, None]
        y += [r - 0.5, r - 0.5, r + 0.5, r + 0.5, r - 0.5, None]
    figure.add_scatter(
        x=x, y=y, mode="lines", line={"color": LIGHT.second, "width": 3}, name="start", hoverinfo="skip"
    )  # fmt: skip
    for name, cells, symbol, colour in (
        ("an end whose entry pays", data.paying_ends, "star", LIGHT.break_),
        ("an end", data.ends, "x-thin", LIGHT.muted),
    ):
        if cells:
            figure.add_scatter(
                x=[c for _, c in cells], y=[r for r, _ in cells], mode="markers", name=name, hoverinfo="skip",
                marker={
                    "symbol": symbol, "size": min(22.0, 0.42 * size), "color": colour,
                    "line": {"color": colour, "width": 2.5 if symbol == "x-thin" else 0},
                },
            )  # fmt: skip
