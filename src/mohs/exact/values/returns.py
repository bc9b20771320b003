"""What do episodes earn? The distributions of the return of random and of optimal play, or sampled returns."""

from __future__ import annotations

import math
from dataclasses import dataclass

from mohs.core.errors import UsageError
from mohs.exact.lookahead.qvi import TIES
from mohs.exact.values.distribution import distribution, moments
from mohs.stats import Estimate
from mohs.tables.table import Float, Table


@dataclass(frozen=True, eq=False)
class Law:
    """The returns of one way to play; without the values only their mean and standard deviation are known."""

    name: str
    mean: float
    deviation: float
    values: Float | None = None
    probabilities: Float | None = None


@dataclass(frozen=True, eq=False)
class ReturnLaws:
    random: Law
    optimal: Law
    chance: float | None  # that random play earns at least the mean of optimal play, where the laws are known
    reason: str = ""  # why they are not


@dataclass(frozen=True, eq=False)
class ReturnSample:
    returns: Float
    mean: Estimate


def return_laws(table: Table, horizon: int) -> ReturnLaws:
    """Exact distributions; means and standard deviations where there are too many returns."""
    try:
        random, optimal = (_known(table, horizon, policy) for policy in ("mean", "best"))
    except UsageError as error:
        random, optimal = (_moments(table, horizon, policy) for policy in ("mean", "best"))
        return ReturnLaws(random, optimal, None, str(error).partition(";")[0].rstrip("."))
    assert random.values is not None
    assert random.probabilities is not None
    chance = float(random.probabilities[random.values >= optimal.mean - TIES].sum())
    return ReturnLaws(random, optimal, chance)


_NAMES = {"mean": "random play", "best": "optimal play"}


def _known(table: Table, horizon: int, policy: str) -> Law:
    found = distribution(table, horizon=horizon, policy=policy)  # type: ignore[arg-type]
    about = found.moments
    return Law(_NAMES[policy], about.mean, math.sqrt(about.variance), found.values, found.probabilities)


def _moments(table: Table, horizon: int, policy: str) -> Law:
    about = moments(table, horizon=horizon, discount=1.0, policy=policy)  # type: ignore[arg-type]
    return Law(_NAMES[policy], about.mean, math.sqrt(max(0.0, about.variance)))
