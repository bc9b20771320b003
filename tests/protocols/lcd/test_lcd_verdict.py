"""Does the verdict tell what is planted, and nothing where nothing can be told?"""

from __future__ import annotations

import json

import numpy as np
import pytest
from planted_games import COSTS, REACHED, SPREAD, area, results, study, without

from mohs.protocols.lcd.conditions import OTHER_SEEDS, PERMUTED, PIXELS, SEMANTIC, Remedy
from mohs.protocols.lcd.gate import gate
from mohs.protocols.lcd.verdict import Challenge, verdict
from mohs.stats.lcd import Judgement

PLANTED = {
    "arcade/collect": Challenge.NEITHER,
    "arcade/avoid": Challenge.PERCEPTION,
    "arcade/dig": Challenge.LEARNING,
    "arcade/chase": Challenge.BOTH,
}


def test_planted_challenges_are_found() -> None:
    asked = study()
    found = verdict(asked, results(asked))
    assert {r.game: r.challenge for r in found.results} == PLANTED
    for r in found.results:
        see, learn = COSTS[r.game]
        assert r.reached.value == pytest.approx(REACHED, abs=0.05)
        assert r.perception.value == pytest.approx(see, abs=0.1)
        assert r.learning.value == pytest.approx(learn, abs=0.1)
        assert r.sound
    assert "It is the eyes, not the learning." in " ".join(found.sentences)


@pytest.mark.parametrize("level", [0.0, 0.02])
def test_a_random_policy_gets_no_verdict(level: float) -> None:
    asked = study()
    found = results(asked, lambda game, condition: level)
    assert {r.challenge for r in verdict(asked, found).results} == {Challenge.UNKNOWN}
    stop = gate(asked).decide(found)
    assert stop is not None
    assert not stop.answered
    assert "Cannot tell" in stop.reason


def test_an_optimal_policy_gets_no_verdict() -> None:
    asked = study()
    flat = results(asked, lambda game, condition: 0.995, spread=0.001)
    found = verdict(asked, flat)
    assert {r.challenge for r in found.results} <= {Challenge.UNKNOWN, Challenge.NEITHER}
    assert gate(asked).decide(flat) is None


def test_a_lower_floor_judges_what_little_was_learnt() -> None:
    def little(game: str, condition: str) -> float:
        return area(game, condition) / 20

    asked = study(floor=0.01)
    found = results(asked, little, spread=SPREAD / 20)
    assert {r.game: r.challenge for r in verdict(asked, found).results} == PLANTED
    assert {r.challenge for r in verdict(study(), found).results} == {Challenge.UNKNOWN}


def test_two_runs_are_too_few() -> None:
    asked = study(seeds=2)
    found = verdict(asked, results(asked))
    assert {r.challenge for r in found.results} == {Challenge.UNKNOWN}
    assert "too few" in found.sentences[1]


def test_noise_alone_is_no_challenge() -> None:
    asked, alarms = study(seeds=5, games=("arcade/collect",)), 0
    for seed in range(40):
        noise = results(asked, lambda game, condition: REACHED, spread=0.06, seed=seed)
        alarms += verdict(asked, noise).results[0].challenge in (
            Challenge.PERCEPTION, Challenge.LEARNING, Challenge.BOTH,
        )  # fmt: skip
    assert alarms <= 2


def test_another_game_changes_no_result_but_the_papers_normalisation() -> None:
    one, all_ = study(games=("arcade/avoid",)), study()
    many = results(all_)
    alone = verdict(one, type(many)(one.seeds, {t: c for t, c in many.curves.items() if "avoid" in t.point}, 1, 0))
    among = verdict(all_, many)
    mine, theirs = alone.results[0], next(r for r in among.results if r.game == "arcade/avoid")
    assert mine.to_json() == theirs.to_json()
    assert alone.phi["ppo"] != {game: value for game, value in among.phi["ppo"].items() if game in alone.phi["ppo"]}


def test_a_control_that_shows_a_cost_is_a_warning() -> None:
    asked = study(games=("arcade/collect",))
    broken = results(asked, lambda game, c: REACHED / 3 if c == PERMUTED else area(game, c))
    found = verdict(asked, broken)
    assert not found.results[0].sound
    assert any(finding.warning and PERMUTED in finding.text for finding in found.findings)


