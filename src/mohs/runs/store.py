"""Where are results kept? What a run and its readers need of a store, whatever database is behind it.

`sql/` is the implementation on SQLAlchemy. Another store is one more module that satisfies `Store`, a scheme in
`STORES`, and passes `tests/runs/store_contract.py`.
"""

from __future__ import annotations

import importlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

from mohs.core.cell import Cell
from mohs.core.errors import MohsError, StoreError
from mohs.core.values import Json
from mohs.runs.curves import Curve, Curves
from mohs.runs.places import Place
from mohs.runs.plan import Plan, Track

# Each module has `open_store(url, create)` and `check_store(url)`. They import this one, so they are named here.
STORES = {"sqlite": "mohs.runs.sql.store", "postgresql": "mohs.runs.sql.store"}


SHOWN_KEY, SHOWN_DAMAGED = 8, 5  # characters of a key, and damaged cells, in a sentence


class CellStatus(StrEnum):
    """How far a cell is. Stores write these words."""

    PENDING = "pending"
    DONE = "done"
    FAILED = "failed"


class MissingStoreError(StoreError):
    """No store exists at the URL, and none was to be created."""


@dataclass(frozen=True)
class StoredStudy:
    """A plan as the store lists it, with the names of the agents that it trains, in its order.

    A study that an older version wrote has no tracks, and as its agent the first word of its name.
    """

    key: str
    name: str
    protocol: str
    options: Mapping[str, Json]
    created: float
    agents: tuple[str, ...]
    tracks: tuple[Track, ...] = ()
    label: str = ""


@dataclass(frozen=True)
class Record:
    """A cell as the store has it. `error` is the traceback of a failed cell, else empty."""

    key: str
    json: str
    status: CellStatus
    error: str


@dataclass(frozen=True)
class Merged:
    """What a store has after others were merged into it; `damaged` cells of those were left out."""

    studies: int
    cells: Mapping[CellStatus, int]
    damaged: int


@dataclass(frozen=True)
class Counts:
    """A study in numbers: its cells and their steps by status, and the steps that its checkpoints hold."""

    cells: Mapping[CellStatus, int]
    steps: Mapping[CellStatus, int]
    saved: int


@dataclass(frozen=True)
class Recovered:
    """What was copied of a damaged store: how many cells and studies; and the keys of those that were not."""

    cells: int
    lost_cells: Sequence[str]
    studies: int
    lost_studies: Sequence[str]


class Store(Protocol):
    """An open store. `with` closes it.

    One coordinator writes at a time, under `sole_writer`; readers may read meanwhile. Each method is one transaction:
    all of it is kept, or nothing. A cell becomes `done` in the transaction that writes its curves and drops its
    checkpoint, so a reader never sees half a result.

    Every method raises StoreError, one sentence, where the store cannot be read or written.
    """

    @property
    def name(self) -> str:
        """The store in messages to people, without passwords."""
        ...

    @property
    def sealed(self) -> bool:
        """Whether each cell has a hash that is checked when it is read. Older versions wrote none."""
        ...

    def close(self) -> None: ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def sole_writer(self) -> AbstractContextManager[None]:
        """Held by a coordinator while it runs; the lock ends with its process.

        Raises:
            StoreError: another run holds it.
        """
        ...

    # What a coordinator writes

    def add(self, plan: Plan) -> list[str]:
        """Enters a study, and those of its cells that are new as pending. Adding a plan again changes nothing.

        Cells of the plan that are damaged become pending again, without what was stored of them; returns their keys.
        """
        ...

    def write(
        self,
        done: Mapping[str, Curves] | None = None,
        failed: Mapping[str, str] | None = None,
        checkpoints: Mapping[str, tuple[int, bytes]] | None = None,
        ran: Mapping[str, Sequence[Place]] | None = None,
    ) -> None:
        """Writes curves, tracebacks and checkpoints by cell.

        Args:
            done: the curves of cells that are done. Their checkpoints are dropped.
            failed: the tracebacks of cells that failed. Their checkpoints are dropped.
            checkpoints: the step and the state of pending cells. They replace what was saved before.
            ran: the machines that cells passed through, in order. They are no part of results.
        """
        ...

    def retry(self, keys: Collection[str]) -> None:
        """Makes failed cells pending again."""
        ...

    # What coordinators and readers read

    def places(self, keys: Iterable[str]) -> dict[str, list[Place]]:
        """Where those of these cells ran of which it is known."""
        ...

    def places_of(self, study: str) -> list[Place]:
        """Where cells of a study ran, each place once."""
        ...

    def studies(self) -> list[StoredStudy]:
        """All studies, oldest first."""
        ...

    def study(self, key: str) -> StoredStudy:
        """The study with this key.

        Raises:
            UsageError: there is none; names the nearest.
        """
        ...

    def runs(self, study: str) -> list[str]:
        """The keys of a study's cells in its order. A cell that several of its tracks share occurs several times."""
        ...

    def cells(self, study: str | None = None, limit: int | None = None) -> list[Record]:
        """The cell of each run of a study in its order, or all cells by key; at most `limit` of them."""
        ...

    def failures(self, study: str, limit: int | None = None) -> list[Record]:
        """The failed cells of a study in its order, each once, at most `limit` of them."""
        ...

    def counts(self, study: str) -> Counts:
        """The cells of a study in numbers, each counted once."""
        ...

    def statuses(self, keys: Iterable[str]) -> dict[str, CellStatus]:
        """The status of each of these cells that the store knows."""
        ...

    def checkpoint_steps(self, keys: Iterable[str]) -> dict[str, int]:
        """The step of each of these cells that has a checkpoint."""
        ...

    def checkpoints(self, keys: Iterable[str]) -> dict[str, bytes]:
        """The state of each of these cells that has a checkpoint."""
        ...

    def results(self, keys: Iterable[str]) -> Iterator[tuple[str, dict[str, Curve] | None]]:
        """The curves of those cells that are done, in the order of `keys`; None where they are damaged or gone."""
        ...

    def damaged(self, keys: Iterable[str]) -> list[str]:
        """Those of these cells that are not what was written, or are gone. Reads all that the store has of them."""
        ...


