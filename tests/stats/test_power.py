"""The number of runs that would decide does decide, as often as it says; identical runs are found."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mohs.core.errors import UsageError
from mohs.stats import estimates, identical_runs, runs_needed


@pytest.mark.parametrize(("effect", "comparisons"), [(1.0, 1), (0.5, 1), (0.3, 1), (0.5, 10)])
def test_so_many_runs_decide_in_four_of_five_studies(effect: float, comparisons: int) -> None:
    rng = np.random.default_rng(0)
    n = runs_needed(rng.standard_normal(20_000), effect, comparisons=comparisons)
    assert n is not None
    found = estimates(effect + rng.standard_normal((2000, n)), comparisons=comparisons)
    assert np.mean([e.low > 0 for e in found]) == pytest.approx(0.8, abs=0.07)


def test_smaller_effects_more_certainty_and_wider_spread_need_more_runs() -> None:
    runs = np.random.default_rng(1).standard_normal(10)
    first = runs_needed(runs, 0.8)
    assert first == runs_needed(-runs, -0.8)
    more = runs_needed(runs, 0.4), runs_needed(2 * runs, 0.8), runs_needed(runs, 0.8, power=0.95)
    assert min(more) > first
    assert more[0] == more[1]


def test_what_cannot_be_said_is_none() -> None:
    assert runs_needed([0.1, math.nan, 0.3], 0.1) is None
    assert runs_needed([-1.0, 1.0, 0.5], 1e-6) is None
    assert runs_needed([0.5, 0.5, 0.5], 0.1) == 3
    for effect in (0.0, math.inf):
        with pytest.raises(UsageError, match="effect"):
            runs_needed([0.1, 0.2, 0.3], effect)


def test_identical_runs_are_identical_to_the_bit() -> None:
    runs = np.random.default_rng(2).random(5)
    assert identical_runs([runs, runs, runs])
    assert not identical_runs([runs, np.nextafter(runs, 1)])
    assert identical_runs([runs, np.where(np.arange(5) == 2, np.nan, runs)])  # a missing run
    assert not identical_runs([runs, np.full(5, np.nan)])
