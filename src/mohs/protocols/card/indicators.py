"""Which quantities of a card say that a task is hard, and which way?

An indicator has no unit of reward: what is measured in rewards is divided by the range of returns, from the worst to
the best policy. So tasks with different rewards can be ranked.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mohs.report.numbers import written

if TYPE_CHECKING:
    from mohs.protocols.card.record import Card

MOST_STEPS = 10_000_000  # of GORP: beyond, all tasks count as equally hard


@dataclass(frozen=True)
class Indicator:
    """A quantity with a direction, and what to say of its value {}: briefly, where it is hard, where it is easy."""

    key: str
    title: str
    more_is_harder: bool
    meaning: str
    short: str
    hard: str
    easy: str
    read: Callable[[Card], float | None]
    text: Callable[[float], str] = written

    def hardness(self, value: float) -> float:
        """The value, turned so that more is harder."""
        return value if self.more_is_harder else -value


def indicator_values(card: Card) -> dict[str, float | None]:
    """The value of every indicator; None where it is not defined."""
    return {indicator.key: indicator.read(card) for indicator in INDICATORS}


def _range(card: Card) -> float | None:
    if card.optimal_return is None or card.worst_return is None or card.optimal_return <= card.worst_return:
        return None
    return card.optimal_return - card.worst_return


def _relative(name: str, card: Card) -> float | None:
    """A measure in rewards as a share of the range of returns; not defined where that or the measure is infinite."""
    value, span = card.measures.get(name), _range(card)
    return value / span if value is not None and span is not None and math.isfinite(value) else None


def _random_share(card: Card) -> float | None:
    span = _range(card)
    if span is None or card.random_return is None or card.worst_return is None:
        return None
    return (card.random_return - card.worst_return) / span


def _gorp_steps(card: Card) -> float | None:
    """Steps that are charged to GORP; `MOST_STEPS` where it was given as many and did not succeed."""
    length = card.effective_horizon.get("gorp")
    if length is not None and card.actions is not None and length.k is not None and length.m is not None:
        return min(float(card.horizon**2 * card.actions**length.k * length.m), MOST_STEPS)
    return MOST_STEPS if card.gorp_failed_within >= MOST_STEPS else None


def _paying_steps(card: Card) -> float | None:
    return card.measures.get("paying_steps") if card.rollouts is None else card.rollouts.paying_steps.value


def _whole(name: str) -> Callable[[Card], float | None]:
    def read(card: Card) -> float | None:
        value: float | None = getattr(card, name)
        return None if value is None else float(value)

    return read


def _share(value: float) -> str:
    """A share in per cent; one that is not nothing is never written as 0%."""
    size = 100 * value
    return f"{size:.1e}%" if 0 < size < 0.01 else f"{size:.2g}%" if size < 99.5 else "100%"


def _steps(value: float) -> str:
    return f"over {MOST_STEPS:,}" if value >= MOST_STEPS else f"{value:,.0f}"


def _count(value: float) -> str:
    return f"{value:,.0f}" if value < 1e7 else f"{value:.1e}"


INDICATORS = (
    Indicator("paying_steps", "Sparse rewards", False, "share of random steps that pay anything",
              "{} of random steps pay",
              "random play rarely sees a reward (in {} of its steps)",
              "random play often sees rewards (in {} of its steps)", _paying_steps, _share),
    Indicator("random_share", "Far from random", False,
              "where the random policy lies between the worst (0%) and the best (100%) return",
              "random earns {} of the range",
              "random play earns {} of what lies between the worst and the best return",
              "random play already earns {} of what lies between the worst and the best return", _random_share, _share),
    Indicator("p_opt", "Hard to guess", False, "probability that random actions are optimal all the way",
              "probability {}",
              "random play is optimal with probability {}", "random play is optimal with probability {}",
              _whole("p_opt")),
    Indicator("gorp_steps", "Long effective horizon", True, "steps that GORP needs to find an optimal policy",
              "GORP: {} steps", "search over random play (GORP) takes {} steps",
              "search over random play (GORP) takes {} steps", _gorp_steps, _steps),
    Indicator("min_k", "Deceptive", True, "steps to look ahead of random play until greedy actions are optimal",
              "look-ahead min_k = {}", "one must look {} steps ahead of random play to act optimally",
              "actions that are greedy on the value of random play suffice (min_k = {})", _whole("min_k"), _count),
    Indicator("covering_length", "Hard to explore", True,
              "episodes of random play that try every action in every state", "{} episodes",
              "random play takes {} episodes to try every action everywhere",
              "random play tries every action everywhere in {} episodes", _whole("covering_length"), _count),
    Indicator("smallest_gap", "Fine differences", False, "least loss of a sub-optimal action, of the range of returns",
              "a mistake costs {} or more", "the least bad mistake costs only {} of the range of returns",
              "every mistake costs at least {} of the range of returns",
              lambda card: _relative("smallest_gap", card), _share),
    Indicator("value_norm", "Chance", True, "largest spread of the next state's value, of the range of returns",
              "spread {} of the range", "chance moves the value of a step by up to {} of the range of returns",
              "chance hardly matters (up to {} of the range of returns in a step)",
              lambda card: _relative("value_norm", card), _share),
    Indicator("most_alike", "Needs memory", True, "most states that share one observation", "{} states look alike",
              "up to {} states look alike", "at most {} states look alike",
              lambda card: card.measures.get("most_alike"), _count),
    Indicator("states", "Large", True, "number of states", "{} states", "it has {} states", "it has only {} states",
              _whole("states"), _count),
)  # fmt: skip
BY_KEY = {indicator.key: indicator for indicator in INDICATORS}
