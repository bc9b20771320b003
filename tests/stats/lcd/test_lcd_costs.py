"""What share is lost, and what may be said of it?"""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mohs.core.errors import UsageError
from mohs.stats.lcd import Judgement, gain, min_max, planned_seeds, reward_cost, reward_slope, view_cost

PROBABILITIES = (1.0, 0.75, 0.5, 0.25)
seeds = st.integers(0, 10_000)


def runs(seed, mean=0.5, n=5, spread=0.03):
    return mean + spread * np.random.default_rng(seed).standard_normal(n)


def falling(seed, loss=0.3, n=5, spread=0.03, best=0.5):
    return {p: runs([seed, i], best * (1 + loss * math.log2(p) / 2), n, spread) for i, p in enumerate(PROBABILITIES)}


def ends(cost):
    return cost.value, cost.low, cost.high


@given(seeds, st.integers(3, 20))
def test_identical_runs_cost_exactly_nothing(seed, n):
    same = runs(seed, n=n)
    assert ends(view_cost(same, same)) == (0.0, 0.0, 0.0)
    assert ends(reward_cost(dict.fromkeys(PROBABILITIES, same))) == (0.0, 0.0, 0.0)
    slope = reward_slope(dict.fromkeys(PROBABILITIES, same))
    assert (slope.value, slope.low, slope.high) == (0.0, 0.0, 0.0)
    assert gain(same, same).value == 0.0


@given(seeds, st.integers(3, 20))
def test_the_same_runs_in_another_order_cost_exactly_nothing_on_average(seed, n):
    same = runs(seed, n=n)
    other = np.random.default_rng(seed).permutation(same)
    assert view_cost(same, other).value == 0.0
    assert reward_cost({1.0: same, 0.5: other, 0.25: other[::-1]}).value == pytest.approx(0.0, abs=1e-14)


@given(seeds, st.floats(0.2, 5.0), st.sampled_from([-0.3, 0.0, 0.4]))
def test_a_share_does_not_depend_on_the_scale(seed, scale, loss):
    semantic, other, areas = runs(seed), runs(seed + 1, 0.5 * (1 - loss)), falling(seed, loss)
    assert ends(view_cost(scale * semantic, scale * other)) == pytest.approx(ends(view_cost(semantic, other)))
    larger = {p: scale * x for p, x in areas.items()}
    assert ends(reward_cost(larger)) == pytest.approx(ends(reward_cost(areas)))
    assert reward_slope(larger).value == pytest.approx(scale * reward_slope(areas).value)


@given(seeds)
def test_the_order_of_seeds_changes_nothing_if_pairs_stay(seed):
    semantic, other, areas = runs(seed), runs(seed + 1, 0.3), falling(seed)
    order = np.random.default_rng(seed).permutation(5)
    assert ends(view_cost(semantic[order], other[order])) == pytest.approx(ends(view_cost(semantic, other)))
    assert ends(reward_cost({p: x[order] for p, x in areas.items()})) == pytest.approx(ends(reward_cost(areas)))


@given(seeds, st.integers(3, 8), st.sampled_from([(1.0, 0.25), (1.0, 0.5, 0.25), PROBABILITIES]))
def test_the_line_is_that_of_least_squares_through_all_runs(seed, n, probabilities):
    areas = {p: x for p, x in falling(seed, n=n, spread=0.1).items() if p in probabilities}
    halvings = np.repeat([math.log2(1 / p) for p in areas], n)
    slope, level = np.polyfit(halvings, np.concatenate(list(areas.values())), 1)
    assert reward_slope(areas).value == pytest.approx(slope)
    assert reward_cost(areas).value == pytest.approx(-2 * slope / level)


@pytest.mark.parametrize("loss", [-0.5, 0.0, 0.25, 1.0])
def test_a_line_without_noise_is_found_exactly(loss):
    areas = falling(0, loss, spread=0.0)
    cost = reward_cost(areas)
    assert ends(cost) == pytest.approx((loss, loss, loss), abs=1e-12)
    assert reward_slope(areas).value == pytest.approx(-0.5 * loss / 2)


def test_the_order_of_the_probabilities_does_not_matter():
    areas = falling(3)
    assert reward_cost(dict(reversed(areas.items()))) == reward_cost(areas)


