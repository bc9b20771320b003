"""Arrays come back bit for bit; a SQL store survives full disks and dead processes; damage is one clear sentence."""

from __future__ import annotations

import os
import sqlite3
import threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import sqlalchemy as sa
from fake_learner import FACTORY, cell, plan
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from mohs.core.errors import StoreError, UsageError
from mohs.runs.curves import Checkpoint
from mohs.runs.execute import execute
from mohs.runs.execution import Execution
from mohs.runs.export import export_csv, load
from mohs.runs.plan import Plan, Track
from mohs.runs.sql import blobs
from mohs.runs.sql.schema import CHECKPOINT, CURVE, STUDY
from mohs.runs.sql.store import SqlStore
from mohs.runs.sql.store import open_store as open_sql_store
from mohs.runs.status import status
from mohs.runs.store import MissingStoreError, check_store, open_store

QUIETLY = Execution(workers=0, progress="silent")
CURVES = {
    "train/return": (np.array([10, 20]), np.array([0.1, np.nan])),
    "eval/return": (np.array([5]), np.array([-np.inf])),
}


@pytest.fixture
def store(tmp_path: Path) -> SqlStore:
    return open_sql_store(f"sqlite:///{tmp_path}/below/here/store.db", create=True)


def rows(store: SqlStore, table: sa.Table) -> int:
    with store.engine.connect() as connection:
        return connection.scalar(sa.select(sa.func.count()).select_from(table)) or 0


@given(hnp.arrays(np.int64, hnp.array_shapes(max_dims=1, min_side=0, max_side=300)))
def test_integers_come_back(values: np.ndarray) -> None:
    assert blobs.unpack_integers(blobs.pack_integers(values)).tolist() == values.tolist()


@given(hnp.arrays(np.float64, hnp.array_shapes(max_dims=1, min_side=0, max_side=300)))
def test_floats_come_back_bit_for_bit(values: np.ndarray) -> None:
    assert blobs.unpack_floats(blobs.pack_floats(values)).tobytes() == values.tobytes()


@given(
    st.integers(0, 2**40),
    st.dictionaries(st.text(max_size=5), st.lists(st.tuples(st.integers(0, 99), st.floats()), max_size=3), max_size=3),
    st.binary(max_size=50),
)
def test_checkpoints_come_back(step: int, probes: dict[str, list[tuple[int, float]]], state: bytes) -> None:
    again = Checkpoint.from_bytes(Checkpoint(step, probes, state).to_bytes())
    assert (again.step, again.state) == (step, state)
    assert repr(dict(again.probes)) == repr(probes)


def test_a_full_disk_is_reported_and_nothing_is_half_written(store: SqlStore) -> None:
    made = plan(2, 1)
    store.add(made)
    first, second = (c.key for c in made.cells)
    store.write(done={first: CURVES})
    with store.engine.connect() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
    noise = np.random.default_rng(0).normal(size=200_000)
    with pytest.raises(StoreError, match="the disk is full"):
        store.write(done={second: {"train/return": (np.arange(len(noise)), noise)}})
    assert store.statuses([first, second]) == {first: "done", second: "pending"}
    assert rows(store, CURVE) == 2


def test_a_full_disk_during_a_run(store: SqlStore, tmp_path: Path) -> None:
    made = plan(60, 1)
    store.add(made)
    with store.engine.connect() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreError, match="the disk is full"):
        execute(made, store, replace(QUIETLY, pack_size=1), factory=FACTORY, chunk=5, checkpoint_seconds=0)
    with store.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA max_page_count = 100000")
    assert execute(made, store, QUIETLY, factory=FACTORY).done == 60


def test_readers_read_while_a_run_writes(store: SqlStore) -> None:
    made = plan(1, 1)
    store.add(made)
    reader = open_store(str(store.engine.url), create=False)
    with store.engine.connect().execution_options(mohs_write=True) as connection, connection.begin():
        connection.execute(sa.insert(CHECKPOINT), {"cell": "x", "step": 1, "state": b""})
        found: list[object] = []
        thread = threading.Thread(target=lambda: found.append(status(reader)[0].pending))
        thread.start()
        thread.join(5)
        assert found == [1]


