"""A percentile counts tasks that are strictly easier; a task is most like itself; easy and hard tasks are called so."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_cards import the_pole

import mohs
from mohs import Table
from mohs.protocols.card.collection import Collection, KnownTask, Outcome, collection
from mohs.protocols.card.indicators import INDICATORS, MOST_STEPS, indicator_values
from mohs.protocols.card.profile import Difficulty, neighbours, profile, relevance
from mohs.protocols.card.record import Card, Length
from mohs.protocols.card.why import percent, why

KEYS = [indicator.key for indicator in INDICATORS]


def known(*values: dict[str, float | None], scores: tuple[float, ...] = ()) -> Collection:
    """An invented collection."""
    tasks = [
        KnownTask(f"task {i}", "invented", 10, {**dict.fromkeys(KEYS), **found},
                  {"q_learning": Outcome(scores[i], scores[i], scores[i], 3)} if scores else {})
        for i, found in enumerate(values)
    ]  # fmt: skip
    return Collection(tuple(tasks), ("q_learning",), 1000, 3)


def lock(states: int, actions: int = 4) -> Table:
    """One action leads on, the others back to the start; the last step pays 1 and ends."""
    right = np.random.default_rng(0).integers(actions, size=states)
    moves, pay = np.zeros((states, actions), dtype=int), np.zeros((states, actions))
    moves[np.arange(states), right] = [*range(1, states), -1]
    pay[states - 1, right[-1]] = 1.0
    return Table.from_arrays(moves, pay, horizon=states + 5)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20), st.floats(0, 1))
def test_a_percentile_is_the_share_that_is_strictly_easier(others: list[float], own: float) -> None:
    card = Card(name="a task", exact=True, horizon=10, gamma=1.0, p_opt=own, min_k=7)
    rounded = [float(f"{value:.8g}") for value in others]
    percentile = profile(card, known(*({"p_opt": value} for value in rounded))).percentile("p_opt")
    mine = float(f"{own:.8g}")
    assert percentile.harder_than == pytest.approx(np.mean([value > mine for value in rounded]))  # less is harder
    assert percentile.easier_than == pytest.approx(np.mean([value < mine for value in rounded]))
    assert percentile.n == len(others)


def test_more_look_ahead_is_harder_and_ties_do_not_count() -> None:
    card = Card(name="a task", exact=True, horizon=10, gamma=1.0, min_k=3)
    percentile = profile(card, known({"min_k": 1}, {"min_k": 3}, {"min_k": 3}, {"min_k": 9})).percentile("min_k")
    assert (percentile.harder_than, percentile.easier_than) == (0.25, 0.25)
    assert profile(card, known({"p_opt": 0.1})).percentile("min_k").harder_than is None


def test_distances_are_those_of_a_plain_reference() -> None:
    """Root mean square of differences of mid-ranks over their spread, over the indicators that both have."""
    found = collection()

    def ranks(key: str) -> dict[float, float]:
        turn = next(indicator for indicator in INDICATORS if indicator.key == key).hardness
        values = [turn(v) for task in found.tasks if (v := task.values[key]) is not None]
        places = {v: sum(o < v for o in values) / len(values) + values.count(v) / (2 * len(values)) for v in values}
        spread = float(np.std([places[v] for v in values]))
        return {(v if turn(1.0) > 0 else -v): place / spread for v, place in places.items()}

    by_key = {key: ranks(key) for key in KEYS}
    one, other = found.tasks[3], found.tasks[70]
    shared = [key for key in KEYS if one.values[key] is not None and other.values[key] is not None]
    gaps = [by_key[key][one.values[key]] - by_key[key][other.values[key]] for key in shared]  # type: ignore[index]
    near = next(n for n in neighbours(one.values, found) if n.task is other)
    assert (near.distance, near.shared) == (pytest.approx(math.sqrt(np.mean(np.square(gaps)))), len(shared))


def test_every_known_task_is_most_like_itself() -> None:
    found = collection()
    for task in found.tasks:
        nearest = neighbours(task.values, found)[0]
        assert nearest.distance == 0
        own = next(n for n in neighbours(task.values, found) if n.task is task)
        assert own.distance == 0


def test_the_collection_is_large_and_its_runs_are_real() -> None:
    found = collection()
    assert len(found.tasks) >= 150
    assert {task.group for task in found.tasks} == {"toys", "CT-graph", "toy text", "MiniGrid", "challenge"}
    assert len({task.name for task in found.tasks}) == len(found.tasks)
    for task in found.tasks:
        assert set(task.values) == set(KEYS)
        assert {"q_learning"} <= set(task.outcomes) <= set(found.agents), task.name
        assert all(o.low <= o.value <= o.high <= 1 and o.n == found.seeds for o in task.outcomes.values()), task.name


def test_a_card_finds_itself_in_the_collection() -> None:
    """So the file holds what a card computes, by its name, its horizon and every indicator."""
    for card in (mohs.card("toy/discrete"), mohs.card("FrozenLake-v1", is_slippery=False), mohs.card("hanoi-3")):
        found = card.profile
        assert found.own is not None
        assert found.own.distance == 0
        assert found.own.task.values == {
            k: None if v is None else pytest.approx(v) for k, v in indicator_values(card).items()
        }
        assert all(n.task is not found.own.task for n in found.neighbours)
        assert "It is one of the known tasks" in card.sentences[1]
    assert mohs.card("toy/discrete", horizon=7).profile.own is None


def test_easy_tasks_are_called_easy_and_locks_hard() -> None:
    bandit = mohs.card(Table.from_arrays([[-1, -1]], [[0.0, 1.0]], horizon=1))
    assert bandit.profile.difficulty is Difficulty.EASY
    assert " is easy: " in bandit.sentences[0]
    assert "easier than" in bandit.sentences[0]
    for states in (10, 20):
        card = mohs.card(lock(states))
        assert card.profile.difficulty is Difficulty.HARD
        assert card.profile.reasons[0] in ("paying_steps", "random_share")
        assert " is hard: random play " in card.sentences[0]


def test_what_makes_a_task_hard_goes_with_what_agents_lost() -> None:
    """p_opt and min_k rise with the loss here, the number of states falls with it."""
    tasks = [{"p_opt": 0.5**i, "min_k": i, "states": 10.0 - i} for i in range(1, 9)]
    made = known(*tasks, scores=tuple(1 - i / 10 for i in range(1, 9)))  # type: ignore[arg-type]
    found = relevance(made)
    assert found["p_opt"].correlation == pytest.approx(1)
    assert found["min_k"].relevant
    assert found["states"].correlation == pytest.approx(-1)
    assert not found["states"].relevant
    assert math.isnan(found["value_norm"].correlation)
    assert (found["value_norm"].n, found["value_norm"].relevant) == (0, False)


def test_an_indicator_that_does_not_vary_is_not_relevant() -> None:
    made = known(*({"min_k": 3.0} for _ in range(8)), scores=tuple(i / 10 for i in range(8)))
    assert math.isnan(relevance(made)["min_k"].correlation)
    assert not relevance(made)["min_k"].relevant


def test_a_task_without_a_table_has_no_neighbours_and_says_what_is_known() -> None:
    found = the_pole().profile
    assert found.difficulty is Difficulty.UNKNOWN
    assert (found.neighbours, found.own, found.expected) == ((), None, None)
    (sentence,) = why("a pole", found)
    assert "Sparse rewards: 50% of random steps pay, harder than " in sentence


def test_gorp_counts_up_to_its_budget() -> None:
    card = Card(name="a task", exact=True, horizon=10, gamma=1.0, actions=2)
    short = replace(card, effective_horizon={"gorp": Length(3.0, 2, 2)})
    assert indicator_values(short)["gorp_steps"] == 10**2 * 2**2 * 2
    assert indicator_values(replace(card, gorp_failed_within=MOST_STEPS))["gorp_steps"] == MOST_STEPS
    assert indicator_values(replace(card, gorp_failed_within=1000))["gorp_steps"] is None


def test_a_share_is_never_rounded_up() -> None:
    assert [percent(share) for share in (0.0, 0.009, 0.999, 1.0)] == ["0%", "0%", "99%", "100%"]
