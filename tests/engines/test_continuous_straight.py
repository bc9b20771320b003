"""Is the distance from the best straight line that of a singular value decomposition?"""

from __future__ import annotations

import numpy as np
import pytest
from continuous_reference import line_deviation
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from mohs.engines.continuous.straight import deviation


def measured(points: np.ndarray) -> float:
    rows, columns = points.shape
    floats = np.concatenate([[7.0], points.ravel(), np.full(rows * columns, np.nan), [8.0]])
    result = deviation(floats, 1, rows, columns, 1 + rows * columns)
    assert floats[0] == 7
    assert floats[-1] == 8
    assert np.array_equal(floats[1 : 1 + rows * columns], points.ravel())  # the points are left as they were
    return float(result)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(
    rows=st.integers(2, 65), columns=st.integers(1, 12), seed=st.integers(0, 9999),
    flat=st.sampled_from([0.0, 1e-14, 1e-9, 1e-4, 1.0]), size=st.sampled_from([1e-3, 1.0, 10.0]),
)  # fmt: skip
def test_it_is_that_of_the_singular_values(rows: int, columns: int, seed: int, flat: float, size: float) -> None:
    rng = np.random.default_rng(seed)
    along = rng.normal(size=columns)
    points = rng.normal(size=(rows, 1)) * along + flat * rng.normal(size=(rows, columns)) + rng.normal(size=columns)
    points *= size
    assert measured(points) == pytest.approx(line_deviation(points), abs=1e-12 * size, rel=1e-9)


def test_points_on_a_line_lie_on_it() -> None:
    for columns in (1, 2, 3, 64):
        points = np.linspace(-10, 10, 17)[:, None] * np.linspace(0.1, 1, columns) + 3
        assert measured(points) < 1e-13
    assert measured(np.full((5, 3), 2.5)) == 0


@pytest.mark.parametrize("corners", [3, 4, 5, 8])
def test_points_without_a_best_direction(corners: int) -> None:
    """Of a regular polygon with radius 1 every line through the middle is as good: mean square 1/2."""
    angles = 2 * np.pi * np.arange(corners) / corners
    assert measured(np.stack([np.cos(angles), np.sin(angles)], axis=1)) == pytest.approx(np.sqrt(0.5), abs=1e-14)


def test_no_other_line_is_nearer() -> None:
    points = np.random.default_rng(3).normal(size=(6, 2)) * [3.0, 1.0]

    def root_mean_square(line: np.ndarray) -> float:
        angle, offset = line
        return float(np.sqrt(np.mean((points @ [-np.sin(angle), np.cos(angle)] - offset) ** 2)))

    best = min(minimize(root_mean_square, [start, 0.0], method="Nelder-Mead").fun for start in np.linspace(0, 3, 7))
    assert measured(points) == pytest.approx(best, rel=1e-6)
