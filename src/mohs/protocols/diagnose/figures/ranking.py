"""Which dial costs the agent most of what it could attain?"""

from __future__ import annotations

import math
from dataclasses import dataclass

import plotly.graph_objects as go

from mohs.protocols.diagnose.effects import Effect
from mohs.protocols.diagnose.verdict import Diagnosis, DialVerdict
from mohs.protocols.measures import MEASURES
from mohs.report import numbers
from mohs.report.figures.marks import error_bars
from mohs.report.theme import LIGHT, blank
from mohs.stats import BreakingStatus, Estimate

ROW = 46  # pixels: a line of text, and the bar below it
LEAST_RANGE = 0.25  # of the axis, so that a dial that costs 1% does not fill it


@dataclass(frozen=True)
class RankingRow:
    """One dial: the share of vanilla's score that it costs, and what it does to the agent."""

    name: str
    damage: Estimate
    words: str
    broken: bool  # it breaks the agent within the tested doses
    absent: bool  # runs are missing


@dataclass(frozen=True)
class Ranking:
    """The dials that are judged by one measure, the most damaging first."""

    rows: tuple[RankingRow, ...]
    measure: str


def rankings(verdict: Diagnosis) -> dict[str, Ranking]:
    """The dials as the verdict has them, by the name of the figure: damages by different measures do not compare."""
    found: dict[str, Ranking] = {}
    for measure in dict.fromkeys((verdict.measure, *(dial.measure for dial in verdict.dials))):
        rows = tuple(
            RankingRow(dial.name, dial.damage, effect_text(dial), dial.breaks, any(dose.missing for dose in dial.doses))
            for dial in verdict.dials
            if dial.measure == measure
        )
        if rows:
            found["ranking" if not found else f"ranking-{measure}"] = Ranking(rows, MEASURES[measure].title)
    return found


def effect_text(dial: DialVerdict) -> str:
    """What a dial does to the agent, in few words."""
    if dial.effect in (Effect.BREAKS, Effect.MAY_BREAK):
        found = [numbers.number(b.dose) for b in dial.breaking if b.status == BreakingStatus.REACHED]
        return f"{dial.effect} at {' and '.join(found)}" if found else str(dial.effect)
    words = {
        Effect.COSTS: "does not halve it",
        Effect.SMALL: "no effect above 10%",
        Effect.UNCLEAR: "cannot tell",
        Effect.HELPS: "does not hurt",
        Effect.IDENTICAL: "no effect: identical runs",
        Effect.NOT_LEARNT: "vanilla not learnt",
        Effect.TOO_FEW: "too few runs",
        Effect.UNTESTED: "no harder dose tested",
    }
    return words[dial.effect]


def ranking_figure(data: Ranking) -> go.Figure:
    """Horizontal bars with intervals below a line of text each; dials without a verdict have no bar."""
    rows = data.rows
    levels = sorted({numbers.level(row.damage.level) for row in rows})
    counts = numbers.count(row.damage.n for row in rows if row.damage.known)
    note = f"share of vanilla's {data.measure} lost, mean over harder doses · "
    figure = blank(ROW * len(rows) + 96, f"{note}{' / '.join(levels)} intervals · {counts}")
    ends = [100 * x for row in rows for x in (row.damage.value, row.damage.low, row.damage.high) if math.isfinite(x)]
    low, high = min([0.0, *ends]), max([100 * LEAST_RANGE, *ends])
    for y, row in enumerate(rows):
        e = row.damage
        if math.isfinite(e.value):
            figure.add_bar(
                x=[100 * e.value],
                y=[y],
                orientation="h",
                width=0.34,
                marker={"color": LIGHT.accent if row.broken else LIGHT.neutral},
                error_x=error_bars([e], unit=100),
                hovertemplate=f"{row.name}: {numbers.share(e)}, n = {e.n}<br>{row.words}<extra></extra>",
                showlegend=False,
            )
        text = f"<b>{row.name}</b>  {numbers.share(e)} · {row.words}{' · runs missing' if row.absent else ''}"
        figure.add_annotation(
            x=0, xref="paper", y=y - 0.19, text=text.replace(f"{numbers.UNKNOWN} · ", ""), showarrow=False,
            xanchor="left", yanchor="bottom", font={"size": 12, "color": LIGHT.ink if e.known else LIGHT.muted},
            bgcolor=LIGHT.paper, borderpad=0,
        )  # fmt: skip
    figure.update_layout(
        xaxis={
            "range": [low - 0.02 * (high - low), high + 0.02 * (high - low)], "ticksuffix": "%", "nticks": 6,
            "showline": False,
        },
        yaxis={"visible": False, "range": [len(rows) - 0.6, -0.8]},
        margin={"t": 56, "b": 30, "l": 12, "r": 12},
    )  # fmt: skip
    figure.add_vline(x=0, line={"color": LIGHT.rule, "width": 1})
    return figure