@given(seeds, st.sets(st.integers(0, 7), max_size=5))
def test_seeds_with_a_missing_run_are_left_out(seed, gone):
    gone = sorted(gone)
    areas = falling(seed, n=8)
    semantic, other = areas[1.0], runs(seed + 1, 0.3, 8)
    holed = {p: x.copy() for p, x in areas.items()}
    for k, i in enumerate(gone):
        holed[PROBABILITIES[k % 4]][i] = np.nan
    partly = other.copy()
    partly[gone] = np.nan
    kept = {p: np.delete(x, gone) for p, x in areas.items()}
    for with_holes, without in (
        (reward_cost(holed), reward_cost(kept)),
        (view_cost(semantic, partly), view_cost(kept[1.0], np.delete(other, gone))),
    ):
        assert with_holes.n == without.n == 8 - len(gone)
        assert ends(with_holes) == pytest.approx(ends(without))
        assert with_holes.judgement is without.judgement
    assert reward_slope(holed).value == pytest.approx(reward_slope(kept).value)


def judgements(semantic, other):
    """Of a view, and of rewards that are rarer by a factor of 4."""
    return view_cost(semantic, other).judgement, reward_cost({1.0: semantic, 0.25: other}).judgement


@pytest.mark.parametrize(
    ("semantic", "other", "expected"),
    [
        ([0.99, 1.0, 0.98], [0.99, 0.97, 0.98], Judgement.CEILING),
        ([1.0, 1.0, 1.0], [1.0, 1.0, 1.0], Judgement.CEILING),
        ([0.96, 0.97, 0.95], [0.5, 0.6, 0.5], Judgement.CHALLENGE),
        ([0.01, 0.0, -0.01], [0.0, 0.01, 0.0], Judgement.FLOOR),
        ([0.0, 0.0, 0.0], [0.0, 0.0, 0.0], Judgement.FLOOR),
        ([-0.1, -0.1, -0.1], [0.5, 0.5, 0.5], Judgement.FLOOR),
        ([0.9, 0.0, 0.0], [0.0, 0.0, 0.0], Judgement.FLOOR),
        ([0.5, 0.52], [0.1, 0.1], Judgement.TOO_FEW),
        ([0.5, 0.52, 0.5], [0.1, 0.1, math.nan], Judgement.TOO_FEW),
        ([math.nan] * 3, [math.nan] * 3, Judgement.TOO_FEW),
        ([0.50, 0.52, 0.49], [0.20, 0.22, 0.21], Judgement.CHALLENGE),
        ([0.50, 0.52, 0.49], [-0.01, 0.01, 0.0], Judgement.CHALLENGE),
        ([0.50, 0.52, 0.49], [0.50, 0.51, 0.49], Judgement.SMALL),
        ([0.50, 0.52, 0.49], [0.70, 0.72, 0.69], Judgement.REVERSED),
        ([0.50, 0.60, 0.40], [0.40, 0.60, 0.50], Judgement.UNDECIDED),
    ],
)
def test_judgements(semantic, other, expected):
    assert judgements(semantic, other) == (expected, expected)


@given(seeds, st.sampled_from([0.02, 0.3, 0.5, 0.97]), st.sampled_from([-0.5, 0.0, 0.1, 0.6]), st.integers(2, 8))
def test_a_judgement_says_what_the_interval_says(seed, best, loss, n):
    semantic, other = runs(seed, best, n), runs(seed + 1, best * (1 - loss), n)
    cost = view_cost(semantic, other)
    claims = {
        Judgement.CHALLENGE: cost.low > 0.1,
        Judgement.SMALL: cost.high < 0.1,
        Judgement.REVERSED: cost.high < -0.1,
        Judgement.UNDECIDED: cost.low <= 0.1 <= cost.high,
        Judgement.TOO_FEW: n < 3,
        Judgement.FLOOR: semantic.mean() < 0.05 or not cost.known or semantic.std() > 0,
        Judgement.CEILING: min(semantic.mean(), other.mean()) >= 0.95,
    }
    assert claims[cost.judgement]
    assert cost.judgement.known == (cost.judgement in ("challenge", "small", "reversed"))


def test_thresholds_are_settings():
    semantic, other = [0.50, 0.52, 0.49], [0.40, 0.42, 0.40]
    assert view_cost(semantic, other).judgement is Judgement.CHALLENGE
    assert view_cost(semantic, other, threshold=0.3).judgement is Judgement.SMALL
    assert view_cost(semantic, other, floor=0.6).judgement is Judgement.FLOOR
    assert view_cost(semantic, other, ceiling=0.3, threshold=0.3).judgement is Judgement.CEILING
    narrow, wide = view_cost(semantic, other, level=0.8), view_cost(semantic, other, level=0.99)
    assert wide.low < narrow.low < narrow.high < wide.high


