"""Which design is best at which budget? Errors by resampling from a family of which all points have run (Figure 7)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from mohs.protocols.family.verdict import FamilyVerdict
from mohs.report.figures.looks import DASHES, colour, narrow
from mohs.stats.family import DESIGNS, error_against_budget

FEWEST, SHARES, REPEATS = 48, (0.05, 0.1, 0.2, 0.3, 0.5), 200
SHOWN = ("m1", "m2", "hajek", "m3", "cluster", "pivotal")
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BudgetErrors:
    """Root mean squared errors [designs, budgets] of the mean over the family, averaged over methods."""

    sizes: tuple[int, ...]
    designs: tuple[str, ...]
    rmse: Floats
    note: str


def budget_errors(verdict: FamilyVerdict) -> BudgetErrors | None:
    """None where not all points have run, or the family is too small to be sampled from."""
    study, n = verdict.study, len(verdict.used)
    if n < len(study.members) or n < FEWEST:
        return None
    sizes = tuple(max(5, round(share * n)) for share in SHARES)
    scores = np.empty_like(verdict.scores)
    scores[:, verdict.sample.chosen] = verdict.scores
    found = error_against_budget(scores, study.weights, study.coordinates.space, sizes, SHOWN, REPEATS)
    rmse = np.array([np.sqrt(np.mean(np.square(errors.rmse), axis=1)) for errors in found])
    note = f"{REPEATS} samples at each budget from the {n} points that ran · one model a point · lower is better"
    return BudgetErrors(sizes, tuple(DESIGNS[name].title for name in SHOWN), rmse, note)


def budget_figure(data: BudgetErrors) -> go.Figure:
    """A line for each design."""
    figure = narrow(280, data.note, legend=len(data.designs), bottom=66, left=56)
    for i, (name, errors) in enumerate(zip(data.designs, data.rmse, strict=True)):
        figure.add_scatter(
            x=list(data.sizes), y=errors.tolist(), mode="lines+markers", name=name,
            line={"color": colour(i), "width": 2.0, "dash": DASHES[i % len(DASHES)]}, marker={"size": 6},
            hovertemplate="%{y:.4f} with %{x} models<extra>" + name + "</extra>",
        )  # fmt: skip
    figure.update_layout(
        xaxis={"title": {"text": "budget, models of each method"}, "nticks": 6},
        yaxis={"title": {"text": "root mean squared error"}, "rangemode": "tozero", "nticks": 6},
    )
    return figure
