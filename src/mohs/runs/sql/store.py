"""How does a SQL database keep results? The `Store` on SQLAlchemy, for SQLite files and PostgreSQL servers."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from types import TracebackType
from typing import Any, Self, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from mohs.core.errors import StoreError, unknown
from mohs.core.values import Json, canonical_json
from mohs.runs.curves import Curve, Curves
from mohs.runs.places import Place
from mohs.runs.plan import Plan, Track
from mohs.runs.sql import blobs, contents, database, owner, places
from mohs.runs.sql.contents import insert, parts
from mohs.runs.sql.schema import CELL, CHECKPOINT, CURVE, SEAL, STUDY, STUDY_CELL, check_or_create
from mohs.runs.sql.seals import CELLS, SIZE, STUDIES, Content, seal, seal_study
from mohs.runs.sql.session import Session
from mohs.runs.store import CellStatus, Counts, MissingStoreError, Record, StoredStudy, sound

T = TypeVar("T")
_RECORD = sa.select(CELL.c.key, CELL.c.json, CELL.c.status, CELL.c.error)


def open_store(url: str, create: bool) -> SqlStore:
    """See `runs.store.open_store`."""
    engine = database.connect(database.parse_url(url), create)
    try:
        session = Session(engine)
        sealed = check_or_create(session, create)
    except BaseException:
        engine.dispose()
        raise
    session.patient = True
    return SqlStore(session, sealed)


def check_store(url: str) -> None:
    """See `runs.store.check_store`."""
    with suppress(MissingStoreError):
        open_store(url, create=False).close()
    database.check_writable(database.parse_url(url))


class SqlStore:
    """The `Store` interface on one database. `sealed` says whether it has seals: those of older versions have none."""

    def __init__(self, session: Session, sealed: bool) -> None:
        self.session, self.sealed = session, sealed
        self._known_places: set[str] = set()  # by key, that this process has written

    @property
    def engine(self) -> Engine:
        return self.session.engine

    @property
    def name(self) -> str:
        return self.session.name

    def close(self) -> None:
        self.engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()

    def sole_writer(self) -> AbstractContextManager[None]:
        return owner.owning(self.session)

    def add(self, plan: Plan) -> list[str]:
        def work(db: Connection) -> list[str]:
            keys = list(dict.fromkeys(plan.runs))
            here = {key for part in parts(keys) for key in contents.texts_of(db, part)}
            listed = self._is_listed(db, plan.key)
            # A cell of the study that is not there was lost.
            wrong = contents.damaged(db, keys if listed else [key for key in keys if key in here], sealed=True)
            contents.drop_cells(db, wrong)
            contents.enter_cells(db, plan, {key for key in keys if key not in here} | set(wrong))
            if not listed:
                contents.drop_study(db, plan.key)
                places = [{"study": plan.key, "position": i, "cell": key} for i, key in enumerate(plan.runs)]
                insert(db, STUDY_CELL, places)
                header = plan.key, plan.name, plan.protocol, _header(plan), time.time()
                insert(db, STUDY, [dict(zip(STUDY.c.keys(), header, strict=True))])
                sealed = seal_study(header, plan.runs)
                insert(db, SEAL, [{"kind": STUDIES, "of": plan.key, "seal": sealed}])
            return wrong

        return self.change(work)

    def studies(self) -> list[StoredStudy]:
        def work(db: Connection) -> tuple[list[sa.Row[Any]], dict[str, Any]]:
            rows = db.execute(sa.select(STUDY).order_by(STUDY.c.created, STUDY.c.key)).all()
            seals = sa.select(SEAL.c.of, SEAL.c.seal).where(SEAL.c.kind == STUDIES)
            return list(rows), contents.pairs(db, seals) if self.sealed else {}

        rows, seals = self.session.read(work)
        if self.sealed:
            wrong = [row.key for row in rows if seals.pop(row.key, b"")[:SIZE] != seal(row)]
            self._refuse([*wrong, *seals])
        with sound(self.name):
            return [_study(row) for row in rows]

    def study(self, key: str) -> StoredStudy:
        studies = {study.key: study for study in self.studies()}
        if key not in studies:
            raise unknown("study", key, studies)
        return studies[key]

    def runs(self, study: str) -> list[str]:
        def work(db: Connection) -> tuple[list[str], bytes | None]:
            seals = contents.seals_of(db, STUDIES, [study]) if self.sealed else {}
            return contents.runs_of(db, study), seals.get(study)

        runs, sealed = self.session.read(work)
        if sealed is not None and sealed[SIZE:] != seal(runs):
            self._refuse([study])
        return runs

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
        steps = sa.select(sa.func.sum(CHECKPOINT.c.step)).where(CHECKPOINT.c.cell.in_(mine))
        rows, saved = self.session.read(
            lambda db: (db.execute(counted.group_by(CELL.c.status)).all(), db.scalar(steps))
        )
        cells, summed = dict.fromkeys(CellStatus, 0), dict.fromkeys(CellStatus, 0)
        with sound(self.name):
            for status, number, its in rows:
                cells[_status(status)] += int(number)
                summed[_status(status)] += int(its)
            return Counts(cells, summed, int(saved or 0))

    def statuses(self, keys: Iterable[str]) -> dict[str, CellStatus]:
        found = self._by_key(sa.select(CELL.c.key, CELL.c.status), CELL.c.key, keys)
        return {key: _status(status) for key, status in found.items()}

    def checkpoint_steps(self, keys: Iterable[str]) -> dict[str, int]:
        return self._by_key(sa.select(CHECKPOINT.c.cell, CHECKPOINT.c.step), CHECKPOINT.c.cell, keys)

    def checkpoints(self, keys: Iterable[str]) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        for part in parts(keys, contents.FEW):
            content, seals = self.session.read(lambda db, part=part: self._sealed(db, part))  # type: ignore[misc]
            for key, its in content.items():
                if its.checkpoint is not None and (not self.sealed or its.seal() == seals.get(key)):
                    found[key] = its.checkpoint[1]
        return found

    def _sealed(self, db: Connection, keys: list[str]) -> tuple[dict[str, Content], dict[str, Any]]:
        seals = contents.seals_of(db, CELLS, keys) if self.sealed else {}
        return contents.contents(db, keys, checkpoints=True), seals

    def results(self, keys: Iterable[str]) -> Iterator[tuple[str, dict[str, Curve] | None]]:
        for part in parts(keys):
            yield from self.session.read(lambda db, part=part: contents.results_of(db, part, self.sealed)).items()  # type: ignore[misc]

    def damaged(self, keys: Iterable[str]) -> list[str]:
        return [
            key
            for part in parts(keys)
            for key in self.session.read(lambda db, part=part: contents.damaged(db, part, self.sealed))  # type: ignore[misc]
        ]

    def write(
        self,
        done: Mapping[str, Curves] | None = None,
        failed: Mapping[str, str] | None = None,
        checkpoints: Mapping[str, tuple[int, bytes]] | None = None,
        ran: Mapping[str, Sequence[Place]] | None = None,
    ) -> None:
        done, checkpoints = done or {}, checkpoints or {}
        failed = {key: _text(error) for key, error in (failed or {}).items()}
        if not (done or failed or checkpoints or ran):
            return
        curves = {key: [_packed(metric, *curve) for metric, curve in its.items()] for key, its in done.items()}

        def work(db: Connection) -> None:
            for part in parts({**done, **failed, **checkpoints}):
                db.execute(sa.delete(CHECKPOINT).where(CHECKPOINT.c.cell.in_(part)))
                db.execute(sa.delete(SEAL).where(SEAL.c.kind == CELLS, SEAL.c.of.in_(part)))
                steps = contents.pairs(db, sa.select(CELL.c.key, CELL.c.steps).where(CELL.c.key.in_(part)))
                for key in steps:
                    status, error = (CellStatus.FAILED, failed[key]) if key in failed else (CellStatus.PENDING, "")
                    status = CellStatus.DONE if key in done else status
                    saved = checkpoints.get(key) if status == CellStatus.PENDING else None
                    content = Content(key, steps[key], str(status), error, curves.get(key, []), saved)
                    insert(db, SEAL, [{"kind": CELLS, "of": key, "seal": content.seal()}])
            for part in parts([*done, *failed]):
                db.execute(sa.delete(CURVE).where(CURVE.c.cell.in_(part)))
            insert(db, CHECKPOINT, [{"cell": k, "step": s, "state": b} for k, (s, b) in checkpoints.items()])
            names = ("metric", "steps", "values")
            rows = [{"cell": key, **dict(zip(names, row, strict=True))} for key, its in curves.items() for row in its]
            insert(db, CURVE, rows)
            _set_status(db, CellStatus.DONE, dict.fromkeys(done, ""))
            _set_status(db, CellStatus.FAILED, failed)
            if ran:
                places.enter(db, ran, self._known_places)

        self.change(work)
        self._known_places |= {place.key for passed in (ran or {}).values() for place in passed}

    def places(self, keys: Iterable[str]) -> dict[str, list[Place]]:
        return places.of_cells(self.session, keys)

    def places_of(self, study: str) -> list[Place]:
        return places.of_study(self.session, study)

    def retry(self, keys: Collection[str]) -> None:
        def work(db: Connection) -> None:
            _set_status(db, CellStatus.PENDING, dict.fromkeys(keys, ""))
            contents.seal_cells(db, keys)

        self.change(work)

    def change(self, work: Callable[[Connection], T]) -> T:
        """A transaction that writes; the first one of a store of an older version seals what is there."""

        def sealing(db: Connection) -> T:
            if not self.sealed:
                contents.seal_all(db)
            return work(db)

        found = self.session.write(sealing)
        self.sealed = True
        return found

    def _is_listed(self, db: Connection, study: str) -> bool:
        """Whether the store has a study as it was written."""
        row = db.execute(sa.select(STUDY).where(STUDY.c.key == study)).one_or_none()
        sealed = contents.seals_of(db, STUDIES, [study]).get(study)
        return row is not None and sealed == seal_study(row, contents.runs_of(db, study))

    def _refuse(self, studies: Collection[str]) -> None:
        if studies:
            raise StoreError(
                f"{self.name} is damaged: what it says of the study {min(studies)} is not what was written; the "
                "command that made the study writes it again, and `mohs recover NEW.db` copies what is sound."
            )

    def _records(self, query: sa.Select[Any]) -> list[Record]:
        rows = self.session.read(lambda db: db.execute(query).all())
        return [Record(r.key, str(r.json), _status(r.status), str(r.error)) for r in rows]

    def _by_key(self, query: sa.Select[Any], column: sa.Column[str], keys: Iterable[str]) -> dict[str, Any]:
        wanted = list(keys)
        return self.session.read(
            lambda db: {k: v for part in parts(wanted) for k, v in db.execute(query.where(column.in_(part)))}
        )


def _status(word: Any) -> CellStatus:
    """What no one wrote is damage, and such a cell is not done."""
    return CellStatus(word) if word in contents.STATUSES else CellStatus.PENDING


def _text(error: str) -> str:
    """A traceback as a database takes it: no halves of characters, no zeros."""
    return error.encode(errors="replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")


def _packed(metric: str, steps: Any, values: Any) -> tuple[str, bytes, bytes]:
    return metric, blobs.pack_integers(steps), blobs.pack_floats(values)


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


def _set_status(db: Connection, status: CellStatus, errors: Mapping[str, str]) -> None:
    """The status of some cells, each with its error."""
    if errors:
        rows = [{"of": key, "status": status.value, "error": error} for key, error in errors.items()]
        update = sa.update(CELL).where(CELL.c.key == sa.bindparam("of"))
        db.execute(update.values(status=sa.bindparam("status"), error=sa.bindparam("error")), rows)
