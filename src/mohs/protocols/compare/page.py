"""What does the report of a comparison show?"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

import plotly.graph_objects as go

from mohs.protocols.compare.comparison import Comparison
from mohs.protocols.compare.figures import comparison_figures
from mohs.protocols.diagnose.page import environment_text
from mohs.protocols.measures import MEASURES
from mohs.report import numbers, parts
from mohs.report.files import filled
from mohs.report.page import Page
from mohs.report.tables import TextTable
from mohs.stats import Estimate


def summary(comparison: Comparison) -> tuple[TextTable, ...]:
    """The probability of improvement for each dial."""
    a, _ = comparison.names
    rows = [(name, numbers.estimated(e), str(e.n)) for name, e in comparison.dials]
    title = f"Probability that {a} is better, at the doses other than vanilla"
    return (TextTable(title, ("dial", "95% interval", "n"), rows),)


def page(comparison: Comparison) -> Page:
    """The report."""
    (a, b), figures = comparison.names, comparison_figures(comparison)
    overall, difference = comparison.overall, comparison.difference
    better, agreement = dict(comparison.dials), dict(comparison.correlations)
    scores = MEASURES[comparison.measure]
    rows = [_row("all dials", overall, None)]
    rows += [_row(name, e, agreement.get(name)) for name, e in comparison.dials]
    sure = [e for e in better.values() if e.known]
    normalised = comparison.a.scale.text if scores.normalised else ""
    body = filled(
        __package__,
        "comparison.html",
        env=escape(comparison.a.study.env),
        a=escape(a),
        b=escape(b),
        headline=parts.headline(comparison.findings),
        tiles="".join(
            (
                parts.tile("Probability of improvement", numbers.number(overall.value), numbers.briefly(overall)),
                parts.tile(
                    f"Difference of {scores.title}", numbers.number(difference.value), numbers.briefly(difference)
                ),
                parts.tile(f"{a} clearly better", f"{sum(e.low > 0.5 for e in sure)} of {len(better)}", "dials"),
                parts.tile(f"{b} clearly better", f"{sum(e.high < 0.5 for e in sure)} of {len(better)}", "dials"),
            )
        ),
        improvement=parts.place("improvement", figures),
        table=parts.table(("dial", "P(improvement)", "n", "rank correlation over doses", "n"), rows),
        dials="".join(_overlay(name, e, (a, b), figures) for name, e in comparison.dials),
        scores=escape(f"Scores are {scores.title}. {scores.text} {normalised}"),
    )
    study = comparison.a.study
    facts = {
        "agents": f"{a}; {b}",
        "environment": environment_text(study),
        "seeds": f"{study.seeds:,} and {comparison.b.study.seeds:,}",
        "training steps": f"{study.budget:,} per run",
        "missing runs": f"{comparison.a.missing:,} and {comparison.b.missing:,}",
    }
    sections = ("verdict", "ranking", "dials", "methods")
    return Page(f"{a} against {b} · mohs comparison", body, sections, figures, facts=facts)


def _row(name: str, e: Estimate, correlation: Estimate | None) -> str:
    other = f"{parts.estimate_cell(correlation)}<td>{correlation.n}</td>" if correlation else "<td>–</td><td>–</td>"
    return f"<tr><td>{escape(name)}</td>{parts.estimate_cell(e)}<td>{e.n}</td>{other}</tr>"


def _overlay(name: str, e: Estimate, names: tuple[str, str], figures: Mapping[str, go.Figure]) -> str:
    chance = f"{numbers.number(e.value)} ({numbers.at_length(e)})"
    text = f"A run of {names[0]} beats a run of {names[1]} with probability {chance}."
    return (
        f'<article id="dial-{escape(name)}"><h3><code>{escape(name)}</code></h3>'
        f'<p class="sentence">{escape(text)}</p>{parts.place(f"dial-{name}", figures)}</article>'
    )
