"""What does the report of a study show, on its page and at the terminal?"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

import plotly.graph_objects as go

from mohs.protocols.experiment.figures import (
    COMPARED,
    CURVES,
    MOST_CURVES,
    axis_title,
    experiment_figures,
    labels,
    prefix,
)
from mohs.protocols.experiment.study import Experiment
from mohs.protocols.experiment.verdict import ExperimentVerdict, Panel, PointResult, extremes
from mohs.protocols.measures import MEASURES
from mohs.report import numbers, parts
from mohs.report.data import ESTIMATE, csv_text, estimate_cells
from mohs.report.files import filled
from mohs.report.page import Page
from mohs.report.tables import TextTable

_ABOUT = (
    "Runs are subtracted seed by seed, then averaged. The intervals of the differences hold together at 95%: one that "
    "does not reach 0 is a certain difference."
)


def summary(verdict: ExperimentVerdict) -> tuple[TextTable, ...]:
    """For every agent what was drawn, point by point."""
    names = verdict.experiment.figures
    tables = []
    for panel in verdict.panels:
        head = [axis.name for axis in panel.axes] + [MEASURES[name].title for name in names] + ["n"]
        rows = [
            [
                *(numbers.dose(level.value) for level in result.point),
                *(numbers.estimated(result.means[name]) for name in names),
                str(result.n),
            ]
            for result in panel.points
        ]
        tables.append(TextTable(f"{panel.agent.label}: {verdict.experiment.question}", head, rows))
    return tuple(tables)


def page(verdict: ExperimentVerdict) -> Page:
    """The report: the question, a figure for each agent, tables, data."""
    study, figures = verdict.experiment, experiment_figures(verdict)
    shown = [(i, panel) for i, panel in enumerate(verdict.panels) if prefix(panel, i) + CURVES in figures]
    body = filled(
        __package__,
        "experiment.html",
        env=escape(study.env),
        title=escape(study.name),
        question=escape(study.question),
        headline=parts.headline(verdict.findings),
        tiles=_tiles(verdict),
        compared=_compared(verdict, figures),
        panels="".join(_panel(verdict, panel, i, figures) for i, panel in enumerate(verdict.panels)),
        curves=_curves(shown, figures, len(shown) < len(verdict.panels)),
        measures=parts.definitions([(MEASURES[m].title, MEASURES[m].text) for m in verdict.scores.measures]),
    )
    compared = ["comparison"] if verdict.contrasts else []
    sections = ["verdict", *compared, "results", *(["curves"] if shown else []), "methods"]
    tables = {"summary.csv": summary_csv(verdict), "differences.csv": differences_csv(verdict)}
    return Page(f"{study.name} · mohs study", body, sections, figures, tables, _facts(verdict))


def summary_csv(verdict: ExperimentVerdict) -> str:
    """One row for each agent, point, measure and statistic."""
    axes = [axis.name for axis in verdict.experiment.axes]
    head = ("agent", *axes, "measure", *ESTIMATE, "missing")
    rows = []
    for panel in verdict.panels:
        for result in panel.points:
            first = (panel.agent.label, *_at(verdict.experiment, panel, result))
            for kind in (result.means, result.spreads):
                for name, e in kind.items():
                    rows.append((*first, name, *estimate_cells(e), result.missing))
    return csv_text(head, rows)


def differences_csv(verdict: ExperimentVerdict) -> str:
    """One row for each paired difference."""
    head = ("first", "second", "at", "measure", *ESTIMATE)
    rows = [
        (row.first, row.second, found.where(row), found.measure, *estimate_cells(row.difference))
        for found in verdict.contrasts
        for row in found.rows
    ]
    return csv_text(head, rows)


def _compared(verdict: ExperimentVerdict, figures: Mapping[str, go.Figure]) -> str:
    """The paired differences: a figure where there is room, and a table."""
    if not verdict.contrasts:
        return ""
    articles = []
    for number, found in enumerate(verdict.contrasts, 1):
        name = " × ".join(f"<code>{escape(axis_title(axis))}</code>" for axis in found.axes)
        rows = [
            f"<tr><td>{escape(found.where(row))}</td><td>{escape(row.first)}</td><td>{escape(row.second)}</td>"
            f"{parts.estimate_cell(row.difference)}<td>{row.difference.n}</td></tr>"
            for row in found.rows
        ]
        table = parts.table(("at", "first", "second", "first − second", "n"), rows)
        articles.append(
            f"<article><h3>{name}</h3>{parts.place(f'{COMPARED}-{number}', figures)}<details><summary>All differences"
            f'</summary><div class="scroll">{table}</div></details></article>'
        )
    return f'<section id="comparison"><h2>Comparison</h2><p class="lead">{_ABOUT}</p>{"".join(articles)}</section>'


def _at(study: Experiment, panel: Panel, result: PointResult) -> tuple[str, ...]:
    """Where a result lies on every axis of the study; nothing on an axis that was not turned."""
    there = {axis.name: numbers.dose(level.value) for axis, level in zip(panel.axes, result.point, strict=True)}
    return tuple(there.get(axis.name, "") for axis in study.axes)


def _facts(verdict: ExperimentVerdict) -> dict[str, str]:
    study = verdict.experiment
    return {
        "source": study.source,
        "agents": "; ".join(f"{c.label}: {c.agent}, {c.budget:,} steps" for c in study.agents),
        "environment": ", ".join([study.env, *(f"{name} = {numbers.dose(value)}" for name, value in study.params)]),
        "axes": "; ".join(f"{axis.name}: {', '.join(labels(axis))}" for axis in study.axes),
        "mode": study.mode,
        "seeds": f"{study.seeds:,}",
        "evaluation": f"{study.evaluation.points} times a run, {study.evaluation.episodes} episodes, greedy",
        "missing runs": f"{verdict.missing:,} of {verdict.runs:,}",
    }


def _tiles(verdict: ExperimentVerdict) -> str:
    study = verdict.experiment
    budgets = sorted({contender.budget for contender in study.agents})
    spots = len(verdict.panels[0].points) if study.mode == "grid" else sum(len(axis.levels) for axis in study.axes)
    joined = " × " if study.mode == "grid" else ", "
    steps = f"{budgets[0]:,}" if len(budgets) == 1 else f"{budgets[0]:,} to {budgets[-1]:,}"
    return "".join(
        (
            parts.tile("Agents", str(len(study.agents)), ", ".join(c.label for c in study.agents)),
            parts.tile("Points", str(spots), joined.join(axis_title(axis) for axis in study.axes)),
            parts.tile("Seeds", f"{study.seeds:,}", f"{steps} steps each"),
            parts.tile(
                "Runs", f"{verdict.runs - verdict.missing:,}", f"of {verdict.runs:,}; {verdict.missing:,} missing"
            ),
        )
    )


def _panel(verdict: ExperimentVerdict, panel: Panel, number: int, figures: Mapping[str, go.Figure]) -> str:
    mine = prefix(panel, number)
    shown = [name for name in figures if name.startswith(mine) and name != mine + CURVES]
    drawn = "".join(parts.place(name, figures) for name in shown)
    name = " × ".join(f"<code>{escape(axis_title(axis))}</code>" for axis in panel.axes)
    return (
        f"<article><h3>{escape(panel.agent.label)} · {name}</h3>"
        f'<p class="sentence">{escape(extremes(panel, verdict.experiment.figures[0]))}</p>{drawn}'
        f'<details><summary>All measures of {escape(panel.agent.label)}</summary><div class="scroll">'
        f"{_table(verdict, panel)}</div></details></article>"
    )


def _table(verdict: ExperimentVerdict, panel: Panel) -> str:
    """Every measure at every point, and the spread of those that are drawn."""
    study = verdict.experiment
    names = verdict.scores.measures
    head = [axis_title(axis) for axis in panel.axes]
    head += [MEASURES[name].title for name in names]
    head += [f"{MEASURES[name].title}, standard deviation" for name in study.figures] + ["n", "missing"]
    rows = []
    for result in panel.points:
        cells = [f"<td>{escape(numbers.dose(level.value))}</td>" for level in result.point]
        cells += [parts.estimate_cell(result.means[name], result.n > 0) for name in names]
        cells += [parts.estimate_cell(result.spreads[name], result.n > 0) for name in study.figures]
        kind = "missing" if result.n == 0 else ""
        rows.append(f'<tr class="{kind}">{"".join(cells)}<td>{result.n}</td><td>{result.missing}</td></tr>')
    level = numbers.level(panel.points[0].means["auc"].level)
    return parts.table(head, rows) + f'<p class="about">Below each value its {level} interval.</p>'


def _curves(shown: list[tuple[int, Panel]], figures: Mapping[str, go.Figure], some_left_out: bool) -> str:
    if not shown:
        return ""
    rest = f" Axes with more than {MOST_CURVES} points are left out." if some_left_out else ""
    articles = "".join(
        f"<article><h3>{escape(panel.agent.label)}</h3>{parts.place(prefix(panel, i) + CURVES, figures)}</article>"
        for i, panel in shown
    )
    lead = f"Training return of every run at every point.{rest}"
    return f'<section id="curves"><h2>Learning curves</h2><p class="lead">{lead}</p>{articles}</section>'
