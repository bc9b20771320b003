"""By what are the returns of a life normalised? By what can be earned in each task, so that tasks compare.

0 is earning nothing, or random play where that earns less than nothing; 1 is the exact optimum or, where nobody knows
it, the mean evaluation of the experts at the end of their training.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from mohs.agents.protocol import Points
from mohs.core.task import Task
from mohs.core.values import Json
from mohs.protocols.lifelong.study import LifelongStudy, exact_score

Number = TypeVar("Number", float, npt.NDArray[np.float64])


@dataclass(frozen=True)
class Span:
    """The returns that are performance 0 and 1 in one task."""

    low: float
    high: float
    source: str  # of the higher one
    exact: bool = True

    def performance(self, returns: Number) -> Number:
        spread = self.high - self.low
        return (returns - self.low) / (spread if spread > 0 else math.nan)

    def to_json(self) -> dict[str, Json]:
        return {"low": self.low, "high": self.high, "source": self.source}


def _below(random: float) -> float:
    """0, or random play where that earns less; not known where that is not."""
    return random if math.isnan(random) else min(0.0, random)


def exact_span(task: Task) -> Span | None:
    """The span of a task with exact references."""
    score = exact_score(task)
    if score is None or score.low is None or score.high is None:
        return None
    return Span(min(0.0, score.low.value), score.high.value, score.high.source)


def spans(study: LifelongStudy, results: Mapping[str, Points]) -> dict[str, Span]:
    """The span of every task, from its references or from the study's own runs; of no use where these are missing."""
    found = {}
    for name, task in study.curriculum.tasks:
        found[name] = exact_span(task) or Span(
            _below(_mean(results, [study.random(name, seed).key for seed in range(study.seeds)], "random")),
            _mean(results, [study.expert(a, name, s).key for a in study.agents for s in range(study.seeds)], "expert"),
            "mean of the experts at the end of training",
            exact=False,
        )
    return found


def _mean(results: Mapping[str, Points], keys: list[str], probe: str) -> float:
    values = [results[key][f"{probe}/return"][1][-1] for key in keys if key in results]
    return float(np.mean(values)) if values else math.nan
