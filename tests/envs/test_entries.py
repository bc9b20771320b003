"""Do the entries say what is known of an environment, and can each part of one be imported?"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, get_args

import gymnasium
import pytest

import mohs
from mohs import Task, UsageError
from mohs.core import registry
from mohs.core.dial import Applies
from mohs.core.dials import DIALS
from mohs.core.registry import Environment, Similarity, environment, environments
from mohs.envs import dials
from mohs.envs.dials import dial_of, read_dial
from mohs.envs.entries.third_party import third_party_entry
from mohs.envs.registration import ENTRIES, register_environment
from mohs.stats import paper_scale

NAMED = [f.name for f in fields(Environment) if f.type == "str | None" and f.name != "levels"]  # which names an axis
PLACES = {
    "challenge": None,
    "ctgraph": None,
    "toy/continuous": "continuous toy",
    "toy/discrete": "discrete toy",
    "toy/grid": "grid toy",
    "CartPole-v1": "wrapper",
    "atari/Pong": "wrapper",
}


@pytest.fixture(autouse=True)
def untouched(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test registers is undone."""
    monkeypatch.setattr(registry, "_ENVIRONMENTS", dict(registry._ENVIRONMENTS))


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)
def test_every_part_can_be_imported(entry: Environment) -> None:
    for name in ("check", "face", "vector_face", "spaces", *NAMED):
        if getattr(entry, name) is not None:
            assert entry.realisation(name) is not None
        else:
            with pytest.raises(UsageError, match=f"{entry.id} has no {name}"):
                entry.realisation(name)


@pytest.mark.parametrize(("name", "place"), PLACES.items())
def test_dials_are_read_in_the_place_of_the_entry(name: str, place: Applies | None) -> None:
    entry = environment(name)
    assert entry.place == place
    assert place is None or place in get_args(Applies)
    assert (entry.batteries is None) == (place is None)


def test_a_dial_has_the_unit_of_its_environment() -> None:
    assert dial_of(Task.make("toy/discrete"), "transition_noise").unit == "probability"
    assert dial_of(Task.make("toy/continuous"), "transition_noise").unit == "std. deviation"
    assert dial_of(Task.make("CartPole-v1"), "transition_noise").unit == "probability"
    assert dial_of(Task.make("Pendulum-v1", delay=3), "transition_noise").unit == "std. deviation"
    assert not any(" or " in unit for d in DIALS.values() for unit in (d.unit, *(r.unit for r in d.readings)))


def test_no_environment_is_made_where_the_unit_does_not_depend_on_it(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def counted(task: Task) -> Any:
        made.append(task.env)
        return mohs.make(task)

    monkeypatch.setattr(dials, "make", counted)
    dials._has_continuous_actions.cache_clear()
    cart = Task.make("CartPole-v1")
    assert dial_of(cart, "delay").unit == "steps"
    assert read_dial(cart.environment, "transition_noise").unit_continuous == "std. deviation"
    assert made == []
    for task in (cart, cart.replace(delay=2, seed=3)):
        assert dial_of(task, "transition_noise").unit_continuous is None
    assert made == ["CartPole-v1"]


def test_what_is_no_dial_of_an_environment() -> None:
    with pytest.raises(UsageError, match="diameter is no dial of CartPole-v1: it applies to discrete toy"):
        dial_of(Task.make("CartPole-v1"), "diameter")
    with pytest.raises(UsageError, match="delay is no dial of ctgraph"):
        read_dial(environment("ctgraph"), "delay")


def test_the_scaling_is_that_of_the_paper() -> None:
    task = Task.make("toy/discrete", delay=2, sequence_length=3)
    assert task.environment.realisation("scaling")(task) == paper_scale(2, 3, 100)


def test_similarities_have_titles() -> None:
    found = environment("ctgraph").realisation("similarity")
    assert all(isinstance(one, Similarity) and one.title for one in found.values())
    task = Task.make("ctgraph", goal=(1, 2))
    assert {one.measure(task, task) for one in found.values()} == {1.0}


def test_tasks_are_aligned_to_the_largest() -> None:
    tasks = {"small": Task.make("ctgraph"), "large": Task.make("ctgraph", depth=3)}
    made = environment("ctgraph").realisation("align")(tasks)
    assert list(made) == ["small", "large"]
    assert mohs.make(made["small"]).observation_space == mohs.make(tasks["large"]).observation_space


def test_an_environment_is_registered_under_both_names() -> None:
    register_environment(replace(environment("toy/grid"), id="my/grid", gym_id="mine/Grid-v0", title="mine"))
    assert "my/grid" in {entry.id for entry in environments()}
    assert mohs.make("my/grid", grid_shape=(3, 3)).reset(seed=0)
    assert gymnasium.make("mine/Grid-v0").reset(seed=0)
    del gymnasium.registry["mine/Grid-v0"]


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("toy/grid", "must be an Environment"),
        (ENTRIES[0], f"{ENTRIES[0].id} is an environment of mohs"),
        (replace(ENTRIES[0], id="new", parameters={}), "new needs the parameter max_episode_steps"),
        (replace(third_party_entry("CartPole-v1"), gym_id="No-v0"), "Gymnasium does not know No-v0"),
    ],
)
def test_what_is_not_registered(entry: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        register_environment(entry)


def test_a_third_party_entry_keeps_the_names_of_gymnasium() -> None:
    register_environment(third_party_entry("CartPole-v1", id="cart", title="a cart"))
    assert Task.make("cart", delay=1).environment.title == "a cart"
    assert Task.make("CartPole-v1").environment.title == "CartPole-v1 of Gymnasium"
    with pytest.raises(UsageError, match="Gymnasium does not know No-v0"):
        third_party_entry("No-v0")
