"""Nothing that is read from a store was changed unnoticed; what is damaged is missing, is named, and runs again."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from fake_learner import FACTORY, plan

from faults import flip_and_export
from mohs.cli import main
from mohs.core.errors import StoreError, UsageError
from mohs.runs.execute import execute
from mohs.runs.execution import Execution
from mohs.runs.export import export_csv, frame
from mohs.runs.plan import Plan
from mohs.runs.progress import Progress
from mohs.runs.results import Results
from mohs.runs.sql import blobs
from mohs.runs.store import Store, left_to_run, open_store, recover

QUIETLY = Execution(workers=0, progress="silent")
PLAN = plan(6, 1)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four cells that are done, one that failed, one that has a checkpoint."""
    path = tmp_path_factory.mktemp("sound") / "store.db"
    with open_store(f"sqlite:///{path}") as store:
        part = Plan("part", "none", {}, PLAN.cells[:4])
        execute(part, store, QUIETLY, factory=FACTORY)
        store.add(PLAN)
        store.write(failed={PLAN.runs[4]: "ValueError: no"}, checkpoints={PLAN.runs[5]: (10, b"a state")})
    return path


@pytest.fixture
def path(sound: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(sound, tmp_path / "store.db"))


def change(path: Path, order: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        assert db.execute(order).rowcount > 0


def export(store: Store, folder: Path) -> tuple[list[str], list[str]]:
    """The lines of an export, and the keys of damaged cells."""
    damaged = export_csv(store, folder / "out.csv")
    return (folder / "out.csv").read_text().splitlines(), damaged


@pytest.mark.parametrize("number", range(4))
def test_no_flipped_bit_goes_unnoticed(number: int, sound: Path, tmp_path: Path) -> None:
    """Fifty bits: an export is the same, but for cells that it names, or one sentence says why there is none."""
    with open_store(f"sqlite:///{sound}", create=False) as store:
        expected, _ = export(store, tmp_path)
    rng = random.Random(number)
    came = Counter(flip_and_export(sound, tmp_path / "store.db", rng, expected) for _ in range(50))
    assert came["wrong"] == 0, came
    assert came["named"] + came["refused"] > 0  # some of the bits are results


DAMAGE = {
    "values": "UPDATE mohs_curve SET \"values\" = x'72' || zeroblob(80) WHERE metric = 'train/return' AND cell = '{}'",
    "a curve": "DELETE FROM mohs_curve WHERE metric = 'eval/length' AND cell = '{}'",
    "steps": "UPDATE mohs_cell SET steps = 201 WHERE key = '{}'",
    "task": "UPDATE mohs_cell SET json = replace(json, '\"seed\":0', '\"seed\":9') WHERE key = '{}'",
    "status": "UPDATE mohs_cell SET status = 'dond' WHERE key = '{}'",
    "type": "UPDATE mohs_curve SET steps = 10000000000 WHERE cell = '{}'",
    "cell": "DELETE FROM mohs_cell WHERE key = '{}'",
    "hash": "DELETE FROM mohs_seal WHERE kind = 'cell' AND of = '{}'",
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_a_damaged_cell_is_missing_and_runs_again(kind: str, path: Path, sound: Path, tmp_path: Path) -> None:
    key = PLAN.runs[0]
    change(path, DAMAGE[kind].format(key))
    with open_store(f"sqlite:///{sound}", create=False) as store:
        expected, _ = export(store, tmp_path)
    with open_store(f"sqlite:///{path}", create=False) as store:
        found, damaged = export(store, tmp_path)
        assert damaged == [key]
        assert found == [line for line in expected if not line.startswith(key)]
        assert store.damaged(PLAN.runs) == [key]
        results = Results.labelled((), PLAN.runs, dict(store.results(PLAN.runs)))
        assert (results.missing, results.damaged) == (3, (key,))  # one failed, one is pending
        with pytest.warns(RuntimeWarning, match=rf"1 cell of the store is damaged \({key[:8]}\) and left out"):
            assert key not in set(frame(store)["cell"])
    assert key in {cell.key for cell in left_to_run(PLAN, f"sqlite:///{path}")}
    notes: list[str] = []
    with open_store(f"sqlite:///{path}") as store:
        execute(PLAN, store, Execution(workers=0, progress=Listening(notes)), factory=FACTORY)
        assert f"1 cell of the store is damaged ({key[:8]}) and will run again" in notes
        assert store.damaged(PLAN.runs) == []
        found, damaged = export(store, tmp_path)
    assert damaged == []
    assert [line for line in found if line.partition(",")[0] in PLAN.runs[:4] or line == found[0]] == expected


class Listening(Progress):
    """Keeps what is said."""

    def __init__(self, notes: list[str]) -> None:
        self.notes = notes

    def start(self, *args: object, **kwargs: object) -> None: ...

    def update(self, *args: object, **kwargs: object) -> None: ...

    def note(self, text: str) -> None:
        self.notes.append(text)

    def close(self) -> None: ...


def test_a_damaged_checkpoint_is_not_resumed_from(path: Path) -> None:
    change(path, "UPDATE mohs_checkpoint SET state = x'00'")
    with open_store(f"sqlite:///{path}") as store:
        assert store.checkpoints(PLAN.runs) == {}
        assert store.add(PLAN) == [PLAN.runs[5]]
        assert store.checkpoint_steps(PLAN.runs) == {}


@pytest.mark.parametrize(
    "order",
    [
        "UPDATE mohs_study SET options = replace(options, '6', '7') WHERE name = 'test'",
        "DELETE FROM mohs_study WHERE name = 'test'",
        "UPDATE mohs_study SET created = 0 WHERE name = 'test'",
    ],
)
def test_a_damaged_study_is_named_and_written_again(order: str, path: Path) -> None:
    change(path, order)
    with open_store(f"sqlite:///{path}") as store:
        with pytest.raises(StoreError, match=f"what it says of the study {PLAN.key} is not what was written"):
            store.studies()
        assert store.add(PLAN) == []
        assert {study.name for study in store.studies()} == {"part", "test"}


def test_a_run_that_a_study_lost_is_noticed(path: Path) -> None:
    change(path, f"DELETE FROM mohs_study_cell WHERE study = '{PLAN.key}' AND position = 2")
    with open_store(f"sqlite:///{path}") as store:
        with pytest.raises(StoreError, match="is damaged"):
            store.runs(PLAN.key)
        store.add(PLAN)
        assert store.runs(PLAN.key) == list(PLAN.runs)


def unsealed(path: Path) -> None:
    """Makes it a store as an older version wrote them."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("DROP TABLE mohs_seal")
        db.execute("UPDATE mohs_meta SET value = '1' WHERE name = 'schema'")


def test_a_store_of_an_older_version_is_read_and_sealed_when_it_is_written(
    path: Path, sound: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    unsealed(path)
    with open_store(f"sqlite:///{sound}", create=False) as store:
        expected = export(store, tmp_path)
    with open_store(f"sqlite:///{path}", create=False) as store:
        assert not store.sealed
        assert export(store, tmp_path) == expected
    with pytest.raises(SystemExit):
        main(["status", "--store", f"sqlite:///{path}"])
    assert "without hashes" in capsys.readouterr().err
    with open_store(f"sqlite:///{path}") as store:
        store.add(PLAN)
    with open_store(f"sqlite:///{path}", create=False) as store:
        assert store.sealed
        assert store.damaged(PLAN.runs) == []
        assert export(store, tmp_path) == expected


@pytest.mark.parametrize("kind", ["sound", "rows", "pages", "older"])
def test_what_is_sound_is_recovered(kind: str, path: Path, tmp_path: Path, sound: Path) -> None:
    lost = set()
    if kind == "rows":
        change(path, DAMAGE["values"].format(PLAN.runs[1]))
        lost = {PLAN.runs[1]}
    elif kind == "older":
        unsealed(path)
    elif kind == "pages":
        data = bytearray(path.read_bytes())
        index = "SELECT rootpage FROM sqlite_master WHERE name = 'sqlite_autoindex_mohs_cell_1'"
        with closing(sqlite3.connect(path)) as db:
            (page,) = db.execute(index).fetchone()
        data[(page - 1) * 4096 : page * 4096] = bytes(4096)  # an index: all rows can still be read
        path.write_bytes(data)
    before = path.read_bytes()
    new = tmp_path / "new.db"
    found = recover(f"sqlite:///{path}", new)
    assert path.read_bytes() == before
    assert set(found.lost_cells) == lost
    assert (found.cells, found.studies, found.lost_studies) == (6 - len(lost), 2, [])
    with open_store(f"sqlite:///{sound}", create=False) as store:
        expected, _ = export(store, tmp_path)
    with open_store(f"sqlite:///{new}") as store:
        assert store.damaged(set(PLAN.runs) - lost) == []
        kept, _ = export(store, tmp_path)
        assert kept == [line for line in expected if line.partition(",")[0] not in lost]
        assert store.add(PLAN) == sorted(lost)
    with pytest.raises(UsageError, match="exists already"):
        recover(f"sqlite:///{path}", new)


def test_the_command_recovers(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(path, DAMAGE["values"].format(PLAN.runs[1]))
    with pytest.raises(SystemExit) as ended:
        main(["recover", str(tmp_path / "new.db"), "--store", f"sqlite:///{path}"])
    assert ended.value.code == 0
    out = capsys.readouterr().out
    assert "has 5 cells of 2 studies" in out
    assert PLAN.runs[1] in out


def test_no_blob_expands_without_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blobs, "MOST_POINTS", 1000)
    blobs.unpack_floats(blobs.pack_floats(np.zeros(1000)))
    for broken in (lambda: blobs.pack_floats(np.zeros(1001)), lambda: blobs.unpack_integers(b"a" + bytes(20))):
        with pytest.raises(ValueError, match=r"points|buffer"):
            broken()
    monkeypatch.setattr(blobs, "MOST_POINTS", 2000)
    bomb, long = blobs.pack_floats(np.zeros(1500)), blobs.pack_integers(np.arange(1500))
    monkeypatch.setattr(blobs, "MOST_POINTS", 1000)
    for blob, unpack in ((bomb, blobs.unpack_floats), (long, blobs.unpack_integers)):
        with pytest.raises(ValueError, match="points"):
            unpack(blob)


def test_even_steps_take_no_room() -> None:
    assert len(blobs.pack_integers(np.arange(1, 10_001) * 100)) < 30
