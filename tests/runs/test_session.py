"""A store that goes away, comes back, cannot be written, or is made by several at once."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from fake_learner import FACTORY, plan
from postgres_server import Server, is_installed

from faults import can_mount, disk, endure_server, undisturbed
from mohs.core.errors import StoreError
from mohs.runs.execute import execute
from mohs.runs.execution import Execution
from mohs.runs.export import export_csv
from mohs.runs.sql import session
from mohs.runs.status import status
from mohs.runs.store import open_store

QUIETLY = Execution(workers=0, progress="silent")
OPEN = "import sys; from mohs.runs.store import open_store; open_store(sys.argv[1]).close()"


def remove(path: Path) -> None:
    path.unlink()


def move(path: Path) -> None:
    path.rename(path.with_name("elsewhere.db"))


def replace(path: Path) -> None:
    other = path.with_name("other.db")
    other.write_bytes(b"another file")
    os.replace(other, path)


@pytest.mark.parametrize("takes_away", [remove, move, replace])
def test_results_outlive_their_file(takes_away: Callable[[Path], None], tmp_path: Path) -> None:
    made, path = plan(2, 1), tmp_path / "store.db"
    curves = {"train/return": ([1, 2], [0.5, 0.25])}

    def disturbed() -> None:
        with open_store(f"sqlite:///{path}") as store, store.sole_writer():
            store.add(made)
            store.write(done={made.runs[0]: curves})  # type: ignore[dict-item]
            takes_away(path)
            store.write(done={made.runs[1]: curves})  # type: ignore[dict-item]

    with pytest.raises(StoreError, match="all results are in") as said:
        disturbed()
    assert "store.saved.db: rename that to store.db and run the same command to resume" in str(said.value)
    with open_store(f"sqlite:///{tmp_path}/store.saved.db", create=False) as saved, saved.sole_writer():
        assert saved.damaged(made.runs) == []
        assert set(saved.statuses(made.runs).values()) == {"done"}


def test_a_file_that_went_away_after_the_last_result_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "store.db"

    def disturbed() -> None:
        with open_store(f"sqlite:///{path}") as store, store.sole_writer():
            store.add(plan(1, 1))
            path.unlink()

    with pytest.raises(StoreError, match="all results are in"):
        disturbed()
    path.with_name("store.saved.db").unlink()
    reader = open_store(f"sqlite:///{tmp_path}/other.db")
    (tmp_path / "other.db").unlink()
    with pytest.raises(StoreError, match="was removed or moved while it was in use"):
        reader.studies()
    assert not any(tmp_path.glob("*.saved*"))  # it was only being read


@pytest.mark.skipif(not can_mount(), reason="only root can make a disk read-only")
@pytest.mark.parametrize("crashed", [False, True])
def test_a_store_on_a_read_only_disk_can_be_read(crashed: bool, tmp_path: Path) -> None:
    """Also where its last writer was killed, so that results are in the log beside it."""
    place = tmp_path / "disk"
    with disk(place, "16m"):
        url = f"sqlite:///{place}/store.db"
        with open_store(url) as store:
            execute(plan(3, 1), store, QUIETLY, factory=FACTORY)
            export_csv(store, tmp_path / "before.csv")
            if crashed:
                for left in list(place.iterdir()):
                    shutil.copy(left, tmp_path / left.name)
        for copy in tmp_path.glob("store.db*"):
            shutil.move(copy, place / copy.name)
        assert (place / "store.db-wal").exists() == crashed
        subprocess.run(["mount", "-o", "remount,ro", str(place)], check=True)
        names = sorted(left.name for left in place.iterdir())
        with open_store(url, create=False) as store:
            assert status(store)[0].done == 3
            assert export_csv(store, tmp_path / "after.csv") == []
            with pytest.raises(StoreError, match="cannot be written"), store.sole_writer():
                pass
        assert sorted(left.name for left in place.iterdir()) == names
    assert (tmp_path / "after.csv").read_bytes() == (tmp_path / "before.csv").read_bytes()


def test_a_log_that_cannot_be_read_is_not_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    open_store(f"sqlite:///{tmp_path}/store.db").close()
    (tmp_path / "store.db-wal").write_bytes(b"x" * 100)
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(StoreError, match=r"part of it is in store\.db-wal"):
        open_store(f"sqlite:///{tmp_path}/store.db", create=False)


def opened_at_once(url: str, count: int = 6) -> list[str]:
    """What processes say that open one new store at the same time."""
    processes = [
        subprocess.Popen([sys.executable, "-c", OPEN, url], stderr=subprocess.PIPE, text=True) for _ in range(count)
    ]
    return [process.communicate()[1] for process in processes]


def test_a_store_can_be_made_by_several_at_once(tmp_path: Path) -> None:
    assert opened_at_once(f"sqlite:///{tmp_path}/store.db") == [""] * 6


def test_a_store_on_a_server_can_be_made_by_several_at_once(postgres: str) -> None:
    engine, failed = sa.create_engine(postgres), []
    for _ in range(4):
        schema = f"mohs_{uuid.uuid4().hex}"
        with engine.begin() as connection:
            connection.exec_driver_sql(f"CREATE SCHEMA {schema}")
        url = engine.url.update_query_dict({"options": f"-csearch_path={schema}"})
        start = threading.Barrier(6)

        def create(url: str, start: threading.Barrier) -> None:
            start.wait()
            try:
                open_store(url).close()
            except Exception as error:
                failed.append(str(error))

        address = url.render_as_string(hide_password=False)
        threads = [threading.Thread(target=create, args=(address, start)) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        with engine.begin() as connection:
            connection.exec_driver_sql(f"DROP SCHEMA {schema} CASCADE")
    engine.dispose()
    assert failed == []


@pytest.fixture
def server() -> Iterator[Server]:
    if not is_installed():
        pytest.skip("there is no PostgreSQL: Debian's package postgresql, and the extra mohs[postgres]")
    folder = Path(tempfile.mkdtemp(prefix="mohs-postgres-"))
    folder.chmod(0o755)
    made = Server(folder / "server")
    yield made
    made.stop()
    shutil.rmtree(folder)


def test_a_run_outlives_its_server(server: Server, tmp_path: Path) -> None:
    endure_server(server, tmp_path, 1, undisturbed(tmp_path / "whole"))


def test_a_server_that_stays_away_is_one_sentence(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "RECONNECT_SECONDS", 0.5)
    with open_store(server.url) as store:
        server.kill()
        with pytest.raises(StoreError, match=r"has not answered for .* run the same command to resume when it is back"):
            store.studies()
    began = time.monotonic()
    with pytest.raises(StoreError, match="cannot be used"):  # one that was never there is not waited for
        open_store(server.url)
    assert time.monotonic() - began < 5
    server.start()
