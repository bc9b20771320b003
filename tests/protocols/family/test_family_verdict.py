"""Does `mohs family` reach the right verdict? Planted scores with known means, orders and failures."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations
from zlib import crc32

import numpy as np
import pytest
from planted_families import cartpoles, results

from mohs.core.cell import Agent
from mohs.core.point import Point
from mohs.protocols.family.asked import varied
from mohs.protocols.family.default import Order, at_default, sign
from mohs.protocols.family.study import FamilyStudy
from mohs.protocols.family.verdict import FamilyVerdict, verdict
from mohs.protocols.scale import score_of
from mohs.runs.results import Results
from mohs.stats.family import DESIGNS

FAMILY = cartpoles()
A, B = Agent.make("dqn"), Agent.make("ppo")


def study_of(methods=(A, B), **options) -> FamilyStudy:
    return FamilyStudy.make(methods, FAMILY, "carts", steps=1000, **options)


def planted(point: Point, share: float) -> float:
    """The return that is this share of the way from the random policy to the optimum."""
    score = score_of(point.task)
    return score.low.value + share * score.spread


def judged(score, **options) -> FamilyVerdict:
    study = study_of(**options)
    return verdict(study, results(study, lambda m, p, s: planted(p, score(m, p, s))))


def is_default(point: Point) -> bool:
    return "default" in point.marks


def noise(point: Point, seed: int, method: str) -> float:
    return float(np.random.default_rng([crc32(f"{point.name} {method}".encode()), seed]).normal(0, 0.02))


def smooth(point: Point) -> float:
    at = dict(point.at)
    return 0.5 + 0.2 * (at["length"] - 1.125) / 1.75


def test_a_census_is_the_weighted_mean() -> None:
    found = judged(lambda m, p, s: 1.0 if is_default(p) else smooth(p) if m == "dqn" else 0.3)
    members = np.array([smooth(p) for p in FAMILY.members])
    assert found.study.design == "census"
    assert found.results[0].overall.value == pytest.approx(members.mean(), abs=1e-12)
    assert found.results[1].overall.value == pytest.approx(0.3, abs=1e-12)


def test_weights_count() -> None:
    weights = np.where([dict(p.at).get("length", 0) > 1 for p in FAMILY], 3.0, 1.0)
    weights[-1] = 0.0
    heavy = FAMILY.weighted(weights)
    study = FamilyStudy.make((A,), heavy, "carts", steps=1000)
    found = verdict(study, results(study, lambda m, p, s: planted(p, 0.9 if is_default(p) else smooth(p))))
    exact = np.average([smooth(p) for p in heavy.members], weights=weights[:-1])
    assert found.results[0].overall.value == pytest.approx(exact, abs=1e-12)


def test_a_reversed_order_is_found() -> None:
    def score(method: str, point: Point, seed: int) -> float:
        if is_default(point):
            return (0.8 if method == "ppo" else 0.95) + noise(point, seed, method)
        return (0.7 if method == "ppo" else 0.5) + noise(point, seed, method)

    found = judged(score, budget=32)
    assert found.order == ("ppo", "dqn")
    assert found.pairs[0].order is Order.REVERSED
    assert found.decided
    assert "misleads" in found.sentences[0]
    assert "dqn above ppo" in found.sentences[0]


def test_a_ranking_that_holds_is_said_to_hold() -> None:
    def score(method: str, point: Point, seed: int) -> float:
        return (0.7 if method == "ppo" else 0.5) + noise(point, seed, method)

    found = judged(score, budget=32)
    assert found.pairs[0].order is Order.KEPT
    assert "holds" in found.sentences[0]
    assert not [s for s in found.sentences if "overstates" in s]


def test_the_default_point_is_corrected_for_all_pairs() -> None:
    """Five equal methods with five runs each: some pair is decided at the default point in at most 5% of studies."""
    rng = np.random.default_rng(0)
    wrong, one_by_one = 0, 0
    for _ in range(200):
        runs = rng.normal(size=(5, 5))
        for comparisons in (5, 2):  # the number of methods: as for all pairs, and as for one
            told = [at_default(runs[i], runs[j], comparisons) for i, j in combinations(range(5), 2)]
            some = any(sign(e) for e in told)
            wrong, one_by_one = (wrong + some, one_by_one) if comparisons == 5 else (wrong, one_by_one + some)
    assert wrong <= 20
    assert one_by_one > 30
    names = ("dqn", "ppo", "a2c")
    found = judged(lambda m, p, s: noise(p, s, m) + 0.5, methods=tuple(map(Agent.make, names)), budget=20)
    assert {round(pair.default.level, 6) for pair in found.pairs} == {round(1 - 0.05 / 3, 6)}


@pytest.mark.parametrize(("seeds", "ahead"), [(1, 0.1), (3, 0.025)])
def test_the_advised_budget_gives_the_advised_points(seeds: int, ahead: float) -> None:
    def score(method: str, point: Point, seed: int) -> float:
        unlike = float(np.random.default_rng(crc32(f"{point.name} {method}".encode())).normal(0, 0.05))
        return 0.5 + ahead * (method == "ppo") + unlike + noise(point, seed, method)

    found = judged(score, budget=20 * seeds, seeds=seeds)
    (pair,) = found.pairs
    assert not pair.decided
    needed = pair.needed
    assert needed is not None
    assert (needed.seeds, needed.models) == (seeds, needed.points * seeds)
    again = study_of(budget=needed.models, seeds=seeds)
    assert len(again.points) == needed.points
    assert any(f"--budget {needed.models})" in s for s in found.sentences)


@pytest.mark.parametrize(("seeds", "width"), [(1, 0.04), (2, 0.02)])
def test_the_planned_budget_gives_the_planned_width(seeds: int, width: float) -> None:
    def score(method: str, point: Point, seed: int) -> float:
        return 0.5 + 0.05 * float(np.random.default_rng([crc32(f"{point.name} {method}".encode()), seed]).normal())

    pilot = judged(score, budget=20 * seeds, seeds=seeds, width=width)
    plan = pilot.precision
    assert plan is not None
    assert plan.budget is not None
    assert plan.wanted == width < plan.reached
    assert any(
        f"±{width:.4f} for every method would take about {plan.budget.points} points" in s for s in pilot.sentences
    )
    assert pilot.to_json()["precision"]["budget"]["models"] == plan.budget.models
    assert "Expected half-width" in pilot.page().body
    found = judged(score, budget=plan.budget.models, seeds=seeds, width=width).precision
    assert found is not None
    assert found.reached == pytest.approx(width, rel=0.3)


def test_points_against_seeds_and_what_one_seed_cannot_say() -> None:
    def score(method: str, point: Point, seed: int) -> float:
        return 0.5 if is_default(point) else 0.3 * smooth(point) + noise(point, seed, method)

    several = judged(score, budget=60, seeds=2, width=0.001).precision
    assert several is not None
    assert several.budget is not None
    assert several.budget.seeds > 2  # all 64 points with two seeds are not enough
    assert several.seeds == (1, 2, 3, 5)
    for _, halves in several.expected:
        known = [half for half in halves if half is not None]
        assert known == sorted(known)  # points before seeds
    once = judged(score, budget=32, width=0.001)
    assert once.precision is not None
    assert (once.precision.budget, once.precision.seeds) == (None, (1,))
    assert any("more than one seed at every point" in s for s in once.sentences)
    assert judged(score, budget=4).precision is None
    assert FamilyStudy.from_json(once.study.to_json()) == once.study
    old = {name: value for name, value in once.study.to_json().items() if name != "width"}
    assert FamilyStudy.from_json(old).width is None


@pytest.mark.parametrize("design", DESIGNS)
def test_the_report_names_the_variance_that_was_computed(design: str) -> None:
    found = judged(lambda m, p, s: 0.5 + noise(p, s, m), design=design, budget=None if design == "census" else 20)
    spread = design in {"pivotal", "assisted", "census", "systematic", "cluster"} & set(DESIGNS)
    assert ("neighbouring points" in found.page().body) == spread


def test_a_default_point_that_ties_hides_the_order() -> None:
    def score(method: str, point: Point, seed: int) -> float:
        return 1.0 if is_default(point) else (0.7 if method == "ppo" else 0.4) + noise(point, seed, method)

    found = judged(score, budget=32)
    assert found.pairs[0].order is Order.HIDDEN
    assert "5 runs at the default point do not tell" in found.sentences[0]
    assert [s for s in found.sentences if s.startswith("The default point overstates")]


def test_equal_methods_are_not_told_apart() -> None:
    found = judged(lambda m, p, s: 0.5 + noise(p, s, m), budget=32)
    assert not found.decided
    assert found.pairs[0].order is Order.OPEN
    assert [r.rank_low for r in found.results] == [1, 1]
    assert [r.rank_high for r in found.results] == [2, 2]


def test_a_tiny_sample_decides_nothing() -> None:
    found = judged(lambda m, p, s: 0.9 if m == "ppo" else 0.1, budget=4)
    assert not found.decided
    assert "too few" in found.sentences[0]
    assert any(s.startswith("No intervals") for s in found.sentences)


@pytest.mark.parametrize("design", ["m2", "m3", "systematic"])
def test_a_design_without_intervals_ranks_nobody(design: str) -> None:
    found = judged(lambda m, p, s: 0.9 if m == "ppo" else 0.1, budget=32, design=design)
    assert not found.decided
    assert found.sentences[0].startswith(f"The design {design} has no intervals")
    assert any(s.startswith(f"No intervals with the design {design}") for s in found.sentences)


def test_the_optimal_and_the_random_policy_are_at_1_and_0() -> None:
    found = judged(lambda m, p, s: 1.0 if m == "ppo" else 0.0)
    assert [r.overall.value for r in found.results] == pytest.approx([0.0, 1.0])
    assert found.results[0].failures.failed.value == pytest.approx(1.0)
    assert found.results[1].failures.solved.value == pytest.approx(1.0)
    assert found.pairs[0].dominance == 1


def test_failures_are_explained() -> None:
    found = judged(lambda m, p, s: 0.0 if dict(p.at).get("length", 0) > 1.6 else 0.9, methods=(A,))
    where = found.results[0].failures.where
    assert where is not None
    assert "length" in where.sentence("dqn")


def test_seeds_are_paired_and_averaged() -> None:
    found = judged(lambda m, p, s: 0.5 + (0.1 if s == 0 else -0.1), methods=(A,), seeds=2)
    assert found.results[0].overall.value == pytest.approx(0.5)


def test_missing_models_are_left_out_and_said() -> None:
    study = study_of(budget=32)
    whole = results(study, lambda m, p, s: planted(p, 0.5 + noise(p, s, m)))
    last = study.points[-1].name
    curves = {t: ((None,) if t.point == last else c) for t, c in whole.curves.items()}
    found = verdict(study, Results(1, curves, whole.planned, 2))
    assert len(found.used) == 31
    assert any("2 of" in s and "missing" in s for s in found.sentences)


def test_no_finished_model_gives_no_verdict() -> None:
    study = study_of(budget=32)
    whole = results(study, lambda m, p, s: 0.0)
    found = verdict(study, Results(1, dict.fromkeys(whole.curves, (None,)), whole.planned, whole.planned))
    assert found.sentences == ("No point of the family has a finished model of every method.",)
    assert found.page().figures == {}


def test_everything_can_be_written_and_read() -> None:
    found = judged(lambda m, p, s: smooth(p) if not is_default(p) else 1.0, budget=32)
    json.dumps(found.to_json())
    assert FamilyStudy.from_json(json.loads(json.dumps(found.study.to_json()))) == found.study
    page = found.page()
    assert {"overall", "profiles", "histograms", "wins", "parallel", "slice", "failures"} <= page.figures.keys()
    assert page.tables["points.csv"].count("\n") == 1 + 32 + 1
    assert found.frame()["agent"].nunique() == 2


def test_chosen_points_can_be_loaded_again(tmp_path) -> None:
    import mohs

    found = judged(lambda m, p, s: 0.5, budget=32)
    path = tmp_path / "points.csv"
    path.write_text(found.dataset())
    again = mohs.read_family(path)
    assert {p.task for p in again.members} == {p.task for p in found.study.points}
    assert again.default is not None
    assert again.default.task == FAMILY.default.task


def test_a_family_without_a_default_point() -> None:
    plain = replace(FAMILY, points=FAMILY.members)
    study = FamilyStudy.make((A, B), plain, "carts", steps=1000, budget=32)
    found = verdict(study, results(study, lambda m, p, s: planted(p, (0.7 if m == "ppo" else 0.5) + noise(p, s, m))))
    assert found.pairs[0].order is Order.UNKNOWN
    assert "ppo is better than dqn" in found.sentences[0]


def test_heavy_tails_get_ratios_of_returns() -> None:
    def returned(method: str, point: Point, seed: int) -> float:
        size = np.random.default_rng(crc32(point.name.encode())).lognormal(0, 1.5)
        return size * (2.0 if method == "dqn" else 1.0) * np.exp(noise(point, seed, method))

    study = study_of(budget=32)
    found = verdict(study, results(study, returned))
    (pair,) = found.pairs
    assert found.tail_warnings
    assert pair.ratio is not None
    assert pair.ratio.low < 2.0 < pair.ratio.high
    assert pair.ratio.high - pair.ratio.low < 0.1
    assert any("geometric means over the family: dqn / ppo 2.0" in sentence for sentence in found.sentences)


def test_short_tails_and_mixed_signs_get_no_ratios() -> None:
    assert judged(lambda m, p, s: 1.0 if is_default(p) else smooth(p), budget=32).pairs[0].ratio is None
    study = study_of(budget=32)
    mixed = verdict(study, results(study, lambda m, p, s: 1e3 if p.name.endswith("5") else -1.0))
    assert mixed.pairs[0].ratio is None


def test_a_certain_difference_that_is_tiny_is_no_headline() -> None:
    """dqn is better by 0.8% of the range from 0 to 1 at every point, and worse at the default point."""

    def score(method: str, point: Point, seed: int) -> float:
        return 0.5 + 0.4 * (method == "ppo") if is_default(point) else smooth(point) + 0.008 * (method == "dqn")

    found = judged(score, seeds=10)
    assert found.pairs[0].decided
    assert found.sentences[0].startswith("dqn and ppo score alike")
    assert "2% of the range from random policy to time limit" in found.sentences[0]


def test_a_difference_that_may_be_large_is_in_the_headline() -> None:
    """Scores far below 0 widen the range of what was observed, not what counts as alike; nor does the mean alone."""

    def score(method: str, point: Point, seed: int) -> float:
        return -9.0 if point.name == FAMILY.members[0].name else 0.5 + 0.05 * (method == "dqn")

    found = judged(score, seeds=40)
    (pair,) = found.pairs
    assert pair.decided
    assert pair.difference.value < 0.02 * 9.5
    assert "dqn is better than ppo" in found.sentences[0]
    open_ = judged(lambda m, p, s: 0.5 + 0.001 * (m == "dqn"))
    assert "score alike" not in open_.sentences[0]


def test_a_gap_is_as_uncertain_as_the_mean_over_the_family() -> None:
    """An optimal policy: the sample of 32 points may lack those at which it fails."""
    found = judged(lambda m, p, s: 1.0, methods=(A,), budget=32)
    (result,) = found.results
    assert result.overall.low == pytest.approx(0.025 ** (1 / 32))
    assert result.gap is not None
    assert (result.gap.low, result.gap.high) == pytest.approx((0.0, 1 - result.overall.low))
    assert sign(result.gap) == 0
    assert not [s for s in found.sentences if "overstates" in s or "understates" in s]


def test_raw_returns_that_are_all_alike_have_no_interval() -> None:
    family = varied("Acrobot-v1", {"LINK_LENGTH_1": np.linspace(0.5, 2, 20).tolist()}, {})
    study = FamilyStudy.make((A, B), family, "arms", steps=1000)
    found = verdict(study, results(study, lambda m, p, s: -500.0 if m == "dqn" else -100.0 - len(p.name)))
    assert [r.overall.known for r in found.results] == [False, True]
    assert not found.pairs[0].difference.known
    assert any(s.startswith("No interval for dqn: ") for s in found.sentences)


def test_a_point_that_no_policy_can_solve_is_not_solved() -> None:
    """Its references differ by what the engine costs, and who drives nowhere scores 1."""
    cars = varied("control/mountain_car_continuous", {"power": [0.00001, 0.0015]}, {})
    study = FamilyStudy.make((Agent.make("cem"),), cars, "cars", steps=1000)
    found = verdict(study, results(study, lambda m, p, s: planted(p, 1.0)))
    assert found.results[0].failures.solved.value == pytest.approx(0.5)


def test_models_that_a_decided_ranking_spared_are_not_missing() -> None:
    study = study_of(budget=64, looks=2)
    whole = results(study, lambda m, p, s: 500.0 if m == "dqn" else 10.0)
    late = {point.name for point in study.points[32:]}
    curves = {t: ((None,) if t.point in late else c) for t, c in whole.curves.items()}
    found = verdict(study, Results(1, curves, whole.planned, 64))
    assert found.decided
    assert found.missing == 0
    assert not any("missing" in s for s in found.sentences)
    equal = {t: tuple(run and {**run, "eval/return": (run["eval/return"][0], np.array([200.0]))} for run in c)
             for t, c in curves.items()}  # fmt: skip
    assert verdict(study, Results(1, equal, whole.planned, 64)).missing == 64


def test_runs_at_the_default_point_that_would_tell() -> None:
    def score(method: str, point: Point, seed: int) -> float:
        if is_default(point):
            return 0.9 + 0.01 * (method == "ppo") + noise(point, seed, method)
        return (0.7 if method == "ppo" else 0.4) + noise(point, seed, method)

    (pair,) = judged(score, budget=32).pairs
    assert pair.order is Order.HIDDEN
    assert pair.needed_default is not None
    found = judged(score, budget=32, default_seeds=pair.needed_default)
    assert any(f"--default-seeds {pair.needed_default}" in s for s in judged(score, budget=32).sentences)
    assert found.outcomes.default.shape == (2, pair.needed_default)


def test_references_without_a_range_are_named() -> None:
    family = varied("Acrobot-v1", {"LINK_LENGTH_1": [0.5, 1.0]}, {})
    study = FamilyStudy.make((A, B), family, "arms", steps=1000, baseline=Agent.make("cem"))
    found = verdict(study, results(study, lambda m, p, s: -500.0))
    assert found.sentences == ("No scores at 2 of 2 points: cem is not above random policy there.",)


def test_evaluations_that_are_too_short_for_the_range_are_named() -> None:
    """A heavy and long pendulum, which the torque hardly moves: episodes differ by their starts, not by the policy."""
    heavy = varied("control/pendulum", {"m": [3.0, 4.0], "g": [5.0, 15.0]}, {"l": 10.0})
    study = FamilyStudy.make((Agent.make("td3"),), heavy, "pendulums", steps=1000)
    found = verdict(study, results(study, lambda m, p, s: planted(p, 0.5)))
    text = next(s for s in found.sentences if "the mean of 20 episodes" in s)
    assert text.startswith("At ")
    episodes = int(text.split("--episodes ")[1].split()[0])
    enough = replace(study, episodes=episodes)
    again = verdict(enough, results(enough, lambda m, p, s: planted(p, 0.5)))
    assert not any("standard error" in s for s in again.sentences)


def test_one_seed_cannot_say_that_nothing_would_tell_two_apart() -> None:
    once, twice = (judged(lambda m, p, s: 0.5 + noise(p, s, m), seeds=seeds) for seeds in (1, 2))
    assert any("--seeds 2 tells whether more seeds would do" in s for s in once.sentences)
    assert not any("not even" in s for s in once.sentences)
    assert not any("--seeds 2 tells whether" in s for s in twice.sentences)


def test_a_plan_for_narrower_intervals_has_more_models_than_ran() -> None:
    """Five points of which one is noisy: its two seeds make all of the variance."""
    family = replace(FAMILY, points=(*FAMILY.points[:5], FAMILY.points[-1]))

    def score(method: str, point: Point, seed: int) -> float:
        return 0.5 + 0.05 * (point.name == family.points[0].name) * (-1) ** seed + noise(point, seed, method) / 100

    study = FamilyStudy.make((A, B), family, "carts", steps=1000, seeds=2)
    plan = verdict(study, results(study, lambda m, p, s: planted(p, score(m, p, s)))).precision
    assert plan is not None
    assert plan.budget is not None
    assert plan.budget.models > 10
    assert dict(plan.expected)[10][1] == pytest.approx(plan.reached, rel=0.1)  # the interval ends at 1


def test_observed_dominance_and_reversal_are_shown_of_decided_pairs_only() -> None:
    apart = judged(lambda m, p, s: 0.5 + 0.3 * (m == "ppo") + noise(p, s, m)).page().body
    alike = judged(lambda m, p, s: 0.5 + 0.001 * (m == "ppo")).page().body
    assert "first order" in apart
    assert "first order" not in alike
