"""Which tables are in the database, and is it a store of mohs?"""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.engine import Engine

from mohs.core.errors import StoreError
from mohs.runs.sql import database
from mohs.runs.store import MissingStoreError

SCHEMA = 1

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
    sa.Column("steps", sa.LargeBinary, nullable=False),
    sa.Column("values", sa.LargeBinary, nullable=False),
)
CHECKPOINT = sa.Table(
    "mohs_checkpoint",
    _tables,
    sa.Column("cell", sa.String(32), primary_key=True),
    sa.Column("step", sa.BigInteger, nullable=False),
    sa.Column("state", sa.LargeBinary, nullable=False),
)


def check_or_create(engine: Engine, create: bool) -> None:
    name = database.name_of(engine.url)
    with database.reading(engine) as db:
        tables = set(sa.inspect(db).get_table_names())
        version = db.scalar(sa.select(META.c.value).where(META.c.name == "schema")) if META.name in tables else None
    if version == str(SCHEMA) and set(_tables.tables) <= tables:
        return
    if version is not None and version != str(SCHEMA):
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
    with database.writing(engine) as db:
        _tables.create_all(db)  # skips what another run has created meanwhile
        if db.scalar(sa.select(sa.func.count()).select_from(META)) == 0:
            db.execute(sa.insert(META), [{"name": "schema", "value": str(SCHEMA)}])


def _write_ahead(engine: Engine) -> None:
    """Readers never wait for the writer, and a transaction costs no wait for the disk. Kept in the file."""
    with database.explained(engine.url):
        connection = engine.raw_connection()
        try:
            connection.cursor().execute("PRAGMA journal_mode = WAL")
        finally:
            connection.close()
