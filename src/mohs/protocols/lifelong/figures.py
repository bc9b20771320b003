"""How did lifelong runs go? Every task after every block, how it was learnt, and what training did to others."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from mohs.protocols.lifelong.sentences import BOUNDS, exact_optimum
from mohs.protocols.lifelong.similarity import measures
from mohs.protocols.lifelong.verdict import LEVEL, START, LifelongResult, LifelongVerdict
from mohs.report import numbers
from mohs.report.figures.marks import add_band, error_bars
from mohs.report.figures.ranges import axis_range
from mohs.report.theme import LIGHT, blank, dress, heading
from mohs.stats import Estimate, estimates
from mohs.stats.lifelong import METRICS

CEILING = "best without the task id"
MOST_TASKS = 12  # whose curves have room below each other
ROW, MAP_ROW = 140, 46  # heights, in pixels


def lifelong_figures(verdict: LifelongVerdict) -> dict[str, go.Figure]:
    """Every figure, in the order of the report; those of an agent end with its number."""
    found = {"average": average_figure(verdict), "metrics": metrics_figure(verdict)}
    for i, result in enumerate(verdict.agents, 1):
        found[f"matrix-{i}"] = matrix_figure(verdict, result)
        if len(verdict.study.curriculum.names) <= MOST_TASKS:
            found[f"curves-{i}"] = curves_figure(verdict, result)
        if verdict.similarity and result.transfers:
            found[f"transfer-{i}"] = transfer_figure(verdict, result)
    return found


def average_figure(verdict: LifelongVerdict) -> go.Figure:
    """The mean over the tasks of the blocks at every boundary, with the exact ceiling without task ids."""
    course = verdict.study.curriculum
    learnt = [course.names.index(name) for name in course.learnt]
    averages = [result.average(learnt) for result in verdict.agents]
    counts = numbers.count(e.n for average in averages for e in average)
    figure = blank(380, f"mean performance over the {len(learnt)} tasks of the blocks · {_claimed()} · {counts}")
    _shade(figure, verdict, {}, None)
    for result, average, colour in zip(verdict.agents, averages, _colours(verdict), strict=True):
        _add_points(figure, course.boundaries, average, result.label, colour, {}, joined=True)
    ceiling = None if verdict.ceiling is None or verdict.ceiling >= BOUNDS else verdict.ceiling
    if ceiling is not None:
        figure.add_scatter(
            x=[0, course.boundaries[-1] * 1.01], y=[ceiling, ceiling], mode="lines", hoverinfo="skip",
            name=f"{CEILING}: {numbers.number(ceiling)}", line={"color": LIGHT.break_, "width": 1.6, "dash": "dash"},
        )  # fmt: skip
    figure.update_xaxes(title={"text": "steps"}, range=[0, course.boundaries[-1] * 1.01])
    best = "optimum" if all(exact_optimum(verdict.performance[name]) for name in course.learnt) else "experts"
    figure.update_yaxes(title={"text": f"performance, 1 = {best}"}, range=_average_range(averages, verdict.ceiling))
    figure.update_layout(showlegend=ceiling is not None or len(verdict.agents) > 1)
    return figure


def metrics_figure(verdict: LifelongVerdict) -> go.Figure:
    """Every metric with its interval, and the value of an agent that neither gains nor loses."""
    names = [name for name in METRICS if any(result.metrics[name].n for result in verdict.agents)] or list(METRICS)
    columns = 3
    lines = -(-len(names) // columns)
    figure = make_subplots(lines, columns, horizontal_spacing=0.09, vertical_spacing=0.46 / lines)
    counts = numbers.count(result.metrics[name].n for result in verdict.agents for name in names)
    each = 26 * len(verdict.agents)
    dress(
        figure,
        130 + (116 + each) * lines,
        f"means over seeds · {_claimed()} · {counts} · dashed: neither gain nor loss",
    )
    for i, name in enumerate(names):
        place, axis = {"row": i // columns + 1, "col": i % columns + 1}, "" if i == 0 else str(i + 1)
        metric = METRICS[name]
        arrow = "" if metric.higher_is_better else " (less is better)"
        figure.add_annotation(heading(metric.title + arrow, 0, 1, f"x{axis} domain", f"y{axis} domain"))
        for y, (result, colour) in enumerate(zip(verdict.agents, _colours(verdict), strict=True)):
            _add_mark(figure, result.metrics[name], y, result.label, colour, place, legend=i == 0)
        if metric.neutral is not None:
            figure.add_vline(x=metric.neutral, line={"color": LIGHT.muted, "width": 1, "dash": "dash"}, **place)
        figure.update_xaxes(range=_span([result.metrics[name] for result in verdict.agents], metric.neutral), **place)
    figure.update_yaxes(
        range=[len(verdict.agents) - 0.5, -0.5], showticklabels=False, ticks="", showgrid=False, showline=False
    )
    figure.update_layout(showlegend=len(verdict.agents) > 1)
    return figure


def matrix_figure(verdict: LifelongVerdict, result: LifelongResult) -> go.Figure:
    """The performance of every task (columns) before the first block and after each (rows)."""
    course, rows = verdict.study.curriculum, result.matrix
    values = np.array([[e.value for e in row] for row in rows])
    counts = numbers.count(e.n for row in rows for e in row)
    figure = blank(
        150 + MAP_ROW * len(rows),
        f"performance · each cell: mean, {numbers.level(LEVEL)} interval · {counts} · framed: just learnt",
    )
    figure.add_heatmap(
        z=values, text=[[_cell(e) for e in row] for row in rows], texttemplate="%{text}", xgap=2, ygap=2,
        textfont={"size": 12, "color": LIGHT.ink}, zmin=min(0.0, _least(values)), zmax=1.0, showscale=False,
        colorscale=[[i / 4, colour] for i, colour in enumerate(LIGHT.scale)], hoverinfo="skip",
    )  # fmt: skip
    for i, block in enumerate(course.blocks, 1):
        j = course.names.index(block.task)
        figure.add_shape(
            type="rect", x0=j - 0.48, x1=j + 0.48, y0=i - 0.46, y1=i + 0.46, line={"color": LIGHT.second, "width": 2}
        )
    plain = {"showgrid": False, "showline": False, "ticks": "", "zeroline": False}
    labels = [START, *(f"{i}. {block.task}" for i, block in enumerate(course.blocks, 1))]
    tasks = [name if name in course.learnt else f"{name}<br>held out" for name in course.names]
    figure.update_xaxes(
        plain, tickvals=list(range(len(tasks))), ticktext=tasks, side="top", range=[-0.5, len(tasks) - 0.5]
    )
    figure.update_yaxes(
        plain, tickvals=list(range(len(labels))), ticktext=labels, title={"text": "after block"},
        range=[len(labels) - 0.5, -0.5],
    )  # fmt: skip
    figure.update_layout(margin={"t": 84, "b": 24, "l": 110})
    return figure


def curves_figure(verdict: LifelongVerdict, result: LifelongResult) -> go.Figure:
    """A panel for each task: training in its blocks, the expert's from the first of them on, all evaluations."""
    course, names = verdict.study.curriculum, verdict.study.curriculum.names
    figure = make_subplots(len(names), 1, shared_xaxes=True, vertical_spacing=0.3 / len(names))
    note = f"means over seeds · {_claimed()} of evaluations, bands around training · shaded: when a task is learnt"
    dress(figure, 150 + ROW * len(names), note)
    for i, name in enumerate(names):
        place, axis = {"row": i + 1, "col": 1}, "" if i == 0 else str(i + 1)
        _shade(figure, verdict, place, name)
        figure.add_annotation(heading(name, 0, 1, f"x{axis} domain", f"y{axis} domain"))
        if name in result.experts:
            steps, runs = result.experts[name]
            first = next(course.boundaries[j] for j, block in enumerate(course.blocks) if block.task == name)
            _add_line(figure, steps + first, runs, "expert, training", LIGHT.neutral, place, i == 0, dash="dot")
        for j, (block, at) in enumerate(course.inside(result.steps, verdict.study.window)):
            if block.task == name:
                shown = j == 0  # in the legend
                _add_line(figure, result.steps[at], result.curves[:, at], "training", LIGHT.accent, place, shown)
        column = [row[i] for row in result.matrix]
        _add_points(figure, course.boundaries, column, "evaluation", LIGHT.second, place, joined=False, legend=i == 0)
    reached = [e.value for row in result.matrix for e in row if math.isfinite(e.value)]
    low, high = min([0.0, *reached]), max([1.0, *reached])
    figure.update_yaxes(range=[low - 0.06 * (high - low), high + 0.08 * (high - low)], nticks=4)
    figure.update_xaxes(range=[0, course.boundaries[-1] * 1.01])
    figure.update_xaxes(title={"text": "steps"}, row=len(names), col=1)
    return figure


