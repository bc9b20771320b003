"""Which figures does a report have? All of them by name, for the page and for static pictures alike."""

from __future__ import annotations

import plotly.graph_objects as go

from mohs.core.task import Task
from mohs.protocols.compare import Comparison
from mohs.protocols.diagnose import Verdict
from mohs.report import figures


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
    graph = figures.mdp_graph(Task.make(study.env, seed=0))
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
