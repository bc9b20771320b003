"""How large is a triangle whose corners' names all fit?"""

from __future__ import annotations

import math
from typing import Any

import plotly.graph_objects as go

from mohs.report.fit import texts
from mohs.report.fit.frame import fit_note, legend_height

SIZE = 12.5
GAP = 10.0  # pixels around a name
WIDEST = 0.44  # of the width, for each of the two names below


def fit_ternary(figure: go.Figure, layout: dict[str, Any], width: int) -> None:
    """Gives the names of the corners the margins that they need. Those below wrap; the one above has all the width."""
    axes, below = layout["ternary"], []
    for name in ("baxis", "caxis"):
        title = axes.setdefault(name, {}).setdefault("title", {})
        title["text"] = texts.wrapped(str(title.get("text") or ""), WIDEST * width, SIZE)
        below.append(title["text"])
    side = GAP + max(texts.width(text, SIZE) for text in below) / 2  # names are centred at their corners
    top = fit_note(layout, side, width) + GAP + texts.height("", SIZE)
    bottom = GAP + max(texts.height(text, SIZE) for text in below) + 8 + legend_height(figure, width - 2 * side)
    layout["margin"] = {"l": side, "r": side, "t": top, "b": bottom}
    layout["height"] = math.ceil(math.sqrt(3) / 2 * (width - 2 * side) + top + bottom)