def transfer_figure(verdict: LifelongVerdict, result: LifelongResult) -> go.Figure:
    """For each measure of similarity: how similar two tasks are, against what training on one did to the other."""
    kinds = [name for name in verdict.similarity if len({t.similarity[name] for t in result.transfers}) > 1]
    kinds = kinds or list(verdict.similarity)[:1]  # all pairs are equally similar
    titles = measures(verdict.study.curriculum)
    figure = make_subplots(1, len(kinds), horizontal_spacing=0.07, shared_yaxes=True)
    counts = numbers.count(t.change.n for t in result.transfers)
    dress(figure, 400, f"a mark for each pair of tasks · {_claimed()} · {counts}")
    sides = (
        (True, "not learnt yet (forward)", LIGHT.accent, "circle"),
        (False, "learnt before (backward)", LIGHT.second, "square"),
    )
    for k, kind in enumerate(kinds):
        for forward, title, colour, symbol in sides:
            mine = [t for t in result.transfers if t.forward == forward]
            figure.add_scatter(
                x=[t.similarity[kind] + (0.008 if forward else -0.008) for t in mine], y=[t.change.value for t in mine],
                mode="markers", name=title, legendgroup=title, showlegend=k == 0,
                marker={"size": 9, "color": colour, "symbol": symbol, "opacity": 0.8},
                error_y=error_bars([t.change for t in mine], colour),
                customdata=[f"{t.learnt} learnt, {t.other} changes by {numbers.estimated(t.change)}" for t in mine],
                hovertemplate="%{customdata}<extra></extra>", row=1, col=k + 1,
            )  # fmt: skip
        figure.update_xaxes(title={"text": titles[kind].title}, range=[-0.06, 1.06], row=1, col=k + 1)
    figure.add_hline(y=0, line={"color": LIGHT.rule, "width": 1})
    figure.update_yaxes(range=axis_range([t.change for t in result.transfers], [-0.1, 0.1]))
    figure.update_yaxes(title={"text": "change of performance"}, row=1, col=1)
    return figure