def open_store(url: str, create: bool = True) -> Store:
    """Opens the store at a URL.

    Args:
        url: `sqlite:///PATH` or a PostgreSQL URL.
        create: make the store if there is none. Readers say False.

    Returns:
        The open store; `with` closes it.

    Raises:
        MissingStoreError: there is no store, and `create` is False.
        StoreError: the URL is not one of a store, or what is there cannot be opened.
    """
    opened: Store = _module(url).open_store(url, create)
    return opened


def check_store(url: str) -> None:
    """Checks that a run could use the store at a URL. Creates nothing.

    Raises:
        StoreError: the URL is not one of a store, or the store cannot be read or written.
    """
    _module(url).check_store(url)


def recover(url: str, new: Path) -> Recovered:
    """Copies what is sound in a damaged store to a new one; the damaged one stays as it is.

    Args:
        url: the damaged store, a file.
        new: the file of the new store.

    Returns:
        What was copied, and what was not.

    Raises:
        UsageError: the new file exists, or the store is no file.
        StoreError: nothing can be read.
    """
    found: Recovered = importlib.import_module(f"{_module(url).__name__.rpartition('.')[0]}.recover").recover(url, new)
    return found


def merge(out: str, sources: Sequence[str]) -> Merged:
    """Copies the studies and cells of some stores into another one, which is made if it is not there.

    Of each cell the result is kept, else the failure, else the furthest checkpoint. Merging again changes nothing.

    Args:
        out: the URL of the store that is written.
        sources: the URLs of those that are read.

    Returns:
        What the store has now.

    Raises:
        StoreError: two stores have different results of one cell, or a store cannot be read or written.
    """
    modules = {_module(url).__name__.rpartition(".")[0] for url in (out, *sources)}
    found: Merged = importlib.import_module(f"{modules.pop()}.merging").merge(out, sources)
    return found


def _module(url: str) -> Any:
    """The implementation for the scheme of a URL."""
    scheme = url.partition(":")[0].partition("+")[0]
    if "://" not in url:
        raise StoreError(f"{shown(url)!r} is not the URL of a store: write sqlite:///PATH for a file.")
    if scheme not in STORES:
        known = " or ".join(f"{name}://{'/' if name == 'sqlite' else ''}" for name in STORES)
        raise StoreError(f"the URL of a store must begin with {known}, not with {shown(scheme)}://.")
    return importlib.import_module(STORES[scheme])


def shown(url: str) -> str:
    """A URL as messages show it, whether it can be parsed or not: without user, password and options.

    Example:
        >>> shown("postgresql://me:secret@host/results?sslpassword=secret")
        'postgresql://***@host/results'
    """
    scheme, slashes, rest = url.partition("://") if "://" in url else ("", "", url)
    _, at, place = rest.rpartition("@")
    return f"{scheme}{slashes}{'***@' if at else ''}{place.partition('?')[0]}"


def left_to_run(plan: Plan, url: str) -> list[Cell]:
    """The cells of a plan that are not done in the store at a URL: all of them where there is no store yet."""
    try:
        with open_store(url, create=False) as store:
            statuses = store.statuses(cell.key for cell in plan.cells)
            done = {key for key, status in statuses.items() if status == CellStatus.DONE}
            done.difference_update(store.damaged(done))
    except MissingStoreError:
        return list(plan.cells)
    return [cell for cell in plan.cells if cell.key not in done]


def damage_text(keys: Sequence[str]) -> str:
    """Names damaged cells, in words that go on with what becomes of them; empty where there are none."""
    if not keys:
        return ""
    shown = ", ".join(key[:SHOWN_KEY] for key in keys[:SHOWN_DAMAGED])
    rest = f" and {len(keys) - SHOWN_DAMAGED:,} others" if len(keys) > SHOWN_DAMAGED else ""
    cells = "1 cell of the store is" if len(keys) == 1 else f"{len(keys):,} cells of the store are"
    return f"{cells} damaged ({shown}{rest})"


@contextmanager
def sound(name: str) -> Iterator[None]:
    """Data that does not read back as it was written is damage: a StoreError that names the store."""
    try:
        yield
    except StoreError:
        raise
    except (ValueError, KeyError, TypeError) as error:  # UsageError is a ValueError
        kind = "" if isinstance(error, MohsError) else "damaged: "
        raise StoreError(f"{name} has an entry that cannot be read ({kind}{error}).") from error
