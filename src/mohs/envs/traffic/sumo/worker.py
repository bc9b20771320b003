"""What does the process do that simulates one signal? It reads orders from standard input, and writes answers.

libsumo holds one simulation for each process and writes to its streams, so every environment has a process of its own.
This file imports nothing of mohs, so that the process starts quickly. It ends when its standard input does, whatever
became of the process that started it, and removes its files.
"""

from __future__ import annotations

import os
import pickle
import signal
import struct
import sys
import tempfile
from pathlib import Path
from typing import Any, BinaryIO

HALTING = 0.1  # m/s below which SUMO says that a vehicle stands
_HEADER = struct.Struct("<Q")


def write(stream: BinaryIO, message: Any) -> None:
    """Writes one message."""
    data = pickle.dumps(message)
    stream.write(_HEADER.pack(len(data)) + data)
    stream.flush()


def read(stream: BinaryIO) -> Any:
    """Reads one message.

    Raises:
        EOFError: The other side is gone.
    """
    header = stream.read(_HEADER.size)
    if len(header) < _HEADER.size:
        raise EOFError
    (size,) = _HEADER.unpack(header)
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return pickle.loads(data)


class Simulation:
    """One episode of one signal.

    Args:
        sumo: The module libsumo.
        directory: Where files are written.
        order: `files` (by name, with their bytes), `arguments` of SUMO, the signal `tls`, its incoming `lanes`, the
            outgoing lanes `exits` to look at, the `range` of detectors in m, whether to count time that is lost
            (`late`), the `state` that is shown first, and `phases` of SUMO's own programs.
    """

    def __init__(self, sumo: Any, directory: Path, order: dict[str, Any]) -> None:
        self._sumo, self._trips = sumo, directory / "trips.xml"
        for name, data in order["files"].items():
            (directory / name).write_bytes(data)
        os.chdir(directory)
        sumo.start(["sumo", *order["arguments"], "--tripinfo-output", str(self._trips)])
        self._tls, self._lanes, self._exits = order["tls"], order["lanes"], order["exits"]
        self._lengths = [sumo.lane.getLength(lane) for lane in self._lanes]
        self._range, self._late, self._phases = order["range"], order["late"], order["phases"]
        sumo.trafficlight.setRedYellowGreenState(self._tls, order["state"])
        self._began = sumo.simulation.getTime()
        self._since: dict[str, float] = {}  # when a vehicle on an incoming lane came to a stand for the first time
        self._rested: dict[str, float] = {}  # s that it had stood before it was on that lane

    def show(self, plan: list[tuple[str, float]]) -> dict[str, Any]:
        """Shows states one after the other, each until a time in s from the start of the episode."""
        for state, until in plan:
            self._sumo.trafficlight.setRedYellowGreenState(self._tls, state)
            self._run(until)
        return self.look()

    def hand_over(self, name: str, kind: int, until: float) -> dict[str, Any]:
        """Leaves the signal to a program of SUMO's, from the present green on if the program is not in charge yet."""
        lights = self._sumo.trafficlight
        if lights.getProgram(self._tls) != name:
            state = lights.getRedYellowGreenState(self._tls)
            phases = [lights.Phase(usual, letters, least, most) for letters, usual, least, most in self._phases]
            if name not in [logic.programID for logic in lights.getAllProgramLogics(self._tls)]:
                lights.setProgramLogic(self._tls, lights.Logic(name, kind, 0, phases))
            lights.setProgram(self._tls, name)
            lights.setPhase(self._tls, next(i for i, phase in enumerate(phases) if phase.state == state))
        self._run(until)
        return self.look()

    def _run(self, until: float) -> None:
        if self._began + until > self._sumo.simulation.getTime():
            self._sumo.simulationStep(self._began + until)

    def look(self) -> dict[str, Any]:
        """What detectors see, the state that is shown, and what is known of all vehicles."""
        simulation = self._sumo.simulation
        now = simulation.getTime()
        pending = simulation.getPendingVehicles()
        rows, queue, seen = [], len(pending), set()
        for lane, length in zip(self._lanes, self._lengths, strict=True):
            row = [0.0, 0.0, 0.0, 0.0]  # approaching, wait, queue, speeds
            for vehicle in self._sumo.lane.getLastStepVehicleIDs(lane):
                seen.add(vehicle)
                since = self._stood(vehicle, now)
                queue += since is not None
                if length - self._sumo.vehicle.getLanePosition(vehicle) <= self._range:
                    row[3] += self._sumo.vehicle.getSpeed(vehicle)
                    if since is None:
                        row[0] += 1.0
                    else:
                        row[1] += now - since
                        row[2] += 1.0
            rows.append(row)
        for gone in self._rested.keys() - seen:
            del self._rested[gone]
            self._since.pop(gone, None)
        return {
            "lanes": rows,
            "exits": [self._sumo.lane.getLastStepVehicleNumber(lane) for lane in self._exits],
            "state": self._sumo.trafficlight.getRedYellowGreenState(self._tls),
            "queue": queue,
            "late": self._lost(pending) if self._late else 0.0,
        }

    def _stood(self, vehicle: str, now: float) -> float | None:
        """Since when a vehicle queues: from its first stand on an incoming lane, even if it moves again."""
        if vehicle in self._since:
            return self._since[vehicle]
        rested = self._sumo.vehicle.getAccumulatedWaitingTime(vehicle)
        if vehicle not in self._rested:
            self._rested[vehicle] = rested - self._sumo.vehicle.getWaitingTime(vehicle)
        stood = rested - self._rested[vehicle]
        if stood <= 0:
            return None
        self._since[vehicle] = now - stood
        return self._since[vehicle]

    def _lost(self, pending: Any) -> float:
        """Seconds that vehicles have lost until now: those that have arrived, that drive, and that wait to enter."""
        vehicles, simulation = self._sumo.vehicle, self._sumo.simulation
        arrived = {
            name: float(simulation.getParameter("", f"device.tripinfo.{name}"))
            for name in ("count", "timeLoss", "departDelay")
        }
        driving: float = sum(vehicles.getTimeLoss(v) + vehicles.getDepartDelay(v) for v in vehicles.getIDList())
        waiting: float = sum(vehicles.getDepartDelay(v) for v in pending)
        return arrived["count"] * (arrived["timeLoss"] + arrived["departDelay"]) + driving + waiting

    def finish(self, edges: list[str]) -> tuple[bytes, list[str]]:
        """Ends the simulation: SUMO's record of all trips, and the vehicles that are on these edges."""
        on = [v for edge in edges for v in self._sumo.edge.getLastStepVehicleIDs(edge)]
        self.close()
        return self._trips.read_bytes(), on

    def close(self) -> None:
        self._sumo.close()


