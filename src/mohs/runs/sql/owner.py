"""Who may write a store? The run that a row of the database names, as long as it lives.

The row is in the database itself, so it cannot be deleted, replaced or linked elsewhere without it. A run on the same
machine lives as long as its process does. One on another machine lives as long as it counts beats: who wants the store
watches the count on a clock of its own, so that clocks that differ or jump do not matter.
"""

from __future__ import annotations

import json
import os
import platform
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from mohs.core.errors import StoreError
from mohs.runs.sql.schema import META, one_at_a_time
from mohs.runs.sql.session import Session

BEAT_SECONDS = 5.0
SILENT_SECONDS = 30.0  # without a beat, after which a run on another machine counts as dead
LOOK_SECONDS = 0.5
_ROW = "owner"


@dataclass(frozen=True)
class Owner:
    """A run: its machine, its process, when that started, the file that it writes, a name of its own, its beats."""

    machine: str
    host: str
    pid: int
    started: str
    file: int
    token: str
    beats: int = 0

    @classmethod
    def here(cls, session: Session) -> Owner:
        pid = os.getpid()
        file = 0 if session.file is None else session.file[1]
        return cls(machine(), platform.node()[:60], pid, started(pid) or "", file, uuid.uuid4().hex)

    @classmethod
    def read(cls, text: str) -> Owner | None:
        """None for a text that is none."""
        try:
            data = json.loads(text)
            owner = cls(**data)
        except (ValueError, TypeError, RecursionError):
            return None
        sound = all(isinstance(getattr(owner, name), int if name in _NUMBERS else str) for name in data)
        return owner if sound else None

    def text(self) -> str:
        return json.dumps(asdict(self), sort_keys=True)

    @property
    def who(self) -> str:
        host = "".join(c for c in self.host if c.isprintable())
        return f"process {self.pid}" if self.machine == machine() else f"process {self.pid} on {host}"


_NUMBERS = ("pid", "file", "beats")


@contextmanager
def owning(session: Session) -> Iterator[None]:
    """Keeps other runs off the store. Every transaction that writes checks it."""
    me = Owner.here(session)
    _claim(session, me)
    session.permit = lambda db: _check(session, db, me)
    over = threading.Event()
    beats = threading.Thread(target=_beat, args=(session, me, over), daemon=True)
    beats.start()
    try:
        yield
    except BaseException:
        over.set()
        with suppress(StoreError):  # it is about to be said what is wrong
            _release(session, me)
        raise
    else:
        over.set()
        beats.join()
        _release(session, me)
    finally:
        session.permit = None


def _claim(session: Session, me: Owner) -> None:
    """Becomes the owner. Raises StoreError where another run is."""
    began, first = time.monotonic(), ""
    while True:
        dead = first if time.monotonic() - began > SILENT_SECONDS else ""
        found = session.write(lambda db: _take(db, me, dead))  # noqa: B023 - called at once
        if not found:
            return
        other = Owner.read(found)
        if (other is not None and other.machine == me.machine) or (first and found != first):
            who = "" if other is None else f" ({other.who})"
            raise StoreError(f"{session.name} is in use by another run{who}; wait for it or use another store.")
        first = found
        time.sleep(LOOK_SECONDS)


def _take(db: Connection, me: Owner, dead: str) -> str:
    """Writes the row unless a run that is not known to be dead is there; that one's row, else nothing."""
    one_at_a_time(db)
    found: str | None = db.scalar(sa.select(META.c.value).where(META.c.name == _ROW))
    if found is None:
        db.execute(sa.insert(META), [{"name": _ROW, "value": me.text()}])
        return ""
    other = Owner.read(found)
    if other == me:  # the transaction was kept, but the server died before it said so
        return ""
    if found != dead and not (other is not None and is_dead(other, me)):
        return found
    db.execute(sa.update(META).where(META.c.name == _ROW).values(value=me.text()))
    return ""


def is_dead(other: Owner, me: Owner) -> bool:
    """Whether its process is certainly gone, or writes the file that this one is a copy of."""
    return other.file != me.file or (other.machine == me.machine and started(other.pid) != other.started)


def _check(session: Session, db: Connection, me: Owner) -> None:
    """Raises StoreError where this run is not the owner any more. Nobody becomes it before the transaction ends."""
    row = sa.select(META.c.value).where(META.c.name == _ROW).with_for_update(read=True)
    found = Owner.read(db.scalar(row) or "")
    if found is None or found.token != me.token:
        by = f"another run ({found.who}) has taken it over" if found else "its owner was deleted"
        raise StoreError(f"{session.name} can no longer be written by this run: {by}.")


def _beat(session: Session, me: Owner, over: threading.Event) -> None:
    beats = 0
    while not over.wait(BEAT_SECONDS):
        beats += 1
        now = replace(me, beats=beats).text()
        with suppress(StoreError):  # the next transaction of the run says why
            if not session.file_is_gone():
                session.write(lambda db: _write(db, now))  # noqa: B023 - called at once


def _write(db: Connection, text: str) -> None:
    db.execute(sa.update(META).where(META.c.name == _ROW).values(value=text))


def _release(session: Session, me: Owner) -> None:
    def work(db: Connection) -> None:
        found = Owner.read(db.scalar(sa.select(META.c.value).where(META.c.name == _ROW)) or "")
        if found is not None and found.token == me.token:
            db.execute(sa.delete(META).where(META.c.name == _ROW))

    session.write(work)


@cache
def machine() -> str:
    """The same for two processes that can see each other: one boot of a machine, and one namespace of processes."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot} {os.readlink('/proc/self/ns/pid')}"
    except OSError:  # not Linux
        return platform.node()


def started(pid: int) -> str | None:
    """When a process started, in ticks since the machine did; None if it is not alive."""
    try:
        state, *fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except FileNotFoundError:
        if Path("/proc/self/stat").exists():
            return None
    except (OSError, ValueError):
        return None
    else:
        return None if state in "ZX" else fields[18]
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return None
    except OSError:
        pass
    return ""
