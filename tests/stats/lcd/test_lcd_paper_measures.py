"""The paper's measures by hand (sections 3, A.2, A.4), and their flaws."""

import math

import numpy as np
import pytest

from mohs.core.errors import UsageError
from mohs.stats.lcd import Judgement, curve_area, min_max, null_psi, paper_phi, paper_psi, reward_cost


def test_phi_is_the_mean_of_two_relative_changes():
    found = paper_phi([0.1, 0.3], [0.2, 0.4], [0.5, 0.7])
    assert found.value == pytest.approx(((0.3 - 0.2) / 0.2 + (0.6 - 0.2) / 0.2) / 2)
    assert math.isnan(found.low)
    three = paper_phi([0.1, 0.3, 0.2], [0.2, 0.4, 0.3], [0.5, 0.7, np.nan, 0.6])
    assert three.value == pytest.approx(found.value)
    assert three.low < three.value < three.high
    assert three == paper_phi([0.1, 0.3, 0.2], [0.2, 0.4, 0.3], [0.5, 0.7, 0.6])


def test_phi_has_no_bound_near_the_floor():
    assert paper_phi([0.001] * 3, [0.1] * 3, [0.1] * 3).value == pytest.approx(99)
    assert math.isnan(paper_phi([0.0] * 3, [0.1] * 3, [0.1] * 3).value)
    assert math.isnan(paper_phi([math.nan] * 3, [0.1] * 3, [0.1] * 3).value)


def test_psi_is_the_mean_absolute_change_between_neighbours():
    areas = {0.25: [0.4, 0.6], 0.5: [0.5, 0.7], 1.0: [0.8, 1.0], 0.75: [0.3, 0.5]}
    assert paper_psi(areas).value == pytest.approx((0.5 + 0.2 + 0.1) / 3)


def test_psi_of_noise_alone_is_positive_and_the_cost_is_not():
    rng = np.random.default_rng(0)
    runs = 0.5 + 0.1 * rng.standard_normal((400, 4, 5))
    studies = [dict(zip((1.0, 0.75, 0.5, 0.25), each, strict=True)) for each in runs]
    assert np.mean([paper_psi(areas, resamples=1).value for areas in studies]) == pytest.approx(
        null_psi(0.1, 5), rel=0.05
    )
    assert np.mean([reward_cost(areas).value for areas in studies]) == pytest.approx(0.0, abs=0.02)
    assert np.mean([reward_cost(areas).judgement is Judgement.CHALLENGE for areas in studies]) < 0.02


def test_psi_calls_a_game_that_nobody_learns_easy():
    areas = {1.0: [0.01, 0.0, 0.01], 0.5: [0.0, 0.01, 0.0], 0.25: [0.0, 0.0, 0.01]}
    assert paper_psi(areas).value < 0.01
    assert reward_cost(areas).judgement is Judgement.FLOOR


def test_min_max():
    assert min_max({"a": 1.0, "b": 3.0, "c": 2.0}) == {"a": 0.0, "b": 1.0, "c": 0.5}
    found = min_max({"a": 1.0, "b": math.nan, "c": 2.0})
    assert (found["a"], found["c"]) == (0.0, 1.0)
    assert math.isnan(found["b"])
    assert all(math.isnan(value) for value in min_max({"a": 1.0, "b": 1.0}).values())
    assert min_max({}) == {}
    with pytest.raises(UsageError, match="finite"):
        min_max({"a": math.inf, "b": 0.0})


def test_the_area_is_the_mean_height_of_the_curve():
    steps = np.array([0.0, 10.0, 40.0, 100.0])
    values = np.array([0.0, 0.3, 0.2, 0.9])
    assert curve_area(steps, values) == pytest.approx(np.trapezoid(values, steps) / 100)
    assert curve_area(steps + 7, 3 * values) == pytest.approx(3 * curve_area(steps, values))
    assert curve_area(steps, np.full(4, 0.7)) == pytest.approx(0.7)
    assert curve_area(steps, steps / 100) == pytest.approx(0.5)
    assert curve_area([5], [0.4]) == 0.4


def test_missing_evaluations_are_bridged_inside_and_unknown_at_the_ends():
    nan = math.nan
    assert curve_area([0, 1, 2, 4], [0.0, nan, 1.0, 1.0]) == curve_area([0, 2, 4], [0.0, 1.0, 1.0])
    assert math.isnan(curve_area([0, 1, 2], [0.0, 0.5, nan]))
    assert math.isnan(curve_area([0, 1, 2], [nan, 0.5, 0.5]))
    for steps, values in (([0, 1], [0.5]), ([0, 0], [0.5, 0.5]), ([1, 0], [0.5, 0.5])):
        with pytest.raises(UsageError, match="steps"):
            curve_area(steps, values)
