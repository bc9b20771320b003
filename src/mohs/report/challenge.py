"""What does a person open after the challenge? One HTML file: what was solved, where, every curve, data."""

from __future__ import annotations

import math
from collections.abc import Mapping
from html import escape
from pathlib import Path

import plotly.graph_objects as go

from mohs.protocols.challenge.editions import is_control
from mohs.protocols.challenge.runs import KINDS, MOST, known
from mohs.protocols.challenge.sentences import counted, tries
from mohs.protocols.challenge.settings import TEXTS
from mohs.protocols.challenge.study import OWN, ChallengeStudy
from mohs.protocols.challenge.verdict import GROUPS, LEVEL, Outcome, Verdict
from mohs.report import numbers, parts
from mohs.report.data import csv_text, json_text
from mohs.report.figures.challenge import CURVES, challenge_figures
from mohs.report.files import filled, write
from mohs.report.png import find_browser, write_pictures
from mohs.report.shell import page
from mohs.stats import Estimate


def write_challenge(verdict: Verdict, out_dir: Path | str, png: bool = False) -> Path:
    """Write `challenge.html`, `challenge.json` and two CSV files (with `png`, pictures too); return the page's path."""
    directory = Path(out_dir)
    if png:
        find_browser()  # say what is missing before any work
    figures = challenge_figures(verdict)
    for name, (_, text) in _files(verdict).items():
        write(directory / name, text)
    path = write(directory / "challenge.html", challenge_html(verdict, figures))
    if png:
        write_pictures(figures, directory / "png")
    return path


def challenge_html(verdict: Verdict, figures: Mapping[str, go.Figure]) -> str:
    study = verdict.study
    first, *rest = verdict.headline
    listed = "".join(f"<li>{escape(line)}</li>" for line in rest)
    edition = f"{len(study.mdps)} MDPs" if study.edition == OWN else f"{study.edition} edition"
    body = filled(
        "challenge.html",
        edition=escape(edition),
        headline=f'<p class="headline">{escape(first)}</p><ul class="findings">{listed}</ul>',
        tiles=_tiles(verdict),
        **{name: parts.place(name, figures) for name in ("solved", "horizon", "kinds")},
        curves=_curves(figures),
        kind_words=parts.definitions((name, f"{text[0].upper()}{text[1:]}.") for name, text in KINDS.items()),
        group_table=_group_table(verdict),
        mdp_table=_mdp_table(verdict),
        every=f"{study.every:,}",
        episodes=_episodes(study),
        goal=_goal(study),
        tries=escape("; ".join(f"{s.label} {tries(study, s)}" for s in verdict.agents)),
        settings=parts.definitions(_settings(verdict)),
    )
    sections = ["verdict", "horizon", "curves", "table", "methods"]
    return page(f"{study.name} · mohs challenge", body, sections, figures, _files(verdict), _facts(verdict))


def steps_text(e: Estimate) -> str:
    """12,000 [8,000, ∞): steps of which the last may never come."""
    if not e.n:
        return "missing"
    text = numbers.number(e.value)
    return text if math.isnan(e.low) else f"{text} [{numbers.number(e.low)}, {numbers.number(e.high)}]"


def mdps_csv(verdict: Verdict) -> str:
    """One row for each MDP and agent."""
    head = (
        "mdp", "source", "status", "states", "actions", "horizon", "optimal_return", "random_return", "goal",
        "effective_horizon", "effective_horizon_low", "gorp_steps", "guess_steps", "agent", "solved", "runs_solved",
        "runs", "best_setting", "sample_complexity", "low", "high", "level",
    )  # fmt: skip
    rows = [
        (m.id, m.source, m.status, m.states, m.actions, m.horizon, m.optimal_return, m.random_return, goal,
         m.effective_horizon, m.effective_horizon_low, m.gorp_steps, m.guess_steps, standing.label, o.solved,
         o.runs_solved, o.runs, standing.contender.settings[o.best].name,
         o.complexity.value, o.complexity.low, o.complexity.high, LEVEL)
        for standing in verdict.agents
        for m, goal, o in zip(verdict.mdps, verdict.goals, standing.outcomes, strict=True)
    ]  # fmt: skip
    return csv_text(head, rows)


def runs_csv(verdict: Verdict) -> str:
    """One row for each run: the step of the first evaluation that solved it, if any, and what became of it."""
    rows = [
        (m.id, standing.label, setting.name, seed, float(o.firsts[i, seed]), o.kinds[i][seed])
        for standing in verdict.agents
        for m, o in zip(verdict.mdps, standing.outcomes, strict=True)
        for i, setting in enumerate(standing.contender.settings)
        for seed in range(verdict.study.seeds)
    ]
    return csv_text(("mdp", "agent", "setting", "seed", "first_solved_step", "kind"), rows)


def _files(verdict: Verdict) -> dict[str, tuple[str, str]]:
    return {
        "challenge.json": ("application/json", json_text(verdict.to_json(), indent=1) + "\n"),
        "mdps.csv": ("text/csv", mdps_csv(verdict)),
        "runs.csv": ("text/csv", runs_csv(verdict)),
    }


def _facts(verdict: Verdict) -> dict[str, str]:
    study = verdict.study
    return {
        "agents": "; ".join(str(s.agent) for c in study.contenders for s in c.settings),
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


def _settings(verdict: Verdict) -> list[tuple[str, str]]:
    """Every setting of every agent in words, and those that were left out."""
    found = []
    for contender in verdict.study.contenders:
        found += [(f"{contender.name}, {s.name}", TEXTS[s.name]) for s in contender.settings]
        found += [
            (f"{contender.name}, {name}", f"{TEXTS[name]}: left out, since the budget has too few such rollouts")
            for name in contender.left_out
        ]
    return found


def _tiles(verdict: Verdict) -> str:
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
                ", ".join(str(len(s.contender.settings) * study.seeds) for s in verdict.agents),
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


def _group_table(verdict: Verdict) -> str:
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


def _mdp_table(verdict: Verdict) -> str:
    head = ("MDP", "states", "actions", "horizon", "optimum", "effective horizon")
    rows = []
    for i, m in enumerate(verdict.mdps):
        facts = (
            f"{m.states:,}", str(m.actions), str(m.horizon), numbers.number(known(m.optimal_return)),
            m.length, *(_baseline(baseline.steps[i]) for baseline in verdict.baselines),
        )  # fmt: skip
        cells = "".join(f"<td>{escape(text)}</td>" for text in facts)
        played = "".join(_outcome_cell(verdict, standing.outcomes[i]) for standing in verdict.agents)
        control = "<small>control</small>" if is_control(m) else ""
        rows.append(f'<tr><td title="{escape(m.title)}">{escape(m.id)}{control}</td>{cells}{played}</tr>')
    simpler, agents = [b.label for b in verdict.baselines], [s.label for s in verdict.agents]
    return parts.table((*head, *simpler, *agents), rows)


def _baseline(steps: float) -> str:
    return "not known" if math.isnan(steps) else "too many" if math.isinf(steps) else numbers.number(steps)


def _outcome_cell(verdict: Verdict, outcome: Outcome) -> str:
    """How many runs solved it, and the sample complexity."""
    if not outcome.runs:
        return '<td class="missing">missing</td>'
    lost = outcome.firsts.size - outcome.runs
    rest = f", {lost} missing" if lost else ""
    return f"<td>{outcome.runs_solved}/{outcome.runs}{rest}<small>{escape(steps_text(outcome.complexity))}</small></td>"
