"""Which dial costs the agent most?"""

from __future__ import annotations

import math
from dataclasses import dataclass

import plotly.graph_objects as go

from mohs.protocols.diagnose.verdict import Diagnosis, DialVerdict
from mohs.report import numbers
from mohs.report.figures.marks import bar_marker, error_bars
from mohs.report.theme import LIGHT, blank
from mohs.stats import Estimate

NOT_TESTED = "no harder dose tested"


@dataclass(frozen=True)
class RankingRow:
    """One dial: the share of vanilla's score that it costs, and where it breaks the agent."""

    name: str
    damage: Estimate
    breaking: str
    broken: bool  # it breaks the agent at a tested dose
    absent: bool  # runs are missing

    @property
    def undefined(self) -> bool:
        """The damage is not defined, though the runs are there: no harder dose, or vanilla is not learnt."""
        return math.isnan(self.damage.value) and not self.absent


def ranking_rows(verdict: Diagnosis) -> tuple[RankingRow, ...]:
    """The most damaging dial first, as the verdict has them."""
    return tuple(
        RankingRow(
            dial.name,
            dial.damage,
            breaking_text(dial),
            dial.breaks,
            any(dose.missing for dose in dial.doses),
        )
        for dial in verdict.dials
    )


def breaking_text(dial: DialVerdict) -> str:
    """Where a dial breaks the agent, in few words."""
    both = len(dial.breaking) > 1
    return "; ".join(dict.fromkeys(numbers.breaking(b, dial.unit, both) for b in dial.breaking)) or NOT_TESTED


def ranking_figure(rows: tuple[RankingRow, ...]) -> go.Figure:
    """Horizontal bars with intervals; hatched where missing or too few runs allow no verdict."""
    known = [r.damage for r in rows if r.damage.n and r.damage.value == r.damage.value]
    levels = sorted({numbers.level(r.damage.level) for r in rows})
    note = f"share of vanilla's normalised score lost, mean over its harder doses · {' / '.join(levels)} intervals · "
    figure = blank(34 * len(rows) + 86, note + numbers.count(r.damage.n for r in rows if not r.undefined))
    ends = [100 * x for e in known for x in (e.value, e.low, e.high) if x == x]
    low, high = min([0.0, *ends]), max([10.0, *ends])
    gap = 0.015 * (high - low)
    ticks = [t for t in range(-100, 101, 20) if low - 1 <= t <= high + 1]
    for y, row in enumerate(rows):
        e = row.damage
        unknown = e.value != e.value
        doubtful = not e.known and not row.undefined
        colour = LIGHT.accent if row.broken else LIGHT.neutral
        figure.add_bar(
            x=[0 if row.undefined else high if unknown else 100 * e.value],
            y=[y],
            orientation="h",
            width=0.56,
            marker=bar_marker(colour, missing=doubtful),
            error_x=error_bars([e], unit=100),
            hovertemplate=f"{row.name}: {_damage(e)}<br>{row.breaking}<extra></extra>",
            showlegend=False,
        )
        tip = 0.0 if row.undefined else high if unknown else max(100 * (e.high if e.known else e.value), 0.0)
        label = numbers.UNKNOWN if row.undefined else _damage(e)
        figure.add_annotation(
            x=tip + gap, y=y, text=label, showarrow=False, xanchor="left", font={"size": 12, "color": LIGHT.ink}
        )
        figure.add_annotation(
            x=1, xref="paper", y=y, text=row.breaking, showarrow=False, xanchor="right",
            font={"size": 12, "color": LIGHT.ink if row.broken else LIGHT.muted},
        )  # fmt: skip
    figure.update_layout(
        xaxis={
            "range": [low - 0.02 * (high - low), low + 2.25 * (high - low)],
            "tickvals": ticks,
            "ticktext": [f"{t}%".replace("-", "−") for t in ticks],
            "title": {"text": ""},
            "showline": False,
        },
        yaxis={
            "tickvals": list(range(len(rows))),
            "ticktext": [r.name for r in rows],
            "range": [len(rows) - 0.45, -0.55],
            "showgrid": False,
            "showline": False,
            "ticks": "",
            "tickfont": {"size": 13},
        },
        margin={"t": 46, "b": 30, "l": 150, "r": 8},
        bargap=0.4,
    )
    figure.add_vline(x=0, line={"color": LIGHT.rule, "width": 1})
    return figure


def _damage(e: Estimate) -> str:
    if e.value != e.value:
        return f"no verdict · n = {e.n}"
    ends = f" [{numbers.percent(e.low)}, {numbers.percent(e.high)}]" if e.known else " [too few runs]"
    return f"{numbers.percent(e.value)}{ends} · n = {e.n}"
