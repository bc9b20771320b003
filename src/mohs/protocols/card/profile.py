"""How does a task compare with known ones? Percentiles, the most similar tasks, and what makes it easy or hard.

A percentile is the share of known tasks that are strictly easier on an indicator. Ties do not count: a task without
chance is harder than none of the others without.

Similarity is the root mean square of differences over the indicators that both tasks have. Each indicator is replaced
by its mid-rank among the known tasks and divided by the spread of these, so that neither units nor outliers count.

Only an indicator that goes with low scores of the agents over the known tasks can be a reason (`relevance`).
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mohs.core.values import Json
from mohs.protocols.card.collection import Collection, KnownTask, collection
from mohs.protocols.card.indicators import BY_KEY, INDICATORS, Indicator, indicator_values
from mohs.stats.comparison import rank_correlation

if TYPE_CHECKING:
    from mohs.protocols.card.record import Card

NEIGHBOURS = 5  # similar tasks whose outcomes are averaged
FEWEST_SHARED = 5  # indicators that two tasks must share to be compared
EASY, HARD = 0.8, 0.4  # mean scores on similar tasks from which, and below which, a task is called so
USUAL = 0.95  # share of known tasks by which the usual distance to the nearest other one is defined
EXTREME = 0.6  # share of known tasks that an indicator must exceed to be a reason


Float = npt.NDArray[np.float64]


class Difficulty(StrEnum):
    """What agents reached on similar tasks."""

    EASY = "easy"
    MODERATE = "moderate"
    HARD = "hard"
    UNKNOWN = "unknown"  # no known task is similar enough, or agents were trained on none of them


@dataclass(frozen=True)
class Percentile:
    """A task on one indicator: strictly harder than a share of the n known tasks, strictly easier than another."""

    key: str
    title: str
    value: float | None
    text: str
    harder_than: float | None
    easier_than: float | None
    n: int

    @property
    def words(self) -> str:
        """The value in few words."""
        return BY_KEY[self.key].short.format(self.text)

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
    """A task among the known ones. `own` is the task itself, where it is one of them."""

    percentiles: tuple[Percentile, ...]
    neighbours: tuple[Neighbour, ...]
    own: Neighbour | None
    expected: float | None  # mean score of Q-learning on the neighbours
    difficulty: Difficulty
    reasons: tuple[str, ...]  # keys of the one or two indicators that make it so
    known_tasks: int
    budget: int
    seeds: int

    def percentile(self, key: str) -> Percentile:
        """The percentile on an indicator."""
        return next(found for found in self.percentiles if found.key == key)

    def to_json(self) -> dict[str, Json]:
        """As plain data."""
        return {
            "difficulty": str(self.difficulty),
            "reasons": list(self.reasons),
            "percentiles": [percentile.to_json() for percentile in self.percentiles],
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
    values, name = indicator_values(card), short_name(card.name)
    listed = next(
        (task for task in known.tasks if short_name(task.name) == name and task.horizon == card.horizon), None
    )
    if listed is not None:  # what a card cannot tell of a known task without a table, the collection can
        values = {key: listed.values.get(key) if value is None else value for key, value in values.items()}
    percentiles = tuple(_percentile(indicator, values[indicator.key], known) for indicator in INDICATORS)
    near = neighbours(values, known)
    own = next((n for n in near if n.task is listed), None)
    others = tuple(n for n in near if n is not own)[:NEIGHBOURS]
    scores = [n.task.score for n in others if n.task.score is not None]
    expected = sum(scores) / len(scores) if scores else None
    judged = own.task.score if own is not None and own.task.score is not None else expected
    alike = own is not None or (bool(near) and near[0].distance <= 2 * _ranked(known).usual)
    difficulty = _difficulty(judged) if alike else Difficulty.UNKNOWN
    reasons = _reasons(percentiles, difficulty, known)
    return Profile(percentiles, others, own, expected, difficulty, reasons, len(known.tasks), known.budget, known.seeds)


def short_name(name: str) -> str:
    """Without the structure seed that a task has unless it is given."""
    return name.removesuffix(" seed=0")


def neighbours(values: Mapping[str, float | None], known: Collection) -> list[Neighbour]:
    """The known tasks that share enough indicators, the nearest first."""
    ranked = _ranked(known)
    distance, shared = ranked.distances(ranked.place(values))
    near = [Neighbour(task, float(d), int(n)) for task, d, n in zip(known.tasks, distance, shared, strict=True)]
    return sorted((n for n in near if n.shared >= FEWEST_SHARED), key=lambda neighbour: neighbour.distance)


@dataclass(frozen=True, eq=False)
class _Ranked:
    """Sorted values of every indicator, and the standardised mid-ranks [tasks, indicators]; NaN where not defined."""

    ordered: tuple[list[float], ...]
    spread: Float
    places: Float

    def place(self, values: Mapping[str, float | None]) -> Float:
        """The mid-ranks of a task among the known ones, in units of their spread."""
        return _mid_places(values, self.ordered) / self.spread

    def distances(self, place: Float) -> tuple[Float, npt.NDArray[np.int64]]:
        """The distance to each known task, and the number of indicators that it rests on."""
        squares = (self.places - place) ** 2
        shared = (~np.isnan(squares)).sum(axis=1)
        return np.sqrt(np.nansum(squares, axis=1) / np.maximum(shared, 1)), shared

    @cached_property
    def usual(self) -> float:
        """The distance within which nearly all known tasks have another one."""
        pairs = np.array([self.distances(place)[0] for place in self.places])
        np.fill_diagonal(pairs, np.inf)
        return float(np.quantile(pairs.min(axis=1), USUAL))


@lru_cache(maxsize=4)
def _ranked(known: Collection) -> _Ranked:
    ordered = tuple(sorted(known.hardness(indicator.key)) for indicator in INDICATORS)
    places = np.array([_mid_places(task.values, ordered) for task in known.tasks])
    spread = np.array([np.std(column[~np.isnan(column)]) if np.isfinite(column).any() else 0.0 for column in places.T])
    spread[spread == 0] = np.inf  # where all known tasks are alike, an indicator tells none apart
    return _Ranked(ordered, spread, places / spread)


def _mid_places(values: Mapping[str, float | None], ordered: Sequence[list[float]]) -> Float:
    found = np.full(len(INDICATORS), np.nan)
    for i, (indicator, known) in enumerate(zip(INDICATORS, ordered, strict=True)):
        if known and (value := values.get(indicator.key)) is not None:
            turned = _same_digits(indicator.hardness(value))
            found[i] = (bisect_left(known, turned) + bisect_right(known, turned)) / (2 * len(known))
    return found


def _same_digits(value: float) -> float:
    """The file has eight digits: a task must equal itself."""
    return float(f"{value:.8g}")


def _percentile(indicator: Indicator, value: float | None, known: Collection) -> Percentile:
    values = sorted(known.hardness(indicator.key))
    if value is None or not values:
        return Percentile(indicator.key, indicator.title, value, "", None, None, len(values))
    own = _same_digits(indicator.hardness(value))
    easier, harder = bisect_left(values, own), len(values) - bisect_right(values, own)
    text, n = indicator.text(value), len(values)
    return Percentile(indicator.key, indicator.title, value, text, easier / n, harder / n, n)


def _difficulty(score: float | None) -> Difficulty:
    if score is None:
        return Difficulty.UNKNOWN
    return Difficulty.EASY if score >= EASY else Difficulty.HARD if score < HARD else Difficulty.MODERATE


def _reasons(percentiles: tuple[Percentile, ...], difficulty: Difficulty, known: Collection) -> tuple[str, ...]:
    """The one or two relevant indicators on which the task is most extreme: easiest if it is easy, else hardest."""
    easy, counts = difficulty is Difficulty.EASY, relevance(known)
    shares = [(s.easier_than if easy else s.harder_than, s.key) for s in percentiles if counts[s.key].relevant]
    extreme = sorted(((share, key) for share, key in shares if share is not None and share >= EXTREME), reverse=True)
    return tuple(key for _, key in extreme[:2])


@dataclass(frozen=True)
class Relevance:
    """Spearman's rank correlation of an indicator with what agents lost over n known tasks (1 − their mean score).

    NaN, and not relevant, where one of the two does not vary.
    """

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
    if not pairs:
        return Relevance(math.nan, 0)
    hardness, lost = np.array(pairs).T
    return Relevance(float(rank_correlation(hardness, lost)), len(pairs))
