"""Which figures does the report of a comparison have?"""

from __future__ import annotations

import plotly.graph_objects as go

from mohs.protocols.compare.comparison import Comparison
from mohs.protocols.compare.figures.dials import bars_figure, dial_means, radar_figure
from mohs.protocols.compare.figures.matrix import matrix_figure
from mohs.protocols.compare.figures.profiles import profiles, profiles_figure
from mohs.protocols.compare.figures.ranks import ranks_figure
from mohs.protocols.compare.figures.responses import response_figure, responses
from mohs.protocols.compare.figures.rows import difference_forest, improvement_forest
from mohs.report.figures.forest import forest_figure


def comparison_figures(comparison: Comparison) -> dict[str, go.Figure]:
    """Every figure of the report, by name."""
    two = len(comparison.names) == 2
    found = {"improvement": forest_figure(improvement_forest(comparison)) if two else matrix_figure(comparison)}
    if not two:
        found["ranks"] = ranks_figure(comparison)
        found["differences"] = forest_figure(difference_forest(comparison))
    if means := dial_means(comparison):
        found["bars"] = bars_figure(means)
        found |= {"radar": radar_figure(means)} if means.round else {}
    if curves := profiles(comparison):
        found["profiles"] = profiles_figure(curves)
    return found | {f"dial-{data.name}": response_figure(data) for data in responses(comparison)}