def obey(sumo: Any, directory: Path, orders: BinaryIO, answers: BinaryIO, log: Path) -> None:
    """Answers orders, a name with arguments, until there are no more; an error is answered by what SUMO said of it."""
    simulation: Simulation | None = None
    while True:
        try:
            name, *arguments = read(orders)
        except EOFError:
            return
        if name == "quit":
            return
        answer: Any = None
        try:
            if name == "begin":
                if simulation is not None:
                    simulation.close()
                log.write_bytes(b"")  # what was said of another episode
                simulation = None
                simulation = Simulation(sumo, directory, *arguments)
                answer = simulation.look()
            elif simulation is not None:
                answer = getattr(simulation, name)(*arguments)
                if name in ("finish", "close"):
                    simulation = None
        except Exception as error:  # libsumo has several
            simulation = None
            said = log.read_text(errors="replace")
            write(answers, ("error", f"{said}\nError: {error}" if "rror" not in said else said))
            continue
        write(answers, ("done", answer))


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of the terminal: whoever gives orders decides when to end
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # files are removed
    orders, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with tempfile.TemporaryDirectory(prefix="mohs-sumo-") as name:
        log = Path(name) / "log"
        said = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        for stream in (1, 2):
            os.dup2(said, stream)
        try:
            import libsumo
        except ImportError as error:
            read(orders)
            write(answers, ("error", f"Error: libsumo cannot be imported: {error}"))
            return
        obey(libsumo, Path(name), orders, answers, log)
        os.chdir(
            "/" if os.name == "posix" else os.path.expanduser("~")
        )  # a directory in use cannot be removed everywhere


if __name__ == "__main__":
    main()
