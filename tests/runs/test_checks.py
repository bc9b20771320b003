"""A plan that cannot run is refused before anything is trained: every task and every agent on it is tried once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mohs import Cell, Probe, Segment, Task, TaskSet, UsageError
from mohs.core.cell import Agent
from mohs.envs import make as making
from mohs.runs import checks
from mohs.runs.checks import cannot_be_made, check_plan
from mohs.runs.plan import Plan, Track

PLAIN = Task.make("toy/discrete")
BROKEN = Task.make("toy/discrete", delay=7)


def plan_of(trained: Any, probed: Any, agent: str = "random") -> Plan:
    cell = Cell(Agent.make(agent), 0, (Segment(trained, 100),), (Probe("eval", probed, (100,)),))
    return Plan("p", "none", {}, (cell,), (Track("mine", "here"),))


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """One task cannot start."""
    make_vec = making.make_vec

    def refuse(task: Task, **options: Any) -> Any:
        if task == BROKEN:
            raise UsageError("it cannot start.")
        return make_vec(task, **options)

    monkeypatch.setattr(checks, "make_vec", refuse)
    cannot_be_made.cache_clear()
    yield
    cannot_be_made.cache_clear()


PLACES: Sequence[tuple[Any, Any]] = [
    (BROKEN, PLAIN),
    (PLAIN, BROKEN),
    (TaskSet((PLAIN, BROKEN), (1.0, 1.0)), PLAIN),
    (PLAIN, TaskSet((PLAIN, BROKEN), (1.0, 1.0))),
]


@pytest.mark.usefixtures("broken")
@pytest.mark.parametrize(("trained", "probed"), PLACES)
def test_a_task_that_cannot_start_is_found_wherever_it_is(trained: Any, probed: Any) -> None:
    with pytest.raises(UsageError, match=r"^mine at here: it cannot start"):
        check_plan(plan_of(trained, probed))


@pytest.mark.parametrize(("trained", "probed"), [(PLAIN, Task.make("toy/continuous"))])
def test_an_agent_that_cannot_play_what_it_is_evaluated_on_is_refused(trained: Any, probed: Any) -> None:
    with pytest.raises(UsageError, match=r"^mine at here: "):
        check_plan(plan_of(trained, probed, "q_learning"))


@given(st.integers(0, 5), st.integers(1, 3))
def test_tasks_that_can_start_pass(delay: int, length: int) -> None:
    task = Task.make("toy/discrete", delay=delay, sequence_length=length)
    check_plan(plan_of(TaskSet((task, PLAIN), (1.0, 1.0)), task))
