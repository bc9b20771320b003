"""What does the report of a comparison show?"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

import plotly.graph_objects as go

from mohs.protocols.compare.comparison import ALL, Comparison, Pair
from mohs.protocols.compare.figures import comparison_figures
from mohs.protocols.diagnose.page import environment_text
from mohs.protocols.measures import MEASURES
from mohs.protocols.words import joined
from mohs.report import numbers, parts
from mohs.report.files import filled
from mohs.report.page import Page
from mohs.report.tables import TextTable
from mohs.stats import Estimate


def summary(comparison: Comparison) -> tuple[TextTable, ...]:
    """Of two agents the probability of improvement for each dial; of more the agents, then every pair."""
    if len(comparison.names) == 2:
        (pair,) = comparison.pairs
        rows = [(name, numbers.estimated(e), str(e.n)) for name, e in pair.dials]
        title = f"Probability that {comparison.names[0]} is better, at the doses other than vanilla"
        return (TextTable(title, ("dial", f"{numbers.level(pair.overall.level)} interval", "n"), rows),)
    measure = MEASURES[comparison.measure].title
    agents = [comparison.agents[i] for i in comparison.order]
    ranked = [(a.name, numbers.estimated(a.rank), numbers.estimated(a.mean), _number(a.gap)) for a in agents]
    pairs = [
        (
            f"{comparison.names[p.a]} > {comparison.names[p.b]}", numbers.estimated(p.overall),
            numbers.estimated(p.difference), _p_value(p),
        )
        for p in comparison.pairs
    ]  # fmt: skip
    levels = numbers.level(comparison.pairs[0].overall.level)
    return (
        TextTable(f"Agents by mean rank, {measure}, 95% intervals", ("agent", "mean rank", "mean", "gap"), ranked),
        TextTable(
            f"Pairs ({levels} intervals; p by Wilcoxon, Holm-corrected)",
            ("pair", "P(improvement)", "difference", "p"),
            pairs,
        ),
    )


def page(comparison: Comparison) -> Page:
    """The report."""
    figures, names = comparison_figures(comparison), comparison.names
    scores, two = MEASURES[comparison.measure], len(names) == 2
    normalised = comparison.diagnoses[0].scale.text if scores.normalised else ""
    classes = ['<span class="agent">', *['<span class="agent b">'] * (len(names) - 1)]
    titles = [f"{opening}{escape(name)}</span>" for opening, name in zip(classes, names, strict=True)]
    body = filled(
        __package__,
        "comparison.html",
        env=escape(comparison.diagnoses[0].study.env),
        title=f"{titles[0]} against {joined(titles[1:])}",
        headline=parts.headline(comparison.findings),
        tiles=_tiles_of_two(comparison) if two else _tiles(comparison),
        lead=_lead(comparison),
        ranks=_part("Mean ranks", "ranks", figures),
        improvement=parts.place("improvement", figures),
        differences=_part("Paired differences", "differences", figures),
        agents=_agents(comparison),
        pairs="".join(_pair(comparison, pair) for pair in comparison.pairs),
        bars=_part("Profile over dials", "bars", figures),
        radar=parts.place("radar", figures),
        profiles=_part("Performance profiles", "profiles", figures),
        dials="".join(_dial(dial.name, comparison, figures) for dial in comparison.shared.dials),
        scores=escape(f"Scores are {scores.title}. {scores.text} {normalised}"),
        left_out=escape(f"Left out: {'; '.join(comparison.shared.left_out)}." if comparison.shared.left_out else ""),
    )
    sections = ("verdict", "ranking", "profiles", "dials", "methods")
    title = f"{names[0]} against {joined(names[1:])} · mohs comparison"
    return Page(title, body, sections, figures, facts=_facts(comparison))


def _facts(comparison: Comparison) -> dict[str, str]:
    studies, first = [d.study for d in comparison.diagnoses], comparison.diagnoses[0].study
    versions = [f"{n}: {s.agent.source[:8]}" for n, s in zip(comparison.names, studies, strict=True) if s.agent.source]
    return {
        "agents": "; ".join(comparison.names),
        **({"versions": "; ".join(versions)} if versions else {}),
        "environment": environment_text(first),
        "seeds": joined([f"{study.seeds:,}" for study in studies]),
        "training steps": f"{first.budget:,} per run",
        "missing runs": joined([f"{d.missing:,}" for d in comparison.diagnoses]),
    }


def _lead(comparison: Comparison) -> str:
    if len(comparison.names) > 2:
        return "How often a run of one agent scores higher than a run of another at the same dose; ties count half."
    a, b = map(escape, comparison.names)
    return (
        f"How often a run of {a} scores higher than a run of {b} at the same dose; ties count half. Coloured if the "
        "interval excludes one half."
    )


def _tiles_of_two(comparison: Comparison) -> str:
    (a, b), (pair,) = comparison.names, comparison.pairs
    overall, difference = pair.overall, pair.difference
    sure = [e for _, e in pair.dials if e.known]
    title = f"Difference of {MEASURES[comparison.measure].title}"
    return "".join(
        (
            parts.tile("Probability of improvement", numbers.number(overall.value), numbers.briefly(overall)),
            parts.tile(title, numbers.number(difference.value), numbers.briefly(difference)),
            parts.tile(f"{a} wins more often", f"{sum(e.low > 0.5 for e in sure)} of {len(pair.dials)}", "dials"),
            parts.tile(f"{b} wins more often", f"{sum(e.high < 0.5 for e in sure)} of {len(pair.dials)}", "dials"),
        )
    )


def _tiles(comparison: Comparison) -> str:
    """Mean ranks of the best four, best first."""
    ranks = [comparison.agents[i] for i in comparison.order[:4]]
    return "".join(
        parts.tile(f"{a.name}: mean rank", numbers.number(a.rank.value), numbers.briefly(a.rank)) for a in ranks
    )


def _part(title: str, name: str, figures: Mapping[str, go.Figure]) -> str:
    """A figure with its heading, if there is one."""
    return f"<h3>{title}</h3>{parts.place(name, figures)}" if name in figures else ""


def _agents(comparison: Comparison) -> str:
    rows = []
    for i in comparison.order:
        a = comparison.agents[i]
        cells = "".join(parts.estimate_cell(e) for e in (a.rank, a.mean, a.iqm))
        gap = "<td>–</td>" if a.gap is None else parts.estimate_cell(a.gap)
        rows.append(f"<tr><td>{escape(a.name)}</td>{cells}{gap}<td>{a.mean.n}</td></tr>")
    return parts.table(("agent", "mean rank", "mean", "interquartile mean", "optimality gap", "n"), rows)


def _pair(comparison: Comparison, pair: Pair) -> str:
    """The numbers of two agents, over all and for each dial."""
    a, b = comparison.names[pair.a], comparison.names[pair.b]
    agreement = dict(pair.correlations)
    rows = [_row(ALL, pair.overall, pair.cliffs_delta, None)]
    rows += [_row(name, e, None, agreement.get(name)) for name, e in pair.dials]
    table = parts.table(("dial", "P(improvement)", "n", "Cliff's delta", "rank correlation over doses", "n"), rows)
    difference = f"Mean paired difference {numbers.estimated(pair.difference)}, n = {pair.difference.n}"
    test = f"{difference}; Wilcoxon's signed-rank test, Holm-corrected: p = {_p_value(pair)}."
    return f'<h4>{escape(a)} against {escape(b)}</h4><p>{escape(test)}</p><div class="scroll">{table}</div>'


def _row(name: str, e: Estimate, delta: Estimate | None, correlation: Estimate | None) -> str:
    effect = parts.estimate_cell(delta) if delta else "<td>–</td>"
    other = f"{parts.estimate_cell(correlation)}<td>{correlation.n}</td>" if correlation else "<td>–</td><td>–</td>"
    return f"<tr><td>{escape(name)}</td>{parts.estimate_cell(e)}<td>{e.n}</td>{effect}{other}</tr>"


def _dial(name: str, comparison: Comparison, figures: Mapping[str, go.Figure]) -> str:
    if f"dial-{name}" not in figures:
        return ""
    text = ""
    if len(comparison.names) == 2:
        e = dict(comparison.pairs[0].dials)[name]
        chance = f"{numbers.number(e.value)} ({numbers.at_length(e)})"
        a, b = comparison.names
        text = f'<p class="sentence">{escape(f"A run of {a} beats a run of {b} with probability {chance}.")}</p>'
    return (
        f'<article id="dial-{escape(name)}"><h3><code>{escape(name)}</code></h3>{text}'
        f"{parts.place(f'dial-{name}', figures)}</article>"
    )


def _number(e: Estimate | None) -> str:
    return numbers.UNKNOWN if e is None else numbers.number(e.value)


def _p_value(pair: Pair) -> str:
    return "< 0.001" if pair.p_value < 0.001 else numbers.number(pair.p_value)
