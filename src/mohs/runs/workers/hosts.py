"""How does a run use several machines? An executor that speaks to a host on each (`host.py`), however they are reached.

A `Cluster` finds machines and carries calls. It is told apart who died: a worker whose host still answers has crashed,
and its cells may be to blame; a worker whose host is gone is lost, and they are not. A machine that does not answer for
a minute is gone, whatever it says later.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from mohs.core.errors import MohsError
from mohs.runs.places import Place, differences
from mohs.runs.workers.executor import Call, Report, Stop, Work
from mohs.runs.workers.host import Commands, Greeting, Order, Said
from mohs.runs.workers.watch import LONGEST_LOOK

ANSWER_SECONDS = 60.0  # that a machine may take for one call
EMPTY_SECONDS = 120.0  # that a run waits for a machine where there is none
LOOK_SECONDS = 2.0  # between two looks for new machines


class MachineLostError(Exception):
    """A machine cannot be reached any more."""


class Machine(Protocol):
    """A host on another machine. Calls do not wait, and one is under way at a time."""

    @property
    def name(self) -> str: ...

    def greeting(self) -> Greeting | None:
        """What it said of itself; None while it starts.

        Raises:
            MachineLostError: it cannot be used.
        """
        ...

    def call(self, commands: Commands) -> None:
        """Starts an exchange with the host."""
        ...

    def answer(self) -> Mapping[int, Said]:
        """What the last exchange gave, once `Cluster.wait` names the machine.

        Raises:
            MachineLostError: the machine is gone.
        """
        ...

    def close(self) -> None: ...


class Cluster(Protocol):
    """Machines that come and go."""

    def machines(self) -> Sequence[Machine]:
        """Those that are there now: the same objects as before, and new ones, which start a host."""
        ...

    def wait(self, machines: Sequence[Machine], seconds: float) -> Sequence[Machine]:
        """Those whose call has been answered, or which are gone. Waits at most so long for the first."""
        ...

    def close(self) -> None: ...


class HostWorker:
    """The coordinator's end of a worker on another machine."""

    def __init__(self, link: Link, number: int, name: str, where: Place) -> None:
        self._link, self.number = link, number
        self.ready = self.lost = self.overdue = self.dead = False
        self.place, self.where = f"{name}, worker {number}", where
        self._inbox: list[Report] = []
        self._epitaph = ""

    def send(self, message: Work | Stop | Call) -> bool:
        if not self.dead:
            self._link.commands.append((self.number, message))
        return not self.dead

    def reports(self) -> tuple[list[Report], bool]:
        found, self._inbox = self._inbox, []
        return found, not self.dead

    @property
    def heard(self) -> bool:
        return self.dead or bool(self._inbox)

    def hear(self, said: Said) -> None:
        self.ready |= said.ready
        self._inbox += said.reports
        if said.epitaph:
            self.dead, self._epitaph, self.overdue = True, said.epitaph, said.overdue

    def lose(self, why: str) -> None:
        self.dead = self.lost = True
        self._epitaph = f"machine lost: {why}."

    def epitaph(self) -> str:
        return self._epitaph

    def kill(self) -> None:
        if not self.dead:
            self._link.commands.append((self.number, "kill"))
            self.dead, self._epitaph = True, "worker ended: the coordinator ended it."
        self._link.workers.pop(self.number, None)


class Link:
    """A machine, its workers, and the commands that wait until its host has answered."""

    def __init__(self, machine: Machine, greeting: Greeting) -> None:
        self.machine, self.place, self.cores = machine, greeting.place, greeting.cores
        self.workers: dict[int, HostWorker] = {}
        self.commands: list[tuple[int, Order]] = []
        self.calling = False
        self._waited, self._looked = 0.0, time.monotonic()

    def call(self) -> None:
        """Starts the next call, unless one is under way or there is nothing to ask."""
        if not self.calling and (self.workers or self.commands):
            self.machine.call(self.commands)
            self.commands, self.calling = [], True
            self._waited, self._looked = 0.0, time.monotonic()

    def take(self) -> None:
        """Hands what the host said to its workers."""
        self.calling = False
        for number, said in self.machine.answer().items():
            if number in self.workers:  # it may have been killed meanwhile
                self.workers[number].hear(said)

    def check_answers(self) -> None:
        """Raises MachineLostError where a call has been under way for too long while somebody looked."""
        now = time.monotonic()
        self._waited += min(now - self._looked, LONGEST_LOOK)
        self._looked = now
        if self.calling and self._waited > ANSWER_SECONDS:
            raise MachineLostError(f"{self.machine.name} did not answer for {ANSWER_SECONDS:g} s")