def test_another_game_changes_what_the_paper_reports_and_no_cost():
    games = {"maze": (runs(0), runs(1, 0.3)), "miner": (runs(2), runs(3, 0.45))}
    before = {game: view_cost(*areas) for game, areas in games.items()}
    scaled = min_max({game: cost.value for game, cost in before.items()})
    games["leaper"] = runs(4), runs(5, 0.05)
    after = {game: view_cost(*areas) for game, areas in games.items()}
    assert min_max({game: cost.value for game, cost in after.items()})["maze"] < scaled["maze"]
    assert {game: after[game] for game in before} == before


def test_undecided_costs_say_how_many_seeds_would_decide():
    undecided = view_cost([0.50, 0.60, 0.40], [0.45, 0.40, 0.25])
    assert undecided.judgement is Judgement.UNDECIDED
    assert 3 < undecided.runs_needed < 1000
    assert view_cost([0.5, 0.52, 0.49], [0.2, 0.22, 0.21]).runs_needed is None
    hopeless = view_cost([0.5, 0.4, 0.6], [0.45, 0.5, 0.4001])  # a cost of about .1
    assert (hopeless.judgement, hopeless.runs_needed) == (Judgement.UNDECIDED, None)
    unlucky = view_cost([0.9, 0.0, 0.8], [0.1, 0.0, 0.1])
    assert unlucky.judgement is Judgement.FLOOR
    assert 3 < unlucky.runs_needed < 30
    assert view_cost([0.0, 0.01, 0.0], [0.0, 0.0, 0.0]).runs_needed is None


@pytest.mark.parametrize(("cost", "variation", "correlation"), [(0.3, 0.1, 0.0), (0.0, 0.1, 0.0), (0.3, 0.3, 0.5)])
def test_planned_seeds_decide_as_often_as_asked(cost, variation, correlation):
    n = planned_seeds(cost, variation, correlation=correlation)
    rng = np.random.default_rng(0)
    decided = 0
    for _ in range(400):
        common, own = rng.standard_normal(n), rng.standard_normal((2, n))
        noise = math.sqrt(correlation) * common + math.sqrt(1 - correlation) * own
        semantic, other = (mean * (1 + variation * x) for mean, x in zip((0.5, 0.5 * (1 - cost)), noise, strict=True))
        decided += view_cost(semantic, other).judgement is (Judgement.CHALLENGE if cost > 0.1 else Judgement.SMALL)
    assert 0.72 < decided / 400 < 0.92


def test_no_number_of_seeds_decides_at_the_threshold():
    assert planned_seeds(0.1, 0.1) is None
    assert planned_seeds(0.101, 0.1) is None
    assert planned_seeds(0.5, 0.0) == 3


@pytest.mark.parametrize("areas", [([0.5] * 3, [0.2] * 3), ([0.0] * 3, [0.0] * 3), ([0.5], [0.2])])
def test_costs_are_plain_data(areas):
    cost = view_cost(*areas)
    plain = json.loads(json.dumps(cost.to_dict(), allow_nan=False))
    assert plain["judgement"] == cost.judgement
    assert (plain["low"] is None) == (not cost.known)
    assert set(plain) == {"value", "low", "high", "level", "n", "judgement", "runs_needed"}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: view_cost([0.5, 0.6], [0.5]), "same seeds"),
        (lambda: view_cost([0.5], [0.5], floor=1.0), "floor"),
        (lambda: view_cost([0.5], [0.5], threshold=0.0), "threshold"),
        (lambda: view_cost([0.5], [0.5], level=95), "level"),
        (lambda: reward_cost({1.0: [0.5]}), "at least one more"),
        (lambda: reward_cost({0.5: [0.5], 0.25: [0.5]}), "probability 1"),
        (lambda: reward_cost({1.0: [0.5], 0.0: [0.5]}), "above 0"),
        (lambda: reward_cost({1.0: [0.5, 0.5], 0.5: [0.5]}), "same seeds"),
        (lambda: planned_seeds(1.5, 0.1), "at most 1"),
        (lambda: planned_seeds(0.5, -0.1), "variation"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(UsageError, match=message):
        call()
