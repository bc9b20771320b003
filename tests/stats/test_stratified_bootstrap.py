"""The compiled stratified bootstrap against a plain one, and aggregates against rliable's definitions."""

import numpy as np
import pytest
from scipy.stats import trim_mean

from mohs.core.errors import UsageError
from mohs.stats import aggregate, stratified_bootstrap

NAMES = ("iqm", "mean", "median", "optimality_gap")
RUNS = np.random.default_rng(0).gamma(2.0, 0.4, size=(7, 5))


def plain(runs, which):
    """The definitions of rliable, on [tasks, runs]."""
    return {
        "iqm": trim_mean(runs, 0.25, axis=None),
        "mean": runs.mean(),
        "median": np.median(runs.mean(axis=1)),
        "optimality_gap": 1.0 - np.minimum(runs, 1.0).mean(),
    }[which]


@pytest.mark.parametrize("which", NAMES)
def test_aggregates_are_rliables(which):
    assert aggregate(RUNS, which) == pytest.approx(plain(RUNS, which), abs=1e-12)


def test_the_bootstrap_has_the_distribution_of_a_plain_one():
    rng = np.random.default_rng(1)
    drawn = [np.take_along_axis(RUNS, rng.integers(5, size=RUNS.shape), axis=1) for _ in range(6000)]
    for which, found in zip(NAMES, stratified_bootstrap(RUNS, NAMES, resamples=20_000), strict=True):
        low, high = np.quantile([plain(runs, which) for runs in drawn], [0.025, 0.975])
        assert (found.low, found.high) == pytest.approx((low, high), abs=0.05 * (high - low))


def test_one_run_leaves_nothing_to_draw():
    found = stratified_bootstrap(RUNS[:, :1], NAMES, resamples=10)
    assert [(e.low, e.high) for e in found] == [pytest.approx((e.value, e.value)) for e in found]


def test_seeds_decide():
    a, b, c = (stratified_bootstrap(RUNS, resamples=100, seed=seed)[0] for seed in (0, 0, 1))
    assert a == b != c


def test_bad_input_is_one_sentence():
    with pytest.raises(UsageError, match="Did you mean 'iqm'"):
        aggregate(RUNS, "iqmm")
    with pytest.raises(UsageError, match="complete"):
        stratified_bootstrap(np.where(RUNS > 1, np.nan, RUNS))
