"""How does a transaction run, and what if the database goes away meanwhile?

A server that restarts is waited for: every transaction can be repeated. A file that was removed, moved or replaced is
noticed in the transaction that follows, and what the open file holds is copied to a new one.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from itertools import chain, count
from pathlib import Path
from typing import TypeVar

from sqlalchemy import event, exc
from sqlalchemy.engine import Connection, Engine

from mohs.core.errors import StoreError
from mohs.runs.sql import database

T = TypeVar("T")
RECONNECT_SECONDS = 300.0  # how long a server may be away
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 5.0  # between two attempts


class Session:
    """Transactions on one database.

    `permit` is called in each transaction that writes; it raises where another run has become the owner of the store.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.path = database.file_of(engine.url)
        self.file = None if self.path is None else _identity(self.path)
        self.permit: Callable[[Connection], None] | None = None
        self.patient = False  # whether to wait for a server: once it has answered
        self._lost: StoreError | None = None  # where the file is gone, and its contents are saved
        if self.path is not None:
            event.listen(engine, "connect", lambda *_: self._check_file())

    @property
    def name(self) -> str:
        return database.name_of(self.engine.url)

    def read(self, work: Callable[[Connection], T]) -> T:
        """What `work` finds in one consistent view of the database."""
        return self._patiently(work, write=False)

    def write(self, work: Callable[[Connection], T]) -> T:
        """Keeps all that `work` writes, or nothing. It may be called several times."""

        def permitted(db: Connection) -> T:
            if self.permit is not None:
                self.permit(db)
            return work(db)

        return self._patiently(permitted, write=True)

    def _patiently(self, work: Callable[[Connection], T], write: bool) -> T:
        began, pause = time.monotonic(), FIRST_PAUSE
        while True:
            try:
                return self._once(work, write)
            except exc.DBAPIError as error:
                away = time.monotonic() - began
                if self.path is not None or not self.patient or not database.is_gone(error):
                    raise database.explain(error, self.engine.url) from error
                if away + pause > RECONNECT_SECONDS:
                    raise StoreError(
                        f"{self.name} has not answered for {away:.0f} s; {database.RESUME} when it is back."
                    ) from error
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    def _once(self, work: Callable[[Connection], T], write: bool) -> T:
        if self._lost is not None:
            raise self._lost
        with database.explained_files(self.engine.url), self.engine.connect() as plain:
            connection = plain.execution_options(mohs_write=write)
            with connection.begin():
                found = work(connection)
            if self.file_is_gone():
                self._save(connection if write else None)
            return found

    def file_is_gone(self) -> bool:
        """Whether there is another file at the path than the one that is open, or none."""
        return self.path is not None and _identity(self.path) != self.file

    def _check_file(self) -> None:
        """A new connection would be to another file."""
        if self.file_is_gone():
            raise StoreError(f"{self._what_happened()}; put it back and run the same command to resume.")

    def _what_happened(self) -> str:
        there = self.path is not None and self.path.exists()
        return f"{self.path} was {'replaced by another file' if there else 'removed or moved'} while it was in use"

    def _save(self, connection: Connection | None) -> None:
        """Copies what the open file holds, where it was being written, and says where to; always raises."""
        if connection is None or self.path is None:
            raise StoreError(f"{self._what_happened()}.")
        try:
            saved = _copy(database.raw(connection), self.path)
        except (OSError, sqlite3.Error) as error:
            raise StoreError(f"{self._what_happened()}, and its contents cannot be copied ({error}).") from error
        self._lost = StoreError(
            f"{self._what_happened()}; all results are in {saved}: "
            f"rename that to {self.path.name} and run the same command to resume."
        )
        raise self._lost


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _copy(source: sqlite3.Connection, path: Path) -> Path:
    """A copy of an open database beside its path, under a name that is free."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for place in _free_names(path):
        with suppress(FileExistsError):
            os.close(os.open(place, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_NOFOLLOW, 0o644))
            break
    with closing(sqlite3.connect(place)) as target:
        source.backup(target)
    return place


def _free_names(path: Path) -> Iterator[Path]:
    numbers = chain([""], (f"-{n}" for n in count(2)))
    return (path.with_name(f"{path.stem}.saved{number}{path.suffix}") for number in numbers)
