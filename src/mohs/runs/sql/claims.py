"""How do workers on many machines share the cells of one PostgreSQL store? Each claims some, and beats meanwhile.

A claim whose owner has not been heard of for a minute, on the clock of the server, is anyone's. Every write checks in
its own transaction that the claims are still the owner's: who comes back late is refused, cell by cell. A run of the
usual kind owns the whole store (`owner.py`); here all claimants together are its owner.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.engine import Connection

from mohs.core.errors import StoreError
from mohs.runs.curves import Curves
from mohs.runs.places import Place
from mohs.runs.sql.contents import parts
from mohs.runs.sql.owner import LOOK_SECONDS, SILENT_SECONDS, Owner, is_dead
from mohs.runs.sql.schema import CELL, META, STUDY_CELL, one_at_a_time
from mohs.runs.sql.store import SqlStore
from mohs.runs.store import CellStatus

T = TypeVar("T")
STALE_SECONDS = 60.0
CLAIMANTS = "claimants"  # stands for the machine of the owner of a store that is shared
_ROW = "owner"

_tables = sa.MetaData()
CLAIM = sa.Table(
    "mohs_claim",
    _tables,
    sa.Column("cell", sa.String(32), primary_key=True),
    sa.Column("owner", sa.String(32), nullable=False, index=True),
    sa.Column("beat", sa.Double, nullable=False),
)
CLAIMANT = sa.Table(
    "mohs_claimant",
    _tables,
    sa.Column("owner", sa.String(32), primary_key=True),
    sa.Column("code", sa.String(32), nullable=False),
    sa.Column("place", sa.Text, nullable=False),
    sa.Column("beat", sa.Double, nullable=False),
)
_NOW = sa.cast(sa.func.extract("epoch", sa.func.clock_timestamp()), sa.Double)


class Pending(NamedTuple):
    """Cells that are pending, their steps, and how many claimants live."""

    cells: int
    steps: int
    claimants: int


class ClaimLostError(Exception):
    """Cells are not the writer's any more."""

    def __init__(self, keys: Collection[str]) -> None:
        self.keys = set(keys)


