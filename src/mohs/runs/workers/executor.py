"""Who trains packs, and how does a coordinator speak to them? The interface of workers, wherever they run.

`local.py` starts processes on this machine, `in_process.py` trains in the caller's own, and `hosts.py` speaks to
machines that each start local processes (`host.py`); `ray_cluster.py` finds such machines. Another executor is one
more module that satisfies `Executor` and passes `tests/runs/executor_contract.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from mohs.runs.places import Place
from mohs.runs.workers.pack import Message, Pace


@dataclass(frozen=True)
class Work:
    """A pack as it travels.

    `cells` are JSON by key, because functions of the user's own files cannot be pickled. `resume` holds the checkpoints
    of those that have one. `environments` are what `registrations.pack` made of the Gymnasium ids that the pack needs.
    `trust` says whether checkpoints may be unpickled.
    """

    cells: Mapping[str, str]
    resume: Mapping[str, bytes]
    factory: str
    device: str
    pace: Pace
    environments: bytes = b""
    trust: bool = False


@dataclass(frozen=True)
class Stop:
    """Save at the next opportunity, then end the pack."""


@dataclass(frozen=True)
class Ended:
    """The pack is over: every cell has finished, failed, or was stopped. The worker is free."""


@dataclass(frozen=True)
class Printed:
    """What the worker printed, and the code of users in it."""

    text: str


@dataclass(frozen=True)
class Call:
    """A function by name, to be called with these arguments in place of training a pack."""

    target: str
    arguments: tuple[Any, ...]
    environments: bytes = b""


@dataclass(frozen=True)
class Returned:
    """What the function of a `Call` returned, or a sentence that says why it did not. The worker is free."""

    value: Any
    error: str = ""


Report = Message | Ended | Printed | Returned


class Worker(Protocol):
    """The coordinator's end of one worker. It trains one pack at a time.

    No method raises because the worker or its machine is gone: `send` returns False, and `reports` says that it is not
    alive. The coordinator reads `lost` and `epitaph` after that, and calls `kill` once it is done with the worker.
    """

    @property
    def ready(self) -> bool:
        """It is up and takes work. A worker that dies before counts as one that cannot be started."""
        ...

    @property
    def place(self) -> str:
        """Where it runs, for messages to people."""
        ...

    @property
    def where(self) -> Place:
        """The machine, for what is recorded beside results."""
        ...

    @property
    def lost(self) -> bool:
        """Its machine is gone: no fault of the cells, which the coordinator gives to another worker."""
        ...

    @property
    def overdue(self) -> bool:
        """It was ended because its cells used up their time: to train them again would not help."""
        ...

    def send(self, message: Work | Stop) -> bool:
        """Hands over a pack, or asks to stop the one under way. False if the worker is gone."""
        ...

    def reports(self) -> tuple[list[Report], bool]:
        """What has arrived since the last call, in order, and whether the worker is alive.

        What a worker said before it died is still returned. Never waits for a worker that `heard` did not name.
        """
        ...

    def epitaph(self) -> str:
        """How a worker that is not alive ended, the error of a cell that is to blame. The last line says it."""
        ...

    def kill(self) -> None:
        """Ends the worker at once and frees what it holds. Killing it again does nothing."""
        ...


W = TypeVar("W", bound=Worker)


class Executor(Protocol[W]):
    """Starts workers and listens to them. One coordinator, one thread."""

    @property
    def shares_process(self) -> bool:
        """Whether its workers are in this process, and so know what is registered here."""
        ...

    def room(self) -> int:
        """How many workers may be alive now. It may change as machines come and go; lost machines do not count."""
        ...

    def start(self) -> W:
        """Starts a worker and does not wait until it is ready.

        Raises:
            MohsError: no worker can be started at all.
        """
        ...

    def heard(self, workers: Sequence[W], seconds: float) -> list[W]:
        """Those of the workers that have something to report or have died. Waits at most so long for the first."""
        ...

    def close(self) -> None:
        """Ends the workers that are left and frees what the executor holds. Closing it again does nothing."""
        ...