def _colours(verdict: LifelongVerdict) -> list[str]:
    return [LIGHT.actions[i % len(LIGHT.actions)] for i in range(len(verdict.agents))]


def _claimed() -> str:
    return f"{numbers.level(LEVEL)} intervals"


def _shade(figure: go.Figure, verdict: LifelongVerdict, place: dict[str, int], task: str | None) -> None:
    """The blocks of a task, or every other block of all."""
    course = verdict.study.curriculum
    for j, block in enumerate(course.blocks):
        if task is None:
            figure.add_annotation(
                x=(course.boundaries[j] + course.boundaries[j + 1]) / 2, y=1, yref="paper", yanchor="bottom",
                text=block.task, showarrow=False, font={"size": 11, "color": LIGHT.muted},
            )  # fmt: skip
        if block.task == task or (task is None and j % 2 == 0):
            figure.add_vrect(
                x0=course.boundaries[j], x1=course.boundaries[j + 1], line_width=0, layer="below",
                exclude_empty_subplots=False,
                fillcolor=LIGHT.panel if task is None else LIGHT.band, opacity=1 if task is None else 0.55, **place,
            )  # fmt: skip


def _add_points(
    figure: go.Figure, steps: Sequence[int], values: Sequence[Estimate], name: str, colour: str,
    place: dict[str, int], *, joined: bool, legend: bool = True,
) -> None:  # fmt: skip
    figure.add_scatter(
        x=list(steps), y=[e.value for e in values], mode="lines+markers" if joined else "markers", name=name,
        legendgroup=name, showlegend=legend, line={"color": colour, "width": 1.8},
        marker={"size": 8, "color": colour, "symbol": "circle" if joined else "diamond"},
        error_y=error_bars(values, colour),
        customdata=[f"{numbers.estimated(e)}, n = {e.n}" for e in values],
        hovertemplate="step %{x}: %{customdata}<extra></extra>", cliponaxis=False, **place,
    )  # fmt: skip


