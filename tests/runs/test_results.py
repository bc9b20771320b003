"""A run that was planned and has not finished is missing; one that was never planned is a mistake."""

from __future__ import annotations

import pytest
from fake_learner import cell

from mohs import MohsError
from mohs.runs.plan import Plan, Track
from mohs.runs.results import Results

PLAN = Plan(
    "p",
    "none",
    {},
    tuple(cell(seed, delay) for seed in range(2) for delay in range(2)),
    (Track("a", "x"), Track("a", "y")),
)
CURVES = {"train/return": ([1], [2.0])}


def test_what_was_planned_is_found_or_missing() -> None:
    results = Results.of(PLAN, {PLAN.runs[2]: CURVES})  # type: ignore[dict-item]
    assert results.at("a", "x") == (None, CURVES)
    assert list(results.finished("a", "x")) == [(1, CURVES)]
    assert results.at("a", "y") == (None, None)
    assert (results.planned, results.missing) == (4, 3)


@pytest.mark.parametrize(
    ("agent", "point", "sentence"),
    [
        ("a", "z", "no run of a at 'z' is planned: it is planned at 'x', 'y'"),
        ("b", "x", "no run of b .*: agents are a"),
    ],
)
def test_what_was_never_planned_is_an_error(agent: str, point: str, sentence: str) -> None:
    results = Results.of(PLAN, {})
    with pytest.raises(MohsError, match=sentence):
        results.at(agent, point)
    assert list(results.finished(agent, point)) == []
