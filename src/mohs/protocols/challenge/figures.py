"""How did agents meet the challenge? What they solved, at which effective horizon, how their runs went, every curve."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from mohs.exact.lookahead.gorp import LONG
from mohs.protocols.challenge.editions import is_control
from mohs.protocols.challenge.runs import Floats, Ints, Kind, known
from mohs.protocols.challenge.sentences import counted
from mohs.protocols.challenge.study import CHALLENGE, CONTROLS
from mohs.protocols.challenge.verdict import GROUPS, LEVEL, ChallengeResult, ChallengeVerdict, MdpOutcome
from mohs.report import numbers
from mohs.report.figures.marks import add_band, error_bars, level_line
from mohs.report.theme import LIGHT, blank, dress, heading
from mohs.stats import Estimate
from mohs.tables.challenge.catalogue import CatalogueEntry

COLUMNS, PANEL = 3, 210  # of learning curves, and the height of one in pixels
MOST_PANELS = 24  # in one figure; of more MDPs, each source has one
CURVES = "curves"
POINTS = 150  # that a learning curve is drawn with
LANE = 0.11  # the height of the two lanes for what half of the seeds do not solve, as a share of what lies below
KIND_COLOURS: dict[Kind, str] = {
    Kind.SOLVED: LIGHT.accent, Kind.RISING: LIGHT.run, Kind.STUCK: LIGHT.second, Kind.FLAT: LIGHT.neutral,
    Kind.MISSING: LIGHT.paper,
}  # fmt: skip


def challenge_figures(verdict: ChallengeVerdict) -> dict[str, go.Figure]:
    """Every figure, in the order of the report."""
    return {
        "solved": solved_figure(verdict),
        "horizon": horizon_figure(verdict),
        "kinds": kinds_figure(verdict),
        **curves_figures(verdict),
    }


def colours(verdict: ChallengeVerdict) -> list[str]:
    """Of the agents, then of what needs no runs."""
    own = [LIGHT.actions[i % len(LIGHT.actions)] for i in range(len(verdict.agents))]
    return own + [LIGHT.neutral] * len(verdict.baselines)


def solved_figure(verdict: ChallengeVerdict) -> go.Figure:
    """The share that every agent solved, beside GORP and guessing within as many steps."""
    solvers = verdict.solvers
    groups = [name for name in (CHALLENGE, CONTROLS) if name in verdict.agents[0].shares]
    figure = make_subplots(1, len(groups), horizontal_spacing=0.06, shared_yaxes=True)
    note = f"share of MDPs solved within {verdict.study.budget:,} steps · {numbers.level(LEVEL)} intervals over MDPs"
    dress(figure, 130 + 44 * len(solvers), note)
    for column, group in enumerate(groups, 1):
        axis, place = "" if column == 1 else str(column), {"row": 1, "col": column}
        figure.add_annotation(heading(GROUPS[group], 0, 1, f"x{axis} domain", f"y{axis} domain"))
        for y, (solver, colour) in enumerate(zip(solvers, colours(verdict), strict=True)):
            e = solver.shares[group]
            figure.add_bar(
                x=[e.value], y=[y], orientation="h", width=0.6, marker={"color": colour}, showlegend=False,
                error_x=error_bars([e]), hovertemplate=f"{solver.label}: {_share(e)}<extra></extra>", **place,
            )  # fmt: skip
            figure.add_annotation(
                x=(e.high if e.known else 0.0) + 0.02, y=y, xref=f"x{axis}", yref=f"y{axis}", showarrow=False,
                text=counted(e) if e.n else "not known", xanchor="left",
                font={"size": 12, "color": LIGHT.ink if e.n else LIGHT.muted},
            )  # fmt: skip
    figure.update_xaxes(
        range=[0, 1.25 if len(groups) > 1 else 1.12], tickvals=[0, 0.25, 0.5, 0.75, 1], tickformat=".0%"
    )
    figure.update_yaxes(
        tickvals=list(range(len(solvers))), ticktext=[s.label for s in solvers], range=[len(solvers) - 0.4, -0.6],
        showgrid=False, ticks="",
    )  # fmt: skip
    figure.update_layout(margin={"b": 40})
    return figure


def horizon_figure(verdict: ChallengeVerdict) -> go.Figure:
    """Sample complexity against effective horizon; both may be known only to be larger than something."""
    every, budget = verdict.study.every, verdict.study.budget
    some, none = (budget * (budget / every) ** (lane * LANE) for lane in (1, 2))
    figure = blank(500, "a mark for each MDP and agent · ▷ effective horizon at least this · open: control")
    for k, (result, colour) in enumerate(zip(verdict.agents, colours(verdict), strict=False)):
        shift = 0.12 * (k - (len(verdict.agents) - 1) / 2)
        there = [
            (m, o) for m, o in zip(verdict.mdps, result.outcomes, strict=True)
            if o.solved is not None and _horizon(m) is not None
        ]  # fmt: skip
        symbols = [
            ("triangle-right" if m.effective_horizon is None else "circle") + ("-open" if is_control(m) else "")
            for m, _ in there
        ]
        figure.add_scatter(
            x=[(_horizon(m) or 0.0) + shift for m, _ in there],
            y=[_height(o, some, none) for _, o in there], mode="markers", name=result.label,
            marker={"size": 10, "color": colour, "symbol": symbols, "opacity": 0.8},
            marker_line={"width": 1.6, "color": colour},
            customdata=[f"{m.id}, {result.label}: {_described(o)}" for m, o in there],
            hovertemplate="%{customdata}<extra></extra>",
        )  # fmt: skip
    figure.add_vline(x=LONG, line={"color": LIGHT.rule, "width": 1, "dash": "dash"})
    figure.add_hline(y=budget, line={"color": LIGHT.rule, "width": 1})
    decades = [10**i for i in range(12) if every <= 10**i < 0.7 * budget]
    words = [*(f"{tick:,}" for tick in (*decades, budget)), "fewer than half", "never solved"]
    figure.update_xaxes(title={"text": "effective horizon"}, rangemode="tozero")
    figure.update_yaxes(
        type="log", title={"text": "sample complexity, steps"}, tickvals=[*decades, budget, some, none],
        ticktext=words, range=[math.log10(every * 0.7), math.log10(none * (budget / every) ** LANE)],
    )  # fmt: skip
    figure.update_layout(showlegend=True, margin={"l": 110})
    return figure


def kinds_figure(verdict: ChallengeVerdict) -> go.Figure:
    """What became of all runs of every agent."""
    figure = blank(150 + 40 * len(verdict.agents), f"all {verdict.runs:,} runs, in every setting")
    for name, colour in KIND_COLOURS.items():
        counts = [result.kinds[name] for result in verdict.agents]
        if not any(counts):
            continue
        totals = [sum(result.kinds.values()) for result in verdict.agents]
        hatch = {"shape": "/", "fgcolor": LIGHT.hatch, "size": 7} if name is Kind.MISSING else {"shape": ""}
        figure.add_bar(
            x=[n / total for n, total in zip(counts, totals, strict=True)], y=[s.label for s in verdict.agents],
            orientation="h", name=str(name), marker={"color": colour, "pattern": hatch}, width=0.55,
            text=[str(n) if n else "" for n in counts], textposition="inside", insidetextanchor="middle", textangle=0,
            hovertemplate=f"%{{y}}: %{{text}} runs {name}<extra></extra>",
        )  # fmt: skip
    figure.update_xaxes(range=[0, 1], tickformat=".0%", title={"text": "share of runs"})
    figure.update_yaxes(autorange="reversed", showgrid=False, ticks="")
    figure.update_layout(barmode="stack", showlegend=True, legend={"traceorder": "normal"})
    figure.update_layout(uniformtext={"minsize": 9, "mode": "hide"})  # no number that cannot be read
    return figure


def curves_figures(verdict: ChallengeVerdict) -> dict[str, go.Figure]:
    """All learning curves; where there are many, a figure for each source, so that a page draws what is looked at."""
    every = list(range(len(verdict.mdps)))
    if len(every) <= MOST_PANELS:
        return {CURVES: curves_figure(verdict, every)}
    sources = dict.fromkeys(mdp.source for mdp in verdict.mdps)
    return {
        f"{CURVES}-{source}": curves_figure(verdict, [i for i in every if verdict.mdps[i].source == source])
        for source in sources
    }


def curves_figure(verdict: ChallengeVerdict, members: Sequence[int]) -> go.Figure:
    """A panel for each of these MDPs: evaluations of every agent in its best setting, and the optimum."""
    lines = -(-len(members) // COLUMNS)
    height = 140 + PANEL * lines
    figure = make_subplots(lines, COLUMNS, horizontal_spacing=0.05, vertical_spacing=min(1.0, 78 / (height - 168)))
    drawn = "dashed: the optimum" + (" · dotted: what solves it" if verdict.study.sticky else "")
    note = f"return of the deterministic policy · mean and range over seeds in the best setting · {drawn}"
    dress(figure, height, note)
    shapes: list[dict[str, Any]] = []
    words: list[dict[str, Any]] = []
    for i, mdp in enumerate(verdict.mdps[j] for j in members):
        place, axis = {"row": i // COLUMNS + 1, "col": i % COLUMNS + 1}, "" if i == 0 else str(i + 1)
        optimum = known(mdp.optimal_return)
        words.append(heading(_heading(mdp), 0, 1, f"x{axis} domain", f"y{axis} domain"))
        shown = [optimum]
        for result, colour in zip(verdict.agents, colours(verdict), strict=False):
            shown += _add_curve(figure, result, result.outcomes[members[i]], colour, place, legend=i == 0)
        for value, dash in {verdict.goals[members[i]]: "dot", optimum: "dash"}.items():
            shapes.append(level_line(value, axis, {"color": LIGHT.ink, "width": 1.2, "dash": dash}))
        low, high = min(shown), max(shown)
        room = 0.08 * (high - low or 1.0)
        figure.update_yaxes(range=[low - room, high + room], nticks=4, **place)
    figure.update_xaxes(range=[0, verdict.study.budget], nticks=4, tickfont={"size": 10}, tickformat="~s")
    figure.update_yaxes(tickfont={"size": 10})
    figure.update_layout(showlegend=True, shapes=shapes, annotations=words)
    return figure


def thinned(steps: Ints, curve: tuple[Floats, Floats, Floats]) -> tuple[Floats | Ints, ...]:
    """Steps, means and ranges at so many points as can be drawn: each stands for the evaluations up to it."""
    size = -(-len(steps) // POINTS)
    starts = np.arange(0, len(steps), size)
    ends = np.append(starts[1:], len(steps))
    mean, low, high = curve
    means = np.add.reduceat(mean, starts) / (ends - starts)
    return steps[ends - 1], means, np.minimum.reduceat(low, starts), np.maximum.reduceat(high, starts)


def _add_curve(
    figure: go.Figure, result: ChallengeResult, outcome: MdpOutcome, colour: str, place: dict[str, int], *, legend: bool
) -> list[float]:
    """The mean and the range of an agent's evaluations; their ends."""
    there = outcome.runs > 0 and not np.isnan(outcome.curve[0]).any()
    x, mean, low, high = thinned(outcome.steps, outcome.curve) if there else (np.empty(0),) * 4
    if there:
        add_band(figure, x, low, high, colour, opacity=0.22, **place)
    figure.add_scatter(
        x=x, y=mean, mode="lines", name=result.label, legendgroup=result.label, showlegend=legend,
        line={"color": colour, "width": 1.6},
        hovertemplate=f"{result.label}, step %{{x:,}}: %{{y:.3g}}<extra></extra>", **place,
    )  # fmt: skip
    return [float(low.min()), float(high.max())] if there else []


def _heading(mdp: CatalogueEntry) -> str:
    """Its name, and in smaller letters its effective horizon."""
    about = f"effective horizon {mdp.length}{', control' if is_control(mdp) else ''}"
    return f"{mdp.id}</b><br><span style='font-size:11px;color:{LIGHT.muted}'>{about}</span><b>"


def _horizon(mdp: CatalogueEntry) -> float | None:
    """The effective horizon, or what it is at least."""
    return mdp.effective_horizon_low if mdp.effective_horizon is None else mdp.effective_horizon


def _height(outcome: MdpOutcome, some: float, none: float) -> float:
    """Where an MDP is drawn: in a lane of its own where fewer than half of the seeds solve it, or none."""
    if math.isfinite(outcome.complexity.value):
        return outcome.complexity.value
    return some if outcome.solved else none


def _described(outcome: MdpOutcome) -> str:
    runs = f"{outcome.runs_solved} of {outcome.runs} runs"
    return f"solved by {runs}, sample complexity {numbers.number(outcome.complexity.value)}"


def _share(e: Estimate) -> str:
    return f"{counted(e)}, {numbers.percent(e.value)} [{numbers.percent(e.low)}, {numbers.percent(e.high)}]"
