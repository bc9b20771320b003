"""How is a run carried out? One record of everything that changes its speed, its place and its label, and no result."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, TypedDict

import numpy as np

from mohs.agents.deep.packs import check_device
from mohs.core.arguments import checked_record
from mohs.core.domain import Integer, Real
from mohs.core.errors import UsageError, invalid
from mohs.runs.progress import Progress, choose
from mohs.runs.workers.watch import Limits

DEFAULT_STORE = "sqlite:///mohs.db"
LONGEST_LABEL = 60
MOST_SHARDS = 100_000
LOCAL, RAY = "local", "ray"


@checked_record
@dataclass(frozen=True)
class Execution:
    """Where and how a run is carried out. Results are bit-identical for all values on one device.

    Attributes:
        store: URL of the results database, `sqlite:///PATH` or a PostgreSQL URL.
        workers: number of worker processes. None is one for each core; 0 trains in this process. A cell that ends its
            process or hangs then ends or holds up the run.
        pack_size: most cells of a pack. None is as many as suit the agent.
        shard: `i/n` runs the i-th of n parts of the cells, by their keys, into a store of its own, which `url` names.
        executor: where workers run: `local`, or `ray` or `ray:ADDRESS` for a Ray cluster, whose cores they use.
        device: where deep agents train: `cpu`, `cuda`, `mps`, `cuda:1`.
        progress: `auto`, `live`, `plain` or `silent`, or a `Progress` object.
        cell_timeout: seconds that a cell may take before it fails. None is no limit.
        worker_memory: GB of memory that a worker may use before its cell fails. None is no limit.
        label: what the study is called in the store, in `mohs status` and in reports. Studies that differ by their
            label only are two studies of the same runs.
        trust: whether checkpoints in the store may be unpickled, which can run any code that they hold. Without it, an
            interrupted cell of a third-party environment or of a custom agent that saves bytes starts again.

    Example:
        >>> Execution(workers=2).check()
        >>> Execution(workers=2).worker_count
        2
    """

    store: str = DEFAULT_STORE
    workers: int | None = None
    pack_size: int | None = None
    device: str = "cpu"
    progress: str | Progress = "auto"
    label: str = ""
    cell_timeout: float | None = None
    worker_memory: float | None = None
    executor: str = LOCAL
    shard: str = ""
    trust: bool = False

    def __post_init__(self) -> None:
        for name in ("workers", "pack_size"):  # an integer of NumPy is one
            value: Any = getattr(self, name)
            if isinstance(value, np.integer):
                object.__setattr__(self, name, int(value))

    def check(self) -> None:
        """Checks all values except the store, which is checked when it is opened.

        Raises:
            UsageError: a value is out of range, or torch cannot use the device here.

        Example:
            >>> Execution(workers=-1).check()
            Traceback (most recent call last):
                ...
            mohs.core.errors.UsageError: workers is -1, but must be an integer in [0, 4096].
        """
        if self.workers is not None:
            Integer(0, 4096).parse("workers", self.workers)
        if self.pack_size is not None:
            Integer(1).parse("pack_size", self.pack_size)
        for name, limit in (("cell_timeout", self.cell_timeout), ("worker_memory", self.worker_memory)):
            if limit is not None:
                Real(0, 1e9, low_open=True).parse(name, limit)
                if self.workers == 0:
                    raise UsageError(f"{name} needs worker processes: set workers to 1 or more.")
        if isinstance(self.progress, str):
            choose(self.progress)
        if self.label != self.label.strip() or not self.label.isprintable() or len(self.label) > LONGEST_LABEL:
            raise invalid("label", self.label, f"a line of at most {LONGEST_LABEL} characters, no spaces at its ends")
        if self.part is not None and self.url == self.store:
            raise UsageError("shards are SQLite files; machines share a PostgreSQL store by --enqueue and mohs work.")
        kind = self.executor.partition(":")[0]
        if kind not in (LOCAL, RAY) or (kind == LOCAL and self.executor != LOCAL):
            raise invalid("executor", self.executor, f"{LOCAL}, {RAY} or {RAY}:ADDRESS")
        if kind == RAY and self.workers == 0:
            raise UsageError("the executor ray needs worker processes: set workers to 1 or more.")
        if kind == LOCAL:  # the machines of a cluster check theirs
            check_device(self.device)

    @property
    def worker_count(self) -> int:
        """The number of worker processes; 0 is none.

        Example:
            >>> Execution(workers=0).worker_count
            0
        """
        return default_workers() if self.workers is None else self.workers

    @property
    def part(self) -> tuple[int, int] | None:
        """The number of the shard and how many there are; None without shards.

        Raises:
            UsageError: it is no shard.

        Example:
            >>> Execution(shard="3/8").part
            (3, 8)
        """
        if not self.shard:
            return None
        first, _, second = self.shard.partition("/")
        if first.isdecimal() and second.isdecimal() and 1 <= int(first) <= int(second) <= MOST_SHARDS:
            return int(first), int(second)
        raise invalid("shard", self.shard, f"i/n with 1 ≤ i ≤ n ≤ {MOST_SHARDS:,}, such as 3/8")

    @property
    def url(self) -> str:
        """The store that is written: that of the shard, where there is one, beside the file of the whole.

        Example:
            >>> Execution(store="sqlite:///runs/a.db", shard="3/8").url
            'sqlite:///runs/a.shard-3-of-8.db'
        """
        if self.part is None or not self.store.startswith("sqlite"):
            return self.store
        stem, dot, ending = self.store.rpartition(".") if "." in self.store.rpartition("/")[2] else (self.store, "", "")
        return f"{stem}.shard-{self.part[0]}-of-{self.part[1]}{dot}{ending}"

    def has(self, key: str) -> bool:
        """Whether the cell with this key is one of those to run: of the shard, or of all.

        Example:
            >>> Execution(shard="1/2").has("0a"), Execution(shard="2/2").has("0a")
            (True, False)
        """
        return self.part is None or int(key, 16) % self.part[1] == self.part[0] - 1

    @property
    def cluster(self) -> str | None:
        """The address of the Ray cluster to use, empty for the one that runs here; None without one.

        Example:
            >>> Execution(executor="ray:10.0.0.1:6379").cluster
            '10.0.0.1:6379'
        """
        kind, _, address = self.executor.partition(":")
        return address if kind == RAY else None

    @property
    def limits(self) -> Limits:
        """What a worker may use.

        Example:
            >>> Execution(cell_timeout=30).limits.cell_seconds
            30
        """
        return Limits(self.cell_timeout, None if self.worker_memory is None else round(self.worker_memory * 1e9))


class ExecutionOptions(TypedDict, total=False):
    """The fields of an `Execution`, as keyword arguments."""

    store: str
    workers: int | None
    pack_size: int | None
    device: str
    progress: str | Progress
    label: str
    cell_timeout: float | None
    worker_memory: float | None
    executor: str
    shard: str
    trust: bool


def default_workers() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
