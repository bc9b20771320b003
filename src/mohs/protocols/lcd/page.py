"""What does the report of challenges show, on its page and at the terminal?"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

import plotly.graph_objects as go

from mohs.protocols.lcd.figures import lcd_figures
from mohs.protocols.lcd.figures.costs import as_estimate
from mohs.protocols.lcd.sentences import KINDS
from mohs.protocols.lcd.verdict import LEVEL, GameResult, LcdVerdict
from mohs.protocols.words import joined
from mohs.report import numbers, parts
from mohs.report.data import csv_text
from mohs.report.files import filled
from mohs.report.page import Page
from mohs.report.tables import TextTable
from mohs.stats import Estimate
from mohs.stats.lcd import THRESHOLD, Cost


def summary(verdict: LcdVerdict) -> tuple[TextTable, ...]:
    """The costs of every game for every agent, and the paper's measures beside them."""
    title = f"Share lost of what is reached in the semantic view, {numbers.level(LEVEL)} intervals, %"
    several = len(verdict.study.agents) > 1
    rows = [
        (
            *((r.game, r.agent) if several else (r.game,)), numbers.number(r.reached.value), _points(r.perception),
            _points(r.learning), KINDS[r.challenge],
        )
        for r in verdict.results
    ]  # fmt: skip
    heads = (*(("game", "agent") if several else ("game",)), "reached", "perception", "rarer reward", "verdict")
    return (TextTable(title, heads, rows),)


def page(verdict: LcdVerdict) -> Page:
    """The report."""
    study, figures = verdict.study, lcd_figures(verdict)
    body = filled(
        __package__,
        "lcd.html",
        title=escape(joined(list(study.labels))),
        headline=parts.headline(verdict.findings),
        tiles=_tiles(verdict),
        taxonomy=parts.place("taxonomy", figures),
        costs=parts.place("costs", figures),
        table=_table(verdict),
        screens=_part("What is seen", "screens", figures),
        games="".join(_game(verdict, result, i, figures) for i, result in enumerate(verdict.results, 1)),
        helps=_helps(verdict, figures),
        controls=_part("Controls", "controls", figures),
        paper=_paper(verdict),
        threshold=numbers.percent(THRESHOLD),
        floor=f"{study.floor:.3g}",
        scales="".join(f"<li>{escape(line)}</li>" for line in _scales(verdict)),
    )
    sections = ("verdict", "games", "helps", "trust", "methods")
    tables = {"challenges.csv": challenges_csv(verdict)}
    title = f"{', '.join(study.labels)} · {len(study.games)} games · mohs lcd"
    return Page(title, body, sections, figures, tables=tables, facts=_facts(verdict))


def challenges_csv(verdict: LcdVerdict) -> str:
    """One row for each agent, game and quantity."""
    rows = []
    for r in verdict.results:
        for name, found in _quantities(verdict, r).items():
            if found is not None:
                judged = str(found.judgement) if isinstance(found, Cost) else ""
                rows.append((r.agent, r.game, name, found.value, found.low, found.high, found.level, found.n, judged))
    return csv_text(("agent", "game", "quantity", "value", "low", "high", "level", "n", "judgement"), rows)


def _quantities(verdict: LcdVerdict, r: GameResult) -> dict[str, Cost | Estimate | None]:
    return {
        "reached": r.reached, "perception": r.perception, "figure_ground": r.ground, "learning": r.learning,
        "slope_per_halving": r.slope, "phi": r.phi, "psi": r.psi,
        **{f"control: {name}": cost for name, cost in r.controls.items()},
        **{f"gain: {remedy}": e for remedy, e in r.gains.items()},
    }  # fmt: skip


def _points(cost: Cost | None) -> str:
    return numbers.UNKNOWN if cost is None else numbers.points(as_estimate(cost))


def _cell(found: Cost | Estimate | None) -> str:
    if found is None:
        return f"<td>{numbers.UNKNOWN}</td>"
    return parts.estimate_cell(as_estimate(found) if isinstance(found, Cost) else found, ran=True)


