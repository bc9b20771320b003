"""What does the report of lifelong runs show, on its page and at the terminal?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

import plotly.graph_objects as go

from mohs.protocols.lifelong.figures import MOST_TASKS, lifelong_figures
from mohs.protocols.lifelong.study import SEPARATE, method
from mohs.protocols.lifelong.verdict import LifelongResult, LifelongVerdict
from mohs.report import numbers, parts
from mohs.report.data import csv_text
from mohs.report.files import filled
from mohs.report.page import Page
from mohs.report.tables import TextTable
from mohs.stats import Estimate
from mohs.stats.lifelong import METRICS


def summary(verdict: LifelongVerdict) -> tuple[TextTable, ...]:
    """The metrics of all agents, and for each agent the performance on every task after every block."""
    rows: list[tuple[str, ...]] = [
        (
            metric.title,
            *(_known(result.metrics[name]) for result in verdict.agents),
            _counts([result.metrics[name].n for result in verdict.agents]),
            numbers.UNKNOWN if metric.neutral is None else numbers.number(metric.neutral),
        )
        for name, metric in METRICS.items()
    ]
    head = ("metric", *(result.label for result in verdict.agents), "n", "no gain, no loss")
    tables = [TextTable("Metrics with 95% intervals", head, rows)]
    course = verdict.study.curriculum
    for result in verdict.agents:
        rows = [
            (name, *(numbers.number(e.value) if e.n else numbers.UNKNOWN for e in row))
            for name, row in zip(verdict.after, result.matrix, strict=True)
        ]
        gains = (_known(result.gains[name]) if name in result.gains else numbers.UNKNOWN for name in course.names)
        rows.append(("gain over experts", *gains))
        tables.append(TextTable(f"Performance, {result.label}", ("after block", *course.names), rows))
    return tuple(tables)


def _known(e: Estimate) -> str:
    return numbers.estimated(e) if e.n else "not defined"


def _counts(counts: Sequence[int]) -> str:
    """20, or 17 to 20 where agents differ."""
    low, high = min(counts), max(counts)
    return str(low) if low == high else f"{low} to {high}"


def page(verdict: LifelongVerdict) -> Page:
    """The report."""
    study, course, figures = verdict.study, verdict.study.curriculum, lifelong_figures(verdict)
    body = filled(
        __package__,
        "lifelong.html",
        title=escape(f"{course.title} · {', '.join(study.labels)}"),
        text=escape(course.text),
        headline=parts.headline(verdict.findings),
        tiles=_tiles(verdict),
        average=parts.place("average", figures),
        metrics=parts.place("metrics", figures),
        metric_table=_metric_table(verdict),
        agents="".join(_agent(result, i, figures) for i, result in enumerate(verdict.agents, 1)),
        definitions=parts.definitions([(m.title, f"{m.text[0].upper()}{m.text[1:]}.") for m in METRICS.values()]),
    )
    separate = any(method(agent) == SEPARATE for agent in study.agents)
    knowing = " (separate selects its network by it)" if separate else ""
    facts = {
        "curriculum": f"{course.name}: " + ", ".join(f"{b.task} ({b.steps:,} steps)" for b in course.blocks),
        "agents": "; ".join(map(str, study.agents)),
        "task id": "observed" if study.task_id else f"not observed{knowing}",
        "seeds": f"{study.seeds:,}",
        "evaluation": f"at every boundary, {study.episodes} episodes, {study.mode}",
        "performance": "; ".join(
            f"{name}: 0 = {numbers.number(score.low.value)}, 1 = {numbers.number(score.high.value)} "
            f"({score.high.source})"
            for name, score in verdict.performance.items()
            if score.low is not None and score.high is not None
        ),
        "missing runs": f"{verdict.missing:,} of {verdict.runs:,}",
    }
    tables = {"metrics.csv": metrics_csv(verdict), "matrix.csv": matrix_csv(verdict)}
    sections = ("verdict", "metrics", "tasks", "methods")
    return Page(f"{', '.join(study.labels)} · {course.title} · mohs lifelong", body, sections, figures, tables, facts)


def metrics_csv(verdict: LifelongVerdict) -> str:
    """One row for each agent and metric."""
    rows = [
        (result.label, name, e.value, e.low, e.high, e.level, e.n)
        for result in verdict.agents
        for name, e in result.metrics.items()
    ]
    return csv_text(("agent", "metric", "value", "low", "high", "level", "n"), rows)


def matrix_csv(verdict: LifelongVerdict) -> str:
    """One row for each agent, boundary and task."""
    course = verdict.study.curriculum
    rows = [
        (result.label, i, verdict.after[i], course.boundaries[i], task, e.value, e.low, e.high, e.level, e.n)
        for result in verdict.agents
        for i, row in enumerate(result.matrix)
        for task, e in zip(course.names, row, strict=True)
    ]
    return csv_text(("agent", "blocks", "after", "step", "task", "performance", "low", "high", "level", "n"), rows)


def _tiles(verdict: LifelongVerdict) -> str:
    study, course = verdict.study, verdict.study.curriculum
    ceiling = "not known" if verdict.ceiling is None else numbers.number(verdict.ceiling)
    held = f", {len(course.held_out)} held out" if course.held_out else ""
    return "".join(
        (
            parts.tile("Tasks", str(len(course.names)), f"{len(course.learnt)} learnt{held}"),
            parts.tile("Blocks", str(len(course.blocks)), f"{course.boundaries[-1]:,} steps in all"),
            parts.tile("Seeds", f"{study.seeds:,}", f"{verdict.missing:,} runs missing"),
            parts.tile("Task id", "observed", "by the agent")
            if study.task_id
            else parts.tile("Ceiling", ceiling, "best average without observing the task id"),
        )
    )


def _metric_table(verdict: LifelongVerdict) -> str:
    rows = []
    for name, metric in METRICS.items():
        cells = "".join(
            parts.estimate_cell(result.metrics[name], result.missing < verdict.study.seeds) for result in verdict.agents
        )
        neutral = numbers.UNKNOWN if metric.neutral is None else numbers.number(metric.neutral)
        rows.append(f"<tr><td>{escape(metric.title)}</td>{cells}<td>{neutral}</td></tr>")
    return parts.table(("metric", *(result.label for result in verdict.agents), "neither gain nor loss"), rows)


def _gains(result: LifelongResult) -> str:
    cells = "".join(parts.estimate_cell(e) for e in result.gains.values())
    about = "Performance in training while a task is first learnt, less that of its expert over as many steps."
    row = f"<tr><td>gain over the expert</td>{cells}</tr>"
    return f'<div class="scroll">{parts.table(("task", *result.gains), [row])}</div><p class="about">{about}</p>'


def _agent(result: LifelongResult, number: int, figures: Mapping[str, go.Figure]) -> str:
    matrix, curves, transfer = (parts.place(f"{kind}-{number}", figures) for kind in ("matrix", "curves", "transfer"))
    if not curves:
        curves = f'<p class="about">Curves of more than {MOST_TASKS} tasks are left out.</p>'
    alike = f"<h4>Similarity and transfer</h4>{transfer}" if transfer else ""
    return (
        f"<article><h3>{escape(result.label)}</h3><h4>Performance on every task after every block</h4>{matrix}"
        f"<h4>How the tasks were learnt</h4>{curves}{_gains(result)}{alike}</article>"
    )