@dataclass
class Claims:
    """The claims of one coordinator on a store.

    `held` are the cells that it claimed and that are not over, `lost` those that others took over.
    """

    store: SqlStore
    place: str
    code: str
    stale: float = STALE_SECONDS
    name: str = field(default_factory=lambda: uuid.uuid4().hex)
    held: set[str] = field(default_factory=set)
    lost: set[str] = field(default_factory=set)

    def join(self) -> None:
        """Begins to share the store.

        Raises:
            StoreError: a run owns the store, or claimants with another version of mohs are at work.
        """

        self.store.change(_create)
        me, first, began = Owner.here(self.store.session), "", time.monotonic()
        while other := self.store.change(partial(_share, me=me, dead=first if _is_over(began) else "")):
            if first and other != first:
                raise StoreError(f"{self.store.name} is in use by a run; wait for it or use another store.")
            first = other
            time.sleep(LOOK_SECONDS)

        def enter(db: Connection) -> str:
            live = sa.select(CLAIMANT.c.place).where(CLAIMANT.c.code != self.code, CLAIMANT.c.beat > _NOW - self.stale)
            found: str | None = db.scalar(live.limit(1))
            if found is None:
                row = {"owner": self.name, "code": self.code, "place": self.place, "beat": _NOW}
                db.execute(sa.insert(CLAIMANT).values(row))
            return found or ""

        if elsewhere := self.store.change(enter):
            raise StoreError(f"{self.store.name} is being worked on by another version of mohs ({elsewhere}).")
        self.store.session.permit = self._check_shared

    def leave(self) -> None:
        """Returns the claims that are left."""
        self.store.session.permit = None

        def work(db: Connection) -> None:
            db.execute(sa.delete(CLAIM).where(CLAIM.c.owner == self.name))
            db.execute(sa.delete(CLAIMANT).where(CLAIMANT.c.owner == self.name))
            others = sa.select(sa.func.count()).select_from(CLAIMANT).where(CLAIMANT.c.beat > _NOW - self.stale)
            owner = Owner.read(db.scalar(sa.select(META.c.value).where(META.c.name == _ROW)) or "")
            if not db.scalar(others) and owner is not None and owner.machine == CLAIMANTS:
                db.execute(sa.delete(META).where(META.c.name == _ROW))

        self.store.change(work)
        self.held.clear()

    def beat(self) -> None:
        """Says that this coordinator lives, and finds out what it has lost meanwhile."""

        def work(db: Connection) -> set[str]:
            _count_beat(db)
            db.execute(sa.update(CLAIMANT).where(CLAIMANT.c.owner == self.name).values(beat=_NOW))
            # A row that is locked is being taken over.
            mine = sa.select(CLAIM.c.cell).where(CLAIM.c.owner == self.name).with_for_update(skip_locked=True)
            beating = sa.update(CLAIM).where(CLAIM.c.cell.in_(mine)).values(beat=_NOW).returning(CLAIM.c.cell)
            return set(db.scalars(beating))

        self.store.session.permit = None  # it locks the owner's row for itself: to share it first would end in deadlock
        try:
            kept = self.store.change(work)
        finally:
            self.store.session.permit = self._check_shared
        self._lose(self.held - kept)

    def claim(self, most: int, study: str | None = None) -> dict[str, str]:
        """Claims pending cells that are nobody's, in the order of their studies: their JSON by key."""

        def work(db: Connection) -> dict[str, str]:
            taken = sa.select(CLAIM.c.cell).where(CLAIM.c.cell == CELL.c.key, CLAIM.c.beat > _NOW - self.stale)
            place = sa.select(sa.func.min(STUDY_CELL.c.position)).where(STUDY_CELL.c.cell == CELL.c.key)
            free = sa.select(CELL.c.key, CELL.c.json).where(CELL.c.status == CellStatus.PENDING.value, ~taken.exists())
            if study is not None:
                free = free.where(CELL.c.key.in_(sa.select(STUDY_CELL.c.cell).where(STUDY_CELL.c.study == study)))
            free = free.order_by(place.scalar_subquery(), CELL.c.key).limit(most)
            found = {row.key: row.json for row in db.execute(free.with_for_update(of=CELL, skip_locked=True))}
            if not found:
                return {}
            rows = [{"cell": key, "owner": self.name, "beat": _NOW} for key in found]
            wanted = upsert(CLAIM).values(rows)
            mine = wanted.on_conflict_do_update(
                index_elements=[CLAIM.c.cell],
                set_={"owner": wanted.excluded.owner, "beat": wanted.excluded.beat},
                where=CLAIM.c.beat <= _NOW - self.stale,
            ).returning(CLAIM.c.cell)
            return {key: found[key] for key in db.scalars(mine)}

        claimed = self.store.change(work)
        self.held |= claimed.keys()
        self.lost -= claimed.keys()
        return claimed

    def pending(self, study: str | None = None) -> Pending:
        """What is left, claimed or not, and who works on it."""

        def work(db: Connection) -> Pending:
            counted = sa.select(sa.func.count(), sa.func.coalesce(sa.func.sum(CELL.c.steps), 0))
            cells = counted.where(CELL.c.status == CellStatus.PENDING.value)
            if study is not None:
                cells = cells.where(CELL.c.key.in_(sa.select(STUDY_CELL.c.cell).where(STUDY_CELL.c.study == study)))
            live = sa.select(sa.func.count()).select_from(CLAIMANT).where(CLAIMANT.c.beat > _NOW - self.stale)
            count, steps = db.execute(cells).one()
            return Pending(int(count), int(steps), int(db.scalar(live) or 0))

        return self.store.session.read(work)

    def write(
        self,
        done: Mapping[str, Curves],
        failed: Mapping[str, str],
        checkpoints: Mapping[str, tuple[int, bytes]],
        ran: Mapping[str, Sequence[Place]],
    ) -> set[str]:
        """Writes what is still this coordinator's; the keys of what is not."""
        refused: set[str] = set()
        while True:
            over, errors, saved = _without(done, refused), _without(failed, refused), _without(checkpoints, refused)
            self.store.session.permit = partial(self._check_held, keys={*over, *errors, *saved})
            try:
                self.store.write(over, errors, saved, _without(ran, refused))
                self._give_back({*over, *errors})
                return refused
            except ClaimLostError as error:
                refused |= error.keys
                self._lose(error.keys)
            finally:
                self.store.session.permit = self._check_shared

    def _give_back(self, over: Collection[str]) -> None:
        self.held -= set(over)
        if over:
            self.store.change(lambda db: _delete(db, self.name, over))

    def _lose(self, keys: Collection[str]) -> None:
        self.lost |= set(keys)
        self.held -= set(keys)

    def _check_shared(self, db: Connection) -> None:
        """Raises StoreError where a run has become the owner of the store."""
        row = sa.select(META.c.value).where(META.c.name == _ROW).with_for_update(read=True)
        found = Owner.read(db.scalar(row) or "")
        if found is None:  # the others have left, and thought that this one was dead
            _share(db, Owner.here(self.store.session), "")
        elif found.machine != CLAIMANTS:
            raise StoreError(f"{self.store.name} can no longer be written by this worker: a run has taken it over.")

    def _check_held(self, db: Connection, keys: Collection[str]) -> None:
        """Raises ClaimLostError where some of the cells are not this coordinator's. Nobody takes them meanwhile."""
        self._check_shared(db)
        mine: set[str] = set()
        for part in parts(sorted(keys)):
            db.execute(sa.select(CELL.c.key).where(CELL.c.key.in_(part)).order_by(CELL.c.key).with_for_update())
            held = sa.select(CLAIM.c.cell).where(CLAIM.c.owner == self.name, CLAIM.c.cell.in_(part))
            mine |= set(db.scalars(held.with_for_update()))
        if gone := set(keys) - mine:
            raise ClaimLostError(gone)


