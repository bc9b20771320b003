"""Plans are data; packs hold every cell once, in order, of one signature and step, and are balanced."""

from __future__ import annotations

import json
import math
from functools import partial

import pytest
from fake_learner import cell, plan
from hypothesis import given, settings
from hypothesis import strategies as st

from mohs.core.cell import Agent, Cell, Segment
from mohs.core.errors import UsageError
from mohs.core.task import Task
from mohs.runs.plan import Plan, default_pack_size, packs, signature, suited_size

CELLS = st.builds(
    cell,
    seed=st.integers(0, 50),
    delay=st.integers(0, 3),
    steps=st.sampled_from([120, 200]),
    sizes=st.sampled_from([4, 8]),
    rate=st.sampled_from([0.1, 0.5]),
)


@given(st.lists(CELLS, max_size=8))
@settings(max_examples=20, deadline=None)
def test_a_plan_is_the_same_after_json(cells: list[Cell]) -> None:
    made = Plan("a name", "diagnose", {"budget": 3, "dials": ["delay"], "nested": {"x": None}}, tuple(cells))
    again = Plan.from_json(json.dumps(made.to_json()))
    assert again == made
    assert again.key == made.key
    assert hash(again) == hash(made)


def test_a_cell_that_is_asked_twice_is_run_once() -> None:
    one, other = cell(0), cell(1)
    assert Plan("p", "x", {}, (one, other, cell(0))).cells == (one, other)


def test_the_key_of_a_plan_depends_on_all_of_it() -> None:
    base = Plan("p", "x", {"a": 1}, (cell(0), cell(1)))
    others = [
        Plan("q", "x", {"a": 1}, base.cells),
        Plan("p", "y", {"a": 1}, base.cells),
        Plan("p", "x", {"a": 2}, base.cells),
        Plan("p", "x", {"a": 1}, base.cells[::-1]),
        Plan("p", "x", {"a": 1}, base.cells[:1]),
    ]
    assert len({p.key for p in [base, *others]}) == 6


@given(st.lists(CELLS, max_size=30), st.integers(1, 40), st.integers(0, 2**32))
@settings(max_examples=50, deadline=None)
def test_packing_laws(cells: list[Cell], size: int, salt: int) -> None:
    cells = list({c.key: c for c in cells}.values())
    at = {c.key: (salt >> (i % 30)) & 1 for i, c in enumerate(cells)}
    made = packs(cells, size, at)
    assert sorted(c.key for pack in made for c in pack) == sorted(c.key for c in cells)
    place = {c.key: i for i, c in enumerate(cells)}
    lengths: dict[object, list[int]] = {}
    for pack in made:
        assert 1 <= len(pack) <= size
        kinds = {(signature(c), at[c.key]) for c in pack}
        assert len(kinds) == 1
        assert [place[c.key] for c in pack] == sorted(place[c.key] for c in pack)
        lengths.setdefault(kinds.pop(), []).append(len(pack))
    for sizes in lengths.values():
        assert max(sizes) - min(sizes) <= 1
        assert len(sizes) == math.ceil(sum(sizes) / size)


def test_a_signature_tells_apart_what_one_learner_cannot_train_together() -> None:
    base = cell(0)
    assert signature(base) == signature(cell(9, delay=3))
    different = [cell(0, steps=120), cell(0, sizes=4), cell(0, rate=0.5)]
    different.append(Cell(base.agent, 0, base.segments, base.probes, window=10))
    different.append(Cell(base.agent, 0, base.segments, base.probes[:1], window=20))
    assert len({signature(c) for c in [base, *different]}) == 6


@pytest.mark.parametrize("name", ["agent.py:make", "package.module:make", "sb3:PPO"])
def test_custom_agents_run_alone(name: str) -> None:
    cells = [Cell(Agent.make(name), seed, c.segments, c.probes) for seed, c in enumerate(plan(6, 1).cells)]
    assert [len(p) for p in packs(cells, 64)] == [1] * 6


@given(st.integers(0, 1000), st.integers(0, 64))
def test_the_default_size_keeps_every_worker_busy(cells: int, workers: int) -> None:
    size = default_pack_size(cells, workers)
    assert 1 <= size <= 64
    if cells >= 4 * workers:
        assert math.ceil(cells / size) >= workers


@pytest.mark.parametrize(
    "bad",
    [
        "{",
        "[]",
        "{}",
        '{"name": "a", "protocol": "b", "options": 3, "cells": []}',
        '{"name": "a", "protocol": "b", "options": {}, "cells": 3}',
        '{"name": "a", "protocol": "b", "options": {}, "cells": [{}]}',
        '{"name": "a", "protocol": "b", "options": {}, "cells": [], "more": 1}',
    ],
)
def test_malformed_plans_are_refused(bad: str) -> None:
    with pytest.raises(UsageError):
        Plan.from_json(bad)


def test_options_that_are_not_json_are_refused() -> None:
    with pytest.raises(UsageError, match="options of a plan"):
        Plan("p", "x", {"a": float("nan")}, ())
    with pytest.raises(UsageError, match="size of a pack"):
        packs([], 0)


@pytest.mark.parametrize(("cells", "workers", "sizes"), [(8, 2, [4, 4]), (3, 0, [3]), (340, 2, [85, 85, 85, 85])])
def test_deep_agents_make_one_pack_for_each_worker_or_as_many_rounds_as_it_takes(cells, workers, sizes):
    made = [Cell(Agent.make("dqn"), seed, (Segment(Task.make("toy/discrete"), 10),)) for seed in range(cells)]
    packed = packs(made, partial(suited_size, total=cells, workers=workers))
    assert [len(pack) for pack in packed] == sizes


def test_a_small_group_among_many_is_not_cut():
    made = [
        Cell(Agent.make("dqn", learning_rate=rate), seed, (Segment(Task.make("toy/discrete"), 10),))
        for rate in (1e-4, 2e-4, 3e-4, 4e-4, 5e-4)
        for seed in range(3)
    ]
    packed = packs(made, partial(suited_size, total=len(made), workers=2))
    assert [len(pack) for pack in packed] == [3] * 5
    assert len(packs(made[:3], partial(suited_size, total=3, workers=2))) == 2


def test_packs_of_large_networks_and_of_images_are_small():
    def size(task, **params):
        group = [Cell(Agent.make("dqn", **params), seed, (Segment(task, 10),)) for seed in range(1000)]
        return suited_size(group, 1000, 1)

    toy = Task.make("toy/discrete")
    sizes = [
        size(toy),
        size(toy, hidden=[256, 256]),
        size(toy.replace(image_representations=True)),
        size(toy, hidden=[512, 512]),
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) > 2
    assert size(Task.make("CartPole-v1")) == size(toy)
