"""Which models does an evaluation over a family train, and what does it refuse?"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from planted_families import cartpoles, results

import mohs
from mohs.core.cell import Agent
from mohs.core.errors import UsageError
from mohs.protocols.family.asked import make_study, methods_of, varied
from mohs.protocols.family.gate import gate
from mohs.protocols.family.study import DEFAULT_SEEDS, FamilyStudy, plan

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


def test_hyperparameters_go_to_the_methods_that_have_them() -> None:
    dqn, ppo = methods_of(["dqn", "ppo"], {"gamma": 0.9, "ppo.n_steps": 32})
    assert dict(dqn.params) == {"gamma": 0.9}
    assert dict(ppo.params) == {"gamma": 0.9, "n_steps": 32}


REFUSED: dict[str, tuple[Callable[[], object], str]] = {
    "budget": (lambda: study_of(budget=65), "64 points"),
    "design": (lambda: study_of(design="pivotl"), "pivotal"),
    "census": (lambda: study_of(design="census", budget=8), "all 64 points"),
    "seeds": (lambda: study_of(budget=2, seeds=3), "less than one point"),
    "twice": (lambda: FamilyStudy.make((A, A), cartpoles(), "carts"), "named twice"),
    "weights": (lambda: cartpoles().weighted([1.0]), "1 weights were given"),
    "attribute": (lambda: varied("Pendulum-v1", ["mas=1,2"], {}), "mas"),
    "both": (lambda: _asked(family="cartpole", env="CartPole-v1"), "either"),
    "nothing varies": (lambda: _asked(family=None, env="CartPole-v1"), "what varies"),
    "family": (lambda: _asked(family="cartpol", env=None), "cartpole"),
    "method": (lambda: methods_of(["dqn"], {"ppo.n_steps": 3}), "not among the methods"),
    "no effect": (
        lambda: FamilyStudy.make(
            (A,), mohs.Family.grid("HalfCheetah-v5", **{"friction.floor": [0.01, 0.02]}), "floor", steps=1000
        ),
        "no effect",
    ),
}  # fmt: skip


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
    clear = results(study, lambda m, p, s: 400.0 if m == "dqn" else 50.0 + len(p.name))
    first = set(made.stages[0])
    partly = type(clear)(1, {t: c if t in first else (None,) for t, c in clear.curves.items()}, clear.planned, 64)
    stop = made.decide(partly)
    assert stop is not None
    assert stop.answered
    equal = results(study, lambda m, p, s: 200.0)
    partly = type(clear)(1, {t: c if t in first else (None,) for t, c in equal.curves.items()}, equal.planned, 64)
    assert made.decide(partly) is None
