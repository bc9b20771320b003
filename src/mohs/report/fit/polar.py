"""How large is a circle whose names all fit around it?"""

from __future__ import annotations

import math
from typing import Any

import plotly.graph_objects as go

from mohs.report.fit import texts
from mohs.report.fit.frame import fit_note, legend_height

SIZE = 11.0
GAP = 12.0  # pixels from the circle to a name
LEAST = 0.4  # of the width, for the circle


def fit_polar(figure: go.Figure, layout: dict[str, Any], width: int) -> None:
    """Gives the names around a circle the margins that they need."""
    names = [str(name) for trace in figure.data for name in trace.theta]
    side = min(GAP + max(texts.width(name, SIZE) for name in names), (1 - LEAST) / 2 * width)
    over = GAP + max(texts.height(name, SIZE) for name in names)
    polar = layout["polar"]
    polar["angularaxis"] = {**polar.get("angularaxis", {}), "tickfont": {"size": SIZE}}
    top = fit_note(layout, side, width) + over
    bottom = over + legend_height(figure, width - 2 * side)
    layout["margin"] = {"l": side, "r": side, "t": top, "b": bottom}
    layout["height"] = math.ceil(width - 2 * side + top + bottom)
