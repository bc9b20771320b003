"""On which indicators is a task hard? A bar for each: the share of known tasks that are easier."""

from __future__ import annotations

from dataclasses import dataclass

import plotly.graph_objects as go

from mohs.protocols.card.profile import Difficulty, Profile
from mohs.protocols.card.why import percent
from mohs.report.theme import LIGHT, blank

ROW = 44  # pixels: a line of text above its bar
MARGIN = {"l": 12, "r": 26, "t": 40, "b": 62}


@dataclass(frozen=True)
class ProfileRow:
    """An indicator: what it is and its value, and the share of known tasks that are easier; None where not defined."""

    title: str
    text: str
    share: float | None
    reason: bool  # makes the task hard


def profile_rows(found: Profile) -> tuple[ProfileRow, ...]:
    """The defined indicators, the hardest first; then the others."""
    marked = () if found.difficulty is Difficulty.EASY else found.reasons
    rows = [ProfileRow(s.title, s.words, s.harder_than, s.key in marked) for s in found.percentiles]
    return tuple(sorted(rows, key=lambda row: (row.share is None, -(row.share or 0.0))))


def profile_figure(rows: tuple[ProfileRow, ...], known: int) -> go.Figure:
    """Text stands above each bar, so that a narrow figure has room for both."""
    figure = blank(MARGIN["t"] + MARGIN["b"] + ROW * len(rows), f"share of {known} known tasks that are easier")
    for y, row in enumerate(rows):
        note = {"xref": "x", "yref": "y", "y": y, "yanchor": "bottom", "yshift": 2, "showarrow": False}
        if row.share is None:
            figure.add_annotation(
                x=0, text=f"<i>{row.title}: not defined</i>", xanchor="left", font={"size": 12, "color": LIGHT.muted},
                **{**note, "yanchor": "middle", "yshift": 0},
            )  # fmt: skip
            continue
        colour = LIGHT.second if row.reason else LIGHT.accent
        figure.add_bar(
            x=[row.share], y=[y], orientation="h", width=0.28, offset=0.06, marker={"color": colour}, showlegend=False,
            hovertemplate=f"{row.title}: {row.text}, harder than {percent(row.share)}<extra></extra>",
        )  # fmt: skip
        if row.share == 0:  # a bar of no length would look like one that is missing
            figure.add_scatter(
                x=[0], y=[y + 0.2], mode="markers", marker={"symbol": "line-ns", "size": 11,
                "line": {"color": colour, "width": 2}}, showlegend=False, hoverinfo="skip",
            )  # fmt: skip
        weight = f"<b>{row.title}</b>" if row.reason else row.title
        for x, anchor, text in ((0, "left", f"{weight}  {row.text}"), (1, "right", percent(row.share))):
            figure.add_annotation(x=x, text=text, xanchor=anchor, font={"size": 12, "color": LIGHT.ink}, **note)
    figure.update_xaxes(
        range=[-0.004, 1], tickvals=[0, 0.25, 0.5, 0.75, 1], tickformat=".0%", automargin=False, showline=False,
        title={"text": "longer is harder"},
    )  # fmt: skip
    figure.update_yaxes(range=[len(rows) - 0.4, -0.6], showticklabels=False, ticks="", showgrid=False, showline=False)
    figure.update_layout(margin=MARGIN)
    return figure
