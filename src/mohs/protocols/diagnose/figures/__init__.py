"""The figures of a diagnosis, by name, in the order of the report: each module makes the data of one and draws it."""

from __future__ import annotations

import plotly.graph_objects as go

from mohs.protocols.diagnose.figures.data import dial_curves, pair_map
from mohs.protocols.diagnose.figures.dial import dial_figure
from mohs.protocols.diagnose.figures.losses import dial_losses, losses_figure
from mohs.protocols.diagnose.figures.mdp import mdp_figure, mdp_graph
from mohs.protocols.diagnose.figures.profile import profile_figure, profiles
from mohs.protocols.diagnose.figures.ranking import ranking_figure, rankings
from mohs.protocols.diagnose.figures.response import dial_response
from mohs.protocols.diagnose.verdict import Diagnosis
from mohs.report.figures.curves import curves_figure
from mohs.report.figures.pairs import pair_figure


def figures(verdict: Diagnosis) -> dict[str, go.Figure]:
    """Every figure of the report."""
    found = {name: ranking_figure(data) for name, data in rankings(verdict).items()}
    for dial in verdict.dials:
        losses = dial_losses(dial)
        if losses is not None:
            found[f"losses-{dial.name}"] = losses_figure(losses)
    for dial in verdict.dials:
        found[f"dial-{dial.name}"] = dial_figure(dial_response(verdict, dial))
    for dial in verdict.dials:
        found[f"curves-{dial.name}"] = curves_figure(dial_curves(verdict, dial))
    for pair in verdict.pairs:
        found[f"pair-{pair.a}-{pair.b}"] = pair_figure(pair_map(pair, verdict.measure))
    found["profile"] = profile_figure(profiles(verdict))
    graph = mdp_graph(verdict.study.task({}))
    if graph is not None:
        found["mdp"] = mdp_figure(graph)
    return found
