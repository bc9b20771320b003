"""What does a finite task look like? Its states with their optimal values: on a grid, as a graph, or by distance."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from mohs.exact.lookahead.qvi import TIES
from mohs.exact.measures.distances import distances
from mohs.exact.values.solve import optimal_actions, values
from mohs.report.figures.state_graph import MOST_STATES, StateGraph, graph_figure, state_graph
from mohs.report.figures.state_grid import StateGrid, grid_figure, grid_shape, state_grid
from mohs.report.figures.state_layers import StateLayers, layers_figure, state_layers
from mohs.tables.table import Table

StatePicture = StateGrid | StateGraph | StateLayers


def state_picture(table: Table, horizon: int) -> StatePicture:
    """Of the states that an episode of so many steps can reach."""
    steps = distances(table)
    reached = np.where(steps <= horizon, steps, -1)
    value = values(table, horizon=horizon, discount=1.0)
    shape = grid_shape(table)
    if shape is not None:
        optimal = optimal_actions(table, TIES, horizon=horizon, discount=1.0)
        return state_grid(table, shape, value, optimal, reached)
    if np.count_nonzero(reached >= 0) <= MOST_STATES:
        return state_graph(table, value, reached)
    return state_layers(table, value, reached)


def state_figure(data: StatePicture, horizon: int) -> go.Figure:
    if isinstance(data, StateGrid):
        return grid_figure(data, horizon)
    return graph_figure(data, horizon) if isinstance(data, StateGraph) else layers_figure(data, horizon)