def break_file(path: Path, kind: str) -> None:
    if kind == "text":
        path.write_text("this is not a database, it is a letter to the editor. " * 50)
        return
    if kind == "foreign":
        with closing(sqlite3.connect(path, isolation_level=None)) as db:
            db.execute("CREATE TABLE recipes (name TEXT)")
        return
    if kind == "empty":
        path.touch()
        return
    with open_store(f"sqlite:///{path}") as store:
        store.add(plan(30, 1))
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        if kind == "version":
            db.execute("UPDATE mohs_meta SET value = '999' WHERE name = 'schema'")
        elif kind == "table":
            db.execute("DROP TABLE mohs_curve")
    if kind == "pages":
        data = bytearray(path.read_bytes())
        data[4096:] = os.urandom(len(data) - 4096)
        path.write_bytes(data)
    if kind == "cut":
        path.write_bytes(path.read_bytes()[:5000])


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("text", "is not a database"),
        ("foreign", "not a store of mohs"),
        ("empty", "is empty"),
        ("version", "another version of mohs"),
        ("table", "damaged"),
        ("pages", "damaged"),
        ("cut", "damaged"),
    ],
)
def test_a_file_that_is_no_sound_store_is_refused(tmp_path: Path, kind: str, says: str) -> None:
    path = tmp_path / "store.db"
    break_file(path, kind)
    before = path.read_bytes()
    with pytest.raises(StoreError, match=says) as error:
        load(f"sqlite:///{path}")
    assert "\n" not in str(error.value)
    assert str(path) in str(error.value)
    assert path.read_bytes() == before
    if kind in ("text", "foreign", "version", "table"):
        with pytest.raises(StoreError, match=says):
            open_store(f"sqlite:///{path}")
        assert path.read_bytes() == before


def test_a_store_of_an_older_version_has_studies_without_tracks(store: SqlStore) -> None:
    made = plan(1, 1)
    store.add(made)
    store.sealed = False
    with store.engine.begin() as connection:
        connection.execute(sa.update(STUDY).values(options='{"seeds":1}'))
    (study,) = store.studies()
    assert (study.options, study.tracks, study.agents) == ({"seeds": 1}, (), ("test",))
    with store.engine.begin() as connection:
        connection.execute(sa.update(STUDY).values(name="dqn lr=1", options='{"study":{},"tracks":[["a","b"]]}'))
    (study,) = store.studies()
    assert (study.tracks, study.agents) == ((Track("a", "b"),), ("dqn",))


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("store.db", "write sqlite:///PATH"),
        ("", "write sqlite:///PATH"),
        ("mysql://host/db", "must begin with sqlite:/// or postgresql://"),
        ("nonsense://x", "must begin with"),
        ("sqlite://store.db", "three slashes"),
        ("sqlite://", "names no file"),
        ("sqlite:///", "names no file"),
        ("sqlite:///:memory:", "in memory"),
        ("sqlite:///file:x?mode=memory&uri=true", "in memory"),
        ("sqlite:///x.db?timeout=1", "no options"),
        ("postgresql://me:secret@localhost:port/x", r"\*\*\*@localhost"),
        ("sqlite+nonsense:///x.db", "no driver"),
        ("postgresql://localhost:port/x", "write sqlite:///PATH"),
    ],
)
def test_a_url_that_is_none_is_refused(url: str, says: str) -> None:
    for refuse in (open_store, check_store):
        with pytest.raises(StoreError, match=says):
            refuse(url)


def test_places_that_cannot_hold_a_store(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="a file stands where a directory"):
        open_store(f"sqlite:///{tmp_path}/file/store.db")
    with pytest.raises(StoreError, match="is not a directory"):
        check_store(f"sqlite:///{tmp_path}/file/store.db")
    for refuse in (open_store, check_store):
        with pytest.raises(StoreError, match="is a directory"):
            refuse(f"sqlite:///{tmp_path}")
    check_store(f"sqlite:///{tmp_path}/new/below/store.db")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    with pytest.raises(MissingStoreError, match="there is no store at"):
        open_store(f"sqlite:///{tmp_path}/missing.db", create=False)
    assert not (tmp_path / "missing.db").exists()
    with pytest.raises(StoreError, match="cannot be written"):
        export_csv(open_store(f"sqlite:///{tmp_path}/s.db"), tmp_path / "file" / "out.csv")


@pytest.mark.parametrize("name", ["store.db", "new.db"])
def test_a_place_without_permission_is_refused(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    open_store(f"sqlite:///{tmp_path}/store.db").close()
    refused = tmp_path / "store.db" if name == "store.db" else tmp_path
    monkeypatch.setattr(os, "access", lambda place, _mode: Path(place) != refused)  # who is root may write everywhere
    with pytest.raises(StoreError, match="cannot be written"):
        check_store(f"sqlite:///{tmp_path}/{name}")


def test_the_schema_is_not_bound_to_sqlite() -> None:
    from sqlalchemy.dialects import postgresql
    from sqlalchemy.schema import CreateTable

    text = str(CreateTable(CURVE).compile(dialect=postgresql.dialect()))  # type: ignore[no-untyped-call]
    assert "BYTEA" in text


def test_a_plan_whose_functions_cannot_be_stored_is_refused(store: SqlStore) -> None:
    odd = cell(0)
    task = odd.segments[0].source.replace(reward_noise=lambda rng: 0.0)  # type: ignore[union-attr]
    with pytest.raises(UsageError, match="cannot be stored"):
        Plan("p", "x", {}, (type(odd)(odd.agent, 0, (type(odd.segments[0])(task, 10),)),))
