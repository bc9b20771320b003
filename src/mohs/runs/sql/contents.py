"""What does a database have of some cells, and is it what was written?"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from mohs.core.values import canonical_json
from mohs.runs.curves import Curve
from mohs.runs.plan import Plan
from mohs.runs.sql import blobs
from mohs.runs.sql.schema import CELL, CHECKPOINT, CURVE, SEAL, STUDY, STUDY_CELL, begin_sealing
from mohs.runs.sql.seals import CELLS, STUDIES, Content, is_text_of, seal_study
from mohs.runs.store import CellStatus

T = TypeVar("T")
MANY = 500  # keys in one query; databases bound the number of parameters
FEW = 16  # keys of cells whose checkpoints are in memory at once
STATUSES = frozenset(str(status) for status in CellStatus)


def parts(keys: Iterable[T], size: int = MANY) -> Iterator[list[T]]:
    rest = iter(keys)
    while part := list(islice(rest, size)):
        yield part


def pairs(db: Connection, query: sa.Select[Any]) -> dict[str, Any]:
    """The first two columns as a mapping."""
    return {row[0]: row[1] for row in db.execute(query)}


def insert(db: Connection, table: sa.Table, rows: list[dict[str, Any]]) -> None:
    if rows:
        db.execute(sa.insert(table), rows)


def contents(db: Connection, keys: Collection[str], *, checkpoints: bool) -> dict[str, Content]:
    """What the database has of these cells; without their checkpoints only cells that are over can be sealed."""
    cells = sa.select(CELL.c.key, CELL.c.steps, CELL.c.status, CELL.c.error).where(CELL.c.key.in_(keys))
    found = {row.key: Content(*row) for row in db.execute(cells)}
    curves = sa.select(CURVE.c.cell, CURVE.c.metric, CURVE.c.steps, CURVE.c["values"]).where(CURVE.c.cell.in_(keys))
    for cell, *curve in db.execute(curves):
        if cell in found:
            found[cell].curves.append(tuple(curve))
    if checkpoints:
        saved = sa.select(CHECKPOINT.c.cell, CHECKPOINT.c.step, CHECKPOINT.c.state).where(CHECKPOINT.c.cell.in_(keys))
        for cell, step, state in db.execute(saved):
            if cell in found:
                found[cell].checkpoint = (step, state)
    return found


def seals_of(db: Connection, kind: str, keys: Collection[str]) -> dict[str, Any]:
    return pairs(db, sa.select(SEAL.c.of, SEAL.c.seal).where(SEAL.c.kind == kind, SEAL.c.of.in_(keys)))


def texts_of(db: Connection, keys: Collection[str]) -> dict[str, Any]:
    return pairs(db, sa.select(CELL.c.key, CELL.c.json).where(CELL.c.key.in_(keys)))


def damaged(db: Connection, keys: Iterable[str], sealed: bool) -> list[str]:
    """Those of these cells that are not what was written, or that are gone. Reads all of them."""
    wrong = []
    for part in parts(keys, FEW):
        found, texts = contents(db, part, checkpoints=True), texts_of(db, part)
        seals = seals_of(db, CELLS, part) if sealed else {}
        wrong += [key for key in part if not _sound(key, found, texts, seals, sealed)]
    return wrong


def _sound(
    key: str, found: Mapping[str, Content], texts: Mapping[str, Any], seals: Mapping[str, Any], sealed: bool
) -> bool:
    if key not in found or not is_text_of(key, texts.get(key)):
        return False
    if sealed:
        return found[key].seal() == seals.get(key)
    return found[key].status in STATUSES and curves_of(found[key]) is not None


def results_of(db: Connection, keys: Collection[str], sealed: bool) -> dict[str, dict[str, Curve] | None]:
    """The curves of those cells that are done, None for those that are damaged or gone."""
    found = contents(db, keys, checkpoints=False)
    texts, seals = texts_of(db, keys), seals_of(db, CELLS, keys) if sealed else {}
    results: dict[str, dict[str, Curve] | None] = {}
    for key in keys:
        status = found[key].status if key in found else None
        if status == CellStatus.PENDING:
            continue  # its checkpoint is part of its seal; it has no results
        if not _sound(key, found, texts, seals, sealed):
            results[key] = None
        elif status == CellStatus.DONE:
            results[key] = curves_of(found[key])
    return results


def curves_of(content: Content) -> dict[str, Curve] | None:
    """The curves of a cell, metrics sorted; None where they cannot be read."""
    curves: dict[str, Curve] = {}
    try:
        for metric, steps, values in sorted(content.curves):
            curves[metric] = _steps(steps), blobs.unpack_floats(values)
            if len(curves[metric][0]) != len(curves[metric][1]):
                return None
    except (ValueError, TypeError):
        return None
    return curves


@lru_cache(maxsize=256)
def _steps(blob: bytes) -> npt.NDArray[np.int64]:
    """Runs of a study have the same steps: one array, which no one can write to, is enough for all of them."""
    found = blobs.unpack_integers(blob)
    found.flags.writeable = False
    return found


def seal_cells(db: Connection, keys: Iterable[str]) -> None:
    """Seals cells as they are in the database."""
    for part in parts(keys, FEW):
        db.execute(sa.delete(SEAL).where(SEAL.c.kind == CELLS, SEAL.c.of.in_(part)))
        found = contents(db, part, checkpoints=True)
        insert(db, SEAL, [{"kind": CELLS, "of": key, "seal": content.seal()} for key, content in found.items()])


def seal_all(db: Connection) -> None:
    """Seals what an older version wrote. What cannot be read is left without a seal, and so is damaged."""
    if not begin_sealing(db):
        return
    for part in parts(list(db.scalars(sa.select(CELL.c.key)))):
        wrong = set(damaged(db, part, sealed=False))
        seal_cells(db, [key for key in part if key not in wrong])
    for row in db.execute(sa.select(STUDY)).all():
        seal = seal_study(row, runs_of(db, row.key))
        insert(db, SEAL, [{"kind": STUDIES, "of": row.key, "seal": seal}])


def runs_of(db: Connection, study: str) -> list[str]:
    query = sa.select(STUDY_CELL.c.cell).where(STUDY_CELL.c.study == study).order_by(STUDY_CELL.c.position)
    return list(db.scalars(query))


def drop_cells(db: Connection, keys: Iterable[str]) -> None:
    for part in parts(keys):
        for table, column in ((CELL, CELL.c.key), (CURVE, CURVE.c.cell), (CHECKPOINT, CHECKPOINT.c.cell)):
            db.execute(sa.delete(table).where(column.in_(part)))
        db.execute(sa.delete(SEAL).where(SEAL.c.kind == CELLS, SEAL.c.of.in_(part)))


def drop_study(db: Connection, study: str) -> None:
    db.execute(sa.delete(STUDY).where(STUDY.c.key == study))
    db.execute(sa.delete(STUDY_CELL).where(STUDY_CELL.c.study == study))
    db.execute(sa.delete(SEAL).where(SEAL.c.kind == STUDIES, SEAL.c.of == study))


def enter_cells(db: Connection, plan: Plan, keys: Collection[str]) -> None:
    """Enters cells of a plan as pending, with their seals."""
    rows = [
        {
            "key": c.key,
            "json": canonical_json(c.to_json()),
            "steps": c.steps,
            "status": CellStatus.PENDING.value,
            "error": "",
        }
        for c in plan.cells
        if c.key in keys
    ]
    insert(db, CELL, rows)
    entered = [Content(c.key, c.steps, CellStatus.PENDING.value, "") for c in plan.cells if c.key in keys]
    insert(db, SEAL, [{"kind": CELLS, "of": content.key, "seal": content.seal()} for content in entered])
