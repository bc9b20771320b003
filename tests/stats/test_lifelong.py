"""Metrics of a life: the reference values of l2metrics, and what must hold for lives of which all is known."""

from __future__ import annotations

import numpy as np
import pytest

from mohs.stats.lifelong import METRICS, LifelongRun, backward_pairs, recovery_time, saturation, smoothed

RISE = np.linspace(0, 1, 50)
REFERENCE = LifelongRun((0, 1), np.array([[0, 0.1], [0.9, 0.2], [0.5, 0.8]]), (RISE, RISE), {0: RISE, 1: RISE})


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("performance_maintenance", -0.4), ("terminal_maintenance", -0.4591837), ("forward_transfer_ratio", 2.0),
        ("forward_transfer_contrast", 1 / 3), ("backward_transfer_ratio", 0.5555556),
        ("backward_transfer_contrast", -0.2857143), ("relative_performance", 1.0), ("sample_efficiency", 1.0),
        ("average_performance", 0.65), ("forgetting", 0.2), ("area_transfer", 0.0),
    ],
)  # fmt: skip
def test_the_reference_life(name, known):
    assert METRICS[name].of(REFERENCE) == pytest.approx(known, abs=1e-6)


def test_transfer_counts_each_pair_of_tasks_once():
    """Tasks that recur: l2metrics takes the first value of each pair; 0.9 / 0.5 of the last block is left out."""
    evaluations = np.array([[0, 0.1], [0.9, 0.2], [0.5, 0.6], [0.5, 0.2], [0.9, 0.2]])
    life = LifelongRun((0, 1, 0, 1), evaluations, (RISE,) * 4, {})
    assert METRICS["backward_transfer_ratio"].of(life) == pytest.approx((5 / 9 + 1 / 3) / 2)  # .4444
    assert METRICS["backward_transfer_contrast"].of(life) == pytest.approx((-0.4 / 1.4 - 0.5) / 2)
    assert METRICS["forward_transfer_ratio"].of(life) == pytest.approx(2.0)
    assert len(list(backward_pairs(life))) == 3

    unlearnt = evaluations.copy()
    unlearnt[1, 0] = 0.0  # the ratio of the first time is not defined, so the second counts
    later = LifelongRun((0, 1, 0, 1), unlearnt, (RISE,) * 4, {})
    assert METRICS["backward_transfer_ratio"].of(later) == pytest.approx((1 / 3 + 9 / 5) / 2)


def test_who_never_forgets():
    kept = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]], dtype=float)
    life = LifelongRun((0, 1, 2), kept, (RISE,) * 3, dict.fromkeys(range(3), RISE))
    assert METRICS["forgetting"].of(life) == 0
    assert METRICS["performance_maintenance"].of(life) == 0
    assert METRICS["backward_transfer_ratio"].of(life) == 1
    assert METRICS["backward_transfer_contrast"].of(life) == 0
    assert METRICS["average_performance"].of(life) == 1


def test_a_copy_of_the_expert():
    rng = np.random.default_rng(0)
    curves = tuple(rng.random(40) for _ in range(3))
    life = LifelongRun((2, 0, 1), rng.random((4, 3)), curves, {2: curves[0], 0: curves[1], 1: curves[2]})
    for name in ("relative_performance", "sample_efficiency"):
        assert METRICS[name].of(life) == pytest.approx(1)
    assert METRICS["area_transfer"].of(life) == pytest.approx(0)


def test_what_is_not_defined_is_nan():
    zero = LifelongRun((0, 1), np.zeros((3, 2)), (np.zeros(10), np.zeros(10)), {})
    for name in ("forward_transfer_ratio", "backward_transfer_contrast", "relative_performance",
                 "sample_efficiency", "performance_recovery", "area_transfer"):  # fmt: skip
        assert np.isnan(METRICS[name].of(zero)), name
    alone = LifelongRun((0,), np.array([[0.0], [1.0]]), (RISE,), {0: RISE})
    assert np.isnan(METRICS["performance_maintenance"].of(alone))
    assert METRICS["forgetting"].of(alone) == 0


def test_transfer_to_tasks_that_are_never_learnt_is_forward():
    life = LifelongRun((0,), np.array([[0.0, 0.2], [1.0, 0.6]]), (RISE,), {})
    assert METRICS["forward_transfer_ratio"].of(life) == pytest.approx(3)
    assert METRICS["average_performance"].of(life) == 1


def test_recovery_counts_how_much_sooner_a_task_is_learnt_again():
    """A task that is learnt four times, reaching its level after 40, 20 and 0 points."""
    first = np.concatenate([np.zeros(50), np.ones(50)])
    again = [np.concatenate([np.zeros(n), np.ones(100 - n)]) for n in (40, 20, 0)]
    curves = (first, RISE, again[0], RISE, again[1], RISE, again[2])
    life = LifelongRun((0, 1, 0, 1, 0, 1, 0), np.zeros((8, 2)), curves, {})
    assert [recovery_time(curve, 1.0) for curve in again] == [40, 20, 0]
    only = LifelongRun(
        life.blocks, life.evaluations, tuple(c if i % 2 == 0 else np.ones(5) for i, c in enumerate(curves)), {}
    )
    assert METRICS["performance_recovery"].of(only) == pytest.approx(10)  # 20 for the one task, 0 for the other
    assert recovery_time(np.zeros(7), 1.0) == 8


def test_smoothing_keeps_length_and_mirrors_ends():
    curve = np.arange(20.0)
    smooth = smoothed(curve)
    assert len(smooth) == 20
    np.testing.assert_allclose(smooth[5:15], curve[5:15], atol=0.51)
    assert saturation(np.array([0.0, 1.0, 0.5])) == (1.0, 1)
    np.testing.assert_array_equal(smoothed(np.arange(10.0)), np.arange(10.0))


def test_points_without_episodes_count_for_nothing():
    """Long episodes leave most windows empty; that is no loss."""
    expert = np.full(50, np.nan)
    expert[4::5] = 1.0
    life = LifelongRun((0,), np.zeros((2, 1)), (np.full(50, 0.2),), {0: expert})
    assert METRICS["relative_performance"].of(life) == pytest.approx(0.2)
    rising = np.where(np.isnan(expert), np.nan, np.arange(50))
    assert recovery_time(rising, 20.0) == 24
    assert np.isnan(recovery_time(rising, np.nan))
    empty = LifelongRun((0,), np.zeros((2, 1)), (np.full(50, np.nan),), {0: expert})
    assert np.isnan(METRICS["relative_performance"].of(empty))
