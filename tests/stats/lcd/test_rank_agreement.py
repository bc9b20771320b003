"""How far do two orders of games agree, and does the interval hold over games?"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import spearmanr

from mohs.core.errors import UsageError
from mohs.stats.lcd import rank_agreement


def test_the_correlation_is_scipys() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.integers(5, size=(2, 9)).astype(float)
    assert rank_agreement(a, b).value == pytest.approx(spearmanr(a, b).statistic)


@pytest.mark.parametrize("games", [4, 5, 8, 16])
@pytest.mark.parametrize("true", [0.0, 0.6, 0.9])
def test_the_interval_covers_the_correlation_of_all_games(games: int, true: float) -> None:
    rng, studies = np.random.default_rng([games, int(10 * true)]), 600
    pearson = 2 * math.sin(math.pi * true / 6)
    inside = 0
    for _ in range(studies):
        a = rng.standard_normal(games)
        e = rank_agreement(a, pearson * a + math.sqrt(1 - pearson**2) * rng.standard_normal(games))
        inside += e.low <= true <= e.high
    assert inside / studies > 0.91


def test_few_games_are_no_evidence() -> None:
    assert rank_agreement([1, 2, 3, 4], [1, 2, 3, 4]).low < 0
    assert not rank_agreement([1, 2, 3], [1, 2, 3]).known
    assert math.isnan(rank_agreement([1], [2]).value)
    assert rank_agreement([1, 2, math.nan, 4], [1, math.nan, 3, 4]).n == 2
    assert math.isnan(rank_agreement([math.nan] * 5, [1] * 5).value)
    with pytest.raises(UsageError, match="same games"):
        rank_agreement([1, 2], [1, 2, 3])
