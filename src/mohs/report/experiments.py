"""What does a person open after a study? One HTML file: the question, a figure for each agent, tables, data."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from pathlib import Path

import plotly.graph_objects as go

from mohs.protocols.studies.experiment import Experiment
from mohs.protocols.studies.measures import MEASURES, measures
from mohs.protocols.studies.verdict import Panel, Spot, Verdict
from mohs.report import numbers, parts
from mohs.report.data import csv_text, json_text
from mohs.report.figures.experiment import CURVES, MOST_CURVES, axis_title, experiment_figures, labels, prefix
from mohs.report.files import filled, write
from mohs.report.png import find_browser, write_pictures
from mohs.report.shell import page


def write_experiment(verdict: Verdict, out_dir: Path | str, png: bool = False) -> Path:
    """Write `study.html`, `study.json` and two CSV files (with `png`, pictures too); return the page's path."""
    directory = Path(out_dir)
    if png:
        find_browser()  # say what is missing before any work
    figures = experiment_figures(verdict)
    for name, (_, text) in _files(verdict).items():
        write(directory / name, text)
    path = write(directory / "study.html", experiment_html(verdict, figures))
    if png:
        write_pictures(figures, directory / "png")
    return path


def experiment_html(verdict: Verdict, figures: Mapping[str, go.Figure]) -> str:
    """The page of a study."""
    study = verdict.experiment
    first, *rest = verdict.headline
    listed = "".join(f"<li>{escape(line)}</li>" for line in rest)
    names = measures(study.env, study.evaluation.noise_free)
    shown = [(i, panel) for i, panel in enumerate(verdict.panels) if prefix(panel, i) + CURVES in figures]
    body = filled(
        "experiment.html",
        env=escape(study.env),
        title=escape(study.title),
        question=escape(study.question),
        headline=f'<p class="headline">{escape(first)}</p>' + (f'<ul class="findings">{listed}</ul>' if rest else ""),
        tiles=_tiles(verdict),
        panels="".join(_panel(verdict, panel, i, figures) for i, panel in enumerate(verdict.panels)),
        curves=_curves(shown, figures, len(shown) < len(verdict.panels)),
        measures=parts.definitions([(MEASURES[name].title, MEASURES[name].text) for name in names]),
    )
    sections = ["verdict", "results", *(["curves"] if shown else []), "methods"]
    return page(f"{study.title} · mohs study", body, sections, figures, _files(verdict), _facts(verdict))


def summary_csv(verdict: Verdict) -> str:
    """One row for each agent, point, measure and statistic."""
    axes = [axis.name for axis in verdict.experiment.axes]
    head = ("agent", *axes, "measure", "statistic", "value", "low", "high", "level", "n", "missing")
    rows = []
    for panel in verdict.panels:
        for spot in panel.spots:
            first = (panel.contender.label, *_at(verdict.experiment, panel, spot))
            for kind in (spot.means, spot.spreads):
                for name, e in kind.items():
                    rows.append((*first, name, e.statistic, e.value, e.low, e.high, e.level, e.n, spot.missing))
    return csv_text(head, rows)


def runs_csv(verdict: Verdict) -> str:
    """One row for each agent, point and seed, with every measure of the run."""
    study = verdict.experiment
    names = measures(study.env, study.evaluation.noise_free)
    rows = [
        (panel.contender.label, *_at(study, panel, spot), seed, *(float(spot.samples[name][seed]) for name in names))
        for panel in verdict.panels
        for spot in panel.spots
        for seed in range(study.seeds)
    ]
    return csv_text(("agent", *(axis.name for axis in study.axes), "seed", *names), rows)


def _at(study: Experiment, panel: Panel, spot: Spot) -> tuple[str, ...]:
    """Where a spot lies on every axis of the study; nothing on an axis that was not turned."""
    there = {axis.name: numbers.dose(level.value) for axis, level in zip(panel.axes, spot.point, strict=True)}
    return tuple(there.get(axis.name, "") for axis in study.axes)


def _files(verdict: Verdict) -> dict[str, tuple[str, str]]:
    return {
        "study.json": ("application/json", json_text(verdict.to_json(), indent=1) + "\n"),
        "summary.csv": ("text/csv", summary_csv(verdict)),
        "runs.csv": ("text/csv", runs_csv(verdict)),
    }


