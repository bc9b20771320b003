"""A loss in parts: they add up, agree with plain ratios of means, and bear missing runs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mohs.stats import Gains, Parts, loss_parts, ratio_samples

NAMES = ("own", "learnt", "reachable", "optimal")


def drawn(rng: np.random.Generator, n: int, means=(0.5, 0.7, 0.8, 1.0)) -> Gains:
    """Positive gains."""
    return Gains(*(mean * np.exp(0.3 * rng.standard_normal(n)) for mean in means))


def values(parts: Parts) -> dict[str, float]:
    return {name: getattr(parts, name).value for name in parts.__dataclass_fields__}


def reference(vanilla: Gains, dose: Gains) -> dict[str, float]:
    """The definitions, in shares of what is kept."""
    kept = {name: np.mean(getattr(dose, name)) / np.mean(getattr(vanilla, name)) for name in NAMES}
    return {
        "total": 1 - kept["own"],
        "task": 1 - kept["optimal"],
        "memory": kept["optimal"] - kept["reachable"],
        "learning": kept["reachable"] - kept["own"],
        "policy": kept["reachable"] - kept["learnt"],
        "training": kept["learnt"] - kept["own"],
    }


@given(st.integers(1, 40), st.integers(0, 10_000), st.floats(0, 0.6))
def test_parts_add_up_and_are_the_definitions(n, seed, missing):
    rng = np.random.default_rng(seed)
    vanilla, dose = drawn(rng, n), drawn(rng, n, (0.2, 0.4, 0.5, 0.7))
    for runs in (vanilla, dose):  # a missing run has neither a training return nor an evaluation
        gone = rng.random(n) < missing
        runs.own[gone] = runs.learnt[gone] = np.nan
    there = ~np.isnan(vanilla.own + dose.own)
    found = values(loss_parts(vanilla, dose))
    if not there.any():
        assert math.isnan(found["total"])
        return
    kept = [Gains(*(getattr(runs, name)[there] for name in NAMES)) for runs in (vanilla, dose)]
    assert found == pytest.approx(reference(*kept))
    assert found["task"] + found["memory"] + found["learning"] == pytest.approx(found["total"], abs=1e-12)
    assert found["policy"] + found["training"] == pytest.approx(found["learning"], abs=1e-12)


def test_a_gain_that_is_unknown_takes_only_its_own_parts():
    rng = np.random.default_rng(0)
    vanilla, dose, nothing = drawn(rng, 10), drawn(rng, 10), np.full(10, np.nan)
    without = loss_parts(vanilla, Gains(dose.own, nothing, dose.reachable, dose.optimal))
    whole = loss_parts(vanilla, dose)
    assert math.isnan(without.policy.value)
    assert math.isnan(without.training.value)
    for name in ("total", "task", "memory", "learning"):
        assert getattr(without, name) == getattr(whole, name)
    unrun = loss_parts(vanilla, Gains(nothing, nothing, dose.reachable, dose.optimal))
    assert unrun.task == whole.task
    assert math.isnan(unrun.total.value)


def test_intervals_are_those_of_pairs_of_runs():
    """Seeds whose gains are all multiplied by a factor keep the same share, so there is nothing uncertain."""
    ease = np.array([0.5, 1.0, 2.0, 3.0])
    vanilla, dose = Gains(ease, ease, ease, ease), Gains(0.4 * ease, 0.5 * ease, 0.7 * ease, 0.9 * ease)
    found = loss_parts(vanilla, dose)
    assert values(found) == pytest.approx(
        {"total": 0.6, "task": 0.1, "memory": 0.2, "learning": 0.3, "policy": 0.2, "training": 0.1}
    )
    for name in found.__dataclass_fields__:
        part = getattr(found, name)
        assert (part.low, part.high) == (pytest.approx(part.value), pytest.approx(part.value))


def test_the_spread_of_a_ratio_is_right_to_first_order():
    """The standard error of a ratio of means over many simulated samples, against that of its samples."""
    rng = np.random.default_rng(0)
    bottom = 1 + 0.2 * rng.standard_normal((4000, 50))
    top = 0.5 * bottom + 0.1 * rng.standard_normal((4000, 50))
    ratios = top.mean(axis=1) / bottom.mean(axis=1)
    errors = [np.std(ratio_samples(t, b), ddof=1) / math.sqrt(50) for t, b in zip(top[:200], bottom[:200], strict=True)]
    assert np.mean(errors) == pytest.approx(np.std(ratios), rel=0.05)
    assert np.mean(ratio_samples(top[0], bottom[0])) == pytest.approx(ratios[0])


@pytest.mark.parametrize("bottom", [[0.0, 0.0], [-1.0, 0.5], [np.nan, np.nan]])
def test_there_is_no_share_of_nothing(bottom):
    assert np.isnan(ratio_samples(np.ones(2), np.array(bottom))).all()
