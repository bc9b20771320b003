"""How do the stores of several runs become one? Cell by cell: what is further goes into the store that is written.

A cell has the same key in all of them, and so the same results. Where it has others, it was computed by something else,
and nothing is merged.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from mohs.core.errors import StoreError
from mohs.runs.sql import contents, places
from mohs.runs.sql.contents import insert, parts
from mohs.runs.sql.schema import CELL, CHECKPOINT, CURVE, SEAL, STUDY, STUDY_CELL
from mohs.runs.sql.seals import CELLS, STUDIES, Content, seal_study
from mohs.runs.sql.store import SqlStore, open_store
from mohs.runs.store import CellStatus, Merged

_RANK = {CellStatus.PENDING.value: 0, CellStatus.FAILED.value: 1, CellStatus.DONE.value: 2}


def merge(out: str, sources: Sequence[str]) -> Merged:
    """See `runs.store.merge`."""
    with ExitStack() as stack:
        opened = [stack.enter_context(open_store(url, create=False)) for url in sources]
        store = stack.enter_context(open_store(out, create=True))
        if any(source.engine.url == store.engine.url for source in opened):
            raise StoreError(f"{store.name} cannot be merged into itself.")
        stack.enter_context(store.sole_writer())
        found = [_sound(source) for source in opened]
        for source, (keys, _) in zip(opened, found, strict=True):
            _check(store, source, keys)
            for part in parts(keys, contents.FEW):
                _merge_cells(store, source, part)
            _merge_studies(store, source)
            places.copy(source.session, store.session)
        studies = len(store.studies())
        counted = store.session.read(
            lambda db: contents.pairs(db, sa.select(CELL.c.status, sa.func.count()).group_by(CELL.c.status))
        )
        return Merged(
            studies, {s: int(counted.get(s.value, 0)) for s in CellStatus}, sum(len(lost) for _, lost in found)
        )


def _sound(source: SqlStore) -> tuple[list[str], set[str]]:
    """The keys of the cells of a store, and of those that are damaged and left out."""
    keys = source.session.read(lambda db: list(db.scalars(sa.select(CELL.c.key).order_by(CELL.c.key))))
    lost = set(source.damaged(keys))
    return [key for key in keys if key not in lost], lost


def _check(store: SqlStore, source: SqlStore, keys: Sequence[str]) -> None:
    """Raises StoreError where both have results of a cell that differ."""
    both = [key for key, status in store.statuses(keys).items() if status == CellStatus.DONE]
    for part in parts(both, contents.FEW):
        ours, theirs = (one.session.read(lambda db, part=part: _contents(db, part)) for one in (store, source))  # type: ignore[misc]
        for key in part:
            if theirs[key].status == CellStatus.DONE.value and not _same(ours[key], theirs[key]):
                raise StoreError(
                    f"the cell {key} has other results in {source.name} than in {store.name}: it was run "
                    f"twice, on other processors, devices or versions; nothing of {source.name} was merged."
                )


def _contents(db: Connection, keys: Sequence[str]) -> dict[str, Content]:
    return contents.contents(db, keys, checkpoints=True)


def _same(ours: Content, theirs: Content) -> bool:
    """Whether two cells have the same curves, however they are packed."""
    if sorted(ours.curves) == sorted(theirs.curves):
        return True
    read = [contents.curves_of(one) for one in (ours, theirs)]
    if read[0] is None or read[1] is None:
        return False
    bits = [{metric: (x.tobytes(), y.tobytes()) for metric, (x, y) in one.items()} for one in read if one is not None]
    return bits[0] == bits[1]


def _merge_cells(store: SqlStore, source: SqlStore, keys: Sequence[str]) -> None:
    theirs, texts = source.session.read(lambda db: (_contents(db, keys), contents.texts_of(db, keys)))

    def work(db: Connection) -> None:
        ours = _contents(db, keys)
        taken = [its for key, its in theirs.items() if key not in ours or _further(its) > _further(ours[key])]
        contents.drop_cells(db, [its.key for its in taken])
        row = ("key", "json", "steps", "status", "error")
        cells = [(its.key, texts[its.key], its.steps, its.status, its.error) for its in taken]
        insert(db, CELL, [dict(zip(row, values, strict=True)) for values in cells])
        insert(
            db,
            CURVE,
            [{"cell": its.key, "metric": m, "steps": x, "values": y} for its in taken for m, x, y in its.curves],
        )
        saved = [(its.key, *its.checkpoint) for its in taken if its.checkpoint is not None]
        insert(db, CHECKPOINT, [{"cell": key, "step": step, "state": state} for key, step, state in saved])
        insert(db, SEAL, [{"kind": CELLS, "of": its.key, "seal": its.seal()} for its in taken])

    store.change(work)


def _further(content: Content) -> tuple[int, int]:
    return _RANK[content.status], content.checkpoint[0] if content.checkpoint else 0


def _merge_studies(store: SqlStore, source: SqlStore) -> None:
    source.studies()  # refuses damage
    rows = source.session.read(lambda db: list(db.execute(sa.select(STUDY)).all()))

    def work(db: Connection) -> None:
        here = set(db.scalars(sa.select(STUDY.c.key)))
        for row in rows:
            if row.key not in here:
                runs = listed[row.key]
                insert(db, STUDY, [dict(zip(STUDY.c.keys(), row, strict=True))])
                insert(db, STUDY_CELL, [{"study": row.key, "position": i, "cell": key} for i, key in enumerate(runs)])
                insert(db, SEAL, [{"kind": STUDIES, "of": row.key, "seal": seal_study(tuple(row), runs)}])

    listed = {row.key: source.runs(row.key) for row in rows}
    store.change(work)
