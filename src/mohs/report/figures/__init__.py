"""The figures of a report: each module makes the data of one figure from a verdict or a card, then draws that data."""

from mohs.report.figures.comparison import (
    agent_names,
    improvement_figure,
    improvement_rows,
    overlay_figure,
    overlays,
)
from mohs.report.figures.curves import curves, curves_figure
from mohs.report.figures.dial import dial_figure
from mohs.report.figures.greedy import look_ahead_figure, look_aheads
from mohs.report.figures.horizon_scatter import best_length, expected_way, scatter, scatter_figure
from mohs.report.figures.horizons import horizons, horizons_figure
from mohs.report.figures.mdp import mdp_figure, mdp_graph
from mohs.report.figures.pairs import pair_figure, pair_map
from mohs.report.figures.profile import profile_figure, profiles
from mohs.report.figures.ranking import ranking_figure, ranking_rows
from mohs.report.figures.response import dial_response
from mohs.report.figures.returns import return_laws, returns_figure
from mohs.report.figures.states import state_figure, state_picture

__all__ = [
    "agent_names",
    "best_length",
    "curves",
    "curves_figure",
    "dial_figure",
    "dial_response",
    "expected_way",
    "horizons",
    "horizons_figure",
    "improvement_figure",
    "improvement_rows",
    "look_ahead_figure",
    "look_aheads",
    "mdp_figure",
    "mdp_graph",
    "overlay_figure",
    "overlays",
    "pair_figure",
    "pair_map",
    "profile_figure",
    "profiles",
    "ranking_figure",
    "ranking_rows",
    "return_laws",
    "returns_figure",
    "scatter",
    "scatter_figure",
    "state_figure",
    "state_picture",
]
