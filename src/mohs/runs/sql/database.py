"""How is a database opened, and what do its errors say? URLs, connections, and sentences for what is refused."""

from __future__ import annotations

import errno
import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import sqlalchemy as sa
from sqlalchemy import event, exc
from sqlalchemy.engine import URL, Connection, Engine

from mohs.core.errors import StoreError
from mohs.core.files import reason
from mohs.runs.store import MissingStoreError

BUSY_SECONDS = 30
RESUME = "what was stored before is intact; run the same command to resume"
# A server that vanishes without a word is noticed within a minute.
SERVER = {"connect_timeout": 10, "keepalives_idle": 20, "keepalives_interval": 10, "keepalives_count": 3}
FILE_ERRORS = (sqlite3.Error, OSError, UnicodeError)  # the last: of damaged text, also in SQLite's own messages
GONE = ("08", "57P01", "57P02", "57P03")  # codes of PostgreSQL: no connection; it shuts down, crashed, is starting


def parse_url(url: str) -> URL:
    shown = re.sub(r"(?<=://)[^/@]*@", "***@", url)  # who may write, and the password
    try:
        parsed = sa.make_url(url)
    except (exc.ArgumentError, ValueError) as error:
        raise StoreError(f"{shown!r} is not the URL of a store: write sqlite:///PATH for a file.") from error
    if parsed.get_backend_name() != "sqlite":
        return parsed
    if parsed.host:
        raise StoreError(f"{shown!r} is not the URL of a store: a file has three slashes, as in sqlite:///PATH.")
    database = parsed.database or ""
    if database in ("", ":memory:") or database.startswith("file:"):
        what = "is a database in memory, which ends with this process" if database else "names no file"
        raise StoreError(f"{shown!r} {what}: write sqlite:///PATH for a file.")
    if parsed.query:
        raise StoreError(f"{shown!r} is not the URL of a store: that of a file has no options after '?'.")
    return parsed


def file_of(url: URL) -> Path | None:
    """The file of an SQLite database; None for one on a server."""
    return Path(str(url.database)) if url.get_backend_name() == "sqlite" else None


def name_of(url: URL) -> str:
    path = file_of(url)
    return str(path) if path is not None else url.render_as_string(hide_password=True)


def connect(url: URL, create: bool) -> Engine:
    """An engine whose transactions are real ones. Makes a new file, and its directory, where asked."""
    path = file_of(url)
    try:
        if path is None:
            return sa.create_engine(url, connect_args=SERVER)
        engine = sa.create_engine(url, creator=lambda: open_file(path, mode(path)))
    except ModuleNotFoundError as error:
        raise StoreError(f"{name_of(url)} cannot be opened: install the Python package {error.name!r}.") from error
    except exc.NoSuchModuleError as error:
        raise StoreError(f"{name_of(url)} cannot be opened: there is no driver {url.drivername!r}.") from error
    with explained(url):
        if not path.exists():
            if not create:
                raise MissingStoreError(f"there is no store at {path}.")
            path.parent.mkdir(parents=True, exist_ok=True)
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o644))
        if not path.is_file():
            raise StoreError(f"{path} is a {'directory' if path.is_dir() else 'device'}, not a store.")
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def mode(path: Path) -> str:
    """How SQLite opens a file. Where its directory is read-only, no log can be made beside it, and none is needed."""
    if os.access(path.absolute().parent, os.W_OK) and os.access(path, os.W_OK):
        return "mode=rw"
    log = path.with_name(path.name + "-wal")
    if not log.exists() or not log.stat().st_size:
        return "mode=ro&immutable=1"
    if not path.with_name(path.name + "-shm").exists() and not os.access(path.absolute().parent, os.W_OK):
        raise StoreError(
            f"{path} cannot be read: part of it is in {log.name}, and nothing can be written beside it; "
            "copy both files to a directory where you may write."
        )
    return "mode=ro"


def open_file(path: Path, options: str) -> sqlite3.Connection:
    """A connection in which each transaction is begun by hand."""
    connection = sqlite3.connect(
        f"file:{quote(str(path.absolute()))}?{options}", uri=True, check_same_thread=False, isolation_level=None
    )  # the driver's own transactions would leave out schema changes
    connection.text_factory = _text
    connection.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}")
    connection.execute("PRAGMA synchronous = NORMAL")  # with the write-ahead log, safe against the death of the process
    connection.execute("PRAGMA cell_size_check = ON")
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


def _text(raw: bytes) -> str:
    """Text of a damaged file need not be UTF-8. Its seal tells."""
    return raw.decode(errors="replace")


def check_writable(url: URL) -> None:
    """Raises StoreError where the file of a database, or a new one, could not be written. Creates nothing."""
    path = file_of(url)
    if path is None:
        return
    directory = next(place for place in path.absolute().parents if place.exists())
    if not directory.is_dir():
        raise StoreError(f"{path} cannot be opened ({directory} is not a directory).")
    for place in (directory, *([path] if path.exists() else [])):  # the log is beside the file
        if not os.access(place, os.W_OK):
            raise StoreError(f"{path} cannot be written (no permission to write {place}).")


def _begin_sqlite(connection: Connection) -> None:
    writing = connection.get_execution_options().get("mohs_write", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")


@contextmanager
def explained(url: URL) -> Iterator[None]:
    try:
        yield
    except (exc.DBAPIError, *FILE_ERRORS) as error:
        raise explain(error, url) from error


@contextmanager
def explained_files(url: URL) -> Iterator[None]:
    """The same for errors of files alone: those of a server may pass."""
    try:
        yield
    except FILE_ERRORS as error:
        raise explain(error, url) from error


def is_gone(error: exc.DBAPIError) -> bool:
    """Whether a server that was there before closed the connection, or does not answer."""
    code = getattr(error.orig, "sqlstate", None)
    unreachable = isinstance(error, exc.OperationalError) and code is None  # it never answered
    return error.connection_invalidated or unreachable or str(code).startswith(GONE)


def explain(error: Exception, url: URL) -> StoreError:
    """What a database or the file system refused, as one sentence with a way out."""
    name = name_of(url)
    cause = error.orig if isinstance(error, exc.DBAPIError) and error.orig is not None else error
    text = " ".join(str(cause).split())
    low = text.lower()
    full = "disk is full" in low or "no space left" in low
    if full or getattr(cause, "errno", None) in (errno.ENOSPC, errno.EDQUOT):
        return StoreError(f"the disk is full: {name} could not be written; {RESUME} when there is space.")
    if "not a database" in low:
        return StoreError(f"{name} is not a database, or is damaged ({text}).")
    if "malformed" in low or "corrupt" in low or isinstance(cause, UnicodeError):
        return StoreError(f"{name} is damaged ({text}); `mohs recover NEW.db` copies what is sound to a new store.")
    if "readonly" in low or "read-only" in low or isinstance(cause, PermissionError):
        return StoreError(f"{name} cannot be written ({text}).")
    if "locked" in low:
        return StoreError(f"{name} is being written by another program; try again when it has finished.")
    if "unable to open" in low:
        return StoreError(f"{name} cannot be opened ({text}).")
    if "disk i/o error" in low:
        return StoreError(f"{name} cannot be read or written ({text}): its disk is full, failing or gone; {RESUME}.")
    if isinstance(cause, OSError):
        return StoreError(f"{name} cannot be opened ({reason(cause)}).")
    return StoreError(f"{name} cannot be used ({text}).")


def raw(connection: Connection) -> Any:
    """The driver's own connection."""
    return connection.connection.driver_connection
