"""The figures of a report: each module makes the data of one figure from a verdict, then draws that data."""

from mohs.report.figures.comparison import (
    agent_names,
    improvement_figure,
    improvement_rows,
    overlay_figure,
    overlays,
)
from mohs.report.figures.curves import curves, curves_figure
from mohs.report.figures.dial import dial_figure
from mohs.report.figures.mdp import mdp_figure, mdp_graph
from mohs.report.figures.pairs import pair_figure, pair_map
from mohs.report.figures.profile import profile_figure, profiles
from mohs.report.figures.ranking import ranking_figure, ranking_rows
from mohs.report.figures.response import dial_response

__all__ = [
    "agent_names",
    "curves",
    "curves_figure",
    "dial_figure",
    "dial_response",
    "improvement_figure",
    "improvement_rows",
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
]
