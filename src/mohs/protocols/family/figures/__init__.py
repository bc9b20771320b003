"""The figures of a family's report, by name: each module has the data of one and draws it."""

from __future__ import annotations

import plotly.graph_objects as go

from mohs.protocols.family.figures.budget import budget_errors, budget_figure
from mohs.protocols.family.figures.convergence import convergence, convergence_figure
from mohs.protocols.family.figures.failures import failure_shares, failures_figure
from mohs.protocols.family.figures.histograms import histogram_figure, histograms
from mohs.protocols.family.figures.overall import reported, reported_figure
from mohs.protocols.family.figures.places import parallel_figure, places, slice_figure, telling_axes
from mohs.protocols.family.figures.profiles import profiles, profiles_figure
from mohs.protocols.family.figures.sensitivity import failure_sensitivity, sensitivity_figure
from mohs.protocols.family.figures.simplex import simplex_figure, simplex_leaders
from mohs.protocols.family.figures.training import training_figure, training_spread
from mohs.protocols.family.figures.weightings import weightings, weightings_figure
from mohs.protocols.family.figures.wins import wins
from mohs.protocols.family.verdict import FamilyVerdict


def family_figures(verdict: FamilyVerdict) -> dict[str, go.Figure]:
    """All figures that the data allow."""
    if not len(verdict.used):
        return {}
    found = {
        "overall": reported_figure(reported(verdict)),
        "profiles": profiles_figure(profiles(verdict)),
        "histograms": histogram_figure(histograms(verdict)),
    }
    if len(verdict.results) > 1:
        found["wins"] = wins(verdict)
        found["weightings"] = weightings_figure(weightings(verdict))
    if (learnt := training_spread(verdict)) is not None:
        found["training"] = training_figure(learnt)
    where = places(verdict)
    if where is not None:
        found["parallel"] = parallel_figure(where)
        if (axes := telling_axes(where)) is not None:
            found["slice"] = slice_figure(where, axes)
    if (shares := failure_shares(verdict)) is not None:
        found["failures"] = failures_figure(shares)
    if (converging := convergence(verdict)) is not None:
        found["convergence"] = convergence_figure(converging)
    if (mixes := simplex_leaders(verdict)) is not None:
        found["simplex"] = simplex_figure(mixes)
    if (errors := budget_errors(verdict)) is not None:
        found["budget"] = budget_figure(errors)
    if (sensitive := failure_sensitivity(verdict)) is not None:
        found["sensitivity"] = sensitivity_figure(sensitive)
    return found
