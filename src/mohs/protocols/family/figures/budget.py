"""Which design is best at which budget? Errors by resampling from a family of which all points have run (Figure 7)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from mohs.protocols.family.verdict import LEVEL, FamilyVerdict
from mohs.report import numbers
from mohs.report.figures.looks import COLOURS, DASHES, broken, colour
from mohs.report.figures.marks import level_line
from mohs.report.theme import LIGHT, dress, heading
from mohs.stats.family import DESIGNS, RESAMPLED, error_against_budget

FEWEST, SHARES, REPEATS = 48, (0.05, 0.1, 0.2, 0.3, 0.5), 200
HIGH = 190  # pixels of a panel
LOWEST = 0.8  # where the axis of coverages begins, unless one is lower
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BudgetErrors:
    """Errors of the mean over the family, each [designs, budgets].

    Attributes:
        sizes: the budgets.
        designs: what the designs are called.
        rmse: root mean squared errors, averaged over methods.
        bias: the largest absolute bias over methods.
        coverage: the least coverage over methods, among samples that give an interval; NaN where none does.
        note: what n is.
    """

    sizes: tuple[int, ...]
    designs: tuple[str, ...]
    rmse: Floats
    bias: Floats
    coverage: Floats
    note: str


def budget_errors(verdict: FamilyVerdict) -> BudgetErrors | None:
    """None where not all models have run, or the family is too small to be sampled from."""
    study, runs = verdict.study, verdict.complete
    if runs is None or runs.shape[1] < FEWEST:
        return None
    n, seeds = runs.shape[1:]
    sizes = tuple(max(5, round(share * n)) for share in SHARES)
    found = error_against_budget(
        runs,
        study.weights,
        study.coordinates.space,
        sizes,
        RESAMPLED,
        REPEATS,
        level=LEVEL,
        range_=verdict.outcomes.bounds,
        references=verdict.outcomes.references,
    )
    models = "one model" if seeds == 1 else f"one of {seeds} models"
    note = (
        f"{REPEATS} samples at each budget from the {n} points that ran · {models} at each point · chance alone gives "
        f"a bias of about {REPEATS**-0.5:.0%} of the error · coverage is that of the samples that give an interval"
    )
    return BudgetErrors(
        sizes,
        tuple(DESIGNS[name].title for name in RESAMPLED),
        np.array([np.sqrt(np.mean(np.square(errors.rmse), axis=1)) for errors in found]),
        np.array([np.abs(errors.bias).max(axis=1) for errors in found]),
        np.array([_least(errors.coverage) for errors in found]),
        note,
    )


def budget_figure(data: BudgetErrors) -> go.Figure:
    """A line for each design: its error, its bias and the coverage of its interval below each other."""
    figure = make_subplots(rows=3, cols=1, vertical_spacing=0.12)
    dress(figure, 3 * HIGH + 240, broken(data.note))
    figure.update_layout(margin={"t": 90})
    panels = (
        ("root mean squared error (lower is better)", data.rmse, ".4f"),
        ("largest bias over methods, absolute (lower is better)", data.bias, ".4f"),
        (f"least coverage over methods of {numbers.level(LEVEL)} intervals (dotted: as claimed)", data.coverage, ".1%"),
    )  # fmt: skip
    for row, (title, values, written) in enumerate(panels, start=1):
        cell, axis = {"row": row, "col": 1}, "" if row == 1 else str(row)
        for i, (name, line) in enumerate(zip(data.designs, values, strict=True)):
            if np.isnan(line).all():
                continue
            figure.add_scatter(
                x=list(data.sizes), y=line.tolist(), mode="lines+markers", name=name, legendgroup=name,
                showlegend=row == 1, marker={"size": 6},
                line={"color": _colour(i), "width": 2.0, "dash": DASHES[i % len(DASHES)]},
                hovertemplate=f"%{{y:{written}}} with %{{x}} models<extra>{name}</extra>", **cell,
            )  # fmt: skip
        figure.add_annotation(heading(title, 0, 1, f"x{axis} domain", f"y{axis} domain"))
        figure.update_xaxes(nticks=6, range=[0, 1.03 * data.sizes[-1]], **cell)
        figure.update_yaxes(rangemode="tozero", nticks=5, **cell)
    figure.update_xaxes(title={"text": "budget, models of each method"}, row=3, col=1)
    least = np.nanmin(data.coverage, initial=LOWEST)
    figure.update_yaxes(tickformat=".0%", range=[np.floor(10 * least) / 10, 1.015], row=3, col=1)
    figure.add_shape(level_line(LEVEL, "3", {"color": LIGHT.muted, "width": 1, "dash": "dot"}))
    return figure


def _colour(design: int) -> str:
    """No colour twice: there is one design more than colours."""
    return colour(design) if design < len(COLOURS) else LIGHT.ink


def _least(coverage: Floats) -> Floats:
    """The least over methods of [budgets, methods], NaN where no method has an interval."""
    known = ~np.isnan(coverage)
    return np.where(known.any(axis=1), np.where(known, coverage, np.inf).min(axis=1), np.nan)
