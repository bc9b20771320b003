"""Which models does an evaluation over a family train, and what does it refuse?"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from planted_families import cartpoles, results

import mohs
from mohs.agents.registry import agent_entry
from mohs.core.cell import Agent
from mohs.core.errors import UsageError
from mohs.core.family_files import describe, read_family
from mohs.core.task import Task
from mohs.protocols.agents import agents_of
from mohs.protocols.family.asked import make_study, varied
from mohs.protocols.family.gate import gate
from mohs.protocols.family.study import DEFAULT_SEEDS, FamilyStudy, plan
from mohs.protocols.family.verdict import verdict

A, B = Agent.make("dqn"), Agent.make("ppo")


def study_of(**options) -> FamilyStudy:
    return FamilyStudy.make((A, B), cartpoles(), "carts", steps=1000, **options)


def test_the_plan_has_the_default_and_the_chosen_points() -> None:
    made = plan(study_of(budget=20))
    assert len(made.cells) == 2 * (20 + DEFAULT_SEEDS)
    assert len({cell.seed for cell in made.cells if dict(cell.segments[0].source.params) == {}}) == DEFAULT_SEEDS


def test_a_larger_budget_keeps_the_models_of_a_smaller_one() -> None:
    small, large = (set(plan(study_of(budget=n)).runs) for n in (20, 40))
    assert small < large


def test_every_point_has_its_own_seeds_and_methods_share_them() -> None:
    made = plan(study_of(budget=24, seeds=2))
    seeds = {
        (cell.agent.name, str(cell.segments[0].source), cell.seed)
        for cell in made.cells
        if cell.segments[0].source.params
    }
    by_method = {name: {(task, seed) for method, task, seed in seeds if method == name} for name, _, _ in seeds}
    assert len({frozenset(pairs) for pairs in by_method.values()}) == 1
    pairs = next(iter(by_method.values()))
    assert len({seed for _, seed in pairs}) == len(pairs)


def test_a_point_that_is_drawn_again_is_trained_again() -> None:
    """The budget is spent, and no two draws share a seed: Student's variance takes them for independent."""
    study = study_of(budget=64, design="m1")
    assert len(study.points) == 64 > len(set(study.sample.chosen.tolist()))
    made = plan(study)
    assert len(made.cells) == 2 * (64 + DEFAULT_SEEDS)
    found = verdict(study, results(study, lambda m, p, s: 100.0 + len(p.name) + s))
    assert len(found.used) == 64
    assert not np.ptp(found.sample.weights)


@pytest.mark.parametrize("seeds", [1, 3])
def test_a_family_of_one_point_and_one_without_axes(seeds: int) -> None:
    tasks = {"short": Task.make("control/cartpole", length=0.2), "long": Task.make("control/cartpole", length=2.0)}
    for family in (mohs.Family.grid("control/cartpole", length=[1.0]), mohs.Family.explicit(tasks)):
        study = FamilyStudy.make((A, B), family, "few", steps=1000, seeds=seeds)
        found = verdict(study, results(study, lambda m, p, s: 100.0 + 50 * (m == "ppo") + 10 * s))
        assert found.order == ("ppo", "dqn")
        assert found.pairs[0].difference.known == (seeds > 1)
        assert found.page().body


def test_the_data_set_of_repeated_draws_has_their_weights(tmp_path) -> None:
    study = study_of(budget=40, design="m1")
    (tmp_path / "points.csv").write_text(verdict(study, results(study, lambda m, p, s: 100.0 + len(p.name))).dataset())
    again = read_family(tmp_path / "points.csv")
    times = np.bincount(study.sample.chosen, minlength=len(study.members))
    assert {p.name: p.weight for p in again.members} == {
        p.name: pytest.approx(times[i] / 40) for i, p in enumerate(study.members) if times[i]
    }


def test_points_of_unlike_physics_train_in_one_pack() -> None:
    from mohs.runs.plan import packs

    assert len(packs(plan(study_of(budget=20)).cells, 1000)) == 2  # one for each method


def test_a_range_makes_a_frame_and_a_list_a_grid() -> None:
    frame = varied("control/cartpole", ["length=0.25:2", "gravity=5,10"], {})
    assert len(frame.members) == 1024
    assert frame.default is not None
    assert frame.default.weight == 0
    grid = varied("control/cartpole", ["length=0.25,0.5"], {})
    assert grid.default == grid[1]
    assert len(grid) == 2


