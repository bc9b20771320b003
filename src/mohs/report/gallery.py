"""Which figures does a report have? All of them by name, for the page and for static pictures alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from mohs.protocols.compare import Comparison
from mohs.protocols.diagnose import Verdict
from mohs.report import figures

if TYPE_CHECKING:
    from mohs.protocols.card import Card


def verdict_figures(verdict: Verdict) -> dict[str, go.Figure]:
    """In the order of the report."""
    study = verdict.study
    found = {"ranking": figures.ranking_figure(figures.ranking_rows(verdict))}
    for dial in verdict.dials:
        found[f"dial-{dial.name}"] = figures.dial_figure(figures.dial_response(study, dial))
    for dial in verdict.dials:
        found[f"curves-{dial.name}"] = figures.curves_figure(figures.curves(study, dial))
    for pair in verdict.pairs:
        found[f"pair-{pair.a}-{pair.b}"] = figures.pair_figure(figures.pair_map(pair))
    found["profile"] = figures.profile_figure(figures.profiles(verdict))
    graph = figures.mdp_graph(study.task({}))
    if graph is not None:
        found["mdp"] = figures.mdp_figure(graph)
    return found


def comparison_figures(comparison: Comparison) -> dict[str, go.Figure]:
    names = figures.agent_names(comparison)
    rows = figures.improvement_rows(comparison)
    found = {"improvement": figures.improvement_figure(rows, names)}
    for overlay in figures.overlays(comparison):
        found[f"dial-{overlay.a.name}"] = figures.overlay_figure(overlay)
    return found


def cards_figures(cards: Sequence[Card]) -> dict[str, go.Figure]:
    """Of several cards the one that compares them first; then those of each, named after its place among them."""
    found = {"scatter": figures.scatter_figure(figures.scatter(cards))} if len(cards) > 1 else {}
    for i, card in enumerate(cards):
        found |= {figure_prefix(cards, i) + name: figure for name, figure in _card_figures(card).items()}
    return found


def figure_prefix(cards: Sequence[Card], index: int) -> str:
    return f"task-{index + 1}-" if len(cards) > 1 else ""


def _card_figures(card: Card) -> dict[str, go.Figure]:
    """What is known of the task can be drawn; the rest is left out."""
    found = {}
    if card.table is not None:
        picture = figures.state_picture(card.table, card.horizon)
        found["states"] = figures.state_figure(picture, card.horizon)
    ahead = figures.look_aheads(card)
    if ahead is not None:
        found["look-ahead"] = figures.look_ahead_figure(ahead)
    laws = figures.return_laws(card)
    if laws is not None:
        found["returns"] = figures.returns_figure(laws)
    lengths = figures.horizons(card)
    if lengths is not None:
        found["horizons"] = figures.horizons_figure(lengths)
    return found
