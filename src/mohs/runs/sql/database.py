"""How is a database opened and locked, and what do its errors say? URLs, connections, transactions, one lock."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event, exc
from sqlalchemy.engine import URL, Connection, Engine

from mohs.core.errors import StoreError
from mohs.core.files import reason
from mohs.runs.store import MissingStoreError, shown

BUSY_SECONDS = 30
LOCK_NUMBER = 0x6D6F6873  # names the advisory lock of PostgreSQL


def parse_url(url: str) -> URL:
    try:
        parsed = sa.make_url(url)
    except (exc.ArgumentError, ValueError) as error:
        raise StoreError(f"{shown(url)!r} is not the URL of a store: write sqlite:///PATH for a file.") from error
    if parsed.get_backend_name() == "sqlite" and parsed.host:
        raise StoreError(f"{shown(url)!r} is not the URL of a store: a file has three slashes, as in sqlite:///PATH.")
    if parsed.get_backend_name() == "sqlite" and not parsed.database:
        raise StoreError(f"{shown(url)!r} names no file: write sqlite:///PATH.")
    return parsed


def file_of(url: URL) -> Path | None:
    """The file of an SQLite database; None for one in memory or on a server."""
    if url.get_backend_name() != "sqlite" or url.database in (None, "", ":memory:"):
        return None
    return Path(str(url.database))


def name_of(url: URL) -> str:
    path = file_of(url)
    return str(path) if path is not None else url.set(query={}).render_as_string(hide_password=True)


def connect(url: URL, create: bool) -> Engine:
    """An engine whose transactions are real ones. Makes the directory of a new file, not the file."""
    try:
        engine = sa.create_engine(url)
    except ModuleNotFoundError as error:
        raise StoreError(f"{name_of(url)} cannot be opened: install the Python package {error.name!r}.") from error
    except exc.NoSuchModuleError as error:
        raise StoreError(f"{name_of(url)} cannot be opened: there is no driver {url.drivername!r}.") from error
    path = file_of(url)
    with explained(url):
        if path is not None and not path.exists():
            if not create:
                raise MissingStoreError(f"there is no store at {path}.")
            path.parent.mkdir(parents=True, exist_ok=True)
        if path is not None and path.is_dir():
            raise StoreError(f"{path} is a directory, not a store.")
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    return engine


def check_writable(url: URL) -> None:
    """Raises StoreError where the file of a database, or a new one, could not be written. Creates nothing."""
    path = file_of(url)
    if path is None:
        return
    directory = next(place for place in path.absolute().parents if place.exists())
    if not directory.is_dir():
        raise StoreError(f"{path} cannot be opened ({directory} is not a directory).")
    for place in (directory, *([path] if path.exists() else [])):  # the lock and the log are beside the file
        if not os.access(place, os.W_OK):
            raise StoreError(f"{path} cannot be written (no permission to write {place}).")


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # the driver's own transactions would leave out schema changes
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}")
    cursor.execute("PRAGMA synchronous = NORMAL")  # with the write-ahead log, safe against the death of the process
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    writing = connection.get_execution_options().get("mohs_write", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """One consistent view of the database."""
    with explained(engine.url), engine.connect() as connection, connection.begin():
        yield connection


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """One transaction: all of it is kept, or nothing."""
    with (
        explained(engine.url),
        engine.connect().execution_options(mohs_write=True) as connection,
        connection.begin(),
    ):
        yield connection


@contextmanager
def explained(url: URL) -> Iterator[None]:
    try:
        yield
    except (exc.DBAPIError, OSError) as error:
        raise explain(error, url) from error


def explain(error: Exception, url: URL) -> StoreError:
    """What a database or the file system refused, as one sentence with a way out."""
    name = name_of(url)
    cause = error.orig if isinstance(error, exc.DBAPIError) and error.orig is not None else error
    text = " ".join(str(cause).split())
    low = text.lower()
    if "disk is full" in low or getattr(cause, "errno", None) in (errno.ENOSPC, errno.EDQUOT):
        return StoreError(f"the disk is full: {name} could not be written; what was stored before is intact.")
    if "not a database" in low or "malformed" in low or "corrupt" in low:
        return StoreError(f"{name} is not a database, or is damaged ({text}).")
    if "readonly" in low or "read-only" in low or isinstance(cause, PermissionError):
        return StoreError(f"{name} cannot be written ({text}).")
    if "locked" in low:
        return StoreError(f"{name} is being written by another program; try again when it has finished.")
    if "unable to open" in low:
        return StoreError(f"{name} cannot be opened ({text}).")
    if isinstance(cause, OSError):
        return StoreError(f"{name} cannot be opened ({reason(cause)}).")
    return StoreError(f"{name} cannot be used ({text}).")


@contextmanager
def sole_writer(engine: Engine) -> Iterator[None]:
    """Keeps a second run off the store. The lock ends with the process that holds it, however that ends."""
    path = file_of(engine.url)
    if path is not None:
        with _file_lock(path.with_name(path.name + ".lock"), engine.url):
            yield
    elif engine.dialect.name == "postgresql":
        with _advisory_lock(engine):
            yield
    else:
        yield


@contextmanager
def _file_lock(path: Path, url: URL) -> Iterator[None]:
    with explained(url):
        descriptor = _locked(path, url)
        os.ftruncate(descriptor, 0)
        os.write(descriptor, str(os.getpid()).encode())
    try:
        yield
    finally:
        with suppress(OSError):
            path.unlink()
        os.close(descriptor)


def _locked(path: Path, url: URL) -> int:
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.fstat(descriptor).st_ino == _inode(path):
                return descriptor
        except BlockingIOError as error:
            holder = os.read(descriptor, 32).decode(errors="replace") or "unknown"
            os.close(descriptor)
            raise StoreError(
                f"{name_of(url)} is in use by another run (process {holder}); wait for it or use another store."
            ) from error
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)  # the file was removed by a run that ended just now


def _inode(path: Path) -> int:
    try:
        return path.stat().st_ino
    except FileNotFoundError:
        return -1


@contextmanager
def _advisory_lock(engine: Engine) -> Iterator[None]:
    with explained(engine.url):
        connection = engine.connect()
        taken = connection.scalar(sa.select(sa.func.pg_try_advisory_lock(LOCK_NUMBER)))
        connection.commit()
    try:
        if not taken:
            raise StoreError(f"{name_of(engine.url)} is in use by another run; wait for it or use another store.")
        yield
    finally:
        connection.invalidate()  # ends the session, and the lock with it
        connection.close()
