"""What can be earned in a task: the parts agree with their own solvers, and the cache file survives its writers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import mohs
from mohs import Task
from mohs.core.errors import UsageError
from mohs.exact import attainable as module
from mohs.exact import kept, references
from mohs.exact.attainable import EVERYTHING, TOLERANCE, Attainable, attainable
from mohs.exact.values.memoryless import best_memoryless
from mohs.exact.values.solve import values

ALIASED = {"sequence_length": 3, "state_space_size": 4, "action_space_size": 4, "reward_density": 0.34}
TASK = Task.make("toy/discrete", **ALIASED)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache of one's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    attainable.cache_clear()
    references._range.cache_clear()
    yield kept.file_of(f"attainable-{module.VERSION}-{TOLERANCE:g}-{module.WORK}")
    attainable.cache_clear()
    references._range.cache_clear()


def test_it_says_what_the_solvers_say(cache):
    table = mohs.table(TASK)
    found, exact = attainable(TASK), best_memoryless(table)
    assert found.random == pytest.approx(table.initial @ values(table, "mean"))
    assert found.optimal == pytest.approx(table.initial @ values(table, "best"))
    assert abs(found.reachable - exact.value) <= TOLERANCE * found.optimal
    assert found.exact
    assert found.random < found.reachable < 0.5 * found.optimal


def test_a_longer_history_never_earns_less_and_ends_at_the_optimum(cache):
    earned = [attainable(TASK, history) for history in (1, 2, 3, EVERYTHING)]
    assert [each.reachable for each in earned] == sorted(each.reachable for each in earned)
    assert earned[0].reachable < earned[2].reachable == pytest.approx(earned[3].reachable)
    assert len({each.optimal for each in earned}) == 1


def test_under_delay_alone_nothing_needs_memory(cache):
    for delay in (0, 1, 4):
        found = attainable(Task.make("toy/discrete", delay=delay, transition_noise=0.1))
        assert found.reachable == pytest.approx(found.optimal, rel=TOLERANCE)


def test_noise_is_part_of_the_task(cache):
    """The optimum of the default toy under transition noise, computed by hand from its transition matrix."""
    found = [attainable(Task.make("toy/discrete", transition_noise=p)).optimal for p in (0, 0.02, 0.05, 0.1, 0.25)]
    assert found == pytest.approx([100, 74.8, 50.7, 29.8, 10.5], abs=0.05)


def test_a_search_out_of_reach_says_why(cache, monkeypatch):
    def refused(*args, **kwargs):
        raise UsageError("too large.")

    monkeypatch.setattr(module, "observed_history", refused)
    found = attainable(TASK, 2)
    assert found == Attainable(found.random, found.optimal, None, found.optimal, "too large.")
    assert not found.exact


def forget() -> None:
    """What a new process does not know."""
    attainable.cache_clear()
    references._range.cache_clear()
    kept.lines.cache_clear()


def test_a_result_is_computed_once(cache, monkeypatch):
    first, ends = attainable(TASK), references.return_range(TASK)
    forget()
    for solver in (module, references):
        monkeypatch.setattr(solver, "_solved", lambda *args: pytest.fail("computed again"))
    assert attainable(TASK) == first
    assert references.return_range(TASK) == ends


def test_another_tolerance_or_limit_of_work_is_another_result(cache, monkeypatch):
    attainable(TASK)
    for name, other in (("TOLERANCE", 1e-2), ("WORK", 1000)):
        forget()
        with monkeypatch.context() as patched:
            patched.setattr(module, name, other)
            patched.setattr(module, "_solved", lambda *args: Attainable(1.0, 2.0, 1.5, 1.5))
            assert attainable(TASK) == Attainable(1.0, 2.0, 1.5, 1.5)


def test_a_custom_function_is_not_kept(cache):
    """The function may be another one tomorrow."""
    custom = Task.make("toy/discrete", reward_function=pays_one)
    assert attainable(custom).optimal == pytest.approx(100)
    assert references.return_range(custom).expected[1] == pytest.approx(100)
    assert not cache.parent.exists()


def pays_one(state: int, action: int) -> float:
    return 1.0


@pytest.mark.parametrize("opened", ["mkdir", "write"])
def test_a_cache_that_cannot_be_written_costs_time_only(cache, opened):
    """A file where the directory should be, or a directory where the file should be: no user may write to either."""
    if opened == "mkdir":
        cache.parent.parent.mkdir(parents=True)
        cache.parent.write_text("")
    else:
        cache.mkdir(parents=True)
    first = attainable(TASK)
    forget()
    assert attainable(TASK) == first


@pytest.mark.parametrize("torn", ["abc", "abc/1 ", 'abc/1 {"random": 0.1, "opt', 'abc/1 {"random": 0.1'])
def test_a_torn_line_costs_nothing_but_itself(cache, torn):
    """A process that was killed while it wrote leaves a line without an end, and the next one appends to it."""
    cache.parent.mkdir(parents=True)
    whole = Attainable(1.0, 2.0, 1.5, 1.5)
    cache.write_text(f"before/1 {json.dumps(vars(whole))}\n{torn}")
    other = Task.make("toy/discrete", seed=1)
    first, second = attainable(TASK), attainable(other)
    kept.lines.cache_clear()
    known = kept.lines(cache)
    assert known["before/1"] == vars(whole)
    assert known[f"{other.key}/1"] == vars(second)
    attainable.cache_clear()
    assert attainable(TASK) == first  # its line was glued to the torn one, so it is computed and written again
    kept.lines.cache_clear()
    assert kept.lines(cache)[f"{TASK.key}/1"] == vars(first)


def test_another_process_reads_what_this_one_wrote(cache):
    first = attainable(TASK)
    text = f"from mohs import Task; from mohs.exact import attainable as m; m._solved = None; t = Task.make('toy/discrete', **{ALIASED!r}); print(m.attainable(t).reachable)"  # noqa: E501
    run = subprocess.run([sys.executable, "-c", text], env=dict(os.environ), capture_output=True, text=True, check=True)
    assert float(run.stdout) == first.reachable
