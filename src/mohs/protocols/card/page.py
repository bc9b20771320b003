"""What does the page of a hardness card show? Tiles, sentences, pictures and every row; several tasks side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

import plotly.graph_objects as go

from mohs.protocols.card import rows as card_rows
from mohs.protocols.card.figures import figure_prefix
from mohs.protocols.card.figures import figures as make_figures
from mohs.protocols.card.figures.horizon_scatter import best_length, expected_way, scatter
from mohs.protocols.card.figures.horizons import WAYS
from mohs.protocols.card.profile import Profile
from mohs.protocols.card.record import Card, Cards, all_cards
from mohs.protocols.card.rows import NEEDS_TABLE, Entry, Row, needs_table
from mohs.protocols.card.why import AGENTS, similar_rows
from mohs.report import numbers, parts
from mohs.report.files import filled
from mohs.report.page import Page

# Name of the figure, title, and what to see in it.
PROFILE = (
    "Profile",
    "How the task compares with the reference collection. A bar is the share of known tasks that are easier. What "
    "makes the task hard is marked.",
)
PICTURES = (
    ("states", "The task", "Its states, coloured by what the best policy can still earn from there."),
    ("look-ahead", "Look-ahead", "min_k is the least look-ahead with which greedy play is optimal. Where the line is "
     "at the top at once, random play already shows the way."),
    ("returns", "Returns", "How far apart luck and skill are: the further the optimum lies in the tail of random play, "
     "the harder it is to come upon it."),
    ("horizons", "Effective horizon", "Outlined bars are bounds: the effective horizon is at most so long."),
)  # fmt: skip
NO_PICTURES = '<p class="about">There is nothing to draw: neither a table nor sampled episodes.</p>'


def page(found: Card | Cards) -> Page:
    """The page of one card, or of several: these are compared first."""
    cards = all_cards(found)
    figures, several = make_figures(cards), len(cards) > 1
    alone = ["verdict", *(["profile"] if "profile" in figures else []), "pictures", "rows", "methods"]
    sections = ["comparison", "size", "tasks", "methods"] if several else alone
    tasks = "".join(_task(card, figure_prefix(cards, i), figures) for i, card in enumerate(cards))
    body = filled(
        __package__,
        "cards.html",
        comparison=_comparison(cards, figures) if several else "",
        tasks=f'<div id="tasks">{tasks}</div>' if several else tasks,
    )
    title = f"{len(cards)} tasks · mohs hardness cards" if several else f"{cards[0].name} · mohs hardness card"
    return Page(title, body, sections, figures, facts=_facts(cards))


def _facts(cards: Sequence[Card]) -> dict[str, str]:
    """What the page rests on, for its footer."""
    facts = {
        "tasks" if len(cards) > 1 else "task": "; ".join(card.name for card in cards),
        "basis": "; ".join(dict.fromkeys(map(_basis, cards))),
        "horizon": "; ".join(dict.fromkeys(f"{card.horizon:,} steps" for card in cards)),
        "discount of the look-ahead": "; ".join(dict.fromkeys(f"{card.gamma:g}" for card in cards)),
    }
    lengths = (card.effective_horizon.get("gorp") for card in cards)
    runs = dict.fromkeys(f"{length.runs:,}" for length in lengths if length is not None and length.runs is not None)
    sticky = dict.fromkeys(f"{card.sticky[0]:g}" for card in cards if card.sticky is not None)
    return (
        facts
        | ({"runs of GORP": "; ".join(runs)} if runs else {})
        | ({"sticky actions": "; ".join(sticky)} if sticky else {})
    )


def _basis(card: Card) -> str:
    if card.rollouts is not None:
        return f"estimated from {len(card.rollouts.returns):,} episodes of random play"
    return "exact" if card.exact else "estimated"


def _task(card: Card, prefix: str, figures: Mapping[str, go.Figure]) -> str:
    """One task: the whole page, or with a prefix one of several."""
    name = f'<span class="agent">{escape(card.name)}</span>'
    pictures = "".join(
        f'<div class="picture"><h3>{escape(title)}</h3><p class="lead">{escape(lead)}</p>'
        f"{parts.place(prefix + figure, figures)}</div>"
        for figure, title, lead in PICTURES
        if prefix + figure in figures
    )
    table = _rows_table(card)
    return filled(
        __package__,
        "card.html",
        anchor=f"{prefix}task" if prefix else "verdict",
        prefix=prefix,
        level="h2" if prefix else "h1",
        basis=escape(_basis(card)),
        question=name if prefix else f"How hard is {name}?",
        tiles=_tiles(card),
        headline=parts.headline(card.findings),
        profile=_profile(card, prefix, figures),
        pictures=("" if prefix else "<h2>Pictures</h2>") + (pictures or NO_PICTURES),
        rows=f"<details><summary>All rows of {escape(card.name)}</summary>{table}</details>"
        if prefix
        else f"<h2>All rows</h2>{table}",
    )


def _profile(card: Card, prefix: str, figures: Mapping[str, go.Figure]) -> str:
    """The bars, and what agents reached on the most similar tasks."""
    if f"{prefix}profile" not in figures:
        return ""
    title, lead = PROFILE
    level = "h3" if prefix else "h2"
    drawn = parts.place(f"{prefix}profile", figures)
    text = f'<{level}>{title}</{level}><p class="lead">{escape(lead)}</p>{drawn}{_similar(card.profile, level)}'
    return f'<section id="{prefix}profile">{text}</section>'


def _similar(found: Profile, level: str) -> str:
    if not found.neighbours:
        return ""
    note = (
        f"Scores after {found.budget:,} steps: 0 is the random policy, 1 the optimum; the mean over {found.seeds} runs "
        "with its 95% interval. The nearest task comes first."
    )
    lines = ["<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in similar_rows(found)]
    table = f'<div class="scroll words">{parts.table(("task", *AGENTS.values()), lines)}</div>'
    return f'<{level}>Most similar tasks</{level}><p class="lead">{escape(note)}</p>{table}'


def _tiles(card: Card) -> str:
    if card.rollouts is not None:
        return _sampled_tiles(card)
    found = best_length(card)
    way = found[0] if found else expected_way(card)
    read = {row.key: row.read(card) for _, rows in card_rows.groups([card]) for row in rows}
    length = read[f"effective_horizon.{way}"]
    optimal, random, worst = (read[f"{policy}_return"] for policy in ("optimal", "random", "worst"))
    size = f"{read['states'].text} × {read['actions'].text}"
    return "".join(
        (
            parts.tile("Effective horizon", length.text, length.reason or f"{WAYS[way]} · {length.details}"),
            parts.tile("Look-ahead that suffices, min_k", read["min_k"].text, _epw(read)),
            parts.tile("Optimal / random return", f"{optimal.text} / {random.text}", f"worst {worst.text}"),
            parts.tile("States × actions", size, f"episodes of {card.horizon:,} steps"),
        )
    )  # fmt: skip


def _epw(read: Mapping[str, Entry]) -> str:
    return read["min_k"].reason or f"effective planning window {read['epw'].text}"


def _sampled_tiles(card: Card) -> str:
    read = {row.key: row.read(card) for _, rows in card_rows.groups([card]) for row in rows}
    random, best, paying = (read[key] for key in ("random_return", "rollouts.best", "rollouts.paying_steps"))
    actions = read["actions"]
    return "".join(
        (
            parts.tile("Random return", random.text, random.details),
            parts.tile("Best return seen", best.text, best.details),
            parts.tile("Paying steps", paying.text, paying.details),
            parts.tile("Actions", actions.text, actions.reason or f"episodes of up to {card.horizon:,} steps"),
        )
    )


def _rows_table(card: Card) -> str:
    """Every row with its value, next to it the one with sticky actions, its meaning and its source."""
    shown = card_rows.columns([card])
    head = ["", *("value" if column.index is not None else column.title for column in shown), "meaning", "source"]
    lines = []
    for subject, rows in card_rows.groups([card]):
        kept = [row for row in rows if not needs_table(row, card)]
        if kept:
            lines.append(_subject(subject, len(head)))
            lines += [_row(row, [row.read(column.card) for column in shown]) for row in kept]
    table = f'<div class="scroll words">{parts.table(head, lines)}</div>'
    if card.exact:
        return table
    return f'{table}<p class="about">{escape(NEEDS_TABLE)} is not known: {escape(card.undefined["states"])}.</p>'


def _row(row: Row, entries: Sequence[Entry]) -> str:
    """Where no card has a value, all of the row is grey, and the reason has the room of the meaning."""
    words, source = escape(row.meaning), f'<td class="source">{escape(row.source)}</td>'
    if any(e.value is not None for e in entries):
        cells = "".join(map(_cell, entries))
        return f'<tr><td>{escape(row.title)}</td>{cells}<td class="meaning">{words}</td>{source}</tr>'
    cells = f'<td class="value">{numbers.UNKNOWN}</td>' * len(entries)
    reasons = escape("; ".join(dict.fromkeys(e.reason for e in entries)))
    meaning = f'<td class="meaning">{words}<small>Not defined: {reasons}</small></td>'
    return f'<tr class="missing"><td>{escape(row.title)}</td>{cells}{meaning}{source}</tr>'


def _subject(text: str, columns: int) -> str:
    return f'<tr><th class="group" colspan="{columns}">{escape(text)}</th></tr>'


def _cell(entry: Entry) -> str:
    """A value with what goes with it, or the reason why there is none."""
    small = entry.reason if entry.value is None else entry.details
    kind = "value missing" if entry.value is None else "value"
    return f'<td class="{kind}">{escape(entry.text)}{f"<small>{escape(small)}</small>" if small else ""}</td>'


def _comparison(cards: Sequence[Card], figures: Mapping[str, go.Figure]) -> str:
    """The tasks side by side: a row for each quantity, a column for each task; then effective horizon against size."""
    shown = card_rows.columns(cards)
    heads = "".join(
        f"<th>{escape(c.title)}</th>"
        if c.index is None
        else f'<th><a href="#{figure_prefix(cards, c.index)}task">{escape(c.title)}</a></th>'
        for c in shown
    )
    lines = []
    for subject, rows in card_rows.groups(cards):
        lines.append(_subject(subject, len(shown) + 1))
        for row in rows:
            cells = "".join(_short_cell(row.read(column.card)) for column in shown)
            lines.append(f'<tr><td title="{escape(row.meaning)}">{escape(row.title)}</td>{cells}</tr>')
    return filled(
        __package__,
        "comparison.html",
        count=str(len(cards)),
        table=f"<table><thead><tr><th></th>{heads}</tr></thead><tbody>{''.join(lines)}</tbody></table>",
        scatter=parts.place("scatter", figures),
        absent=_absent(cards),
    )


def _short_cell(entry: Entry) -> str:
    """The same where room is short: the reason appears when it is pointed at."""
    if entry.value is None:
        return f'<td class="value missing" title="{escape(entry.reason)}">{escape(entry.text)}</td>'
    return _cell(entry)


def _absent(cards: Sequence[Card]) -> str:
    """The tasks that have no place in the figure, and why."""
    lost = scatter(cards).absent
    items = "".join(f'<li class="warning">{escape(name)}: {escape(reason)}.</li>' for name, reason in lost)
    return f'<p class="about">Not in the figure:</p><ul class="findings">{items}</ul>' if items else ""
