"""Where did each cell run, in a database? Tables of their own, which older stores get when they are first written.

They hold no results: exports, seals and keys know nothing of them.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from mohs.core.values import canonical_json
from mohs.runs.places import Place
from mohs.runs.sql.contents import insert, parts
from mohs.runs.sql.schema import STUDY_CELL
from mohs.runs.sql.session import Session

_tables = sa.MetaData()
PLACE = sa.Table(
    "mohs_place", _tables, sa.Column("key", sa.String(32), primary_key=True), sa.Column("json", sa.Text, nullable=False)
)
RAN = sa.Table(
    "mohs_ran",
    _tables,
    sa.Column("cell", sa.String(32), primary_key=True),
    sa.Column("places", sa.Text, nullable=False),
)


def enter(db: Connection, cells: Mapping[str, Sequence[Place]], known: Collection[str]) -> None:
    """Keeps the places that some cells passed through, in order. The database has the `known` ones, by key."""
    found = {place.key: place for passed in cells.values() for place in passed}
    new = {key: canonical_json(place.to_json()) for key, place in found.items() if key not in known}
    _write(db, new, {cell: [place.key for place in passed] for cell, passed in cells.items()})


def of_cells(session: Session, cells: Iterable[str]) -> dict[str, list[Place]]:
    """The places of those cells whose places are known."""
    wanted = list(cells)
    places, ran = session.read(lambda db: _read(db, RAN.c.cell, wanted))
    return {cell: [places[key] for key in keys if key in places] for cell, keys in ran.items()}


def of_study(session: Session, study: str) -> list[Place]:
    """All places where cells of a study ran, each once."""

    def work(db: Connection) -> list[Place]:
        if not _are_there(db):
            return []
        mine = sa.select(STUDY_CELL.c.cell).where(STUDY_CELL.c.study == study)
        passed = db.scalars(sa.select(RAN.c.places).where(RAN.c.cell.in_(mine)).distinct())
        keys = {key for text in passed for key in json.loads(text)}
        rows = db.execute(sa.select(PLACE.c.key, PLACE.c.json).order_by(PLACE.c.key))
        return [Place.from_json(json.loads(text)) for key, text in rows if key in keys]

    return session.read(work)


def copy(source: Session, target: Session) -> None:
    """Copies what one database knows to another one, which keeps what it knows itself."""

    def read(db: Connection) -> tuple[dict[str, str], dict[str, list[str]]]:
        if not _are_there(db):
            return {}, {}
        ran = db.execute(sa.select(RAN.c.cell, RAN.c.places))
        return {r.key: r.json for r in db.execute(sa.select(PLACE))}, {c: json.loads(text) for c, text in ran}

    texts, ran = source.read(read)

    def write(db: Connection) -> None:
        known = set(_read(db, RAN.c.cell, list(ran))[1])
        _write(db, texts, {cell: keys for cell, keys in ran.items() if cell not in known})

    if ran:
        target.write(write)


def _are_there(db: Connection) -> bool:
    return sa.inspect(db).has_table(RAN.name)


def _read(
    db: Connection, column: sa.Column[str], cells: Sequence[str]
) -> tuple[dict[str, Place], dict[str, list[str]]]:
    if not _are_there(db):
        return {}, {}
    ran: dict[str, list[str]] = {}
    for part in parts(cells):
        ran |= {cell: json.loads(text) for cell, text in db.execute(sa.select(RAN).where(column.in_(part)))}
    wanted = {key for keys in ran.values() for key in keys}
    rows = db.execute(sa.select(PLACE.c.key, PLACE.c.json))
    return {key: Place.from_json(json.loads(text)) for key, text in rows if key in wanted}, ran


def _write(db: Connection, new: Mapping[str, str], ran: Mapping[str, Sequence[str]]) -> None:
    if new:
        _tables.create_all(db)
        here = set(db.scalars(sa.select(PLACE.c.key)))
        insert(db, PLACE, [{"key": key, "json": text} for key, text in new.items() if key not in here])
    for part in parts(ran):
        db.execute(sa.delete(RAN).where(RAN.c.cell.in_(part)))
        insert(db, RAN, [{"cell": cell, "places": json.dumps(ran[cell])} for cell in part])
