"""What stands in each row of a hardness card, and what does it mean? One list for the page and for the CSV file."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from mohs.exact.measures.catalogue import FORMULAS, about
from mohs.protocols.card.figures.horizons import AT_MOST, WAYS, why_no_length
from mohs.report import numbers
from mohs.report.numbers import written
from mohs.stats import Estimate
from mohs.stats.counts import LEVEL

if TYPE_CHECKING:
    from mohs.protocols.card.record import Card

UNKNOWN = "not known"
NEEDS_TABLE = "Everything that needs a table"
BRIDGE = "Laidlaw et al. 2023"
CHALLENGE = "Effective Horizon Challenge"


@dataclass(frozen=True)
class Entry:
    """The value of a row, with its interval and what that rests on where it was measured; or why there is none."""

    value: float | None
    low: float | None = None
    high: float | None = None
    level: float = math.nan  # that the interval claims
    n: int | None = None
    unit: str = ""  # of n
    at_most: bool = False
    more: str = ""
    reason: str = ""

    @property
    def text(self) -> str:
        """The value as people read it."""
        if self.value is None:
            return numbers.UNKNOWN
        return f"{'≤ ' if self.at_most else ''}{written(self.value)}"

    @property
    def details(self) -> str:
        """What goes with the value: its interval and n, k and m."""
        parts = []
        if self.low is not None and self.high is not None:
            known = not (math.isnan(self.low) or math.isnan(self.high))
            ends = f"[{written(self.low)}, {written(self.high)}]"
            parts.append(f"{numbers.level(self.level)}: {ends}" if known else "too few for an interval")
        if self.n is not None:
            parts.append(f"n\u00a0=\u00a0{self.n:,} {self.unit}".rstrip())
        return ", ".join([*parts, *([self.more] if self.more else [])])


@dataclass(frozen=True)
class Row:
    """A quantity: its key in the card, its name, what it means in a sentence, and where it is defined."""

    key: str
    title: str
    meaning: str
    source: str
    read: Callable[[Card], Entry]


@dataclass(frozen=True)
class Column:
    """A card in a table; `index` says which of the cards it is, and is None for a variant of the one before."""

    title: str
    card: Card
    index: int | None


def groups(cards: Sequence[Card]) -> Iterator[tuple[str, tuple[Row, ...]]]:
    """All rows that some of the cards, or their sticky variants, have or ought to have, by subject."""
    every = [*cards, *(card.sticky[1] for card in cards if card.sticky is not None)]
    yield "The task", _TASK
    yield "Returns", _RETURNS
    yield "Guessing and covering", _GUESSING
    yield "Look-ahead", _LOOK_AHEAD
    yield "Effective horizon", _HORIZON
    names = dict.fromkeys(name for card in every for name in card.measures)
    if names:
        yield "Further measures", tuple(_measure(name) for name in names)
    if any(card.formulas for card in every):
        yield "The CT-graph", tuple(_formula(name) for name in FORMULAS)
    if any(card.rollouts is not None for card in every):
        yield "Random play, sampled", _SAMPLED


def columns(cards: Sequence[Card]) -> list[Column]:
    """Every card, the sticky variant after its plain one."""
    found = []
    for i, card in enumerate(cards):
        found.append(Column(card.name, card, i))
        if card.sticky is not None:
            found.append(Column(f"sticky {card.sticky[0]:g}", card.sticky[1], None))
    return found


def needs_table(row: Row, card: Card) -> bool:
    """Whether a row has no value because the task has no table."""
    return not card.exact and row.read(card).reason == card.undefined["states"]


def csv_rows(cards: Sequence[Card]) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
    """Head and rows of the CSV file: one for each task, variant (the probability of sticking) and quantity."""
    head = ("task", "sticky", "quantity", "value", "low", "high", "n", "at_most", "note", "undefined")
    found: list[tuple[object, ...]] = []
    for card in cards:
        for probability, variant in [(0.0, card), *([card.sticky] if card.sticky is not None else [])]:
            for row in (row for _, rows in groups([variant]) for row in rows):
                e = row.read(variant)
                known = (_plain_number(value) for value in (e.value, e.low, e.high, e.n))
                found.append((card.name, probability, row.key, *known, e.at_most, e.more, e.reason))
            found += ((card.name, probability, *row) for row in _profile_rows(variant))
    return head, found


def _profile_rows(card: Card) -> Iterator[tuple[object, ...]]:
    """The share of known tasks that are easier on each indicator, and what agents reached on the most similar ones."""
    for s in card.profile.percentiles:
        reason = "" if s.harder_than is not None else UNKNOWN
        yield f"harder_than.{s.key}", _plain_number(s.harder_than), "", "", s.n, False, s.text, reason
    for i, neighbour in enumerate(card.profile.neighbours, 1):
        task = neighbour.task
        yield f"neighbour.{i}.distance", neighbour.distance, "", "", neighbour.shared, False, task.name, ""
        for agent, reached in task.outcomes.items():
            yield f"neighbour.{i}.{agent}", reached.value, reached.low, reached.high, reached.n, False, task.name, ""


def _plain_number(value: float | None) -> object:
    """Nothing where there is none; infinite values by name, because they are values."""
    if value is None:
        return ""
    return str(value) if isinstance(value, float) and math.isinf(value) else value


def _field(key: str, card: Card) -> Entry:
    value = getattr(card, key)
    return Entry(value) if value is not None else Entry(None, reason=_why(key, card))


def _why(key: str, card: Card) -> str:
    """Why a row has no value: by itself, or because the task has no table."""
    return card.undefined.get(key, card.undefined.get("states", UNKNOWN))


def _random_return(card: Card) -> Entry:
    return _field("random_return", card) if card.rollouts is None else _estimate(card.rollouts.random_return)


def _estimate(e: Estimate) -> Entry:
    return Entry(e.value, e.low, e.high, e.level, e.n, "episodes")


def _harmless(card: Card) -> Entry:
    if card.harmless_discount is None:
        return Entry(None, reason=_why("discount_is_harmless", card))
    discount, harmless = card.harmless_discount
    return Entry(harmless, more=f"γ = {discount:g}")


def _length(way: str, card: Card) -> Entry:
    length = card.effective_horizon.get(way)
    if length is None:
        return Entry(None, reason=why_no_length(card, way))
    more = ", ".join(f"{name}\u00a0=\u00a0{v:,}" for name, v in (("k", length.k), ("m", length.m)) if v is not None)
    more = "; ".join(text for text in (more, card.notes.get(f"effective_horizon.{way}", "")) if text)
    low, high = length.interval or (None, None)
    return Entry(length.value, low, high, LEVEL, length.runs, "runs", way in AT_MOST, more)


def _measure(name: str) -> Row:
    title, meaning, source = about(name)

    def read(card: Card) -> Entry:
        value = card.measures.get(name)
        if value is None:
            return Entry(None, reason=_why(f"measures.{name}", card))
        return Entry(value, more=card.notes.get(f"measures.{name}", ""))

    return Row(f"measures.{name}", title, meaning, source, read)


def _formula(name: str) -> Row:
    def read(card: Card) -> Entry:
        return Entry(card.formulas[name]) if card.formulas else Entry(None, reason="the task is no CT-graph")

    return Row(f"formulas.{name}", *FORMULAS[name], read)


def _sampled(read: Callable[[Card], Entry], card: Card) -> Entry:
    return read(card) if card.rollouts is not None else Entry(None, reason="the task has a table: nothing is sampled")


def _of_rollouts(name: str, card: Card) -> Entry:
    found = getattr(card.rollouts, name)
    return _estimate(found) if isinstance(found, Estimate) else Entry(found)


def _best_seen(card: Card) -> Entry:
    assert card.rollouts is not None
    return Entry(card.rollouts.best, n=len(card.rollouts.returns), unit="episodes")


def _plain(rows: Iterable[tuple[str, str, str, str]]) -> tuple[Row, ...]:
    return tuple(Row(*words, partial(_field, words[0])) for words in rows)


_TASK = _plain((
    ("states", "States", "How many states the table has.", "counted"),
    ("actions", "Actions", "How many actions there are to choose from.", "counted"),
    ("horizon", "Horizon T", "After so many steps an episode is over.", "given"),
    ("gamma", "Discount γ", "A learner discounts what it looks ahead to by γ; optimality is judged without.",
     f"{CHALLENGE}, section 2"),
    ("deterministic", "Deterministic", "Whether the same action in the same state always has the same outcome.",
     "read off the table, or off repeated play"),
))  # fmt: skip
_RETURNS = (
    *_plain([("optimal_return", "Optimal return", "What the best policy earns in an episode on average.",
              "dynamic programming")]),
    Row("random_return", "Random return", "What uniformly random actions earn in an episode on average.",
        "dynamic programming, or sampled episodes", _random_return),
    *_plain([("worst_return", "Worst return", "What the worst policy earns in an episode on average.",
              "dynamic programming")]),
)  # fmt: skip
_GUESSING = _plain((
    ("p_opt", "Chance of guessing p", "The probability that random actions are optimal ones all the way.",
     f"{CHALLENGE}, section 3"),
    ("random_guess_bound", "Steps of guessing", "T · log 2 / p: so many steps of guessing whole episodes find an "
     "optimal one with probability ½.", f"{CHALLENGE}, section 3"),
    ("covering_length", "Covering length", "So many episodes of random play try every action in every state with "
     "probability ½.", BRIDGE),
))  # fmt: skip
_LOOK_AHEAD = (
    *_plain((
        ("min_k", "min_k", "The least look-ahead k with which every policy greedy in Qᵏ is optimal: k steps ahead, "
         "then random play.", f"{BRIDGE}; {CHALLENGE}, Definition 2.1"),
        ("epw", "Effective planning window", "The same if nothing is known of what follows: so many rewards ahead must "
         "be seen.", BRIDGE),
    )),
    Row("discount_is_harmless", "Discounting is harmless", "Whether every policy that is best with the discount is "
        "best without it too.", f"{CHALLENGE}, section 2", _harmless),
)  # fmt: skip
_LENGTHS = {
    "simple": ("At most so long, by the gaps in Qᵏ and the variance of random returns: k + log_A m.", BRIDGE),
    "tight": ("At most so long, by bounding GORP's probability of failing at every step: k + log_A m.", BRIDGE),
    "gorp": ("The least k + log_A m with which GORP finds an optimal policy in half of its runs.",
             f"{BRIDGE}; {CHALLENGE}, Definition 2.2"),
    "stochastic": ("k + log_A of 1 over the squared gap in Qᵏ, with returns scaled to [0, 1].", "Laidlaw et al. 2024"),
}  # fmt: skip
_HORIZON = tuple(
    Row(f"effective_horizon.{way}", WAYS[way][0].upper() + WAYS[way][1:], *_LENGTHS[way], partial(_length, way))
    for way in WAYS
)
_SAMPLED = tuple(
    Row(f"rollouts.{key}", title, meaning, "sampled", partial(_sampled, read))
    for key, title, meaning, read in (
        ("best", "Best return seen", "The largest return that random play came to: no bound on what can be earned.",
         _best_seen),
        ("length", "Episode length", "How many steps an episode of random play takes on average.",
         partial(_of_rollouts, "length")),
        ("paying_steps", "Paying steps", "The share of the steps of random play that pay anything but zero.",
         partial(_of_rollouts, "paying_steps")),
        ("silent_episodes", "Silent episodes", "The share of episodes of random play that pay nothing at all.",
         partial(_of_rollouts, "silent_episodes")),
        ("repeatable", "Repeatable", "Whether the same seed and actions had the same outcome when played again.",
         partial(_of_rollouts, "repeatable")),
    )
)  # fmt: skip