def _tiles(verdict: LcdVerdict) -> str:
    study = verdict.study
    first = verdict.results[0]
    tiles = [
        parts.tile("Games", str(len(study.games)), f"{len(study.agents)} agent{'s' * (len(study.agents) > 1)}"),
        parts.tile("Seeds", f"{study.seeds:,}", f"{study.steps:,} steps each"),
    ]
    if len(verdict.results) == 1:
        tiles.append(_cost_tile("Perception costs", first.perception))
        if first.learning is not None:
            tiles.append(_cost_tile("Rarer reward costs", first.learning))
    return "".join(tiles)


def _cost_tile(what: str, cost: Cost) -> str:
    return parts.tile(what, numbers.percent(cost.value), numbers.briefly(as_estimate(cost)))


def _table(verdict: LcdVerdict) -> str:
    rows = []
    for r in verdict.results:
        cells = "".join(_cell(found) for found in (r.reached, r.perception, r.ground, r.learning))
        rows.append(f"<tr><td>{escape(r.game)}</td><td>{escape(r.agent)}</td>{cells}<td>{KINDS[r.challenge]}</td></tr>")
    heads = ("game", "agent", "reached", "pixels cost", "figure/ground costs", "rarer reward costs", "verdict")
    return parts.table(heads, rows)


def _game(verdict: LcdVerdict, result: GameResult, number: int, figures: Mapping[str, go.Figure]) -> str:
    name = f"{result.game}, {result.agent}" if len(verdict.study.agents) > 1 else result.game
    views = _part("Views", f"views-{number}", figures, "h4")
    rewards = _part("Reward probabilities, semantic view", f"rewards-{number}", figures, "h4")
    return f'<article id="game-{number}"><h3>{escape(name)}</h3>{views}{rewards}</article>'


def _helps(verdict: LcdVerdict, figures: Mapping[str, go.Figure]) -> str:
    shown = ("What helps", "gains"), ("Masks learnt from motion", "masks"), ("Synergy of agent and view", "synergy")
    found = "".join(_part(title, name, figures) for title, name in shown)
    found += "".join(
        _part(f"{a.first} and {a.second}", f"agreement-{i}", figures) for i, a in enumerate(verdict.agreements, 1)
    )
    if found:
        return found
    text = "--remedy shaping, motion or generic runs what may help; several agents are compared."
    return f'<p class="about">{text}</p>'


def _paper(verdict: LcdVerdict) -> str:
    """The paper's own measures; they depend on the list of games and on noise."""
    rows = []
    for r in verdict.results:
        scaled = (found[r.agent].get(r.game) for found in (verdict.phi, verdict.psi))
        cells = "".join(f"<td>{numbers.UNKNOWN if x is None else numbers.number(x)}</td>" for x in scaled)
        rows.append(f"<tr><td>{escape(r.game)}</td><td>{escape(r.agent)}</td>{_cell(r.phi)}{_cell(r.psi)}{cells}</tr>")
    heads = ("game", "agent", "φ", "ψ", "φ over games", "ψ over games")
    return f'<h3>The measures of the paper</h3><div class="scroll">{parts.table(heads, rows)}</div>'


def _part(title: str, name: str, figures: Mapping[str, go.Figure], tag: str = "h3") -> str:
    """A figure with its heading, if there is one."""
    return f"<{tag}>{escape(title)}</{tag}>{parts.place(name, figures)}" if name in figures else ""


def _scales(verdict: LcdVerdict) -> list[str]:
    """What 0 and 1 are for every game."""
    found = {}
    for r in verdict.results:
        score = r.runs.score
        if score is None or score.low is None or score.high is None:
            found[r.game] = f"{r.game}: no references, so nothing can be told."
        else:
            references = enumerate((score.low, score.high))
            ends = [f"{i} = {numbers.number(at.value)} ({at.source})" for i, at in references]
            found[r.game] = f"{r.game}: {'; '.join(ends)}."
    return list(found.values())


def _facts(verdict: LcdVerdict) -> dict[str, str]:
    study = verdict.study
    return {
        "agents": "; ".join(map(str, study.agents)),
        "games": "; ".join(str(task) for _, task in study.games),
        "seeds": f"{study.seeds} for each condition",
        "training steps": f"{study.steps:,} per run",
        "evaluation": f"{study.evaluations + 1} times, {study.episodes} episodes on {study.probed}, {study.mode}",
        "reward probabilities": ", ".join(f"{p:g}" for p in study.probabilities),
        "missing runs": f"{verdict.missing:,} of {verdict.runs:,}",
    }
