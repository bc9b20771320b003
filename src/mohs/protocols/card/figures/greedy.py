"""How far must one look ahead of random play? The worst return of greedy policies against the look-ahead k."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from mohs.report.numbers import written
from mohs.report.theme import LIGHT, blank

if TYPE_CHECKING:
    from mohs.protocols.card.record import Card

NEAR = 0.07  # of the vertical range: lines nearer than this share one label
SMALL = 0.02  # of the range with a reference: greedy returns that differ by less are not blown up
FARTHEST = 8  # times the range of greedy returns: a reference further off is out of sight


@dataclass(frozen=True)
class LookAhead:
    """Of one task: `returns[k - 1]` is the worst return of a policy greedy in Qᵏ."""

    name: str
    returns: tuple[float, ...]
    min_k: int | None
    epw: int | None


@dataclass(frozen=True)
class LookAheads:
    plain: LookAhead
    sticky: LookAhead | None
    references: tuple[tuple[str, float], ...]  # of the plain task: the best, a random and the worst policy
    gamma: float
    reason: str  # why no look-ahead suffices, where none does


def look_aheads(card: Card) -> LookAheads | None:
    """None where the card has no returns of greedy policies."""
    plain = _look_ahead(card, "greedy in Qᵏ, at worst")
    if plain is None:
        return None
    named = (("optimal", card.optimal_return), ("random", card.random_return), ("worst", card.worst_return))
    sticky = None
    if card.sticky is not None:
        sticky = _look_ahead(card.sticky[1], f"with sticky actions ({card.sticky[0]:g})")
    references = tuple((name, value) for name, value in named if value is not None)
    return LookAheads(plain, sticky, references, card.gamma, card.undefined.get("min_k", ""))


def _look_ahead(card: Card, name: str) -> LookAhead | None:
    return LookAhead(name, card.greedy_returns, card.min_k, card.epw) if card.greedy_returns else None


def look_ahead_figure(data: LookAheads) -> go.Figure:
    note = "expected return of the worst policy that is greedy in Qᵏ: k steps of look-ahead, then random play"
    note += f" · look-ahead discounted by {data.gamma:g}" if data.gamma < 1 else ""
    figure = blank(400, note)
    lines = [data.plain, *([data.sticky] if data.sticky else [])]
    low, high = vertical_range(data)
    span = high - low
    last = max(len(line.returns) for line in lines)
    right = last + max(0.5, 0.03 * last)
    _draw_references(figure, data.references, low, high)
    for line, colour, symbol, size in zip(
        lines, (LIGHT.accent, LIGHT.second), ("circle", "square-open"), (8, 13), strict=False
    ):
        steps = list(range(1, len(line.returns) + 1))
        figure.add_scatter(
            x=steps, y=line.returns, mode="lines+markers", name=line.name,
            line={"color": colour, "width": 2, "dash": "solid" if symbol == "circle" else "dot"},
            marker={"size": size, "color": colour, "symbol": symbol, "line": {"width": 1.6, "color": colour}},
            text=[f"k = {k}: {written(value)}" for k, value in zip(steps, line.returns, strict=True)],
            hovertemplate=f"%{{text}}<extra>{line.name}</extra>",
        )  # fmt: skip
    _mark(figure, data, last, right)
    figure.update_xaxes(
        title={"text": "steps of look-ahead k"}, range=[0.5 if last <= 20 else 0, right], showgrid=False,
        tickformat="d", **({"dtick": 1} if last <= 20 else {}),
    )  # fmt: skip
    figure.update_yaxes(title={"text": "expected return"}, range=[low - 0.08 * span, high + 0.24 * span])
    legend = data.sticky is not None
    figure.update_layout(margin={"t": 46, "r": 170, "b": 92 if legend else 60}, showlegend=legend)
    return figure


def vertical_range(data: LookAheads) -> tuple[float, float]:
    """Holds all returns of greedy play and the optimum, and of the others those that do not press these together.

    Differences that are small beside that of optimal and random play are not blown up: then all is held.
    """
    held = [*data.plain.returns, *(data.sticky.returns if data.sticky else ())]
    known = dict(data.references)
    held += [known[name] for name in ("optimal",) if name in known]
    for name in ("random", "worst"):
        if name in known:
            span, wider = (max(values) - min(values) for values in (held, [*held, known[name]]))
            if wider <= FARTHEST * span or (name == "random" and span < SMALL * wider):
                held.append(known[name])
    low, high = min(held), max(held)
    return (low, high) if low < high else (low - 0.5, high + 0.5)


def _draw_references(figure: go.Figure, references: tuple[tuple[str, float], ...], low: float, high: float) -> None:
    """A dotted line for each, with its name; an arrow at the border to those out of sight."""
    labels: list[tuple[str, dict[str, object]]] = []
    inside = tuple((name, value) for name, value in references if low <= value <= high)
    for names, value in _together(inside, NEAR * (high - low)):
        figure.add_hline(y=value, line={"color": LIGHT.muted, "width": 1, "dash": "dot"})
        labels.append((names, {"y": value}))
    below = [f"{name} {written(value)} ↓" for name, value in references if value < low]
    above = [f"{name} {written(value)} ↑" for name, value in references if value > high]
    labels += [("<br>".join(below), {"y": 0, "yref": "paper"}), ("<br>".join(above), {"y": 1, "yref": "paper"})]
    for text, place in labels:
        figure.add_annotation(
            x=1, xref="paper", text=text, showarrow=False, xanchor="left", xshift=6, align="left",
            font={"size": 12, "color": LIGHT.muted}, **place,
        )  # fmt: skip


def _together(references: tuple[tuple[str, float], ...], near: float) -> list[tuple[str, float]]:
    """One label for lines too near to be told apart, at the first of them."""
    groups: list[list[tuple[str, float]]] = []
    for name, value in sorted(references, key=lambda r: -r[1]):
        if groups and abs(groups[-1][0][1] - value) < near:
            groups[-1].append((name, value))
        else:
            groups.append([(name, value)])
    found = []
    for group in groups:
        same = len({written(value) for _, value in group}) == 1
        text = " = ".join(name for name, _ in group) + f" {written(group[0][1])}"
        found.append((text if same else "<br>".join(f"{n} {written(v)}" for n, v in group), group[0][1]))
    return found


def _mark(figure: go.Figure, data: LookAheads, last: int, right: float) -> None:
    """min_k and the effective planning window; where one lies beyond what is drawn, the label points there."""
    marks: dict[int, list[str]] = {}
    for name, k in (("min_k", data.plain.min_k), ("epw", data.plain.epw)):
        if k is not None:
            marks.setdefault(k, []).append(name)
    for level, (k, names) in enumerate(sorted(marks.items())):
        inside = k <= last
        text = f"{' = '.join(names)} = {k:,}"
        if inside:
            figure.add_vline(x=k, line={"color": LIGHT.break_, "width": 1.6, "dash": "solid" if level == 0 else "dash"})
        leftward = not inside or k > 0.7 * right
        figure.add_annotation(
            x=k if inside else right, y=1, yref="paper", yanchor="top", yshift=-2 - 19 * level, showarrow=False,
            text=text if inside else f"{text} →", xanchor="right" if leftward else "left",
            xshift=-6 if leftward else 6, font={"size": 12.5, "color": LIGHT.break_}, bgcolor=LIGHT.paper,
        )  # fmt: skip
    if data.plain.min_k is None and data.reason:
        figure.add_annotation(
            x=0, y=1, xref="paper", yref="paper", yanchor="top", xanchor="left", xshift=8, showarrow=False,
            text=escape(data.reason, quote=False), font={"size": 12.5, "color": LIGHT.break_},
        )  # fmt: skip
