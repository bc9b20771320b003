"""What does a person open after a life? One HTML file: what was kept, what transferred, every task's curves, data."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from pathlib import Path

import plotly.graph_objects as go

from mohs.protocols.lifelong.study import SEPARATE, method
from mohs.protocols.lifelong.verdict import Lived, Verdict
from mohs.report import numbers, parts
from mohs.report.data import csv_text, json_text
from mohs.report.figures.lifelong import MOST_TASKS, lifelong_figures
from mohs.report.files import filled, write
from mohs.report.png import find_browser, write_pictures
from mohs.report.shell import page
from mohs.stats.lifelong import METRICS


def write_lifelong(verdict: Verdict, out_dir: Path | str, png: bool = False) -> Path:
    """Write `lifelong.html`, `lifelong.json` and three CSV files (with `png`, pictures too); return the page's path."""
    directory = Path(out_dir)
    if png:
        find_browser()  # say what is missing before any work
    figures = lifelong_figures(verdict)
    for name, (_, text) in _files(verdict).items():
        write(directory / name, text)
    path = write(directory / "lifelong.html", lifelong_html(verdict, figures))
    if png:
        write_pictures(figures, directory / "png")
    return path


def lifelong_html(verdict: Verdict, figures: Mapping[str, go.Figure]) -> str:
    study, course = verdict.study, verdict.study.curriculum
    first, *rest = verdict.headline
    listed = "".join(f"<li>{escape(line)}</li>" for line in rest)
    body = filled(
        "lifelong.html",
        title=escape(course.title),
        text=escape(course.text),
        headline=f'<p class="headline">{escape(first)}</p>' + (f'<ul class="findings">{listed}</ul>' if rest else ""),
        tiles=_tiles(verdict),
        average=parts.place("average", figures),
        metrics=parts.place("metrics", figures),
        metric_table=_metric_table(verdict),
        agents="".join(_agent(verdict, lived, i, figures) for i, lived in enumerate(verdict.agents, 1)),
        definitions=parts.definitions([(m.title, f"{m.text[0].upper()}{m.text[1:]}.") for m in METRICS.values()]),
    )
    knowing = (
        " (separate knows which of its networks to take)" if any(method(a) == SEPARATE for a in study.agents) else ""
    )
    told = "told" if study.told else f"not told{knowing}"
    return page(
        f"{course.title} · mohs lifelong", body, ["verdict", "metrics", "tasks", "methods"], figures, _files(verdict),
        {
            "curriculum": f"{course.name}: " + ", ".join(f"{b.task} ({b.steps:,} steps)" for b in course.blocks),
            "agents": "; ".join(map(str, study.agents)),
            "which task it is": told,
            "seeds": f"{study.seeds:,}",
            "evaluation": f"at every boundary, {study.episodes} episodes, {study.mode}",
            "performance": "; ".join(
                f"{name}: 0 = {numbers.number(s.low)}, 1 = {numbers.number(s.high)} ({s.source})"
                for name, s in verdict.spans.items()
            ),
            "missing runs": f"{verdict.missing:,}",
        },
    )  # fmt: skip


def metrics_csv(verdict: Verdict) -> str:
    """One row for each agent and metric."""
    rows = [
        (lived.label, name, e.value, e.low, e.high, e.level, e.n)
        for lived in verdict.agents
        for name, e in lived.metrics.items()
    ]
    return csv_text(("agent", "metric", "value", "low", "high", "level", "n"), rows)


def lives_csv(verdict: Verdict) -> str:
    """One row for each agent and seed, with every metric of the life."""
    rows = [
        (lived.label, seed, *(float(lived.samples[name][seed]) for name in METRICS))
        for lived in verdict.agents
        for seed in range(verdict.study.seeds)
    ]
    return csv_text(("agent", "seed", *METRICS), rows)


def matrix_csv(verdict: Verdict) -> str:
    """One row for each agent, boundary and task."""
    course = verdict.study.curriculum
    after = ["", *(block.task for block in course.blocks)]
    rows = [
        (lived.label, i, after[i], course.boundaries[i], task, e.value, e.low, e.high, e.level, e.n)
        for lived in verdict.agents
        for i, row in enumerate(lived.matrix)
        for task, e in zip(course.names, row, strict=True)
    ]
    return csv_text(("agent", "blocks", "after", "step", "task", "performance", "low", "high", "level", "n"), rows)


def _files(verdict: Verdict) -> dict[str, tuple[str, str]]:
    return {
        "lifelong.json": ("application/json", json_text(verdict.to_json(), indent=1) + "\n"),
        "metrics.csv": ("text/csv", metrics_csv(verdict)),
        "matrix.csv": ("text/csv", matrix_csv(verdict)),
        "lives.csv": ("text/csv", lives_csv(verdict)),
    }


def _tiles(verdict: Verdict) -> str:
    study, course = verdict.study, verdict.study.curriculum
    ceiling = "not known" if verdict.ceiling is None else numbers.number(verdict.ceiling)
    held = f", {len(course.held_out)} held out" if course.held_out else ""
    return "".join(
        (
            parts.tile("Tasks", str(len(course.names)), f"{len(course.learnt)} learnt{held}"),
            parts.tile("Blocks", str(len(course.blocks)), f"{course.boundaries[-1]:,} steps in all"),
            parts.tile("Seeds", f"{study.seeds:,}", f"{verdict.missing:,} runs missing"),
            parts.tile("Task", "told" if study.told else "not told", "to the agent")
            if study.told
            else parts.tile("Ceiling", ceiling, "average, of whoever is not told the task"),
        )
    )


def _metric_table(verdict: Verdict) -> str:
    rows = []
    for name, metric in METRICS.items():
        cells = "".join(
            parts.estimate_cell(lived.metrics[name], lived.missing < verdict.study.seeds) for lived in verdict.agents
        )
        neutral = numbers.UNKNOWN if metric.neutral is None else numbers.number(metric.neutral)
        rows.append(f"<tr><td>{escape(metric.title)}</td>{cells}<td>{neutral}</td></tr>")
    return parts.table(("metric", *(lived.label for lived in verdict.agents), "neither gain nor loss"), rows)


def _gains(lived: Lived) -> str:
    cells = "".join(parts.estimate_cell(e) for e in lived.gains.values())
    about = "Performance in training while a task is first learnt, less that of its expert over as many steps."
    row = f"<tr><td>gain over the expert</td>{cells}</tr>"
    return f'<div class="scroll">{parts.table(("task", *lived.gains), [row])}</div><p class="about">{about}</p>'


def _agent(verdict: Verdict, lived: Lived, number: int, figures: Mapping[str, go.Figure]) -> str:
    matrix, curves, transfer = (parts.place(f"{kind}-{number}", figures) for kind in ("matrix", "curves", "transfer"))
    if not curves:
        curves = f'<p class="about">Curves of more than {MOST_TASKS} tasks are left out.</p>'
    alike = f"<h4>Similarity and transfer</h4>{transfer}" if transfer else ""
    return (
        f"<article><h3>{escape(lived.label)}</h3><h4>What every task is worth after every block</h4>{matrix}"
        f"<h4>How the tasks were learnt</h4>{curves}{_gains(lived)}{alike}</article>"
    )
