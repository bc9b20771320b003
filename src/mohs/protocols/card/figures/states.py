"""What does a finite task look like? Its states with their optimal values: on a grid, as a graph, or by distance."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from mohs.exact.values.states import StateValues
from mohs.protocols.card.figures.state_graph import MOST_STATES, StateGraph, graph_figure, state_graph
from mohs.protocols.card.figures.state_grid import StateGrid, grid_figure, grid_shape, state_grid
from mohs.protocols.card.figures.state_layers import StateLayers, layers_figure, state_layers
from mohs.tables.table import Table

StatePicture = StateGrid | StateGraph | StateLayers


def state_picture(table: Table, states: StateValues) -> StatePicture:
    """Of the states that an episode can reach."""
    shape = grid_shape(table)
    if shape is not None:
        return state_grid(table, shape, states.value, states.optimal, states.distance)
    if np.count_nonzero(states.distance >= 0) <= MOST_STATES:
        return state_graph(table, states.value, states.distance)
    return state_layers(table, states.value, states.distance)


def state_figure(data: StatePicture, horizon: int) -> go.Figure:
    if isinstance(data, StateGrid):
        return grid_figure(data, horizon)
    return graph_figure(data, horizon) if isinstance(data, StateGraph) else layers_figure(data, horizon)
