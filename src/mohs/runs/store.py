"""Where are results kept? One database: studies, cells, curves and the checkpoints of cells on their way.

Only the coordinator of a run writes, in transactions. A cell is `done` in the same transaction that writes its curves
and drops its checkpoint, so a reader never sees half a result.
"""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from itertools import groupby, islice
from types import TracebackType
from typing import Any, Literal, Self

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from mohs.core.cell import Cell
from mohs.core.errors import MohsError, StoreError, unknown
from mohs.core.values import Json, canonical_json
from mohs.runs import blobs, database
from mohs.runs.blobs import Curve, Curves
from mohs.runs.plan import Plan, Track
from mohs.runs.schema import CELL, CHECKPOINT, CURVE, STUDY, STUDY_CELL, check_or_create

MANY = 500  # keys in one query; databases bound the number of parameters

Status = Literal["pending", "done", "failed"]


@dataclass(frozen=True)
class Study:
    """A plan as the store lists it; one that an older version wrote has no tracks."""

    key: str
    name: str
    protocol: str
    options: Mapping[str, Json]
    created: float
    tracks: tuple[Track, ...] = ()


@dataclass(frozen=True)
class Record:
    """A cell as the store has it; `error` is the traceback of a failed one."""

    key: str
    json: str
    status: Status
    error: str

    @property
    def cell(self) -> Cell:
        return Cell.from_json(self.json)


def open_store(url: str, create: bool = True) -> Store:
    """The store at a URL. `create=False` is for reading: the store must exist."""
    parsed = database.parse_url(url)
    engine = database.connect(parsed, create)
    try:
        check_or_create(engine, create)
    except BaseException:
        engine.dispose()
        raise
    return Store(engine)