def _create(db: Connection) -> None:
    one_at_a_time(db)
    _tables.create_all(db)


def _is_over(began: float) -> bool:
    return time.monotonic() - began > SILENT_SECONDS


def _share(db: Connection, me: Owner, dead: str) -> str:
    """Makes all claimants the owner of a store that nobody owns; who owns it else."""
    one_at_a_time(db)
    found: str | None = db.scalar(sa.select(META.c.value).where(META.c.name == _ROW))
    other = Owner.read(found or "")
    if other is not None and other.machine == CLAIMANTS:
        return ""
    if found is not None and found != dead and not (other is not None and is_dead(other, me)):
        return found
    text = Owner(CLAIMANTS, "several machines", 0, "", 0, CLAIMANTS).text()
    if found is None:
        db.execute(sa.insert(META), [{"name": _ROW, "value": text}])
    else:
        db.execute(sa.update(META).where(META.c.name == _ROW).values(value=text))
    return ""


def _count_beat(db: Connection) -> None:
    """Beats for all claimants: a run of the usual kind that wants the store sees that they live."""
    now = int(float(db.scalar(sa.select(_NOW)) or 0))
    text = Owner(CLAIMANTS, "several machines", 0, "", 0, CLAIMANTS, now).text()
    db.execute(sa.update(META).where(META.c.name == _ROW, META.c.value.contains(f'"{CLAIMANTS}"')).values(value=text))


def _without(values: Mapping[str, T], keys: Collection[str]) -> dict[str, T]:
    return {key: value for key, value in values.items() if key not in keys}


def _delete(db: Connection, owner: str, keys: Collection[str]) -> None:
    for part in parts(sorted(keys)):
        db.execute(sa.delete(CLAIM).where(CLAIM.c.owner == owner, CLAIM.c.cell.in_(part)))
