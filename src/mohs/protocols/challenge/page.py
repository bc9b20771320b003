"""What does the report of the challenge show, on its page and at the terminal?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from html import escape

import plotly.graph_objects as go

from mohs.protocols.challenge.editions import is_control
from mohs.protocols.challenge.figures import CURVES, challenge_figures
from mohs.protocols.challenge.runs import KINDS, MOST, known
from mohs.protocols.challenge.sentences import counted, tries
from mohs.protocols.challenge.settings import TEXTS
from mohs.protocols.challenge.study import OWN, ChallengeStudy
from mohs.protocols.challenge.verdict import GROUPS, LEVEL, ChallengeVerdict, MdpOutcome
from mohs.report import numbers, parts
from mohs.report.data import csv_text
from mohs.report.files import filled
from mohs.report.page import Page
from mohs.report.tables import TextTable
from mohs.stats import Estimate


def summary(verdict: ChallengeVerdict) -> tuple[TextTable, ...]:
    """What was solved of every group, and every MDP with its runs solved and its sample complexity."""
    rows: list[tuple[str, ...]] = [
        (GROUPS[name], *(counted(s.shares[name]) for s in verdict.solvers)) for name in verdict.groups
    ]
    groups = TextTable("MDPs solved", ("", *(s.label for s in verdict.solvers)), rows)
    rows = [
        (
            m.id,
            m.status,
            m.length,
            *(f"{o.runs_solved}/{o.runs}, {steps_text(o.complexity)}" for o in (s.outcomes[i] for s in verdict.agents)),
        )
        for i, m in enumerate(verdict.mdps)
    ]
    heads = ("MDP", "status", "effective horizon", *(s.label for s in verdict.agents))
    return groups, TextTable("Runs that solved it, and sample complexity", heads, rows)


def page(verdict: ChallengeVerdict) -> Page:
    """The report."""
    study, figures = verdict.study, challenge_figures(verdict)
    edition = f"{len(study.mdps)} MDPs" if study.edition == OWN else f"{study.edition} edition"
    body = filled(
        __package__,
        "challenge.html",
        edition=escape(edition),
        headline=parts.headline(verdict.findings),
        tiles=_tiles(verdict),
        **{name: parts.place(name, figures) for name in ("solved", "horizon", "kinds")},
        curves=_curves(figures),
        kind_words=parts.definitions((str(kind), f"{text[0].upper()}{text[1:]}.") for kind, text in KINDS.items()),
        group_table=_group_table(verdict),
        mdp_table=_mdp_table(verdict),
        every=f"{study.every:,}",
        episodes=_episodes(study),
        goal=_goal(study),
        tries=escape("; ".join(f"{s.label} {tries(study, s)}" for s in verdict.agents)),
        settings=parts.definitions(_settings(verdict)),
    )
    tables = {"mdps.csv": mdps_csv(verdict)}
    sections = ("verdict", "horizon", "curves", "table", "methods")
    return Page(f"{study.name} · mohs challenge", body, sections, figures, tables, _facts(verdict))


def steps_text(e: Estimate) -> str:
    """12,000 [8,000, ∞): steps of which the last may never come."""
    if not e.n:
        return "missing"
    text = numbers.number(e.value)
    return text if math.isnan(e.low) else f"{text} [{numbers.number(e.low)}, {numbers.number(e.high)}]"


def mdps_csv(verdict: ChallengeVerdict) -> str:
    """One row for each MDP and agent."""
    head = (
        "mdp", "source", "status", "states", "actions", "horizon", "optimal_return", "random_return", "goal",
        "effective_horizon", "effective_horizon_low", "gorp_steps", "guess_steps", "agent", "solved", "runs_solved",
        "runs", "best_setting", "sample_complexity", "low", "high", "level",
    )  # fmt: skip
    rows = [
        (m.id, m.source, m.status, m.states, m.actions, m.horizon, m.optimal_return, m.random_return, goal,
         m.effective_horizon, m.effective_horizon_low, m.gorp_steps, m.guess_steps, result.label, o.solved,
         o.runs_solved, o.runs, result.agent.settings[o.best].name,
         o.complexity.value, o.complexity.low, o.complexity.high, LEVEL)
        for result in verdict.agents
        for m, goal, o in zip(verdict.mdps, verdict.goals, result.outcomes, strict=True)
    ]  # fmt: skip
    return csv_text(head, rows)


def _facts(verdict: ChallengeVerdict) -> dict[str, str]:
    study = verdict.study
    return {
        "agents": "; ".join(str(s.agent) for agent in study.agents for s in agent.settings),
        "settings and seeds": "; ".join(f"{s.label}: {tries(study, s)}" for s in verdict.agents),
        "budget": f"{study.budget:,} steps a run",
        "evaluation": f"every {study.every:,} steps, {_episodes(study)}, greedy, undiscounted",
        **({"sticky actions": f"{study.sticky:g}"} if study.sticky else {}),
        "missing runs": f"{verdict.missing:,} of {verdict.runs:,}",
    }


def _episodes(study: ChallengeStudy) -> str:
    return "one episode" if study.episodes == 1 else f"{study.episodes:,} episodes"


def _goal(study: ChallengeStudy) -> str:
    """When an MDP is solved, as the end of a sentence."""
    if not study.sticky:
        return "that earns the optimal return, known exactly from the MDP's table, without discount"
    return (
        f"their mean return is {100 * MOST:.0f}% of the way from random to optimal play, without discount. Every "
        f"action but the first is replaced by the one before with probability {study.sticky:g}; what random and "
        "optimal play earn then is known exactly from the MDP's table. The effective horizon is that without"
    )


def _settings(verdict: ChallengeVerdict) -> list[tuple[str, str]]:
    """Every setting of every agent in words, and those that were left out."""
    found = []
    for agent in verdict.study.agents:
        found += [(f"{agent.name}, {s.name}", TEXTS[s.name]) for s in agent.settings]
        found += [
            (f"{agent.name}, {name}", f"{TEXTS[name]}: left out, since the budget has too few such rollouts")
            for name in agent.left_out
        ]
    return found


def _tiles(verdict: ChallengeVerdict) -> str:
    study = verdict.study
    controls = sum(map(is_control, verdict.mdps))
    return "".join(
        (
            parts.tile(
                "MDPs", str(len(verdict.mdps)), f"{len(verdict.mdps) - controls} challenge, {controls} controls"
            ),
            parts.tile("Budget", f"{study.budget:,}", f"steps a run, evaluated every {study.every:,}"),
            parts.tile(
                "Tries",
                ", ".join(str(len(s.agent.settings) * study.seeds) for s in verdict.agents),
                "; ".join(f"{s.label} {tries(study, s)}" for s in verdict.agents),
            ),
            parts.tile(
                "Runs", f"{verdict.runs - verdict.missing:,}", f"of {verdict.runs:,}; {verdict.missing:,} missing"
            ),
        )
    )


def _curves(figures: Mapping[str, go.Figure]) -> str:
    names = [name for name in figures if name.startswith(CURVES)]
    titles = ["" if name == CURVES else f"<h3>{escape(name.removeprefix(f'{CURVES}-'))}</h3>" for name in names]
    return "".join(title + parts.place(name, figures) for title, name in zip(titles, names, strict=True))


def _group_table(verdict: ChallengeVerdict) -> str:
    """What was solved of every group, as in Table 1 of the paper."""
    solvers = verdict.solvers
    rows = [
        f"<tr><td>{escape(GROUPS[name])}</td>{''.join(_share_cell(s.shares[name]) for s in solvers)}</tr>"
        for name in verdict.groups
    ]
    return parts.table(("MDPs solved", *(s.label for s in solvers)), rows)


def _share_cell(e: Estimate) -> str:
    if not e.n:
        return '<td class="missing">not known</td>'
    ends = f"{numbers.percent(e.value)} [{numbers.percent(e.low)}, {numbers.percent(e.high)}]"
    return f"<td>{counted(e)}<small>{ends}</small></td>"


def _mdp_table(verdict: ChallengeVerdict) -> str:
    head = ("MDP", "states", "actions", "horizon", "optimum", "effective horizon")
    rows = []
    for i, m in enumerate(verdict.mdps):
        facts = (
            f"{m.states:,}", str(m.actions), str(m.horizon), numbers.number(known(m.optimal_return)),
            m.length, *(_baseline(baseline.steps[i]) for baseline in verdict.baselines),
        )  # fmt: skip
        cells = "".join(f"<td>{escape(text)}</td>" for text in facts)
        played = "".join(_outcome_cell(verdict, result.outcomes[i]) for result in verdict.agents)
        control = "<small>control</small>" if is_control(m) else ""
        rows.append(f'<tr><td title="{escape(m.title)}">{escape(m.id)}{control}</td>{cells}{played}</tr>')
    simpler, agents = [b.label for b in verdict.baselines], [s.label for s in verdict.agents]
    return parts.table((*head, *simpler, *agents), rows)


def _baseline(steps: float) -> str:
    return "not known" if math.isnan(steps) else "too many" if math.isinf(steps) else numbers.number(steps)


def _outcome_cell(verdict: ChallengeVerdict, outcome: MdpOutcome) -> str:
    """How many runs solved it, and the sample complexity."""
    if not outcome.runs:
        return '<td class="missing">missing</td>'
    lost = outcome.firsts.size - outcome.runs
    rest = f", {lost} missing" if lost else ""
    return f"<td>{outcome.runs_solved}/{outcome.runs}{rest}<small>{escape(steps_text(outcome.complexity))}</small></td>"
