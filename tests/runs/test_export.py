"""Exports hold one row per evaluation point, in one order, and read back as the same bits."""

from __future__ import annotations

import csv
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from fake_learner import FACTORY, cell, plan

import mohs
from mohs.core.cell import Cell, Probe, Segment
from mohs.core.task import Task, TaskSet
from mohs.core.values import canonical_json
from mohs.runs.execute import execute
from mohs.runs.execution import Execution
from mohs.runs.export import COLUMNS, export_csv, export_parquet, rows
from mohs.runs.export import frame as frame_of
from mohs.runs.plan import Plan
from mohs.runs.store import Store, open_store

QUIETLY = Execution(workers=0, progress="silent")


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/store.db"


@pytest.fixture
def store(url: str) -> Store:
    store = open_store(url)
    execute(plan(3, 2, rate=0.5), store, QUIETLY, factory=FACTORY)
    return store


def bits(row: tuple[object, ...]) -> tuple[object, ...]:
    value = float(row[-1])  # type: ignore[arg-type]
    return (*row[:-1], "nan" if math.isnan(value) else value.hex())


def test_rows_are_sorted_and_complete(store: Store) -> None:
    found = list(rows(store))
    assert found == sorted(found, key=lambda r: (r.cell, r.metric, r.step))
    assert len(found) == 6 * (10 + 1 + 4 + 4)
    assert {r.agent for r in found} == {'fake {"rate":0.5}'}
    assert {r.seed for r in found} == {0, 1, 2}


def test_a_row_names_the_task_that_was_played(store: Store) -> None:
    one = plan(3, 2, rate=0.5).cells[0]
    mine = [r for r in rows(store) if r.cell == one.key]
    first, second = (canonical_json(s.source.to_json()) for s in one.segments)
    train = {r.step: r.task for r in mine if r.metric == "train/return"}
    assert {step: task == first for step, task in train.items()} == {step: step <= 50 for step in range(20, 201, 20)}
    assert set(train.values()) == {first, second}
    trained = canonical_json(one.segments[-1].source.to_json())
    assert {r.task for r in mine if r.metric.startswith("eval/") and r.step == one.steps} == {trained}


def test_csv_and_parquet_and_frames_agree(store: Store, url: str, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    export_csv(store, tmp_path / "new" / "out.csv")
    export_parquet(store, tmp_path / "new" / "out.parquet")
    with open(tmp_path / "new" / "out.csv", newline="") as file:
        header, *lines = csv.reader(file)
    assert tuple(header) == COLUMNS
    read = [(c, t, a, int(s), m, int(k), float(v)) for c, t, a, s, m, k, v in lines]
    expected = [bits(r) for r in rows(store)]
    assert [bits(r) for r in read] == expected
    table = pq.read_table(tmp_path / "new" / "out.parquet")
    assert table.column_names == list(COLUMNS)
    assert [bits(tuple(r.values())) for r in table.to_pylist()] == expected
    frame = mohs.load(url)
    assert [bits(r) for r in frame[list(COLUMNS)].itertuples(index=False, name=None)] == expected
    assert frame["delay"].dtype.kind == "i"
    assert set(frame.loc[frame.metric == "train/return", "delay"]) == {0, 1, 2}
    assert set(frame["env"]) == {"toy/discrete"}
    assert (frame["task_seed"] == 0).all()
    assert sorted(p.name for p in (tmp_path / "new").iterdir()) == ["out.csv", "out.parquet"]


def test_parquet_is_the_same_in_many_row_groups(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import pyarrow.parquet as pq

    export_parquet(store, tmp_path / "whole.parquet")
    monkeypatch.setattr("mohs.runs.export.PARQUET_ROWS", 25)
    export_parquet(store, tmp_path / "cut.parquet")
    whole, cut = (pq.ParquetFile(tmp_path / f"{name}.parquet") for name in ("whole", "cut"))
    assert (whole.num_row_groups, cut.num_row_groups > 2) == (1, True)
    assert all(cut.metadata.row_group(i).num_rows >= 25 for i in range(cut.num_row_groups - 1))
    assert [bits(tuple(r.values())) for r in cut.read().to_pylist()] == [bits(r) for r in rows(store)]


def test_exports_of_equal_results_are_equal_files(store: Store, tmp_path: Path) -> None:
    other = open_store(f"sqlite:///{tmp_path}/other.db")
    made = plan(3, 2, rate=0.5)
    execute(Plan("other", "none", {}, made.cells[::-1]), other, replace(QUIETLY, pack_size=1), factory=FACTORY)
    for write, end in ((export_csv, "csv"), (export_parquet, "parquet")):
        write(store, tmp_path / f"a.{end}")
        write(other, tmp_path / f"b.{end}")
        assert (tmp_path / f"a.{end}").read_bytes() == (tmp_path / f"b.{end}").read_bytes()


def test_one_study_can_be_had_alone(store: Store, url: str) -> None:
    small = Plan("small", "none", {}, plan(3, 2, rate=0.5).cells[:1])
    execute(small, store, QUIETLY, factory=FACTORY)
    assert {r.cell for r in rows(store, small.key)} == {small.cells[0].key}
    for word in (small.key, small.key[:6], "small"):
        assert len(mohs.load(url, word)) == 19
    with pytest.raises(mohs.UsageError, match="Did you mean 'small'"):
        mohs.load(url, "smal")


def test_an_empty_store_exports_headers(tmp_path: Path) -> None:
    empty = open_store(f"sqlite:///{tmp_path}/empty.db")
    export_csv(empty, tmp_path / "out.csv")
    export_parquet(empty, tmp_path / "out.parquet")
    assert (tmp_path / "out.csv").read_text() == ",".join(COLUMNS) + "\n"
    frame = mohs.load(f"sqlite:///{tmp_path}/empty.db")
    assert len(frame) == 0
    assert list(frame.columns[:7]) == list(COLUMNS)


def test_sets_of_tasks_have_no_parameters(tmp_path: Path) -> None:
    tasks = TaskSet.make([Task.make("toy/discrete", delay=d) for d in (0, 3)])
    base = cell(0)
    made = Cell(base.agent, 0, (Segment(tasks, 40),), (Probe("eval", tasks.tasks[1], (40,)),), window=20)
    with open_store(f"sqlite:///{tmp_path}/sets.db") as store:
        execute(Plan("p", "none", {}, (made,)), store, QUIETLY, factory=FACTORY)
        frame = frame_of(store)
    assert "delay" not in frame.columns
    assert set(frame.metric) >= {"train/return", "eval/return"}
    assert np.isfinite(frame["value"]).sum() >= 3


def test_an_export_that_breaks_leaves_the_old_file(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "out.csv"
    path.write_text("old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(mohs.StoreError, match=r"out.csv cannot be written \(No space left on device\)"):
        export_csv(store, path)
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir() if "out" in p.name] == ["out.csv"]
