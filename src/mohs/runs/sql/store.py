"""How does a SQL database keep results? The `Store` on SQLAlchemy, for SQLite files and PostgreSQL servers."""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from itertools import groupby, islice
from types import TracebackType
from typing import Any, Self

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from mohs.core.errors import unknown
from mohs.core.values import Json, canonical_json
from mohs.runs.curves import Curve, Curves
from mohs.runs.plan import Plan, Track
from mohs.runs.sql import blobs, database
from mohs.runs.sql.schema import CELL, CHECKPOINT, CURVE, STUDY, STUDY_CELL, check_or_create
from mohs.runs.store import CellStatus, Counts, MissingStoreError, Record, StoredStudy, sound

MANY = 500  # keys in one query; databases bound the number of parameters
_RECORD = sa.select(CELL.c.key, CELL.c.json, CELL.c.status, CELL.c.error)


def open_store(url: str, create: bool) -> SqlStore:
    """See `runs.store.open_store`."""
    parsed = database.parse_url(url)
    engine = database.connect(parsed, create)
    try:
        check_or_create(engine, create)
    except BaseException:
        engine.dispose()
        raise
    return SqlStore(engine)


def check_store(url: str) -> None:
    """See `runs.store.check_store`."""
    with suppress(MissingStoreError):
        open_store(url, create=False).close()
    database.check_writable(database.parse_url(url))


