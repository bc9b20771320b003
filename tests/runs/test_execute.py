"""Results do not depend on packs, chunks or workers; a cell that fails, or kills its worker, stops no other."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from fake_learner import FACTORY, FakeLearner, cell, learner, plan
from hypothesis import given, settings
from hypothesis import strategies as st

from mohs.core.cell import Agent, Cell
from mohs.core.errors import UsageError
from mohs.runs.curves import Checkpoint
from mohs.runs.execute import Summary, execute
from mohs.runs.execution import Execution
from mohs.runs.export import export_csv
from mohs.runs.plan import Plan
from mohs.runs.progress import Silent
from mohs.runs.status import failures, status
from mohs.runs.store import Store, open_store
from mohs.runs.workers.pack import Failed, Finished, Message, Pace, Saved, Stepped, event_steps, run_cells


def run(store: Store, made: Plan, workers: int = 0, pack_size: int | None = None, retry_failed: bool = True) -> Summary:
    settings = Execution(workers=workers, pack_size=pack_size, progress="silent")
    return execute(made, store, settings, factory=FACTORY, retry_failed=retry_failed)


@pytest.fixture
def fresh(tmp_path: Path) -> Callable[[str], Store]:
    return lambda name: open_store(f"sqlite:///{tmp_path / name}.db")


def export(store: Store, tmp_path: Path) -> bytes:
    export_csv(store, tmp_path / "out.csv")
    return (tmp_path / "out.csv").read_bytes()


def messages(
    cells: list[Cell], stop_after: int = 10**9, resume: dict[str, bytes] | None = None, **pace: float
) -> list[Message]:
    """What a pack reports that is asked to stop after so many looks."""
    looks = iter(range(10**9))
    pace = {"checkpoint_seconds": 1e9, "chunk": 7, **pace}
    return list(run_cells(cells, learner, resume or {}, lambda: next(looks) >= stop_after, Pace(**pace)))  # type: ignore[arg-type]


def results(reported: list[Message]) -> dict[str, object]:
    found: dict[str, object] = {}
    for message in reported:
        if isinstance(message, Finished):
            for key, curves in message.results.items():
                found[key] = {m: (s.tolist(), v.tobytes()) for m, (s, v) in curves.items()}
    return found


def test_probes_and_segment_ends_are_the_events() -> None:
    assert event_steps(cell(0)) == [30, 50, 100, 200]


def test_a_pack_gives_every_curve_of_its_cells() -> None:
    cells = [cell(0), cell(1)]
    reported = messages(cells)
    (finished,) = (m for m in reported if isinstance(m, Finished))
    assert set(finished.results) == {c.key for c in cells}
    for curves in finished.results.values():
        steps = {metric: s.tolist() for metric, (s, _) in curves.items()}
        assert steps == {
            "train/return": list(range(20, 201, 20)),
            "final/length": [200],
            "eval/return": [0, 30, 100, 200],
            "eval/length": [0, 30, 100, 200],
        }
    assert sum(m.count for m in reported if isinstance(m, Stepped)) == 400


@given(st.integers(1, 250), st.integers(1, 5), st.lists(st.integers(0, 40), max_size=4))
@settings(max_examples=60, deadline=None)
def test_chunks_packs_and_breaks_change_no_bit(chunk: int, size: int, breaks: list[int]) -> None:
    cells = [cell(seed) for seed in range(5)]
    whole = results(messages(cells, chunk=250))
    found: dict[str, object] = {}
    for start in range(0, 5, size):
        pack, resume = cells[start : start + size], {}
        for stop_after in [*breaks, 10**9]:
            reported = messages(pack, stop_after, resume, chunk=chunk)
            for message in reported:
                if isinstance(message, Saved):
                    resume = {key: state for key, (_, state) in message.states.items()}
            if results(reported):
                found |= results(reported)
                break
    assert found == whole


def test_a_checkpoint_is_taken_when_asked_to_stop_and_only_if_there_is_work_to_save() -> None:
    first = messages([cell(0)], stop_after=3)
    (saved,) = (m for m in first if isinstance(m, Saved))
    assert [step for step, _ in saved.states.values()] == [28]
    resume = {key: state for key, (_, state) in saved.states.items()}
    assert Checkpoint.from_bytes(next(iter(resume.values()))).step == 28
    assert not results(first)
    assert messages([cell(0, forgetful=True)], stop_after=3) == [Stepped(28)]


def test_a_checkpoint_that_cannot_be_read_starts_the_cell_again() -> None:
    one = cell(0)
    for broken in (b"", b"\x02" + bytes(7) + b"{}", Checkpoint(28, {}, b"[").to_bytes()):
        assert results(messages([one], resume={one.key: broken})) == results(messages([one]))


def test_only_the_culprit_of_a_pack_fails() -> None:
    cells = [cell(seed, bad_seed=2) for seed in range(4)]
    reported = messages(cells)
    (failed,) = (m for m in reported if isinstance(m, Failed))
    assert failed.cell == cells[2].key
    assert "RuntimeError: seed 2 is bad" in failed.error
    assert set(results(reported)) == {c.key for c in cells} - {failed.cell}
    assert sum(m.count for m in reported if isinstance(m, Stepped)) == 600


def test_a_custom_agent_is_cut_at_events_only(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    train = FakeLearner.train
    monkeypatch.setattr(FakeLearner, "train", lambda self, steps: (asked.append(steps), train(self, steps))[1])
    base = cell(0)
    messages([Cell(Agent.make("mine.py:make"), 0, base.segments, base.probes, 20)], chunk=3)
    assert asked == [30, 20, 50, 100]


def test_workers_and_pack_sizes_change_no_byte(fresh: Callable[[str], Store], tmp_path: Path) -> None:
    made = plan(5, 2)
    exports = set()
    for workers, size in [(0, 1), (0, 3), (0, 64), (1, 3), (2, None)]:
        store = fresh(f"{workers}-{size}")
        summary = run(store, made, workers, pack_size=size)
        assert (summary.done, summary.failed, summary.interrupted, summary.steps) == (10, 0, False, 2000)
        exports.add(export(store, tmp_path))
    assert len(exports) == 1
    assert len(next(iter(exports)).splitlines()) == 1 + 10 * (10 + 1 + 4 + 4)


def test_the_same_call_again_does_nothing_more(fresh: Callable[[str], Store]) -> None:
    store = fresh("again")
    run(store, plan(3, 1))
    summary = run(store, plan(5, 1))
    assert (summary.done, summary.cells, summary.steps) == (5, 5, 400)
    assert run(store, plan(5, 1)).steps == 0
    assert [s.done for s in status(store)] == [3, 5]


def test_a_failing_cell_is_recorded_and_the_others_continue(fresh: Callable[[str], Store]) -> None:
    store, made = fresh("failing"), plan(5, 1, bad_seed=3)
    summary = run(store, made, workers=1)
    assert (summary.done, summary.failed, summary.interrupted) == (4, 1, False)
    (failure,) = failures(store, made.key)
    assert failure.reason == "RuntimeError: seed 3 is bad"
    assert "Traceback" in failure.error
    assert run(store, made, retry_failed=False).steps == 0
    again = run(store, made)
    assert (again.done, again.failed) == (4, 1)


def test_a_cell_that_kills_its_worker_fails_alone(fresh: Callable[[str], Store]) -> None:
    store, made = fresh("deadly"), plan(3, 1, deadly_seed=1)
    summary = run(store, made, workers=2, pack_size=3)
    assert (summary.done, summary.failed) == (2, 1)
    (failure,) = failures(store, made.key)
    assert "worker died" in failure.error
    assert "SIGKILL" in failure.error


def test_a_factory_that_does_not_exist_fails_every_cell(fresh: Callable[[str], Store]) -> None:
    store, made = fresh("factory"), plan(2, 1)
    settings = Execution(workers=0, progress=Silent())
    summary = execute(made, store, settings, factory="no.such.module:learner")
    assert (summary.done, summary.failed) == (0, 2)
    assert "no.such.module:learner" in failures(store, made.key)[0].reason


def test_a_run_that_cannot_be_carried_out_is_refused_before_anything_is_stored(fresh: Callable[[str], Store]) -> None:
    store = fresh("bad")
    with pytest.raises(UsageError, match="pack_size is 0"):
        run(store, plan(1, 1), pack_size=0)
    assert store.studies() == []


def test_an_empty_plan_is_done_at_once(fresh: Callable[[str], Store]) -> None:
    assert run(fresh("empty"), Plan("none", "none", {}, ())).cells == 0


def test_importing_the_runner_loads_no_heavy_library() -> None:
    code = "import sys, mohs.runs.execute, mohs.runs.export, mohs.runs.status; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"torch", "pandas", "plotly", "pyarrow", "numba", "scipy", "rich"} & set(loaded)


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("go_on", [True, False])
def test_some_cells_run_first_and_decide_about_the_others(fresh, workers: int, go_on: bool) -> None:
    made = plan(seeds=4)
    first = {cell.key for cell in made.cells[:2]}
    seen: list[set[str]] = []
    settings = Execution(workers=workers, progress="silent")
    with fresh("first") as store, fresh("plain") as plain:

        def proceed() -> bool:
            seen.append({key for key, status in store.statuses(c.key for c in made.cells).items() if status == "done"})
            return go_on

        ended = execute(made, store, settings, factory=FACTORY, stages=[first], proceed=proceed)
        assert seen == [first]
        assert (ended.done, ended.stopped, ended.interrupted) == (len(made.cells) if go_on else 2, not go_on, False)
        run(store, made)
        run(plain, made)
        assert not execute(made, store, settings, factory=FACTORY, stages=[first], proceed=proceed).stopped
        assert len(seen) == 1  # nothing was left to decide about
        curves = [dict(found.results(c.key for c in made.cells)) for found in (store, plain)]
        assert {k: {m: v[1].tobytes() for m, v in c.items()} for k, c in curves[0].items()} == {
            k: {m: v[1].tobytes() for m, v in c.items()} for k, c in curves[1].items()
        }
