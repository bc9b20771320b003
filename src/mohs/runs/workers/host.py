"""What runs on a machine of a cluster? A host: it starts the same worker processes as a run on one machine.

It knows nothing of the cluster. Whoever carries messages between it and a coordinator makes one call at a time,
`exchange`, which brings commands and takes what the workers have said. One call under way bounds what is in flight, and
tells that the machine lives.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from mohs.core.errors import MohsError
from mohs.runs.places import Place, this_place
from mohs.runs.workers.executor import Call, Report, Stop, Work
from mohs.runs.workers.local import LocalProcesses, LocalWorker
from mohs.runs.workers.watch import Limits

LISTEN_SECONDS = 0.2  # how long an exchange waits for a worker to say something

Order = Literal["start", "kill"] | Work | Stop | Call
Commands = Sequence[tuple[int, Order]]


@dataclass(frozen=True)
class Said:
    """What one worker said: its reports, whether it is up, and how it ended if it is dead."""

    reports: list[Report]
    ready: bool
    epitaph: str = ""
    overdue: bool = False


@dataclass(frozen=True)
class Greeting:
    """What a host says of itself: where it is, and how many workers it has room for."""

    place: Place
    cores: int


class Host:
    """Worker processes of one machine, by the numbers that the coordinator gave them.

    Args:
        limits: what a worker may use.
        code: user code as `shipping.pack` made it, which is unpacked and becomes the working directory.
        device: where deep agents train, checked here.
    """

    def __init__(self, limits: Limits, code: bytes = b"", device: str = "cpu") -> None:
        from mohs.agents.deep.packs import check_device
        from mohs.runs import shipping

        check_device(device)
        self._folder = shipping.unpack(code) if code else None
        if self._folder is not None:
            os.chdir(self._folder.name)
        self._executor = LocalProcesses(10**6, limits)
        self._workers: dict[int, LocalWorker] = {}
        self._device = device

    def greet(self) -> Greeting:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        return Greeting(this_place(self._device), cores)

    def exchange(self, commands: Commands, seconds: float = LISTEN_SECONDS) -> Mapping[int, Said]:
        """Carries out commands, then listens until a worker says something, at most for so long."""
        said: dict[int, Said] = {}
        for number, order in commands:
            self._carry_out(number, order, said)
        deadline = time.monotonic() + (0.0 if said else seconds)
        while True:
            left = max(0.0, deadline - time.monotonic())
            for worker in self._executor.heard(list(self._workers.values()), left):
                number = next(n for n, other in self._workers.items() if other is worker)
                was_ready = worker.ready
                reports, alive = worker.reports()
                if not alive:
                    said[number] = Said(reports, worker.ready, worker.epitaph(), worker.overdue)
                    worker.kill()
                    del self._workers[number]
                elif reports or worker.ready != was_ready:
                    said[number] = Said(reports, worker.ready)
            if said or time.monotonic() >= deadline:
                return said

    def close(self) -> None:
        self._executor.close()
        self._workers.clear()
        if self._folder is not None:
            os.chdir("/")
            self._folder.cleanup()

    def _carry_out(self, number: int, order: Order, said: dict[int, Said]) -> None:
        if order == "start":
            try:
                self._workers[number] = self._executor.start(gpu_of(number, self._device))
            except MohsError as error:
                said[number] = Said([], False, str(error))
        elif number in self._workers:  # it may have died meanwhile, which has been said
            if order == "kill":
                self._workers.pop(number).kill()
            else:
                self._workers[number].send(order)


def gpu_of(number: int, device: str) -> Mapping[str, str]:
    """The environment that gives a worker one of the GPUs of its host, in turn, where `cuda` means any of them."""
    gpus = [gpu for gpu in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if gpu]
    return {"CUDA_VISIBLE_DEVICES": gpus[number % len(gpus)]} if device == "cuda" and len(gpus) > 1 else {}