def _add_line(
    figure: go.Figure, steps: object, runs: np.ndarray, name: str, colour: str, place: dict[str, int],
    legend: bool, dash: str = "solid",
) -> None:  # fmt: skip
    """The mean over seeds, with its interval as a band."""
    x = np.asarray(steps)
    means = estimates(runs.T, "mean", LEVEL) if runs.size else []
    known = [(at, e) for at, e in zip(x.tolist(), means, strict=False) if e.known]
    if known and dash == "solid":
        ends = [e.low for _, e in known], [e.high for _, e in known]
        add_band(figure, [at for at, _ in known], *ends, LIGHT.accent_soft, opacity=0.7, **place)
    figure.add_scatter(
        x=x, y=[e.value for e in means], mode="lines", name=name, legendgroup=name, showlegend=legend,
        line={"color": colour, "width": 1.8, "dash": dash}, connectgaps=True,
        hovertemplate=f"{name}, step %{{x}}: %{{y:.3g}}<extra></extra>", **place,
    )  # fmt: skip


def _add_mark(
    figure: go.Figure, e: Estimate, y: int, name: str, colour: str, place: dict[str, int], *, legend: bool
) -> None:
    text = f"{numbers.estimated(e)}, n = {e.n}" if e.n else "not defined"
    figure.add_scatter(
        x=[e.value], y=[y], mode="markers", name=name, legendgroup=name, showlegend=legend,
        marker={"size": 10, "color": colour}, hovertemplate=f"{name}: {text}<extra></extra>",
        error_x=error_bars([e], colour), **place,
    )  # fmt: skip


def _cell(e: Estimate) -> str:
    if not math.isfinite(e.value):
        return "missing"
    small = numbers.interval(e) if e.known else f"n = {e.n}"
    return f"<b>{numbers.number(e.value)}</b><br><span style='font-size:10px'>{small}</span>"


def _least(values: np.ndarray) -> float:
    finite = values[np.isfinite(values)]
    return float(finite.min()) if finite.size else 0.0


def _average_range(averages: Sequence[Sequence[Estimate]], ceiling: float | None) -> list[float]:
    also = [0.0, 0.2, *([] if ceiling is None else [ceiling * 1.1])]
    return axis_range([e for average in averages for e in average], also)


def _span(values: Sequence[Estimate], neutral: float | None) -> list[float]:
    """Room for all values and the neutral one; for 0 where there is none."""
    ends = [neutral or 0.0, *(x for e in values for x in (e.value, e.low, e.high) if math.isfinite(x))]
    low, high = min(ends), max(ends)
    room = 0.08 * ((high - low) or 1.0)
    return [low - room, high + room]
