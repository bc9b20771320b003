"""How does a task compare with known ones? Percentiles, the most similar tasks, and what makes it easy or hard.

A percentile is the share of known tasks that are strictly easier on an indicator. Ties do not count: a task without
chance is harder than none of the others without.

Similarity is the root mean square of differences over the indicators that both tasks have. Each indicator is replaced
by its mid-rank among the known tasks and divided by the spread of these, so that neither units nor outliers count.

Only an indicator that goes with low scores of the agents over the known tasks can be a reason (`relevance`).
"""

from __future__ import annotations

import math
import statistics
from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING

from mohs.core.values import Json
from mohs.protocols.card.collection import Collection, KnownTask, collection
from mohs.protocols.card.indicators import INDICATORS, Indicator, indicator_values

if TYPE_CHECKING:
    from mohs.protocols.card.record import Card

NEIGHBOURS = 5  # similar tasks whose outcomes are averaged
FEWEST_SHARED = 5  # indicators that two tasks must share to be compared
EASY, HARD = 0.8, 0.4  # mean scores on similar tasks from which, and below which, a task is called so
EXTREME = 0.6  # share of known tasks that an indicator must exceed to be a reason


class Difficulty(StrEnum):
    """What agents reached on similar tasks."""

    EASY = "easy"
    MODERATE = "moderate"
    HARD = "hard"
    UNKNOWN = "unknown"  # no similar task is known


@dataclass(frozen=True)
class Standing:
    """A task on one indicator: strictly harder than a share of the n known tasks, strictly easier than another."""

    key: str
    title: str
    value: float | None
    text: str
    harder_than: float | None
    easier_than: float | None
    n: int

    def to_json(self) -> dict[str, Json]:
        """As plain data."""
        return {
            "indicator": self.key,
            "value": self.value,
            "harder_than": self.harder_than,
            "easier_than": self.easier_than,
            "known_tasks": self.n,
        }


@dataclass(frozen=True)
class Neighbour:
    """A known task, its distance, and how many indicators that rests on."""

    task: KnownTask
    distance: float
    shared: int

    def to_json(self) -> dict[str, Json]:
        """As plain data."""
        return {
            "task": self.task.name,
            "horizon": self.task.horizon,
            "distance": self.distance,
            "shared_indicators": self.shared,
            "outcomes": {agent: outcome.to_json() for agent, outcome in self.task.outcomes.items()},
        }


@dataclass(frozen=True)
class Profile:
    """Where a task stands among the known ones. `own` is the task itself, where it is one of them."""

    standings: tuple[Standing, ...]
    neighbours: tuple[Neighbour, ...]
    own: Neighbour | None
    expected: float | None  # mean score of the agents on the neighbours
    difficulty: Difficulty
    reasons: tuple[str, ...]  # keys of the one or two indicators that make it so
    known_tasks: int
    budget: int
    seeds: int

    def standing(self, key: str) -> Standing:
        """The standing on an indicator."""
        return next(found for found in self.standings if found.key == key)

    def to_json(self) -> dict[str, Json]:
        """As plain data."""
        return {
            "difficulty": str(self.difficulty),
            "reasons": list(self.reasons),
            "percentiles": [standing.to_json() for standing in self.standings],
            "neighbours": [neighbour.to_json() for neighbour in self.neighbours],
            "own": None if self.own is None else self.own.to_json(),
            "expected_score": self.expected,
            "known_tasks": self.known_tasks,
            "budget": self.budget,
            "seeds": self.seeds,
        }


def profile(card: Card, known: Collection | None = None) -> Profile:
    """Compares a card with the reference collection, or with another one."""
    known = collection() if known is None else known
    values = indicator_values(card)
    standings = tuple(_standing(indicator, values[indicator.key], known) for indicator in INDICATORS)
    near = neighbours(values, known)
    own = next((n for n in near if (n.task.name, n.task.horizon) == (card.name, card.horizon)), None)
    others = tuple(n for n in near if n is not own)[:NEIGHBOURS]
    scores = [n.task.score for n in others if n.task.score is not None]
    expected = sum(scores) / len(scores) if scores else None
    judged = own.task.score if own is not None and own.task.score is not None else expected
    difficulty = _difficulty(judged)
    reasons = _reasons(standings, difficulty, known)
    return Profile(standings, others, own, expected, difficulty, reasons, len(known.tasks), known.budget, known.seeds)