def test_missing_runs_are_missing() -> None:
    asked = study(games=("arcade/avoid",))
    some = without(results(asked), lambda track, seed: track.point.endswith(PIXELS) and seed < 3)
    found = verdict(asked, some)
    assert found.results[0].perception.n <= 5 < found.results[0].learning.n + 1
    assert found.results[0].challenge is Challenge.PERCEPTION
    assert found.missing == 3
    none = without(results(asked), lambda track, seed: True)
    assert verdict(asked, none).results[0].challenge is Challenge.UNKNOWN


def test_runs_left_out_at_the_floor_are_not_missing() -> None:
    asked = study(games=("arcade/avoid",))
    first = without(
        results(asked, lambda game, condition: 0.02), lambda track, seed: not track.point.endswith(SEMANTIC)
    )
    found = verdict(asked, first)
    assert found.results[0].perception.judgement is Judgement.FLOOR
    assert "not clearly above 5.0%" in found.sentences[0]
    stopped = found.noted((), gate(asked).decide(first))
    assert "missing" in " ".join(found.sentences)
    assert "missing" not in " ".join(stopped.sentences)


@pytest.mark.parametrize(
    ("kind", "levels", "said"),
    [
        (Challenge.OPEN, {SEMANTIC: 0.97, PIXELS: 0.5, "p=": 0.96}, "Perception is a challenge."),
        (Challenge.OPEN, {SEMANTIC: 0.97, PIXELS: 0.5, "p=": 0.96}, "since scores are near the maximum"),
        (Challenge.NEITHER, {SEMANTIC: 0.4, PIXELS: 0.6, "p=": 0.4}, "A negative cost"),
    ],
)
def test_each_cost_has_its_own_words(kind: Challenge, levels: dict[str, float], said: str) -> None:
    asked = study(games=("arcade/avoid",))

    def of(_: str, condition: str) -> float:
        return next(
            (level for name, level in levels.items() if name in condition and name != SEMANTIC), levels[SEMANTIC]
        )

    found = verdict(asked, results(asked, of, spread=0.004))
    assert found.results[0].challenge is kind
    assert said in found.sentences[0]


def test_a_cost_without_its_runs_does_not_hide_the_other() -> None:
    asked = study(games=("arcade/avoid",))
    found = verdict(asked, without(results(asked), lambda track, seed: track.point.endswith("p=0.25")))
    assert found.results[0].challenge is Challenge.OPEN
    assert "Perception is a challenge." in found.sentences[0]
    assert "cannot be told from 0 pairs" in found.sentences[0]


def test_games_that_cannot_be_told_for_both_agents_have_no_rank() -> None:
    asked = study("ppo", "a2c", games=(*COSTS, "arcade/maze"))
    found = verdict(asked, results(asked, lambda game, c: 0.01 if game == "arcade/maze" else area(game, c)))
    assert found.agreements[0].perception.n == len(COSTS)
    nothing = verdict(asked, results(asked, lambda game, c: -0.02))
    assert nothing.agreements[0].perception.n == 0
    assert not nothing.agreements[0].learning.known
    assert {"costs", "taxonomy"}.isdisjoint(nothing.figures())


def test_agents_are_compared() -> None:
    asked = study("ppo", "a2c")

    found = verdict(asked, results(asked))
    (agreement,) = found.agreements
    assert agreement.perception.value >= 0.5  # equal costs are ordered by chance
    assert len(found.synergies) == len(COSTS)
    assert all(abs(s.extra.value) < 0.1 for s in found.synergies)


def test_gains_of_remedies() -> None:
    asked = study(games=("arcade/maze",), remedies=["shaping"])

    def planted(game: str, condition: str) -> float:
        return REACHED * (1.3 if "shaping" in condition else 1.0)

    e = verdict(asked, results(asked, planted)).results[0].gains[Remedy.SHAPING]
    assert e.low < 0.3 * REACHED < e.high
    assert e.low > 0


def test_json_frame_and_figures() -> None:
    asked = study("ppo", "a2c")
    found = verdict(asked, results(asked))
    data = json.loads(json.dumps(found.data()))
    assert data["results"][0]["challenge"] == "neither"
    assert set(found.frame()["condition"]) >= {SEMANTIC, PIXELS, PERMUTED, OTHER_SEEDS}
    assert {"taxonomy", "costs", "controls", "synergy", "agreement-1", "views-1", "rewards-8"} <= set(found.figures())
    assert "challenges.csv" in found.page().tables
    assert np.isfinite(found.frame()["area"]).all()
    assert str(found.methods())


def test_a_report_is_written(tmp_path) -> None:
    asked = study()
    assert verdict(asked, results(asked)).save(tmp_path).read_text().count("data-figure") > 8
