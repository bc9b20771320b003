"""Do benchmarks count and compare as they say? Nothing here is timed."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import mohs

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def measure(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT))
    return importlib.import_module("benchmarks.measure")


def side(measure: ModuleType, seconds: list[float]) -> Any:
    """A side that does 60 things, in given times."""
    times: Iterator[float] = iter(seconds)
    return lambda: measure.Measure(next(times), 60)


def test_the_ratio_is_the_median_over_neighbours(measure: ModuleType) -> None:
    ours, theirs = side(measure, [9.0, 1.0, 2.0, 4.0]), side(measure, [0.1, 10.0, 10.0, 80.0])
    found = measure.compare(ours, theirs, 10.0, 3)  # the first round does not count
    assert (found.ours, found.theirs) == (30.0, 6.0)
    assert found.ratio == 10.0  # of 10, 5 and 20; the medians' would be 5
    assert found.repeats == 3


@pytest.mark.parametrize(("target", "met"), [(10.0, True), (10.1, False), (None, None)])
def test_a_target_is_met_missed_or_none(measure: ModuleType, target: float | None, met: bool | None) -> None:
    found = {"case": measure.compare(side(measure, [1.0, 1.0]), side(measure, [10.0, 10.0]), target, 1)}
    assert json.loads(json.dumps(measure.data(found)))["met"] == {"case": met}
    assert measure.lines(found)[1].endswith(measure.WORDS[met])


def test_a_step_that_begins_an_episode_is_no_transition(measure: ModuleType) -> None:
    n, steps = 16, 120
    pool = np.random.default_rng(0).integers(8, size=2 * n)
    run = measure.vector(mohs.make_vec("toy/discrete", num_envs=n), pool, steps)
    envs = mohs.make_vec("toy/discrete", num_envs=n)
    envs.reset(seed=0)
    over = np.zeros(n, dtype=bool)
    for _ in range(2):
        transitions = 0
        for k in range(steps):
            transitions += int((~over).sum())
            _, _, terminated, truncated, _ = envs.step(pool[k * measure.WINDOW % n :][:n])
            over = terminated | truncated
        assert run().count == transitions < steps * n
