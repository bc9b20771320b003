"""What does the terminal show of a hardness card? The profile, similar tasks, and every quantity, in 80 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from mohs.protocols.card import rows as card_rows
from mohs.protocols.card.record import Card, Cards, all_cards
from mohs.protocols.card.rows import NEEDS_TABLE, Entry, needs_table
from mohs.protocols.card.why import AGENTS, percent, similar_rows
from mohs.report.tables import TextTable

BAR, NAME_WIDTH = 20, 19  # letters


def summary(found: Card | Cards) -> tuple[TextTable, ...]:
    """Every quantity of a card, or of several cards side by side, and why some are not defined."""
    cards = all_cards(found)
    shown = card_rows.columns(cards)
    alone = len(shown) == 1
    tables = [table for column in shown for table in _comparisons(column.card, "" if alone else column.title)]
    for subject, rows in card_rows.groups(cards):
        kept = [row for row in rows if any(not needs_table(row, column.card) for column in shown)]
        lines = [(row.title, *(_text(row.read(column.card)) for column in shown)) for row in kept]
        if lines:
            tables.append(TextTable(subject, ("", *("" if alone else column.title for column in shown)), lines))
    missing = [
        ("" if alone else column.title, ", ".join(titles), reason)
        for column in shown
        for reason, titles in _reasons(cards, column.card).items()
    ]
    if missing:
        tables.append(TextTable("Not defined", ("", "quantities", "because"), missing))
    return tuple(tables)


def _text(entry: Entry) -> str:
    return f"{entry.text} ({entry.details})" if entry.details else entry.text


def _reasons(cards: Sequence[Card], card: Card) -> dict[str, list[str]]:
    """Why quantities of a card are not defined: their titles by reason. What needs a table is one entry."""
    found: dict[str, list[str]] = {}
    for row in (row for _, rows in card_rows.groups(cards) for row in rows):
        if reason := row.read(card).reason:
            title = NEEDS_TABLE if needs_table(row, card) else row.title
            found.setdefault(reason, []).append(title)
    return {reason: list(dict.fromkeys(titles)) for reason, titles in found.items()}


def _comparisons(card: Card, title: str) -> list[TextTable]:
    """The profile and the most similar tasks, in 80 columns."""
    found, of = card.profile, f" of {title}" if title else ""
    rows = [(s.title, s.words, _bar(s.harder_than)) for s in found.percentiles if s.harder_than is not None]
    tables = []
    if rows:
        tables.append(TextTable(f"Profile{of}", ("", "", f"easier tasks, of {found.known_tasks}"), rows))
    if found.neighbours:
        near = [("\n".join(textwrap.wrap(name, NAME_WIDTH)), *reached) for name, *reached in similar_rows(found)]
        tables.append(TextTable(f"Most similar tasks{of}", ("", *AGENTS.values()), near))
    return tables


def _bar(share: float | None) -> str:
    """A percentile and a bar of letters."""
    return "" if share is None else f"{percent(share):>4} {'█' * round(BAR * share)}"
