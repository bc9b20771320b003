"""One run at a time writes a store: whoever dies, stops, copies, deletes or sets a clock."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
import sqlalchemy as sa
from fake_learner import FACTORY, plan

from mohs.core.errors import StoreError
from mohs.runs.execute import execute
from mohs.runs.execution import Execution
from mohs.runs.sql import owner
from mohs.runs.sql.owner import Owner
from mohs.runs.sql.schema import META
from mohs.runs.sql.store import SqlStore, open_store

QUIETLY = Execution(workers=0, progress="silent")


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/store.db"


@pytest.fixture
def store(url: str) -> SqlStore:
    return open_store(url, create=True)


def row(store: SqlStore) -> str | None:
    found: str | None = store.session.read(lambda db: db.scalar(sa.select(META.c.value).where(META.c.name == "owner")))
    return found


def enter(store: SqlStore, **changes: object) -> Owner:
    """Makes a run the owner that is not this process."""
    other = Owner(**{**Owner.here(store.session).__dict__, "token": "other", **changes})  # type: ignore[arg-type]
    store.session.write(lambda db: db.execute(sa.delete(META).where(META.c.name == "owner")))
    store.session.write(lambda db: db.execute(sa.insert(META), [{"name": "owner", "value": other.text()}]))
    return other


def enter_row(store: SqlStore, text: str) -> None:
    with store.engine.begin() as db:
        owner._write(db, text)


def test_a_run_that_is_over_owns_nothing(store: SqlStore) -> None:
    with store.sole_writer():
        assert json.loads(row(store) or "")["pid"] == os.getpid()
    assert row(store) is None
    with pytest.raises(ZeroDivisionError), store.sole_writer():
        raise ZeroDivisionError
    assert row(store) is None


def test_a_dead_process_of_this_machine_is_succeeded_at_once(store: SqlStore) -> None:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    for changes in ({"pid": child.pid}, {"started": "1"}):  # the second: a number that was given to another process
        enter(store, **changes)
        began = time.monotonic()
        with store.sole_writer():
            assert time.monotonic() - began < 2


def test_a_living_process_is_named(store: SqlStore) -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    enter(store, pid=child.pid, started=owner.started(child.pid))
    with pytest.raises(StoreError, match=rf"in use by another run \(process {child.pid}\)"), store.sole_writer():
        pass
    child.communicate()
    with store.sole_writer():
        pass


def test_a_silent_run_of_another_machine_is_succeeded_after_a_while(store: SqlStore, monkeypatch) -> None:
    monkeypatch.setattr(owner, "SILENT_SECONDS", 0.3)
    monkeypatch.setattr(owner, "LOOK_SECONDS", 0.05)
    for text in (None, "{", '{"pid": []}'):  # damaged rows are watched as well
        enter(store, machine="another")
        if text is not None:
            store.session.write(lambda db, text=text: owner._write(db, text))
        began = time.monotonic()
        with store.sole_writer():
            assert time.monotonic() - began > 0.3


def test_a_run_of_another_machine_that_counts_is_named(store: SqlStore, url: str, monkeypatch) -> None:
    monkeypatch.setattr(owner, "BEAT_SECONDS", 0.05)
    monkeypatch.setattr(owner, "LOOK_SECONDS", 0.2)
    with store.sole_writer(), open_store(url, create=False) as other:
        monkeypatch.setattr(owner, "machine", lambda: "another")
        with pytest.raises(StoreError, match=r"in use by another run \(process \d+ on "), other.sole_writer():
            pass
    with store.sole_writer():
        pass


def test_who_was_succeeded_writes_nothing_more(store: SqlStore) -> None:
    made = plan(1, 1)
    with store.sole_writer():
        store.add(made)
        enter_row(store, Owner(**{**Owner.here(store.session).__dict__, "pid": 1}).text())
        with pytest.raises(StoreError, match=r"can no longer be written by this run: another run \(process 1\)"):
            store.write(failed={made.runs[0]: "no"})
        enter_row(store, "")
        with pytest.raises(StoreError, match="its owner was deleted"):
            store.write(failed={made.runs[0]: "no"})
        store.session.permit = None  # so that the end of the run can be written
    assert store.statuses(made.runs) == {made.runs[0]: "pending"}


def test_a_copy_of_a_store_in_use_is_free(store: SqlStore, tmp_path: Path) -> None:
    with store.sole_writer():
        store.session.engine.dispose()  # so that nothing is left in the log
        shutil.copy(tmp_path / "store.db", tmp_path / "copy.db")
        with open_store(f"sqlite:///{tmp_path}/copy.db", create=False) as copy, copy.sole_writer():
            pass


def test_files_beside_the_store_are_left_alone(store: SqlStore, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (tmp_path / "store.db.lock").symlink_to(victim)
    with store.sole_writer():
        pass
    assert victim.read_text() == "mine"


def test_clocks_that_jump_change_nothing(tmp_path: Path, monkeypatch) -> None:
    rng, now = random.Random(0), time.time
    exports = []
    for name in ("steady", "jumping"):
        with open_store(f"sqlite:///{tmp_path}/{name}.db", create=True) as store:
            if name == "jumping":
                monkeypatch.setattr(time, "time", lambda: now() + rng.uniform(-1e9, 1e9))
                monkeypatch.setattr(owner, "BEAT_SECONDS", 0.01)
            assert execute(plan(4, 1), store, QUIETLY, factory=FACTORY).done == 4
            with (
                store.sole_writer(),
                open_store(f"sqlite:///{tmp_path}/{name}.db", create=False) as other,
                pytest.raises(StoreError, match="in use by another run"),
                other.sole_writer(),
            ):
                pass
            exports.append([(key, str(curves)) for key, curves in store.results(plan(4, 1).runs)])
    assert exports[0] == exports[1]