def test_levels_are_an_axis() -> None:
    assert len(varied("toy/discrete", ["seed=0,1,2"], {}).members) == 3
    every = varied("ctgraph", ["seed=0:7", "depth=2,3"], {})
    assert {(p.task.seed, p.task["depth"]) for p in every.members} == {(s, d) for s in range(8) for d in (2, 3)}
    study = FamilyStudy.make((Agent.make("q_learning"),), varied("toy/discrete", ["seed=0,1,2"], {}), "levels")
    assert study.points


def test_hyperparameters_go_to_the_methods_that_have_them() -> None:
    dqn, ppo = agents_of(["dqn", "ppo"], {"gamma": 0.9, "ppo.n_steps": 32})
    assert dict(dqn.params) == {"gamma": 0.9}
    assert dict(ppo.params) == {"gamma": 0.9, "n_steps": 32}


REFUSED: dict[str, tuple[Callable[[], object], str]] = {
    "budget": (lambda: study_of(budget=65), "64 points"),
    "design": (lambda: study_of(design="pivotl"), "pivotal"),
    "census": (lambda: study_of(design="census", budget=8), "all 64 points"),
    "seeds": (lambda: study_of(budget=2, seeds=3), "less than one point"),
    "no multiple": (lambda: study_of(budget=5, seeds=2), "multiple of 2"),
    "text": (lambda: _varied("length=abc"), "--vary"),
    "twice": (lambda: FamilyStudy.make((A, A), cartpoles(), "carts"), "named twice"),
    "weights": (lambda: cartpoles().weighted([1.0]), "1 weights were given"),
    "attribute": (lambda: varied("Pendulum-v1", ["mas=1,2"], {}), "mas"),
    "both": (lambda: _asked(family=cartpoles(), env="CartPole-v1"), "the name or the file of a family"),
    "neither": (lambda: _asked(family=None, env=None), "either"),
    "looks of few points": (lambda: study_of(budget=30, looks=2), "use 31 or more"),
    "looks without order": (lambda: study_of(budget=64, looks=2, design="m1"), "no smaller ones to look at"),
    "default seeds": (lambda: study_of(default_seeds=0), "default_seeds"),
    "no mass": (lambda: _made("Pendulum-v1", "m=0,1"), "m of Pendulum-v1 is 0, but must be above 0"),
    "negative length": (lambda: _made("Acrobot-v1", "LINK_LENGTH_1=-1,1"), "must be above 0"),
    "no levels": (lambda: varied("toy/grid", ["seed=0,1"], {}), "vary the parameters"),
    "nothing varies": (lambda: _asked(family=None, env="CartPole-v1"), "what varies"),
    "family": (lambda: _asked(family="cartpol", env=None), "cartpole"),
    "method": (lambda: agents_of(["dqn"], {"ppo.n_steps": 3}), "not among the methods"),
    "no effect": (
        lambda: FamilyStudy.make(
            (A,), mohs.Family.grid("HalfCheetah-v5", **{"friction.floor": [0.01, 0.02]}), "floor", steps=1000
        ),
        "no effect",
    ),
}  # fmt: skip


def _varied(axis: str) -> FamilyStudy:
    return make_study(
        ["dqn"], family=None, env="CartPole-v1", vary=[axis], params={}, weights=None, hyperparameters={}, baseline=None
    )


def _made(env: str, axis: str) -> FamilyStudy:
    return FamilyStudy.make((B,), varied(env, [axis], {}), "family", steps=1000)


def _asked(**given) -> FamilyStudy:
    return make_study(["dqn"], vary=(), params={}, weights=None, hyperparameters={}, baseline=None, **given)


@pytest.mark.parametrize("name", REFUSED)
def test_bad_input_is_one_sentence(name: str) -> None:
    make, said = REFUSED[name]
    with pytest.raises(UsageError) as error:
        make()
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_looks_end_a_study_when_the_ranking_is_decided() -> None:
    study = study_of(budget=64, looks=3)
    made = gate(study)
    assert [len(stage) for stage in made.stages] == [2 * (16 + DEFAULT_SEEDS), 2 * 16]
    clear = results(study, lambda m, p, s: 500.0 if m == "dqn" else 10.0 + 0.01 * len(p.name))
    first = set(made.stages[0])
    partly = type(clear)(1, {t: c if t in first else (None,) for t, c in clear.curves.items()}, clear.planned, 64)
    stop = made.decide(partly)
    assert stop is not None
    assert stop.answered
    equal = results(study, lambda m, p, s: 200.0)
    partly = type(clear)(1, {t: c if t in first else (None,) for t, c in equal.curves.items()}, equal.planned, 64)
    assert made.decide(partly) is None


