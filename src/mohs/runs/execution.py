"""How is a run carried out? The store, the processes, the packs, the device and the progress line, as one record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict

from mohs.core.domain import Integer
from mohs.runs.progress import Progress

DEFAULT_STORE = "sqlite:///mohs.db"


@dataclass(frozen=True)
class Execution:
    """How a study is carried out; none of it changes a result.

    Args:
        store: URL of the database of results.
        workers: number of worker processes; all cores by default, 0 runs in this process.
        pack_size: largest number of cells trained together; by default as many as suit the agent.
        device: device of deep agents, as torch names it.
        progress: "auto", "live", "plain" or "silent", or a `Progress`.
    """

    store: str = DEFAULT_STORE
    workers: int | None = None
    pack_size: int | None = None
    device: str = "cpu"
    progress: str | Progress = "auto"

    def check(self) -> None:
        """Raises UsageError where a run cannot be carried out so."""
        from mohs.agents.deep.catalogue import check_device

        if self.workers is not None:
            Integer(0, 4096).parse("workers", self.workers)
        if self.pack_size is not None:
            Integer(1).parse("pack_size", self.pack_size)
        check_device(self.device)


class ExecutionOptions(TypedDict, total=False):
    """The fields of an `Execution`, as keyword arguments."""

    store: str
    workers: int | None
    pack_size: int | None
    device: str
    progress: str | Progress
