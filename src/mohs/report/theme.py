"""How does a report look? Colours, fonts and the plotly templates, light and dark.

Figures are drawn in the light theme only. Every colour of it is a hexadecimal text that stands for one role, so the
dark figure is the light one with each text exchanged; the page does the same when its reader switches.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import plotly.graph_objects as go

FONT = (
    "Inter, 'Source Sans 3', 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', 'Liberation Sans', Arial, "
    "'DejaVu Sans', sans-serif"
)
WIDTH = 1080  # of a figure where nothing else sets it: the page's text column, and static pictures


@dataclass(frozen=True)
class Theme:
    """One colour for each role. The pairs accent/second and the actions' colours differ for every colour vision."""

    paper: str  # behind everything
    panel: str  # behind cards and table heads
    ink: str  # text and what counts
    muted: str  # text that explains
    rule: str  # axis lines, borders
    grid: str  # lines that only guide the eye
    hatch: str  # what is missing
    neutral: str  # vanilla
    run: str  # single runs
    accent: str  # what the dial does
    accent_soft: str
    second: str  # the other agent, the other evaluation
    second_soft: str
    band: str  # the interval of a breaking dose
    break_: str  # the breaking dose
    scale: tuple[str, ...]  # from little to much
    actions: tuple[str, ...]


LIGHT = Theme(
    paper="#ffffff",
    panel="#f6f7f9",
    ink="#16191d",
    muted="#5a6470",
    rule="#c3cad1",
    grid="#e9ecef",
    hatch="#a9b2bb",
    neutral="#8b95a0",
    run="#a9bfd6",
    accent="#1b5e9e",
    accent_soft="#d3e2f1",
    second="#c4531a",
    second_soft="#f7ddcd",
    band="#f3e3c4",
    break_="#a86a00",
    scale=("#f4f8fc", "#dde9f5", "#bdd5eb", "#94bbde", "#679dce"),
    actions=("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c6bb1", "#6b6b6b"),
)
DARK = Theme(
    paper="#121519",
    panel="#1a1f25",
    ink="#e9ecef",
    muted="#9ca7b3",
    rule="#48525d",
    grid="#262d35",
    hatch="#66717d",
    neutral="#808b97",
    run="#56728f",
    accent="#6fb0ee",
    accent_soft="#1f3d5c",
    second="#f2935c",
    second_soft="#53301c",
    band="#43361b",
    break_="#e5b04a",
    scale=("#1b232c", "#1d3148", "#214568", "#28598a", "#316fad"),
    actions=("#3d9fe0", "#f0b429", "#2bc49a", "#e39ac4", "#8fd0f7", "#f28a45", "#b59ad8", "#a3a3a3"),
)
THEMES: Mapping[str, Theme] = {"light": LIGHT, "dark": DARK}


def roles(theme: Theme) -> dict[str, str]:
    """Every colour by the name of its role."""
    named: dict[str, str] = {}
    for role, value in asdict(theme).items():
        name = role.rstrip("_").replace("_", "-")
        named |= {name: value} if isinstance(value, str) else {f"{name}-{i}": c for i, c in enumerate(value)}
    return named


def exchange(theme: Theme) -> dict[str, str]:
    """From the light theme's colours to those of `theme`."""
    target = roles(theme)
    return {colour: target[role] for role, colour in roles(LIGHT).items()}


def recoloured(value: Any, colours: Mapping[str, str]) -> Any:
    """Plain figure data with every text that is a colour exchanged."""
    if isinstance(value, str):
        return colours.get(value, value)
    if isinstance(value, Mapping):
        return {key: recoloured(item, colours) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [recoloured(item, colours) for item in value]
    return value


def template(theme: Theme = LIGHT) -> go.layout.Template:
    """The plotly template of a theme."""
    axis = {
        "showline": True, "linecolor": theme.rule, "linewidth": 1, "gridcolor": theme.grid, "gridwidth": 1,
        "zeroline": False, "ticks": "outside", "ticklen": 4, "tickcolor": theme.rule, "tickfont": {"size": 12},
        "title": {"font": {"size": 12.5, "color": theme.muted}, "standoff": 10}, "automargin": True,
    }  # fmt: skip
    return go.layout.Template(
        layout={
            "font": {"family": FONT, "size": 13, "color": theme.ink},
            "paper_bgcolor": theme.paper,
            "plot_bgcolor": theme.paper,
            "colorway": list(theme.actions),
            "xaxis": axis,
            "yaxis": axis,
            "legend": {"bgcolor": "rgba(0,0,0,0)", "font": {"size": 12}, "itemsizing": "constant"},
            "hoverlabel": {
                "bgcolor": theme.panel,
                "bordercolor": theme.rule,
                "font": {"color": theme.ink, "family": FONT, "size": 12.5},
            },
            "bargap": 0.35,
        }
    )


def blank(height: int, note: str) -> go.Figure:
    """An empty figure in the house style; `note` says what n and the intervals are."""
    figure = go.Figure()
    dress(figure, height, note)
    return figure


def dress(figure: go.Figure, height: int, note: str) -> None:
    """The house style for a figure that exists already."""
    title = {"text": note, "font": {"size": 12, "color": LIGHT.muted}, "x": 0, "xref": "paper", "xanchor": "left"}
    title |= {"y": 1, "yref": "container", "yanchor": "top", "pad": {"t": 16 if "<br>" in note else 10}}
    legend = {"orientation": "h", "x": 0, "xanchor": "left", "y": 0, "yref": "container", "yanchor": "bottom"}
    legend |= {"tracegroupgap": 0}
    margin = {"l": 64, "r": 24, "t": 76, "b": 92}
    figure.update_layout(template=template(), height=height, title=title, legend=legend, margin=margin)


def heading(text: str, x: float, y: float, xref: str = "paper", yref: str = "paper") -> dict[str, Any]:
    """The title of a panel, flush left above it."""
    font = {"size": 13, "color": LIGHT.ink}
    return {
        "text": f"<b>{text}</b>", "x": x, "y": y, "xref": xref, "yref": yref, "xanchor": "left", "yanchor": "bottom",
        "showarrow": False, "font": font, "yshift": 8, "align": "left",
    }  # fmt: skip


def themed(figure: go.Figure, name: str = "light") -> go.Figure:
    """A copy of a figure in a theme."""
    return go.Figure(recoloured(figure.to_dict(), exchange(THEMES[name])))