def neighbours(values: Mapping[str, float | None], known: Collection) -> list[Neighbour]:
    """The known tasks that share enough indicators, the nearest first."""
    ranks = {indicator.key: _Ranks(indicator, known) for indicator in INDICATORS}
    found = []
    for task in known.tasks:
        pairs = [(key, values[key], task.values.get(key)) for key in ranks]
        squares = [
            ranks[key].difference(one, other) ** 2 for key, one, other in pairs if one is not None and other is not None
        ]
        if len(squares) >= FEWEST_SHARED:
            found.append(Neighbour(task, math.sqrt(sum(squares) / len(squares)), len(squares)))
    return sorted(found, key=lambda neighbour: neighbour.distance)


class _Ranks:
    """The mid-ranks of an indicator among the known tasks."""

    def __init__(self, indicator: Indicator, known: Collection) -> None:
        self._indicator = indicator
        self._values = sorted(known.hardness(indicator.key))
        ranks = [self.rank(value) for value in self._values]
        mean = sum(ranks) / len(ranks) if ranks else 0.0
        self._spread = math.sqrt(sum((rank - mean) ** 2 for rank in ranks) / len(ranks)) if ranks else 0.0

    def rank(self, hardness: float) -> float:
        return (bisect_left(self._values, hardness) + bisect_right(self._values, hardness)) / (2 * len(self._values))

    def difference(self, one: float, other: float) -> float:
        """Where all known tasks are alike, another one differs by nothing that could be measured in their spread."""
        if self._spread == 0:
            return 0.0
        turn = self._indicator.hardness
        return abs(self.rank(_same_digits(turn(one))) - self.rank(_same_digits(turn(other)))) / self._spread


def _same_digits(value: float) -> float:
    """The file has eight digits: a task must equal itself."""
    return float(f"{value:.8g}")


def _standing(indicator: Indicator, value: float | None, known: Collection) -> Standing:
    values = sorted(known.hardness(indicator.key))
    if value is None or not values:
        return Standing(indicator.key, indicator.title, value, "", None, None, len(values))
    own = _same_digits(indicator.hardness(value))
    easier, harder = bisect_left(values, own), len(values) - bisect_right(values, own)
    text, n = indicator.text(value), len(values)
    return Standing(indicator.key, indicator.title, value, text, easier / n, harder / n, n)


def _difficulty(score: float | None) -> Difficulty:
    if score is None:
        return Difficulty.UNKNOWN
    return Difficulty.EASY if score >= EASY else Difficulty.HARD if score < HARD else Difficulty.MODERATE


def _reasons(standings: tuple[Standing, ...], difficulty: Difficulty, known: Collection) -> tuple[str, ...]:
    """The one or two relevant indicators on which the task is most extreme: easiest if it is easy, else hardest."""
    easy, counts = difficulty is Difficulty.EASY, relevance(known)
    shares = [(s.easier_than if easy else s.harder_than, s.key) for s in standings if counts[s.key].relevant]
    extreme = sorted(((share, key) for share, key in shares if share is not None and share >= EXTREME), reverse=True)
    return tuple(key for _, key in extreme[:2])


@dataclass(frozen=True)
class Relevance:
    """Spearman's rank correlation of an indicator with what agents lost over n known tasks (1 − their mean score)."""

    correlation: float
    n: int

    @property
    def relevant(self) -> bool:
        """Whether it is positive by more than two standard errors of uncorrelated ranks."""
        return self.n > 1 and self.correlation > 2 / math.sqrt(self.n - 1)


@lru_cache(maxsize=4)
def relevance(known: Collection) -> dict[str, Relevance]:
    """How far each indicator goes with what agents lost, over the known tasks on which they were trained."""
    return {indicator.key: _relevance(indicator, known) for indicator in INDICATORS}


def _relevance(indicator: Indicator, known: Collection) -> Relevance:
    pairs = [
        (indicator.hardness(value), 1 - score)
        for task in known.tasks
        if (value := task.values.get(indicator.key)) is not None and (score := task.score) is not None
    ]
    one, other = (_mid_ranks([pair[side] for pair in pairs]) for side in (0, 1))
    return Relevance(_correlation(one, other), len(pairs))


def _mid_ranks(values: list[float]) -> list[float]:
    ordered = sorted(values)
    return [(bisect_left(ordered, value) + bisect_right(ordered, value)) / 2 for value in values]


def _correlation(one: list[float], other: list[float]) -> float:
    """Pearson's correlation; 0 where one of them does not vary."""
    if len(set(one)) < 2 or len(set(other)) < 2:
        return 0.0
    return statistics.correlation(one, other)
