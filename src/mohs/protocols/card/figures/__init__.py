"""The figures of hardness cards, by name: each module makes the data of one from a card and draws it."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from mohs.protocols.card.figures.greedy import look_ahead_figure, look_aheads
from mohs.protocols.card.figures.horizon_scatter import scatter, scatter_figure
from mohs.protocols.card.figures.horizons import horizons, horizons_figure
from mohs.protocols.card.figures.profile import profile_figure, profile_rows
from mohs.protocols.card.figures.returns import returns_figure
from mohs.protocols.card.figures.states import state_figure, state_picture
from mohs.protocols.card.record import Card


def figures(cards: Sequence[Card]) -> dict[str, go.Figure]:
    """Of several cards the one that compares them first; then those of each, named after its place among them."""
    found = {"scatter": scatter_figure(scatter(cards))} if len(cards) > 1 else {}
    for i, card in enumerate(cards):
        found |= {figure_prefix(cards, i) + name: figure for name, figure in _card_figures(card).items()}
    return found


def figure_prefix(cards: Sequence[Card], index: int) -> str:
    return f"task-{index + 1}-" if len(cards) > 1 else ""


def _card_figures(card: Card) -> dict[str, go.Figure]:
    """What is known of the task can be drawn; the rest is left out."""
    found = {}
    rows = profile_rows(card.profile)
    if sum(row.share is not None for row in rows) > 1:
        found["profile"] = profile_figure(rows, card.profile.known_tasks)
    if card.table is not None and card.states_values is not None:
        found["states"] = state_figure(state_picture(card.table, card.states_values), card.horizon)
    ahead = look_aheads(card)
    if ahead is not None:
        found["look-ahead"] = look_ahead_figure(ahead)
    if card.return_laws is not None:
        found["returns"] = returns_figure(card.return_laws)
    lengths = horizons(card)
    if lengths is not None:
        found["horizons"] = horizons_figure(lengths)
    return found
