"""Processes that share a PostgreSQL store run every cell once, take over from the dead and refuse who comes back."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import fake_learner
import numpy as np
import pytest
import sqlalchemy as sa
from fake_learner import FACTORY, plan

from mohs.core.cell import Agent, Cell, Segment
from mohs.core.errors import StoreError, UsageError
from mohs.core.task import Task
from mohs.runs.execute import execute
from mohs.runs.execution import Execution
from mohs.runs.export import export_csv
from mohs.runs.plan import Plan
from mohs.runs.pull import enqueue, pull
from mohs.runs.sql.claims import CLAIM, Claims
from mohs.runs.sql.store import SqlStore
from mohs.runs.store import CellStatus, open_store

CURVES = {"eval/return": (np.array([0]), np.array([1.0]))}


@pytest.fixture
def url(postgres: str) -> Iterator[str]:
    """A store without cells."""
    yield postgres
    engine = sa.create_engine(postgres)
    with engine.begin() as db:
        for name in sa.inspect(db).get_table_names():
            if name.startswith("mohs_"):
                db.execute(sa.text(f"DROP TABLE {name}"))
    engine.dispose()


@pytest.fixture
def store(url: str) -> Iterator[SqlStore]:
    with open_store(url) as opened:
        assert isinstance(opened, SqlStore)
        yield opened


def joined(store: SqlStore, code: str = "code", stale: float = 60.0) -> Claims:
    claims = Claims(store, "here", code, stale)
    claims.join()
    return claims


def another(url: str) -> SqlStore:
    opened = open_store(url)
    assert isinstance(opened, SqlStore)
    return opened


def test_code_that_the_store_names_needs_trust(
    store: SqlStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever can write the store could otherwise run anything here."""
    monkeypatch.chdir(tmp_path)
    Path("planted.py").write_text("open('ran', 'w')\n")
    task = Task.make("toy/discrete")
    enqueue(store, Plan("test", "none", {}, (Cell(Agent("planted.py:make"), 0, (Segment(task, 10),)),)))
    with pytest.raises(UsageError, match="--trust"):
        pull(store, Execution(workers=1, progress="silent"))
    assert not Path("ran").exists()


def test_a_cell_is_claimed_once(store: SqlStore, url: str) -> None:
    made = plan(5, 2)
    assert enqueue(store, made) == 10
    one, two = joined(store), joined(another(url))
    first, second = one.claim(6), two.claim(6)
    assert len(first) == 6
    assert len(second) == 4
    assert not set(first) & set(second)
    assert one.claim(6) == {}
    one.leave()
    assert set(two.claim(10)) == set(first)


def test_many_claim_at_once(store: SqlStore, url: str) -> None:
    from concurrent.futures import ThreadPoolExecutor

    made = plan(20, 5)
    enqueue(store, made)

    def claims(number: int) -> list[str]:
        with another(url) as mine:
            claimed, found = joined(mine), list[str]()
            while some := claimed.claim(3):
                found += some
            return found

    with ThreadPoolExecutor(8) as pool:
        found = [key for keys in pool.map(claims, range(8)) for key in keys]
    assert sorted(found) == sorted(c.key for c in made.cells)


def test_a_claim_that_is_stale_is_taken_over_and_its_owner_refused(store: SqlStore, url: str) -> None:
    made = plan(3, 1)
    enqueue(store, made)
    keys = [c.key for c in made.cells]
    slow, quick = joined(store, stale=3.0), joined(another(url), stale=3.0)
    assert set(slow.claim(3)) == set(keys)
    assert quick.claim(3) == {}
    time.sleep(3.1)
    taken = list(quick.claim(2))
    assert len(taken) == 2
    (left,) = set(keys) - set(taken)
    assert slow.write(dict.fromkeys(keys, CURVES), {}, {}, {}) == set(taken)
    assert slow.lost == set(taken)
    assert quick.write({taken[0]: CURVES}, {taken[1]: "why"}, {}, {}) == set()
    statuses = store.statuses(keys)
    assert statuses == {left: CellStatus.DONE, taken[0]: CellStatus.DONE, taken[1]: CellStatus.FAILED}