@pytest.mark.parametrize("family", ["cartpole", "pendulum", "mountain_car", "half_cheetah", "quad", "swimmer"])
@pytest.mark.parametrize("edition", ["quick", "paper"])
def test_editions_fit_their_families(family: str, edition: str) -> None:
    told, members = describe(family).editions[edition], len(read_family(family).members)
    assert all(agent_entry(name) for name in told["methods"])
    assert told["budget"] // told.get("seeds", 1) <= members


GIVEN: dict[str, Any] = {
    "env": None, "vary": (), "params": {}, "weights": None, "hyperparameters": {}, "baseline": None,
}  # fmt: skip


def test_an_edition_says_what_is_left_open() -> None:
    study = make_study([], family="quad", edition="quick", **GIVEN)
    assert (study.labels, study.seeds, study.steps) == (("ppo", "trpo", "td3"), 5, 50_000)
    study = make_study(["cem"], family="quad", edition="quick", steps=1000, **GIVEN)
    assert (study.labels, study.seeds, study.steps) == (("cem",), 5, 1000)
    for options, said in (
        ({"family": "quad", "edition": "quik"}, "quick"),
        ({"family": cartpoles(), "edition": "quick"}, "a family with a name"),
        ({"family": "quad"}, "at least one method"),
    ):
        with pytest.raises(UsageError, match=said):
            make_study([], **options, **GIVEN)


SCORED = """
env = "control/cartpole"
axes = {length = [0.5, 1.0, 2.0]}
scores = {evaluate = {max_episode_steps = 300}, failure = 0.4}
"""


def test_a_file_says_how_scores_are_measured(tmp_path: Path) -> None:
    """And what is asked for goes before it."""
    (tmp_path / "carts.toml").write_text(SCORED)
    study = _asked(family=str(tmp_path / "carts.toml"), env=None)
    assert study.failure == 0.4
    probed = {probe.source["max_episode_steps"] for cell in plan(study).cells for probe in cell.probes}
    assert probed == {300}
    trained = {s.source["max_episode_steps"] for c in plan(study).cells for s in c.segments if s.steps}
    assert trained == {500}
    study = _asked(family=str(tmp_path / "carts.toml"), env=None, failure=0.1, evaluation={"max_episode_steps": 200})
    assert (study.failure, study.evaluation) == (0.1, (("max_episode_steps", 200),))


def test_a_family_in_json_has_the_usual_scores(tmp_path: Path) -> None:
    (tmp_path / "carts.json").write_text(json.dumps(cartpoles().to_json()))
    study = _asked(family=str(tmp_path / "carts.json"), env=None)
    assert (study.failure, study.evaluation) == (0.2, ())
    assert study.family == cartpoles()


def test_what_does_not_learn_is_evaluated_without_training() -> None:
    study = make_study(["max_pressure", "fixed"], family="salt_lake", budget=8, steps=720, **GIVEN)
    steps = {(c.agent.name, sum(s.steps for s in c.segments)) for c in plan(study).cells}
    assert {("max_pressure", 0), ("fixed", 720)} <= steps
    assert ("max_pressure", 720) not in steps


def test_the_default_point_has_as_many_seeds_as_asked() -> None:
    study = study_of(budget=20, default_seeds=12)
    assert len(plan(study).cells) == 2 * (20 + 12)
    assert len(study_of(budget=20, seeds=2, default_seeds=5).default_names) == 3  # 6 runs
    again = FamilyStudy.from_json(study.to_json())
    assert again == study
    old = {name: value for name, value in study.to_json().items() if name != "default_seeds"}
    assert FamilyStudy.from_json(old).default_seeds == DEFAULT_SEEDS


def test_a_file_of_points_may_leave_the_environment_open(tmp_path) -> None:
    path = tmp_path / "poles.csv"
    path.write_text("name,length\na,.25\nb,0.5\n")
    study = _asked(family=str(path), env="CartPole-v1")
    assert study.title == "poles of CartPole-v1"
    assert [dict(point.task["context"])["length"] for point in study.members] == [0.25, 0.5]
    with pytest.raises(UsageError, match="--env"):
        _asked(family=str(path), env=None)


def test_what_is_known_of_points_is_said_before_training() -> None:
    from mohs.protocols.family.command import _note

    family = varied("control/cartpole", {"masscart": [1, 10], "masspole": [0.1, 1], "force_mag": [10, 100]}, {})
    assert "1 of 8 points has the dynamics of another point" in _note(FamilyStudy.make((A,), family, "carts"))
    cars = varied("control/mountain_car_continuous", {"power": [0.00001, 0.0015]}, {})
    assert "No policy can solve 1 of 2 points" in _note(FamilyStudy.make((A,), cars, "cars"))
