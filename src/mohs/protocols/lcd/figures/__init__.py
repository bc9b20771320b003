"""The figures of a report of challenges, by name: each module has the data of one and draws it."""

from __future__ import annotations

import plotly.graph_objects as go

from mohs.protocols.lcd.figures.agreement import agreement_figure, agreements
from mohs.protocols.lcd.figures.costs import control_forest, cost_forest, gain_forest, synergy_forest
from mohs.protocols.lcd.figures.curves import by_reward, by_view, curve_figure
from mohs.protocols.lcd.figures.screens import masks, screen_figure, screens
from mohs.protocols.lcd.figures.taxonomy import taxonomy, taxonomy_figure
from mohs.protocols.lcd.verdict import LcdVerdict
from mohs.report.figures.forest import forest_figure


def lcd_figures(verdict: LcdVerdict) -> dict[str, go.Figure]:
    """All figures that the data allow."""
    found: dict[str, go.Figure] = {}
    if (map_ := taxonomy(verdict)) is not None:
        found["taxonomy"] = taxonomy_figure(map_)
    forests = {
        "costs": cost_forest(verdict),
        "controls": control_forest(verdict),
        "gains": gain_forest(verdict),
        "synergy": synergy_forest(verdict),
    }
    found |= {name: forest_figure(forest) for name, forest in forests.items() if forest.rows}
    for i, pair in enumerate(agreements(verdict), 1):
        found[f"agreement-{i}"] = agreement_figure(pair)
    for i, result in enumerate(verdict.results, 1):
        found[f"views-{i}"] = curve_figure(by_view(verdict, result))
        if result.learning is not None:
            found[f"rewards-{i}"] = curve_figure(by_reward(verdict, result))
    for name, seen in (("screens", screens(verdict)), ("masks", masks(verdict))):
        if seen is not None:
            found[name] = screen_figure(seen)
    return found