class Store:
    """An open store; `with` closes it."""

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
        """Held while a run is on; a second run on this store gets a StoreError."""
        return database.sole_writer(self.engine)

    # Studies and their cells

    def add(self, plan: Plan) -> None:
        """Enters a study and those of its cells that are new. Adding a plan again changes nothing."""
        with database.writing(self.engine) as db:
            if db.scalar(sa.select(STUDY.c.key).where(STUDY.c.key == plan.key)) is not None:
                return
            here = {key for part in _parts(c.key for c in plan.cells) for key in _existing(db, part)}
            new = [
                {"key": c.key, "json": canonical_json(c.to_json()), "steps": c.steps, "status": "pending", "error": ""}
                for c in plan.cells
                if c.key not in here
            ]
            places = [{"study": plan.key, "position": i, "cell": key} for i, key in enumerate(plan.runs)]
            _insert(db, CELL, new)
            _insert(db, STUDY_CELL, places)
            header = {"key": plan.key, "name": plan.name, "protocol": plan.protocol, "options": _header(plan)}
            _insert(db, STUDY, [{**header, "created": time.time()}])

    def studies(self) -> list[Study]:
        """All studies, oldest first."""
        with database.reading(self.engine) as db, self.sound():
            rows = db.execute(sa.select(STUDY).order_by(STUDY.c.created, STUDY.c.key)).all()
            return [Study(r.key, r.name, r.protocol, *_read_header(r.options, r.created)) for r in rows]

    def study(self, key: str) -> Study:
        """The study with this key."""
        studies = {study.key: study for study in self.studies()}
        if key not in studies:
            raise unknown("study", key, studies)
        return studies[key]

    def runs(self, study: str) -> list[str]:
        """The keys of a study's cells in its order; a cell that several of its tracks share occurs several times."""
        query = sa.select(STUDY_CELL.c.cell).where(STUDY_CELL.c.study == study).order_by(STUDY_CELL.c.position)
        with database.reading(self.engine) as db:
            return list(db.scalars(query))

    def plan(self, key: str) -> Plan:
        """The plan of a study, cells in their order."""
        study, records = self.study(key), self.cells(key)
        with self.sound():
            cells = tuple(r.cell for r in records)
            return Plan(study.name, study.protocol, study.options, cells, study.tracks)

    def cells(self, study: str | None = None) -> list[Record]:
        """The cells of a study in its order, or all cells by key."""
        query = sa.select(CELL.c.key, CELL.c.json, CELL.c.status, CELL.c.error)
        if study is None:
            query = query.order_by(CELL.c.key)
        else:
            query = query.join(STUDY_CELL, STUDY_CELL.c.cell == CELL.c.key).where(STUDY_CELL.c.study == study)
            query = query.order_by(STUDY_CELL.c.position)
        with database.reading(self.engine) as db:
            return [Record(r.key, r.json, r.status, r.error) for r in db.execute(query)]

    def statuses(self, keys: Iterable[str]) -> dict[str, Status]:
        return self._by_key(sa.select(CELL.c.key, CELL.c.status), CELL.c.key, keys)

    def checkpoint_steps(self, keys: Iterable[str]) -> dict[str, int]:
        return self._by_key(sa.select(CHECKPOINT.c.cell, CHECKPOINT.c.step), CHECKPOINT.c.cell, keys)

    def checkpoints(self, keys: Iterable[str]) -> dict[str, bytes]:
        return self._by_key(sa.select(CHECKPOINT.c.cell, CHECKPOINT.c.state), CHECKPOINT.c.cell, keys)

    def results(self, keys: Iterable[str]) -> Iterator[tuple[str, dict[str, Curve]]]:
        """The curves of the cells that are done, in the order of `keys`, metrics sorted."""
        for part in _parts(keys):
            query = sa.select(CURVE).where(CURVE.c.cell.in_(part)).order_by(CURVE.c.cell)
            with database.reading(self.engine) as db, self.sound():
                found = {
                    cell: {r.metric: (blobs.unpack_integers(r[2]), blobs.unpack_floats(r[3])) for r in rows}
                    for cell, rows in groupby(db.execute(query), key=lambda r: r.cell)
                }
            for key in part:
                if key in found:
                    yield key, dict(sorted(found[key].items()))

    # What the coordinator of a run writes

    def write(
        self,
        done: Mapping[str, Curves] | None = None,
        failed: Mapping[str, str] | None = None,
        checkpoints: Mapping[str, tuple[int, bytes]] | None = None,
    ) -> None:
        """One transaction: results, tracebacks and checkpoints by cell."""
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
            _set_status(db, [{"of": k, "status": "done", "error": ""} for k in done])
            _set_status(db, [{"of": k, "status": "failed", "error": text} for k, text in failed.items()])

    def retry(self, keys: Collection[str]) -> None:
        """Failed cells are pending again."""
        with database.writing(self.engine) as db:
            _set_status(db, [{"of": key, "status": "pending", "error": ""} for key in keys])

    def _by_key(self, query: sa.Select[Any], column: sa.Column[str], keys: Iterable[str]) -> dict[str, Any]:
        with database.reading(self.engine) as db:
            return {k: v for part in _parts(keys) for k, v in db.execute(query.where(column.in_(part)))}

    @contextmanager
    def sound(self) -> Iterator[None]:
        """What does not read back as it was written is damage."""
        try:
            yield
        except StoreError:
            raise
        except (ValueError, KeyError, TypeError) as error:  # UsageError is a ValueError
            kind = "" if isinstance(error, MohsError) else "damaged: "
            raise StoreError(f"{self.name} has an entry that cannot be read ({kind}{error}).") from error


def _header(plan: Plan) -> str:
    """The options and tracks of a plan as text."""
    tracks: list[Json] = [[track.agent, track.point] for track in plan.tracks]
    return canonical_json({"study": dict(plan.options), "tracks": tracks})


def _read_header(text: str, created: float) -> tuple[Mapping[str, Json], float, tuple[Track, ...]]:
    """The options, the date and the tracks of a study; older versions wrote the options alone."""
    data = json.loads(text)
    if set(data) != {"study", "tracks"}:
        return data, created, ()
    return data["study"], created, tuple(Track(agent, point) for agent, point in data["tracks"])


def _parts(keys: Iterable[str]) -> Iterator[list[str]]:
    rest = iter(keys)
    while part := list(islice(rest, MANY)):
        yield part


def _existing(db: Connection, keys: Sequence[str]) -> list[str]:
    return list(db.scalars(sa.select(CELL.c.key).where(CELL.c.key.in_(keys))))


def _insert(db: Connection, table: sa.Table, rows: list[dict[str, Any]]) -> None:
    if rows:
        db.execute(sa.insert(table), rows)


def _set_status(db: Connection, rows: list[dict[str, Any]]) -> None:
    if rows:
        update = sa.update(CELL).where(CELL.c.key == sa.bindparam("of"))
        db.execute(update.values(status=sa.bindparam("status"), error=sa.bindparam("error")), rows)


def _curve_rows(key: str, curves: Curves) -> Iterator[dict[str, Any]]:
    for metric, (steps, values) in curves.items():
        yield {"cell": key, "metric": metric, "steps": blobs.pack_integers(steps), "values": blobs.pack_floats(values)}
