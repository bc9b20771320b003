"""Are addressed draws as random as they must be, and the normal as exact?"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special, stats
from toy_reference import bits as plain_bits
from toy_reference import normal as plain_normal
from toy_reference import uniform as plain_uniform

from mohs.core.kernel import kernel
from mohs.engines import draws


@kernel
def fill(key, raw, flat, bell, lane):
    for episode in range(raw.shape[0]):
        for t in range(raw.shape[1]):
            raw[episode, t] = draws.bits(key, episode, t, lane)
            flat[episode, t] = draws.uniform(key, episode, t, lane)
            bell[episode, t] = draws.normal(key, episode, t, lane)


def drawn(lane: int, key: int = 12345) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    raw = np.empty((400, 500), dtype=np.uint64)
    flat, bell = np.empty(raw.shape), np.empty(raw.shape)
    fill(np.uint64(key), raw, flat, bell, lane)
    return raw, flat, bell


def test_draws_are_those_of_plain_python() -> None:
    raw, flat, bell = drawn(3)
    for episode, t in [(0, 0), (0, 1), (7, 0), (399, 499), (123, 45)]:
        assert int(raw[episode, t]) == plain_bits(12345, episode, t, 3)
        assert flat[episode, t] == plain_uniform(12345, episode, t, 3)
        assert bell[episode, t] == pytest.approx(plain_normal(12345, episode, t, 3), abs=1e-13)


def test_the_normal_is_the_quantile_of_its_tail_probability() -> None:
    raw, _, bell = drawn(2)
    tail = ((raw >> np.uint64(12)).astype(np.float64) + 0.5) / 2**53
    sign = np.where(raw & np.uint64(1), -1.0, 1.0)
    assert np.abs(bell - sign * special.ndtri(tail)).max() < 1e-12


def test_the_table_of_quantiles_reaches_into_the_last_tail() -> None:
    tail = 2.0 ** -np.random.default_rng(0).uniform(1, 54, size=50_000)
    part = tail.view(np.uint64) >> np.uint64(48)
    middle = (part << np.uint64(48) | np.uint64(1 << 47)).view(np.float64)
    coefficients = draws._TAIL[(part - np.uint64(draws._FIRST_PART)).astype(np.int64)]
    powers = (tail - middle)[:, None] ** np.arange(8)
    assert np.abs((coefficients * powers).sum(axis=1) - special.ndtri(tail)).max() < 1e-12


def test_draws_are_uniform_normal_and_independent() -> None:
    _, flat, bell = drawn(1)
    assert flat.min() >= 0
    assert flat.max() < 1
    assert stats.kstest(flat.ravel(), "uniform").pvalue > 1e-3
    assert stats.kstest(bell.ravel(), "norm").pvalue > 1e-3
    pairs = np.histogram2d(flat[:, :-1].ravel(), flat[:, 1:].ravel(), bins=16)[0]
    assert stats.chisquare(pairs.ravel()).pvalue > 1e-3
    pairs = np.histogram2d(flat[:-1].ravel(), flat[1:].ravel(), bins=16)[0]
    assert stats.chisquare(pairs.ravel()).pvalue > 1e-3
    for other in (drawn(2)[1], drawn(1, key=12346)[1]):
        assert abs(np.corrcoef(flat.ravel(), other.ravel())[0, 1]) < 4 / np.sqrt(flat.size)
