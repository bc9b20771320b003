"""A card says what the functions behind it say, what is not defined and why, and what BRIDGE's authors computed."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path

import gymnasium
import pytest

import mohs
from mohs import Table, Task, UsageError
from mohs.exact.bounds.simple import simple_bound
from mohs.exact.lookahead import qvi
from mohs.exact.values import solve
from mohs.report.data import json_text

sys.path.append(str(Path(__file__).parents[2] / "exact"))
from small_tables import BRIDGE, MDPS

KEYS = {
    "states", "actions", "horizon", "gamma", "optimal_return", "random_return", "worst_return", "p_opt",
    "random_guess_bound", "min_k", "epw", "covering_length", "effective_horizon", "simple_bound_m", "sticky",
}  # fmt: skip

DETOUR = Table.from_arrays([[-1, 1], [2, 2], [-1, -1]], [[1.0, 0.0], [0.0, 0.0], [1.05, 1.05]], horizon=3)


def as_json(card):
    return json.loads(json_text(card.to_json()))


def test_the_rows_of_a_deterministic_toy():
    card = mohs.card("toy/discrete", delay=1, max_episode_steps=10, seed=2)
    table = mohs.table("toy/discrete", delay=1, max_episode_steps=10, seed=2)
    returns = solve.returns(table)
    data = as_json(card)
    assert set(data) >= KEYS
    assert (data["states"], data["actions"], data["horizon"], data["gamma"]) == (table.states, 8, 10, 1)
    assert (data["optimal_return"], data["random_return"]) == (returns.optimal, returns.random)
    assert data["min_k"] == qvi.min_k(table)
    assert data["epw"] == qvi.epw(table)
    assert data["p_opt"] == qvi.p_opt(table)
    simple = simple_bound(table)
    assert data["effective_horizon"]["simple"] == {
        "value": simple.effective_horizon, "k": simple.k, "m": simple.m, "interval": None, "runs": None
    }  # fmt: skip
    assert data["simple_bound_m"] == list(simple.ms)
    assert data["sticky"] is None
    gorp, tight = data["effective_horizon"]["gorp"], data["effective_horizon"]["tight"]
    assert gorp["value"] <= min(tight["value"], simple.effective_horizon)
    assert gorp["interval"][0] <= gorp["value"] <= gorp["interval"][1]
    assert gorp["value"] == pytest.approx(gorp["k"] + math.log(gorp["m"], 8))


def test_a_task_a_table_and_an_id_have_the_same_card():
    task = Task.make("toy/discrete", max_episode_steps=5)
    cards = [as_json(mohs.card(what)) for what in (task, mohs.table(task))]
    cards.append(as_json(mohs.card("toy/discrete", max_episode_steps=5)))
    for card in cards:
        card.pop("target")
        card.pop("sentences")  # they name the task
    assert cards[0] == cards[1] == cards[2]


def test_a_stochastic_task_says_what_is_not_defined():
    card = mohs.card("FrozenLake-v1", horizon=10)
    assert not card.deterministic
    assert card.effective_horizon["gorp"] is None
    assert "deterministic" in card.undefined["effective_horizon.gorp"]
    assert card.effective_horizon["stochastic"] is not None
    assert any("stochastic effective horizon" in line.lower() for line in card.sentences)


def test_the_discount_of_the_learner():
    harmless, harmful = mohs.card(DETOUR, gamma=0.99), mohs.card(DETOUR, gamma=0.9)
    assert harmless.harmless_discount == (0.99, True)
    assert harmful.harmless_discount == (0.9, False)
    # Returns are judged without the discount, whatever the learner's is.
    assert harmless.optimal_return == harmful.optimal_return == 1.05
    assert (harmless.min_k, harmful.min_k) == (1, None)
    assert "0.9" in harmful.undefined["min_k"]
    assert harmful.effective_horizon["simple"] is None
    assert any("discounted return" in line for line in harmful.sentences)
    assert not any("discounted return" in line for line in harmless.sentences)


def test_a_task_that_has_no_table():
    card = mohs.card("MountainCarContinuous-v0", horizon=50)
    data = as_json(card)
    assert not card.exact
    assert data["states"] is data["optimal_return"] is data["min_k"] is None
    assert set(data["undefined"]) >= {"states", "optimal_return", "min_k", "actions", "effective_horizon"}
    mean = data["rollouts"]["random_return"]
    assert mean["low"] <= mean["value"] == data["random_return"] <= mean["high"]
    with pytest.raises(UsageError, match="sticky actions are for tables"):
        mohs.card("CartPole-v1", sticky=0.25)


def test_exploring_a_deterministic_environment():
    env = gymnasium.make("FrozenLake-v1", is_slippery=False)
    exposed = mohs.card(env)
    explored = mohs.card(Table.from_gymnasium(env, key=lambda e: e.unwrapped.s))
    assert exposed.optimal_return == explored.optimal_return == 1
    assert exposed.epw == explored.epw == 6


@pytest.mark.parametrize("unit", [1e-3, 1e-5, 7.0])
def test_the_unit_of_the_rewards_changes_nothing_but_returns_and_gaps(unit):
    params = {"max_episode_steps": 5, "reward_shift": 0.25}
    plain = mohs.card(mohs.table("toy/discrete", **params))
    other = mohs.card(mohs.table("toy/discrete", reward_scale=unit, max_episode_steps=5, reward_shift=0.25 * unit))
    for row in ("p_opt", "min_k", "epw", "covering_length"):
        assert getattr(other, row) == pytest.approx(getattr(plain, row))
    for way, length in plain.effective_horizon.items():
        assert other.effective_horizon[way].value == pytest.approx(length.value, rel=1e-3)
    assert other.optimal_return == pytest.approx(unit * plain.optimal_return)
    assert other.greedy_returns == pytest.approx([unit * x for x in plain.greedy_returns])
    assert other.measures["smallest_gap"] == pytest.approx(unit * plain.measures["smallest_gap"])
    assert other.measures["gap_reciprocals"] == pytest.approx(plain.measures["gap_reciprocals"] / unit)


def test_what_the_card_leaves_out_is_said():
    noisy = mohs.card("toy/discrete", reward_noise=0.5, max_episode_steps=5)
    assert any("reward noise is left out" in line for line in noisy.sentences)
    short = mohs.card("FrozenLake-v1", horizon=3)
    assert short.sentences == ("Every policy earns 0: within 3 steps nothing can go wrong.",)
    hasty = mohs.card(DETOUR, budget=5)
    assert "a run of GORP takes more than 5 steps" in hasty.undefined["effective_horizon.gorp"]
    sampled = mohs.card("CartPole-v1", horizon=20)
    assert sampled.deterministic is None
    assert "seed" in sampled.undefined["deterministic"]


def test_the_analytic_effective_horizon_is_that_of_runs():
    lake = {"is_slippery": False, "horizon": 14}
    played, drawn = (
        mohs.card("FrozenLake-v1", **lake, analytic=analytic).effective_horizon["gorp"] for analytic in (False, True)
    )
    low, high = played.interval
    assert low - 0.1 <= drawn.value <= high + 0.1
    refused = mohs.card("toy/discrete", max_episode_steps=5, analytic=True)
    assert "depends on the path" in refused.undefined["effective_horizon.gorp"]


def test_one_action_and_many_actions():
    alone = mohs.card(Table.from_arrays([[0]], [[1.0]], horizon=3))
    assert (alone.optimal_return, alone.min_k, alone.p_opt) == (3, 1, 1)
    assert all(length is None for length in alone.effective_horizon.values())
    assert {f"effective_horizon.{way}" for way in alone.effective_horizon} <= set(alone.undefined)
    many = mohs.card(Table.from_arrays([[-1] * 70], [list(range(70))], horizon=1))
    assert "2 to 63 actions" in many.undefined["effective_horizon.simple"]
    assert many.effective_horizon["gorp"].value == 1


def test_a_path_may_be_a_path_and_only_ids_take_parameters(tmp_path):
    path = tmp_path / "x.npz"
    DETOUR.save(path)
    assert mohs.card(path).optimal_return == 1.05
    for what in (path, DETOUR, Task.make("toy/discrete"), gymnasium.make("CartPole-v1")):
        with pytest.raises(UsageError, match="horizn"):
            mohs.card(what, horizn=50)
    with pytest.raises(UsageError, match="what is"):
        mohs.card(3)


def test_bad_questions():
    with pytest.raises(UsageError, match="has no horizon"):
        mohs.card(Table.from_arrays([[0, 0]], [[0.0, 1.0]]))
    with pytest.raises(UsageError, match="gamma is 2"):
        mohs.card(DETOUR, gamma=2)
    with pytest.raises(UsageError, match="horizon is 0"):
        mohs.card(DETOUR, horizon=0)
    with pytest.raises(UsageError, match="unknown parameter"):
        mohs.card("toy/discrete", delai=2)


@pytest.mark.skipif(not BRIDGE.is_dir(), reason="the BRIDGE files are not there (MOHS_BRIDGE_DIR names their folder)")
@pytest.mark.parametrize("name", MDPS)
def test_bridge(name):
    horizon, guess = MDPS[name]
    plain, tight, sticky = (
        json.loads((BRIDGE / f"{name}.consolidated_{kind}.json").read_text())
        for kind in ("analyzed", "gorp_bounds", "analyzed_sticky_0.25")
    )
    found = as_json(mohs.card(str(BRIDGE / f"{name}.npz"), horizon=horizon, sticky=0.25, runs=20))
    assert found["min_k"] == plain["min_k"]
    assert found["epw"] == plain["epw"]
    assert found["simple_bound_m"] == plain["effective_horizon_results"]["ms"]
    assert found["effective_horizon"]["simple"]["value"] == pytest.approx(plain["effective_horizon"], abs=1e-6)
    assert found["effective_horizon"]["tight"]["value"] == pytest.approx(tight["effective_horizon"], rel=0.02)
    assert found["p_opt"] == pytest.approx(guess, rel=1e-5)
    least = plain["min_occupancy_results"]
    assert found["measures"]["least_state_occupancy"] == pytest.approx(least["min_state_occupancy"], rel=1e-6)
    assert found["measures"]["least_pair_visits"] == pytest.approx(least["min_sum_state_action_occupancy"], rel=1e-6)
    assert found["sticky"]["states"] == sticky["num_states"]
    for key in ("min_k", "epw"):
        assert found["sticky"][key] == sticky[key]
    for key in ("optimal_return", "random_return", "worst_return"):
        assert found["sticky"][key] == pytest.approx(sticky[key], abs=1e-6)
