"""What can be saved of a damaged file? Every row that can be read, of which what is not sound is left out."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from mohs.core.errors import StoreError, UsageError
from mohs.runs.sql import contents, database
from mohs.runs.sql.schema import CELL, CHECKPOINT, CURVE, SEAL, STUDY, STUDY_CELL
from mohs.runs.sql.seals import STUDIES, seal_study
from mohs.runs.sql.store import SqlStore, open_store
from mohs.runs.store import Recovered

_TABLES = (STUDY, STUDY_CELL, CELL, CURVE, CHECKPOINT, SEAL)
_ROWS = 200  # that are written at once


def recover(url: str, new: Path) -> Recovered:
    """See `runs.store.recover`."""
    path = database.file_of(database.parse_url(url))
    if path is None:
        raise UsageError("only the file of an SQLite store can be recovered; a PostgreSQL server has tools of its own.")
    if not path.is_file():
        raise StoreError(f"there is no store at {path}.")
    if new.exists() or new.is_symlink():
        raise UsageError(f"{str(new)!r} exists already; name a new file.")
    target = database.parse_url(f"sqlite:///{new}")
    with (
        database.explained(database.parse_url(url)),
        closing(database.open_file(path, database.mode(path))) as source,
        open_store(target.render_as_string(), create=True) as store,
    ):
        sealed = _copy(source, store)
        return store.session.write(lambda db: _keep_sound(db, sealed))


def _copy(source: sqlite3.Connection, store: SqlStore) -> bool:
    """Copies all rows that can be read; whether there were seals among them."""
    there = {name for (name,) in source.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if CELL.name not in there:
        raise StoreError(f"{store.name} would be empty: the damaged file has no cells.")
    for table in _TABLES:
        if table.name not in there:
            continue
        names = ", ".join(f'"{column.name}"' for column in table.c)
        places = ", ".join("?" for _ in table.c)
        order = f"INSERT OR IGNORE INTO {table.name} ({names}) VALUES ({places})"
        for part in contents.parts(_rows(source, table.name, names), _ROWS):
            store.session.write(lambda db, part=part: [db.exec_driver_sql(order, row) for row in part])  # type: ignore[misc] # noqa: B023
    return bool(store.session.read(lambda db: db.scalar(sa.select(sa.func.count()).select_from(SEAL))))


def _rows(source: sqlite3.Connection, table: str, names: str) -> Iterator[tuple[Any, ...]]:
    """The rows of a table, over pages that cannot be read: by ever longer leaps from the last row before them."""
    query = f"SELECT rowid, {names} FROM {table} WHERE rowid > ? ORDER BY rowid"
    last, leap = -(2**62), 1
    while last < 2**62:
        try:
            for place, *row in source.execute(query, (last,)):
                last, leap = place, 1
                yield tuple(row)
            return
        except sqlite3.DatabaseError:
            last = (1 if last < 0 else last) + leap
            leap *= 2


def _keep_sound(db: Connection, sealed: bool) -> Recovered:
    keys = list(db.scalars(sa.select(CELL.c.key)))
    wrong = contents.damaged(db, keys, sealed)
    contents.drop_cells(db, wrong)
    if not sealed:
        contents.seal_cells(db, set(keys) - set(wrong))
    studies = db.execute(sa.select(STUDY)).all()
    seals = contents.seals_of(db, STUDIES, [row.key for row in studies])
    lost = []
    for row in studies:
        found = seal_study(row, contents.runs_of(db, row.key))
        if not sealed:
            contents.insert(db, SEAL, [{"kind": STUDIES, "of": row.key, "seal": found}])
        elif found != seals.get(row.key):
            contents.drop_study(db, row.key)
            lost.append(row.key)
    kept = set(keys) - set(wrong)
    db.execute(sa.delete(SEAL).where(SEAL.c.kind != STUDIES, SEAL.c.of.not_in(sa.select(CELL.c.key))))
    db.execute(sa.delete(SEAL).where(SEAL.c.kind == STUDIES, SEAL.c.of.not_in(sa.select(STUDY.c.key))))
    listed = set(db.scalars(sa.select(STUDY_CELL.c.cell).distinct()))
    return Recovered(len(kept), sorted(set(wrong) | (listed - kept)), len(studies) - len(lost), sorted(lost))
