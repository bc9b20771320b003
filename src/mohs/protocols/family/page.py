"""What does the report of a family show?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from html import escape

import plotly.graph_objects as go

from mohs.core.errors import MohsError
from mohs.protocols.family.default import Order
from mohs.protocols.family.figures import family_figures
from mohs.protocols.family.replays import replays
from mohs.protocols.family.verdict import LEVEL, FamilyVerdict, MethodResult, PairResult
from mohs.protocols.words import joined
from mohs.report import numbers, parts
from mohs.report.animation import moving_figure
from mohs.report.files import filled
from mohs.report.page import Page
from mohs.report.tables import TextTable
from mohs.stats import Estimate
from mohs.stats.family import DESIGNS
from mohs.stats.family.variance import SPREAD

ORDERS = {
    Order.KEPT: "same",
    Order.REVERSED: "reverse",
    Order.HIDDEN: "tie",
    Order.OPEN: "–",
    Order.UNKNOWN: "–",
}

SECONDS = 0.25  # for which a step is shown
REPLAYED = (
    "One episode of the first model of each method, all from the same seed. The pictures are from its middle, the "
    "numbers below are of the whole episode."
)
DOMINANCE = {0: "no", 1: "first order", 2: "second order"}


def summary(verdict: FamilyVerdict) -> tuple[TextTable, ...]:
    """The methods, best first, and every pair of them."""
    if not len(verdict.used):
        return ()
    normalised = "" if verdict.outcomes.scale is None else f" ({verdict.ends})"
    rows = [
        (m.name, numbers.estimated(m.overall), _value(m.default), _optional(m.gap), _rank(m)) for m in verdict.ranked
    ]
    tables = [
        TextTable(
            f"{verdict.outcomes.title.capitalize()}{normalised}, {numbers.level(LEVEL)} intervals",
            ("method", "family", "default", "default − family", "rank"),
            rows,
        )
    ]
    if verdict.pairs:
        names = verdict.study.labels
        level = numbers.level(verdict.pairs[0].difference.level)
        tables.append(
            TextTable(
                f"Pairs, {level} intervals; what the default point says; models that would decide",
                ("pair", "difference", "P(better)", "default", "models"),
                [
                    (
                        f"{names[p.a]} > {names[p.b]}", numbers.estimated(p.difference), numbers.number(p.wins.value),
                        ORDERS[p.order], _needed(p),
                    )
                    for p in verdict.pairs
                ],
            )
        )  # fmt: skip
    return tuple(tables)


def page(verdict: FamilyVerdict) -> Page:
    """The report."""
    study, figures = verdict.study, family_figures(verdict)
    scale = verdict.outcomes.scale
    design = DESIGNS[study.design]
    body = filled(
        __package__,
        "family.html",
        title=escape(study.title),
        methods=escape(joined(list(study.labels))),
        headline=parts.headline(verdict.findings),
        tiles=_tiles(verdict),
        overall=parts.place("overall", figures),
        table=_table(verdict) if len(verdict.used) else "",
        wins=_part("Probability of being better on a random member", "wins", figures),
        pairs=_pairs(verdict),
        profiles=_part("Performance profiles", "profiles", figures),
        histograms=_part("Histograms", "histograms", figures),
        training=_part("Training", "training", figures),
        replays=_replays(verdict),
        parallel=_part("Who wins where", "parallel", figures),
        slice=_part("The two axes that tell most about who wins", "slice", figures),
        failures=_part("Failures along the axes", "failures", figures),
        convergence=_part("As points are added", "convergence", figures),
        precision=_precision(verdict),
        weightings=_part("Under other weights", "weightings", figures),
        simplex=_part("Who leads if parts of the family weigh more or less", "simplex", figures),
        budget=_part("Error against budget", "budget", figures),
        sensitivity=_part("Designs where failures weigh less or more", "sensitivity", figures),
        episodes=str(study.episodes),
        scale=escape("Scores are raw returns." if scale is None else f"Scores are normalised: {scale.text}"),
        design=escape(
            f"Design: {design.title}. {design.text} {len(verdict.used):,} of {len(study.members):,} points, "
            f"{study.seeds} seed{'s' * (study.seeds > 1)} at each."
        ),
        variance=escape(_variance(verdict)),
    )
    sections = ("verdict", "ranking", "points", "places", "trust", "methods")
    title = f"{', '.join(study.labels)} · {study.title} · mohs family"
    return Page(title, body, sections, figures, tables={"points.csv": verdict.dataset()}, facts=_facts(verdict))


def _variance(verdict: FamilyVerdict) -> str:
    if verdict.study.design in SPREAD:
        text = "The variance is that of the differences between neighbouring points, which a balanced sample leaves."
    else:
        text = "The variance is that of scores around their mean."
    if verdict.study.seeds == 1:
        return f"{text} With one seed at each point it includes the variance over seeds."
    return f"{text} The variance over seeds is estimated at each point and added."


def _replays(verdict: FamilyVerdict) -> str:
    """What the methods did at the default point, moving; why not, where pictures cannot be made."""
    if not verdict.outcomes.recorded:
        return ""
    title = "<h3>What the methods do at the default point</h3>"
    try:
        shown = replays(verdict.study, verdict.outcomes.recorded)
    except MohsError as error:
        return f"{title}<p>{escape(str(error))}</p>"
    figures = "".join(moving_figure(one.frames, SECONDS, one.method, _numbers(one.metrics)) for one in shown)
    return f'{title}<p class="lead">{escape(REPLAYED)}</p><div class="moving">{figures}</div>'


def _numbers(metrics: Mapping[str, float]) -> str:
    """delay 12.3, queue 4.5."""
    return ", ".join(f"{name} {numbers.number(value)}" for name, value in metrics.items())


def _facts(verdict: FamilyVerdict) -> dict[str, str]:
    study = verdict.study
    return {
        "methods": "; ".join(study.labels),
        "family": f"{study.title}, {len(study.members):,} points of {study.env}",
        "design": f"{DESIGNS[study.design].title}, {len(study.points):,} points (draw {study.draw})",
        "seeds": f"{study.seeds} at each point",
        "training steps": f"{study.steps:,} per model",
        "evaluation": f"{study.episodes} episodes" + "".join(f", {name} = {value}" for name, value in study.evaluation),
        "missing models": f"{verdict.missing:,} of {verdict.planned:,}",
    }


def _tiles(verdict: FamilyVerdict) -> str:
    """The scores of the best four over the family."""
    return "".join(
        parts.tile(f"{m.name}: family", numbers.number(m.overall.value), numbers.briefly(m.overall))
        for m in verdict.ranked[:4]
    )


def _part(title: str, name: str, figures: Mapping[str, go.Figure]) -> str:
    """A figure with its heading, if there is one."""
    return f"<h3>{escape(title)}</h3>{parts.place(name, figures)}" if name in figures else ""


def _table(verdict: FamilyVerdict) -> str:
    rows = []
    for m in verdict.ranked:
        cells = "".join(_cell(e) for e in (m.overall, m.default, m.gap))
        failed, solved = (None, None) if m.failures is None else (m.failures.failed, m.failures.solved)
        cells += f"<td>{_rank(m)}</td>{_cell(failed)}{_cell(solved)}"
        rows.append(f"<tr><td>{escape(m.name)}</td>{cells}</tr>")
    heads = ("method", "family", "default point", "default − family", "rank", "fails", "solves")
    return parts.table(heads, rows)


def _pairs(verdict: FamilyVerdict) -> str:
    if not verdict.pairs:
        return ""
    names, rows = verdict.study.labels, []
    for p in verdict.pairs:
        cells = f"{_cell(p.difference)}{_cell(p.wins)}{_cell(p.default)}<td>{ORDERS[p.order]}</td>"
        reversal = numbers.percent(p.reversal) if math.isfinite(p.reversal) else "none"
        observed = (DOMINANCE[p.dominance], reversal) if p.decided else ("–", "–")
        cells += f"<td>{_needed(p)}</td>{''.join(f'<td>{text}</td>' for text in observed)}"
        rows.append(f"<tr><td>{escape(names[p.a])} &gt; {escape(names[p.b])}</td>{cells}</tr>")
    heads = (
        "pair", "difference", "P(better)", "at the default point", "default says", "models to decide",
        "dominance of the observed scores", "weight that reverses the observed order",
    )  # fmt: skip
    return f'<h3>Pairs</h3><div class="scroll">{parts.table(heads, rows)}</div>'


def _precision(verdict: FamilyVerdict) -> str:
    """Half-widths by the number of models, with more seeds at fewer points beside."""
    found = verdict.precision
    if found is None:
        return ""
    rows = [
        f"<tr><td>{models:,}</td>{''.join(f'<td>{_half(half)}</td>' for half in halves)}</tr>"
        for models, halves in found.expected
    ]
    heads = ("models of each method", *(f"{m} seed{'s' * (m > 1)} at each point" for m in found.seeds))
    title = "<h3>Expected half-width of the widest interval</h3>"
    return f'{title}<div class="scroll">{parts.table(heads, rows)}</div>'


def _half(value: float | None) -> str:
    return numbers.UNKNOWN if value is None else f"±{numbers.number(value)}"


def _needed(pair: PairResult) -> str:
    if pair.decided:
        return "decided"
    return "–" if pair.needed is None else f"≈ {pair.needed.models:,}"


def _rank(method: MethodResult) -> str:
    low, high = method.rank_low, method.rank_high
    return f"{low}" if low == high else f"{low} to {high}"


def _cell(e: Estimate | None) -> str:
    return f"<td>{numbers.UNKNOWN}</td>" if e is None else parts.estimate_cell(e, ran=True)


def _optional(e: Estimate | None) -> str:
    return numbers.UNKNOWN if e is None else numbers.estimated(e)


def _value(e: Estimate | None) -> str:
    return numbers.UNKNOWN if e is None else numbers.number(e.value)