class Hosts:
    """Workers on the machines of a cluster.

    Args:
        cluster: finds machines.
        here: where the coordinator runs. A machine with another mohs is refused; another processor is mentioned.
        most: how many workers there may be at once. None: as many as the machines have cores.
        note: shows a message to people.
    """

    shares_process = False

    def __init__(self, cluster: Cluster, here: Place, most: int | None, note: Callable[[str], None]) -> None:
        self._cluster, self._here, self._most, self._note = cluster, here, most, note
        self._links: dict[str, Link] = {}
        self._refused: set[str] = set()
        self._mentioned: set[str] = set()
        self._ever = self._refused_all = False  # machines were admitted; none of those that were found could be
        self._numbers = 0
        self._looked = -LOOK_SECONDS
        self._empty_since = time.monotonic()
        while not self.room():  # packs are cut by the room there is
            time.sleep(LOOK_SECONDS / 10)

    def room(self) -> int:
        self._find_machines()
        cores = sum(link.cores for link in self._links.values())
        return cores if self._most is None else min(cores, self._most)

    def start(self) -> HostWorker:
        link = min(self._links.values(), key=lambda link: len(link.workers) / link.cores)
        self._numbers += 1
        worker = HostWorker(link, self._numbers, link.machine.name, link.place)
        link.workers[self._numbers] = worker
        link.commands.append((self._numbers, "start"))
        return worker

    def heard(self, workers: Sequence[HostWorker], seconds: float) -> list[HostWorker]:
        for link in list(self._links.values()):
            self._guarded(link, link.call)
        found = [worker for worker in workers if worker.heard]
        calling = {link.machine.name: link for link in self._links.values() if link.calling}
        if not calling:
            if not found:
                time.sleep(seconds)
            return found
        answered = self._cluster.wait([link.machine for link in calling.values()], 0.0 if found else seconds)
        for machine in answered:
            self._guarded(calling[machine.name], calling[machine.name].take, calling[machine.name].call)
        for link in calling.values():
            self._guarded(link, link.check_answers)
        return [worker for worker in workers if worker.heard]

    def close(self) -> None:
        for link in self._links.values():
            link.machine.close()
        self._links.clear()
        self._cluster.close()

    def _guarded(self, link: Link, *steps: Callable[[], None]) -> None:
        """Speaks to a machine; where it is gone, all of its workers are lost."""
        try:
            for step in steps:
                step()
        except MachineLostError as error:
            for worker in link.workers.values():
                if not worker.dead:
                    worker.lose(str(error))
            self._links.pop(link.machine.name, None)
            link.machine.close()

    def _find_machines(self) -> None:
        """Takes in machines that have come."""
        now = time.monotonic()
        if now - self._looked < LOOK_SECONDS and self._links:
            return
        self._looked = now
        new = [m for m in self._cluster.machines() if m.name not in self._links and m.name not in self._refused]
        for machine in new:
            self._admit(machine)
        if self._links:
            self._empty_since, self._refused_all = now, False
        elif now - self._empty_since > EMPTY_SECONDS or (not new and self._refused_all):
            raise MohsError("no machine of the cluster can be used; mohs must be installed alike on all of them.")

    def _admit(self, machine: Machine) -> None:
        """Takes in a machine that is up and has this version of mohs."""
        try:
            greeting = machine.greeting()
        except MachineLostError as error:
            self._refuse(machine, str(error))
            return
        if greeting is None:
            return
        if greeting.place.code != self._here.code:
            self._refuse(machine, "it has another version of mohs")
            return
        self._links[machine.name] = Link(machine, greeting)
        self._ever = True
        for text in differences([self._here, greeting.place]):
            if text not in self._mentioned:
                self._mentioned.add(text)
                self._note(f"{machine.name} differs from this machine: {text}; deep agents may give other bits there")

    def _refuse(self, machine: Machine, why: str) -> None:
        self._refused.add(machine.name)
        self._refused_all = not self._ever
        self._note(f"{machine.name} is not used: {why}")
        machine.close()
