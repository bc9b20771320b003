"""How sensitive are designs to where failures lie? Errors where failures weigh little, much, or at random.

Figures 20 to 22 of the paper, for a family of which all points have run.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from mohs.protocols.family.figures.budget import FEWEST, REPEATS
from mohs.protocols.family.verdict import FamilyVerdict
from mohs.report.figures.looks import broken, colour, short, symbol
from mohs.report.figures.marks import level_line
from mohs.report.theme import LIGHT, dress, heading
from mohs.stats.family import DESIGNS, error_against_budget, failure_weights

SHARE, FACTOR = 0.1, 10.0  # the budget, of the points; the ratio of weights
SHOWN = ("m1", "m2", "m3", "pivotal")
KINDS = {
    "low": f"failures weigh 1/{FACTOR:g}",
    "high": f"failures weigh {FACTOR:g} times",
    "random": "random weights",
}
WIDE = 0.7  # of the room of a design, for its methods beside each other
LABEL = 8  # characters of a label that fit below a design
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """Errors under each kind of weights: `bias` and `sd` are [kinds, designs, methods], best method first."""

    kinds: tuple[str, ...]
    designs: tuple[str, ...]
    names: tuple[str, ...]
    agents: tuple[int, ...]
    bias: Floats
    sd: Floats
    note: str


def failure_sensitivity(verdict: FamilyVerdict) -> Sensitivity | None:
    """None where not all models have run, where scores are raw returns, or where all points or none are failures."""
    study, runs = verdict.study, verdict.complete
    if runs is None or runs.shape[1] < FEWEST or verdict.outcomes.scale is None:
        return None
    scores = runs.mean(axis=(0, 2))
    n, failed = len(scores), int((scores < study.failure).sum())
    if failed in (0, n):
        return None
    size = max(5, round(SHARE * n))
    agents = tuple(study.labels.index(m.name) for m in verdict.ranked)
    found = [
        error_against_budget(
            runs,
            failure_weights(scores, kind, study.failure, FACTOR),
            study.coordinates.space,
            [size],
            SHOWN,
            REPEATS,
            range_=verdict.outcomes.bounds,
            references=verdict.outcomes.references,
        )
        for kind in KINDS
    ]
    note = (
        f"bias ± standard deviation of {REPEATS} samples of {size} of the {n} points · a failure is a point whose mean "
        f"score over methods is below {study.failure:g} ({failed} points) · {verdict.ends}"
    )
    return Sensitivity(
        tuple(KINDS.values()),
        tuple(DESIGNS[name].title for name in SHOWN),
        tuple(short(m.name) for m in verdict.ranked),
        agents,
        np.array([[errors.bias[0, list(agents)] for errors in of] for of in found]),
        np.array([[errors.sd[0, list(agents)] for errors in of] for of in found]),
        note,
    )


def sensitivity_figure(data: Sensitivity) -> go.Figure:
    """A panel for each kind of weights: designs beside each other, with a mark for each method."""
    figure = make_subplots(rows=1, cols=len(data.kinds), shared_yaxes=True, horizontal_spacing=0.03)
    dress(figure, 420, broken(data.note))
    figure.update_layout(margin={"t": 90})
    labels = ["<br>".join(textwrap.wrap(name, LABEL)) for name in data.designs]
    middle = (len(data.names) - 1) / 2
    for i, kind in enumerate(data.kinds):
        cell, axis = {"row": 1, "col": i + 1}, "" if i == 0 else str(i + 1)
        figure.add_shape(level_line(0, axis, {"color": LIGHT.muted, "width": 1, "dash": "dot"}))
        for k, (name, agent) in enumerate(zip(data.names, data.agents, strict=True)):
            shift = WIDE * (k - middle) / len(data.names)
            figure.add_scatter(
                x=[x + shift for x in range(len(data.designs))], y=data.bias[i, :, k].tolist(), mode="markers",
                name=name, legendgroup=name, showlegend=i == 0,
                marker={"size": 7, "color": colour(agent), "symbol": symbol(agent)},
                error_y={
                    "type": "data", "array": data.sd[i, :, k].tolist(), "color": colour(agent), "width": 3,
                    "thickness": 1.3,
                },
                customdata=list(data.designs),
                hovertemplate="%{customdata}: %{y:+.3f} ± %{error_y.array:.3f}<extra>" + name + "</extra>", **cell,
            )  # fmt: skip
        figure.add_annotation(heading(kind, 0, 1, f"x{axis} domain", f"y{axis} domain"))
        figure.update_xaxes(
            tickvals=list(range(len(data.designs))), ticktext=labels, showgrid=False, tickangle=0,
            range=[-0.5, len(data.designs) - 0.5], **cell,
        )  # fmt: skip
        figure.update_yaxes(nticks=6, **cell)
    figure.update_yaxes(title={"text": "bias of the mean over the family"}, col=1)
    return figure