def _facts(verdict: Verdict) -> dict[str, str]:
    study = verdict.experiment
    return {
        "source": study.source,
        "agents": "; ".join(f"{c.label}: {c.agent}, {c.budget:,} steps" for c in study.contenders),
        "environment": ", ".join([study.env, *(f"{name} = {numbers.dose(value)}" for name, value in study.params)]),
        "axes": "; ".join(f"{axis.name}: {', '.join(labels(axis))}" for axis in study.axes),
        "mode": study.mode,
        "seeds": f"{study.seeds:,}",
        "evaluation": f"{study.evaluation.points} times a run, {study.evaluation.episodes} episodes, greedy",
        "missing runs": f"{verdict.missing:,} of {verdict.runs:,}",
    }


def _tiles(verdict: Verdict) -> str:
    study = verdict.experiment
    budgets = sorted({contender.budget for contender in study.contenders})
    spots = len(verdict.panels[0].spots) if study.mode == "grid" else sum(len(axis.levels) for axis in study.axes)
    joined = " × " if study.mode == "grid" else ", "
    steps = f"{budgets[0]:,}" if len(budgets) == 1 else f"{budgets[0]:,} to {budgets[-1]:,}"
    return "".join(
        (
            parts.tile("Agents", str(len(study.contenders)), ", ".join(c.label for c in study.contenders)),
            parts.tile("Points", str(spots), joined.join(axis_title(axis) for axis in study.axes)),
            parts.tile("Seeds", f"{study.seeds:,}", f"{steps} steps each"),
            parts.tile(
                "Runs", f"{verdict.runs - verdict.missing:,}", f"of {verdict.runs:,}; {verdict.missing:,} missing"
            ),
        )
    )


def _panel(verdict: Verdict, panel: Panel, number: int, figures: Mapping[str, go.Figure]) -> str:
    mine = prefix(panel, number)
    shown = [name for name in figures if name.startswith(mine) and name != mine + CURVES]
    drawn = "".join(parts.place(name, figures) for name in shown)
    name = " × ".join(f"<code>{escape(axis_title(axis))}</code>" for axis in panel.axes)
    return (
        f"<article><h3>{escape(panel.contender.label)} · {name}</h3>"
        f'<p class="sentence">{escape(verdict.headline[number])}</p>{drawn}'
        f'<details><summary>All measures of {escape(panel.contender.label)}</summary><div class="scroll">'
        f"{_table(verdict, panel)}</div></details></article>"
    )


def _table(verdict: Verdict, panel: Panel) -> str:
    """Every measure at every point, and the spread of those that are drawn."""
    study = verdict.experiment
    names = measures(study.env, study.evaluation.noise_free)
    head = [axis_title(axis) for axis in panel.axes]
    head += [MEASURES[name].title for name in names]
    head += [f"{MEASURES[name].title}, standard deviation" for name in study.figures] + ["n", "missing"]
    rows = []
    for spot in panel.spots:
        cells = [f"<td>{escape(numbers.dose(level.value))}</td>" for level in spot.point]
        cells += [parts.estimate_cell(spot.means[name], spot.n > 0) for name in names]
        cells += [parts.estimate_cell(spot.spreads[name], spot.n > 0) for name in study.figures]
        kind = "missing" if spot.n == 0 else ""
        rows.append(f'<tr class="{kind}">{"".join(cells)}<td>{spot.n}</td><td>{spot.missing}</td></tr>')
    level = numbers.level(panel.spots[0].means["auc"].level)
    return parts.table(head, rows) + f'<p class="about">Below each value its {level} interval.</p>'


def _curves(shown: list[tuple[int, Panel]], figures: Mapping[str, go.Figure], some_left_out: bool) -> str:
    if not shown:
        return ""
    rest = f" Axes with more than {MOST_CURVES} points are left out." if some_left_out else ""
    articles = "".join(
        f"<article><h3>{escape(panel.contender.label)}</h3>{parts.place(prefix(panel, i) + CURVES, figures)}</article>"
        for i, panel in shown
    )
    lead = f"Training return of every run at every point.{rest}"
    return f'<section id="curves"><h2>Learning curves</h2><p class="lead">{lead}</p>{articles}</section>'
