"""How is a run carried out? One record of everything that changes its speed, its place and its label, and no result."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, TypedDict

import numpy as np

from mohs.agents.deep.packs import check_device
from mohs.core.arguments import checked_record
from mohs.core.domain import Integer
from mohs.core.errors import invalid
from mohs.runs.progress import Progress, choose

DEFAULT_STORE = "sqlite:///mohs.db"
LONGEST_LABEL = 60


@checked_record
@dataclass(frozen=True)
class Execution:
    """Where and how a run is carried out. Results are bit-identical for all values on one device.

    Attributes:
        store: URL of the results database, `sqlite:///PATH` or a PostgreSQL URL.
        workers: number of worker processes. None is one for each core; 0 trains in this process.
        pack_size: most cells of a pack. None is as many as suit the agent.
        device: where deep agents train: `cpu`, `cuda`, `mps`, `cuda:1`.
        progress: `auto`, `live`, `plain` or `silent`, or a `Progress` object.
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
        if isinstance(self.progress, str):
            choose(self.progress)
        if self.label != self.label.strip() or not self.label.isprintable() or len(self.label) > LONGEST_LABEL:
            raise invalid("label", self.label, f"a line of at most {LONGEST_LABEL} characters, no spaces at its ends")
        check_device(self.device)

    @property
    def worker_count(self) -> int:
        """The number of worker processes; 0 is none.

        Example:
            >>> Execution(workers=0).worker_count
            0
        """
        return default_workers() if self.workers is None else self.workers


class ExecutionOptions(TypedDict, total=False):
    """The fields of an `Execution`, as keyword arguments."""

    store: str
    workers: int | None
    pack_size: int | None
    device: str
    progress: str | Progress
    label: str
    trust: bool


def default_workers() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
