"""Is what was asked for what is run?"""

from __future__ import annotations

import importlib.util
import json

import pytest
from planted_games import study

from mohs.core.errors import UsageError
from mohs.core.task import members
from mohs.protocols.lcd.asked import expanded, make_study
from mohs.protocols.lcd.conditions import OTHER_SEEDS, PERMUTED, SEED_SHIFT, SEMANTIC, held_out, rarer
from mohs.protocols.lcd.study import LcdStudy, plan, point_name
from mohs.runs.checks import check_plan


def asked(agents=("ppo",), games=("arcade/collect",), **options):
    return make_study(**{"agents": agents, "games": games} | options)


def test_conditions_change_only_what_they_name() -> None:
    made = asked()
    (_, task), agent = made.games[0], made.agents[0]
    found = {c.name: c for c in made.conditions(task)}
    assert list(found)[:3] == [SEMANTIC, "pixels", "figure_ground"]
    for name, condition in found.items():
        cell = made.cell(agent, task, condition, 3)
        trained = cell.segments[0].source
        differs = set(dict(trained.params).items()) ^ set(dict(task.params).items())
        assert {key for key, _ in differs} <= {"view", "reward_probability"}, name
        assert cell.seed == 3 + (SEED_SHIFT if name == OTHER_SEEDS else 0)
        evaluated = members(cell.probes[0].source)[0][0]
        assert evaluated["view"] == trained["view"]
        assert evaluated["reward_probability"] == 1.0
        assert cell.probes[0].at[0] == 0
        assert cell.probes[0].at[-1] == made.steps
    assert dict(found[rarer(0.25)].params)["reward_probability"] == 0.25
    assert dict(found[PERMUTED].params)["view"] == "permuted"


def test_training_and_held_out_levels_are_disjoint() -> None:
    _, task = asked(levels=20).games[0]
    other = members(held_out(task))[0][0]
    assert task["num_levels"] == 20
    assert other["start_level"] >= task["start_level"] + 20


def test_editions_are_completed_by_what_is_asked_for() -> None:
    made = make_study("paper", games=["procgen:leaper"], steps=1_000_000, params={"size": 32})
    assert [name for name, _ in made.games] == ["procgen/Leaper"]
    assert [dict(agent.params)["preset"] for agent in made.agents] == ["procgen", "procgen"]
    task = made.games[0][1]
    assert (task["size"], task["view_encoding"], task["distribution_mode"]) == (32, "scalar", "hard")
    assert made.steps == 1_000_000
    assert len(make_study("arcade").games) == 8
    assert len(make_study("procgen").games) == 16


def test_json_both_ways() -> None:
    made = asked(("ppo", "dqn"), ("arcade/collect", "arcade/maze"), remedies=["shaping"], best={"arcade/maze": 5.0})
    again = LcdStudy.from_json(json.loads(json.dumps(made.to_json())))
    assert again == made
    assert plan(again).key == plan(made).key


def test_a_plan_has_a_track_for_every_condition() -> None:
    made = study("ppo", "a2c", seeds=2)
    found = plan(made)
    assert len(found.tracks) == 2 * sum(len(made.conditions(task)) for _, task in made.games)
    assert found.tracks[0].point == point_name(made.games[0][0], SEMANTIC)
    assert len(found.cells) == 2 * len(found.tracks)


def test_names_of_games() -> None:
    assert expanded("arcade/maze") == ["arcade/maze"]
    assert expanded("arcade:maze,dig") == ["arcade/maze", "arcade/dig"]
    assert len(expanded("arcade")) >= 8
    assert expanded("my_env.py:make") == ["my_env.py:make"]
    assert expanded("procgen:bigfish,leaper") == ["procgen/BigFish", "procgen/Leaper"]


def test_small_encoders_unless_something_else_is_set() -> None:
    assert dict(asked().agents[0].params)["preset"] == "arcade"
    assert "preset" not in dict(asked(("random",)).agents[0].params)
    assert dict(asked(hyperparameters={"preset": "procgen"}).agents[0].params)["preset"] == "procgen"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"agents": ()}, "name at least one agent"),
        ({"games": ()}, "name at least one game"),
        ({"games": ("arcade/mze",)}, "maze"),
        ({"games": ("toy/discrete",)}, "has no views"),
        ({"probabilities": (0.5,)}, "must have 1"),
        ({"probabilities": (1, 0)}, "probability"),
        ({"remedies": ["shapping"]}, "shaping"),
        ({"remedies": ["shaping"]}, "offers shaping"),
        ({"remedies": ["motion"], "agents": ("random",)}, "takes no front-end"),
        ({"agents": ("ppo", "ppo")}, "named twice"),
        ({"evaluations": 1}, "evaluations"),
        ({"steps": 3}, "steps"),
        ({"best": {"arcade/x": 1.0}}, "not among the games"),
        ({"mode": "best"}, "mode"),
        ({"floor": -0.1}, "floor"),
        ({"params": {"reward_probability": 0.5}}, "mohs lcd sets itself"),
        ({"params": {"view": "semantic"}}, "mohs lcd sets itself"),
        ({"params": {"shaping": 0.5}, "games": ("arcade/maze",)}, "mohs lcd sets itself"),
        ({"best": {"arcade/collect": "abc"}}, "best"),
        ({"best": {"arcade/collect": 0.5}}, "random policy earns"),
    ],
)
def test_what_cannot_be_asked(change, message) -> None:
    with pytest.raises(UsageError, match=message):
        asked(**change)


@pytest.mark.skipif(importlib.util.find_spec("procgen") is None, reason="needs Procgen")
@pytest.mark.parametrize("edition", ["procgen", "paper"])
def test_editions_of_procgen_can_run(edition) -> None:
    check_plan(plan(make_study(edition=edition, games=["procgen:maze"])))