class SqlStore:
    """The `Store` interface on one engine."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    @property
    def name(self) -> str:
        return database.name_of(self.engine.url)

    def close(self) -> None:
        self.engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()

    def sole_writer(self) -> AbstractContextManager[None]:
        return database.sole_writer(self.engine)

    def add(self, plan: Plan) -> None:
        with database.writing(self.engine) as db:
            if db.scalar(sa.select(STUDY.c.key).where(STUDY.c.key == plan.key)) is not None:
                return
            here = {key for part in _parts(c.key for c in plan.cells) for key in _existing(db, part)}
            new = [
                {
                    "key": c.key,
                    "json": canonical_json(c.to_json()),
                    "steps": c.steps,
                    "status": CellStatus.PENDING.value,
                    "error": "",
                }
                for c in plan.cells
                if c.key not in here
            ]
            places = [{"study": plan.key, "position": i, "cell": key} for i, key in enumerate(plan.runs)]
            _insert(db, CELL, new)
            _insert(db, STUDY_CELL, places)
            header = {"key": plan.key, "name": plan.name, "protocol": plan.protocol, "options": _header(plan)}
            _insert(db, STUDY, [{**header, "created": time.time()}])

    def studies(self) -> list[StoredStudy]:
        with database.reading(self.engine) as db, sound(self.name):
            rows = db.execute(sa.select(STUDY).order_by(STUDY.c.created, STUDY.c.key)).all()
            return [_study(row) for row in rows]

    def study(self, key: str) -> StoredStudy:
        studies = {study.key: study for study in self.studies()}
        if key not in studies:
            raise unknown("study", key, studies)
        return studies[key]

    def runs(self, study: str) -> list[str]:
        query = sa.select(STUDY_CELL.c.cell).where(STUDY_CELL.c.study == study).order_by(STUDY_CELL.c.position)
        with database.reading(self.engine) as db:
            return list(db.scalars(query))

    def cells(self, study: str | None = None, limit: int | None = None) -> list[Record]:
        if study is None:
            return self._records(_RECORD.order_by(CELL.c.key).limit(limit))
        mine = _RECORD.join(STUDY_CELL, STUDY_CELL.c.cell == CELL.c.key).where(STUDY_CELL.c.study == study)
        return self._records(mine.order_by(STUDY_CELL.c.position).limit(limit))

    def failures(self, study: str, limit: int | None = None) -> list[Record]:
        place = sa.func.min(STUDY_CELL.c.position).label("place")
        mine = sa.select(STUDY_CELL.c.cell, place).where(STUDY_CELL.c.study == study).group_by(STUDY_CELL.c.cell)
        first = mine.subquery()
        failed = _RECORD.join(first, first.c.cell == CELL.c.key).where(CELL.c.status == CellStatus.FAILED.value)
        return self._records(failed.order_by(first.c.place).limit(limit))

    def counts(self, study: str) -> Counts:
        mine = sa.select(STUDY_CELL.c.cell).where(STUDY_CELL.c.study == study)
        counted = sa.select(CELL.c.status, sa.func.count(), sa.func.sum(CELL.c.steps)).where(CELL.c.key.in_(mine))
        with database.reading(self.engine) as db, sound(self.name):
            rows = {CellStatus(s): (int(n), int(steps)) for s, n, steps in db.execute(counted.group_by(CELL.c.status))}
            saved = db.scalar(sa.select(sa.func.sum(CHECKPOINT.c.step)).where(CHECKPOINT.c.cell.in_(mine)))
        found = {status: rows.get(status, (0, 0)) for status in CellStatus}
        return Counts({s: n for s, (n, _) in found.items()}, {s: n for s, (_, n) in found.items()}, int(saved or 0))

    def statuses(self, keys: Iterable[str]) -> dict[str, CellStatus]:
        found = self._by_key(sa.select(CELL.c.key, CELL.c.status), CELL.c.key, keys)
        with sound(self.name):
            return {key: CellStatus(status) for key, status in found.items()}

    def checkpoint_steps(self, keys: Iterable[str]) -> dict[str, int]:
        return self._by_key(sa.select(CHECKPOINT.c.cell, CHECKPOINT.c.step), CHECKPOINT.c.cell, keys)

    def checkpoints(self, keys: Iterable[str]) -> dict[str, bytes]:
        return self._by_key(sa.select(CHECKPOINT.c.cell, CHECKPOINT.c.state), CHECKPOINT.c.cell, keys)

    def results(self, keys: Iterable[str]) -> Iterator[tuple[str, dict[str, Curve]]]:
        for part in _parts(keys):
            query = sa.select(CURVE).where(CURVE.c.cell.in_(part)).order_by(CURVE.c.cell)
            with database.reading(self.engine) as db, sound(self.name):
                found = {
                    cell: {r.metric: (blobs.unpack_integers(r[2]), blobs.unpack_floats(r[3])) for r in rows}
                    for cell, rows in groupby(db.execute(query), key=lambda r: r.cell)
                }
            for key in part:
                if key in found:
                    yield key, dict(sorted(found[key].items()))

    def write(
        self,
        done: Mapping[str, Curves] | None = None,
        failed: Mapping[str, str] | None = None,
        checkpoints: Mapping[str, tuple[int, bytes]] | None = None,
    ) -> None:
        done, failed, checkpoints = done or {}, failed or {}, checkpoints or {}
        touched = {**done, **failed, **checkpoints}
        if not touched:
            return
        with database.writing(self.engine) as db:
            for part in _parts(touched):
                db.execute(sa.delete(CHECKPOINT).where(CHECKPOINT.c.cell.in_(part)))
            for part in _parts([*done, *failed]):
                db.execute(sa.delete(CURVE).where(CURVE.c.cell.in_(part)))
            _insert(db, CHECKPOINT, [{"cell": k, "step": s, "state": b} for k, (s, b) in checkpoints.items()])
            _insert(db, CURVE, [row for key, curves in done.items() for row in _curve_rows(key, curves)])
            _set_status(db, CellStatus.DONE, dict.fromkeys(done, ""))
            _set_status(db, CellStatus.FAILED, failed)

    def retry(self, keys: Collection[str]) -> None:
        with database.writing(self.engine) as db:
            _set_status(db, CellStatus.PENDING, dict.fromkeys(keys, ""))

    def _records(self, query: sa.Select[Any]) -> list[Record]:
        with database.reading(self.engine) as db, sound(self.name):
            return [Record(r.key, r.json, CellStatus(r.status), r.error) for r in db.execute(query)]

    def _by_key(self, query: sa.Select[Any], column: sa.Column[str], keys: Iterable[str]) -> dict[str, Any]:
        with database.reading(self.engine) as db:
            return {k: v for part in _parts(keys) for k, v in db.execute(query.where(column.in_(part)))}


def _header(plan: Plan) -> str:
    """The options, tracks and agents of a plan as text. What trains nothing is a baseline, none of its agents."""
    tracks: list[Json] = [[track.agent, track.point] for track in plan.tracks]
    agents: list[Json] = list(dict.fromkeys(cell.agent.name for cell in plan.cells if cell.steps))
    return canonical_json({"study": dict(plan.options), "tracks": tracks, "agents": agents, "label": plan.label})


def _study(row: sa.Row[Any]) -> StoredStudy:
    """A study; older versions wrote its options alone, or with its tracks but without its agents and its label."""
    data = json.loads(row.options)
    if set(data) - {"agents", "label"} != {"study", "tracks"}:
        data = {"study": data, "tracks": []}
    agents = tuple(data.get("agents", row.name.split(" ")[:1]))
    tracks = tuple(Track(agent, point) for agent, point in data["tracks"])
    label = data.get("label", "")
    return StoredStudy(row.key, row.name, row.protocol, data["study"], row.created, agents, tracks, label)


def _parts(keys: Iterable[str]) -> Iterator[list[str]]:
    rest = iter(keys)
    while part := list(islice(rest, MANY)):
        yield part


def _existing(db: Connection, keys: Sequence[str]) -> list[str]:
    return list(db.scalars(sa.select(CELL.c.key).where(CELL.c.key.in_(keys))))


def _insert(db: Connection, table: sa.Table, rows: list[dict[str, Any]]) -> None:
    if rows:
        db.execute(sa.insert(table), rows)


def _set_status(db: Connection, status: CellStatus, errors: Mapping[str, str]) -> None:
    """The status of some cells, each with its error."""
    if errors:
        rows = [{"of": key, "status": status.value, "error": error} for key, error in errors.items()]
        update = sa.update(CELL).where(CELL.c.key == sa.bindparam("of"))
        db.execute(update.values(status=sa.bindparam("status"), error=sa.bindparam("error")), rows)


def _curve_rows(key: str, curves: Curves) -> Iterator[dict[str, Any]]:
    for metric, (steps, values) in curves.items():
        yield {"cell": key, "metric": metric, "steps": blobs.pack_integers(steps), "values": blobs.pack_floats(values)}
