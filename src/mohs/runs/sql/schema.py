"""Which tables are in the database, and is it a store of mohs?"""

from __future__ import annotations

import sqlite3
import time
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from mohs.core.errors import StoreError
from mohs.runs.sql import database
from mohs.runs.sql.session import Session
from mohs.runs.store import MissingStoreError

SCHEMA, UNSEALED = "2", "1"  # formats; stores of the older one have no seals until they are written again
LOCK_NUMBER = 0x6D6F6873  # names the advisory lock of PostgreSQL


class Blob(sa.LargeBinary):
    """Bytes as the driver gives them: where a file is damaged, it may be something else."""

    cache_ok = True

    def result_processor(self, dialect: sa.Dialect, coltype: object) -> None:
        return None


_tables = sa.MetaData()
META = sa.Table("mohs_meta", _tables, sa.Column("name", sa.Text, primary_key=True), sa.Column("value", sa.Text))
STUDY = sa.Table(
    "mohs_study",
    _tables,
    sa.Column("key", sa.String(32), primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("protocol", sa.Text, nullable=False),
    sa.Column("options", sa.Text, nullable=False),
    sa.Column("created", sa.Double, nullable=False),
)
STUDY_CELL = sa.Table(
    "mohs_study_cell",
    _tables,
    sa.Column("study", sa.String(32), primary_key=True),
    sa.Column("position", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("cell", sa.String(32), nullable=False, index=True),
)
CELL = sa.Table(
    "mohs_cell",
    _tables,
    sa.Column("key", sa.String(32), primary_key=True),
    sa.Column("json", sa.Text, nullable=False),
    sa.Column("steps", sa.BigInteger, nullable=False),
    sa.Column("status", sa.String(8), nullable=False, index=True),
    sa.Column("error", sa.Text, nullable=False),
)
CURVE = sa.Table(
    "mohs_curve",
    _tables,
    sa.Column("cell", sa.String(32), primary_key=True),
    sa.Column("metric", sa.String(200), primary_key=True),
    sa.Column("steps", Blob, nullable=False),
    sa.Column("values", Blob, nullable=False),
)
CHECKPOINT = sa.Table(
    "mohs_checkpoint",
    _tables,
    sa.Column("cell", sa.String(32), primary_key=True),
    sa.Column("step", sa.BigInteger, nullable=False),
    sa.Column("state", Blob, nullable=False),
)
SEAL = sa.Table(
    "mohs_seal",
    _tables,
    sa.Column("kind", sa.String(8), primary_key=True),
    sa.Column("of", sa.String(32), primary_key=True),
    sa.Column("seal", Blob, nullable=False),
)


def check_or_create(session: Session, create: bool) -> bool:
    """Whether the store has seals. Raises StoreError where the database is no store, or makes it one."""
    name, engine = session.name, session.engine
    version, tables = session.read(_found)
    if version in (SCHEMA, UNSEALED) and _needed(version) <= tables:
        return version == SCHEMA
    if version is not None and version not in (SCHEMA, UNSEALED):
        raise StoreError(
            f"{name} was written by another version of mohs (format {version}; this one reads {SCHEMA}): "
            "use that version or another store."
        )
    ours = {table for table in tables if table in _tables.tables}
    foreign = tables - ours if engine.dialect.name == "sqlite" else set()  # others may share the database of a server
    if ours:
        raise StoreError(f"{name} is a damaged store: some of its tables are missing.")
    if foreign:
        raise StoreError(f"{name} is a database, but not a store of mohs; use another file.")
    if not create:
        raise MissingStoreError(f"{name} is empty, not a store of mohs.")
    if engine.dialect.name == "sqlite":
        _write_ahead(engine)
    session.write(_create)
    return True


def _found(db: Connection) -> tuple[str | None, set[str]]:
    """The format of the store, None where there is none, and the tables of the database."""
    tables = set(sa.inspect(db).get_table_names())
    return db.scalar(_version) if META.name in tables else None, tables


_version = sa.select(META.c.value).where(META.c.name == "schema")


def _needed(version: str) -> set[str]:
    return set(_tables.tables) - ({SEAL.name} if version == UNSEALED else set())


def _create(db: Connection) -> None:
    one_at_a_time(db)
    _tables.create_all(db)  # skips what another run has created meanwhile
    if db.scalar(_version) is None:
        db.execute(sa.insert(META), [{"name": "schema", "value": SCHEMA}])


def begin_sealing(db: Connection) -> bool:
    """Makes room for seals in a store of the older format; False where another run has done so."""
    one_at_a_time(db)
    if db.scalar(_version) == SCHEMA:
        return False
    SEAL.create(db)
    db.execute(sa.update(META).where(META.c.name == "schema").values(value=SCHEMA))
    return True


def one_at_a_time(db: Connection) -> None:
    """Lets one transaction at a time go on from here. On SQLite, writers are alone from their beginning."""
    if db.dialect.name == "postgresql":
        db.execute(sa.select(sa.func.pg_advisory_xact_lock(LOCK_NUMBER)))


def _write_ahead(engine: Engine) -> None:
    """Readers never wait for the writer, and a transaction costs no wait for the disk. Kept in the file."""
    with database.explained(engine.url):
        connection = engine.raw_connection()
        try:
            _journal(connection.cursor())
        finally:
            connection.close()


def _journal(cursor: Any) -> None:
    """SQLite does not wait for another run that does the same at this moment."""
    began = time.monotonic()
    while True:
        try:
            cursor.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() - began > database.BUSY_SECONDS:
                raise
        time.sleep(0.02)