def test_beats_keep_claims(store: SqlStore, url: str) -> None:
    enqueue(store, plan(2, 1))
    one, two = joined(store, stale=2.0), joined(another(url), stale=2.0)
    one.claim(2)
    for _ in range(4):
        time.sleep(0.8)
        one.beat()
        assert two.claim(2) == {}


def test_other_versions_and_runs_of_the_usual_kind_are_kept_apart(
    store: SqlStore, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = plan(1, 1)
    enqueue(store, made)
    one = joined(store)
    with pytest.raises(StoreError, match="another version of mohs"):
        joined(another(url), code="other")
    over = threading.Event()
    beats = threading.Thread(target=lambda: [one.beat() for _ in iter(lambda: over.wait(0.6), True)])
    beats.start()
    with pytest.raises(StoreError, match="in use by another run"), another(url).sole_writer():
        pass
    over.set()
    beats.join()
    one.leave()
    monkeypatch.setattr("mohs.runs.sql.owner.BEAT_SECONDS", 0.1)
    with another(url).sole_writer(), pytest.raises(StoreError, match="in use by a run"):
        joined(store)


def test_only_postgresql_is_shared(tmp_path: Path) -> None:
    with open_store(f"sqlite:///{tmp_path}/a.db") as lite, pytest.raises(UsageError, match="--shard and mohs merge"):
        pull(lite, Execution(progress="silent"))


def export(url: str, path: Path) -> bytes:
    with open_store(url, create=False) as store:
        export_csv(store, path)
    return path.read_bytes()


def puller(url: str) -> subprocess.Popen[str]:
    command = [sys.executable, fake_learner.__file__, url, "1", "{}", "pull"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for(condition: Callable[[], Any]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)


@pytest.mark.slow
def test_a_puller_that_is_killed_and_one_that_is_stopped_change_no_byte(
    store: SqlStore, url: str, tmp_path: Path
) -> None:
    made = plan(3, 2, sleep=0.02)
    with pytest.MonkeyPatch.context() as patch, open_store(f"sqlite:///{tmp_path}/one.db") as one:
        patch.setattr(time, "sleep", lambda seconds: None)
        execute(made, one, Execution(workers=0, progress="silent"), factory=FACTORY)
    enqueue(store, made)
    keys = [c.key for c in made.cells]
    pullers = [puller(url) for _ in range(3)]
    owners = sa.select(sa.func.count(CLAIM.c.owner.distinct()))
    wait_for(lambda: store.session.read(lambda db: db.scalar(owners)) == 3 and store.checkpoint_steps(keys))
    pullers[0].kill()
    os.kill(pullers[1].pid, signal.SIGSTOP)
    out, err = pullers[2].communicate(timeout=120)
    assert pullers[2].returncode == 0, err
    assert set(store.statuses(keys).values()) == {CellStatus.DONE}
    os.kill(pullers[1].pid, signal.SIGCONT)
    late, err = pullers[1].communicate(timeout=60)
    assert pullers[1].returncode == 0, err
    pullers[0].communicate()
    assert json.loads(out)["done"] + json.loads(late)["done"] <= 6
    assert not store.damaged(keys)
    assert export(url, tmp_path / "shared") == export(f"sqlite:///{tmp_path}/one.db", tmp_path / "one")


def test_what_is_enqueued_is_run_by_work(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    from mohs.cli import main

    def mohs(*words: str) -> int:
        with pytest.raises(SystemExit) as ended:
            main(words)
        return int(ended.value.code or 0)

    monkeypatch.chdir(tmp_path)
    words = [
        "diagnose",
        "q_learning",
        "--dials",
        "delay",
        "--seeds",
        "2",
        "--budget",
        "300",
        "--keep-going",
        "--store",
        url,
    ]
    assert mohs(*words, "--enqueue") == 0
    assert "cells are pending in postgresql" in capsys.readouterr().out
    assert mohs("work", "--store", url, "--workers", "1") == 0
    assert "cells done, 0 failed here" in capsys.readouterr().err
    assert mohs(*words, "--json") == 0
    assert json.loads(capsys.readouterr().out)["missing"] == 0
