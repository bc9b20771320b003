"""What is done to a run, and how does it end? Faults, each with a way back, and trials of them.

The coordinator, its workers and the store are real; the learner is a number. A trial begins a run, disturbs it, brings
what was taken away back, and runs the same command again. `benchmarks/faults.py` counts how many of them end.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import fake_learner
import sqlalchemy as sa
from postgres_server import Server

from mohs.core.errors import StoreError
from mohs.runs.execute import execute
from mohs.runs.execution import Execution
from mohs.runs.export import export_csv
from mohs.runs.status import status
from mohs.runs.store import open_store, recover

PLAN = {"seeds": 4, "delays": 1, "sleep": 0.006}  # more than a second for each pack
PATIENCE = 120.0
QUIETLY = Execution(workers=0, progress="silent")


@dataclass
class Trial:
    """One disturbed run. `said` are the sentences with which coordinators stopped."""

    folder: Path
    url: str
    rng: random.Random
    workers: int = 2
    said: list[str] = field(default_factory=list)

    @property
    def path(self) -> Path:
        return Path(self.url.removeprefix("sqlite:///"))

    def begin(self) -> subprocess.Popen[str]:
        command = [sys.executable, fake_learner.__file__, self.url, str(self.workers), json.dumps(PLAN)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def begun(self) -> subprocess.Popen[str]:
        """A run that has saved some of its steps."""
        process = self.begin()
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            assert process.poll() is None, process.communicate()
            with suppress(StoreError), open_store(self.url, create=False) as store:  # there may be none yet
                if any(study.steps_saved for study in status(store)):
                    time.sleep(self.rng.random() * 0.4)
                    return process
            time.sleep(0.02)
        raise AssertionError("the run does not get on")

    def end(self, process: subprocess.Popen[str]) -> int:
        """The exit code of a run; what it said, if it stopped, is one sentence."""
        _, err = process.communicate(timeout=PATIENCE)
        if process.returncode > 0:
            assert process.returncode == 2, err
            assert "Traceback" not in err, err
            self.said.append(err.strip().splitlines()[-1])
            assert self.said[-1].startswith("mohs: "), err
        return process.returncode

    def finish(self) -> None:
        process = self.begin()
        out, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, err
        assert json.loads(out)["done"] == PLAN["seeds"], out

    def export(self) -> bytes:
        with open_store(self.url, create=False) as store:
            assert export_csv(store, self.folder / "out.csv") == []
        return (self.folder / "out.csv").read_bytes()


Fault = Callable[[Trial], None]


def undisturbed(folder: Path) -> bytes:
    """The export of a run that nothing happens to. Sleep is part of the cells, so it is the same plan."""
    folder.mkdir(parents=True, exist_ok=True)
    trial = Trial(folder, f"sqlite:///{folder}/whole.db", random.Random(0))
    sleep, time.sleep = time.sleep, lambda _: None
    try:
        with open_store(trial.url) as store:
            execute(fake_learner.plan(**PLAN), store, QUIETLY, factory=fake_learner.FACTORY)  # type: ignore[arg-type]
    finally:
        time.sleep = sleep
    return trial.export()


def killed(trial: Trial) -> None:
    process = trial.begun()
    process.kill()
    trial.end(process)


def worker_killed(trial: Trial) -> None:
    process = trial.begun()
    for pid in children(process.pid)[:1]:
        os.kill(pid, signal.SIGKILL)
    assert trial.end(process) == 0


def stopped(trial: Trial) -> None:
    """SIGSTOP, a second coordinator meanwhile, SIGCONT."""
    process = trial.begun()
    process.send_signal(signal.SIGSTOP)
    assert trial.end(trial.begin()) == 2
    # It may have been stopped in the middle of a transaction: then the database itself keeps others off.
    refused = f"in use by another run (process {process.pid})", "is being written by another program"
    assert any(words in trial.said[-1] for words in refused), trial.said
    process.send_signal(signal.SIGCONT)
    assert trial.end(process) == 0


def two_at_once(trial: Trial) -> None:
    codes = [trial.end(process) for process in [trial.begin(), trial.begin()]]
    assert sorted(codes) == [0, 2]
    assert "in use by another run" in trial.said[-1]


def removed(trial: Trial) -> None:
    process = trial.begun()
    trial.path.unlink()
    _saved(trial, process)


def moved(trial: Trial) -> None:
    process = trial.begun()
    trial.path.rename(trial.path.with_name("elsewhere.db"))
    _saved(trial, process)


def replaced(trial: Trial) -> None:
    other = trial.folder / "other.db"
    with open_store(f"sqlite:///{other}") as store:
        store.add(fake_learner.plan(1, 1))
    process = trial.begun()
    os.replace(other, trial.path)
    _saved(trial, process)


def folder_removed(trial: Trial) -> None:
    process = trial.begun()
    shutil.rmtree(trial.path.parent)
    _saved(trial, process)


def _saved(trial: Trial, process: subprocess.Popen[str]) -> None:
    """What the run had is in a file that it names."""
    assert trial.end(process) == 2
    assert "while it was in use; all results are in" in trial.said[-1]
    saved = trial.path.with_name("store.saved.db")
    assert str(saved) in trial.said[-1]
    with open_store(f"sqlite:///{saved}", create=False) as store:
        assert status(store)[0].steps_saved + status(store)[0].steps_done > 0
    os.replace(saved, trial.path)


def disk_full(trial: Trial) -> None:
    """Something else fills the disk during the run; later there is room again."""
    with disk(trial.path.parent, "8m"):
        process = trial.begun()
        ballast = trial.path.with_name("ballast")
        for size in (65536, 4096, 1):
            with suppress(OSError), open(ballast, "ab", buffering=0) as file:
                while process.poll() is None:
                    if file.write(bytes(size)) < size:
                        break
        assert trial.end(process) == 2
        assert "the disk is full" in trial.said[-1]
        ballast.unlink()
        trial.finish()
        kept = trial.folder / "kept.db"
        shutil.copy(trial.path, kept)
    trial.url = f"sqlite:///{kept}"


def truncated(trial: Trial) -> None:
    """The end of the file of a finished run is gone."""
    trial.finish()
    size = trial.path.stat().st_size
    os.truncate(trial.path, trial.rng.randrange(4096, size))
    _mend(trial)


def flipped(trial: Trial) -> None:
    """One bit of the file of a finished run is another."""
    trial.finish()
    flip(trial.path, trial.rng)
    _mend(trial)


def flip(path: Path, rng: random.Random) -> None:
    data = bytearray(path.read_bytes())
    place = rng.randrange(len(data))
    data[place] ^= 1 << rng.randrange(8)
    path.write_bytes(data)


def _mend(trial: Trial) -> None:
    """Runs again; where the file itself is broken, what can be read of it is copied first."""
    if trial.end(trial.begin()) == 0:
        return
    new = trial.folder / "new.db"
    try:
        recover(trial.url, new)
        trial.path.unlink()
        new.rename(trial.path)
    except StoreError as error:  # not even the list of tables can be read
        trial.said.append(f"mohs: {error}")
        for left in trial.path.parent.glob(f"{trial.path.name}*"):
            left.unlink()
        new.unlink(missing_ok=True)


def children(pid: int) -> list[int]:
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True)
    return [int(word) for word in found.stdout.split()]


def can_mount() -> bool:
    return os.getuid() == 0 and shutil.which("mount") is not None and Path("/proc/self/ns/mnt").exists()


@contextmanager
def disk(place: Path, size: str) -> Iterator[None]:
    """A small disk of its own at a directory."""
    place.mkdir(parents=True, exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


FAULTS: dict[str, Fault] = {
    "coordinator killed (SIGKILL)": killed,
    "worker killed (SIGKILL)": worker_killed,
    "coordinator stopped (SIGSTOP), a second one meanwhile": stopped,
    "two coordinators at once": two_at_once,
    "store removed": removed,
    "store moved": moved,
    "store replaced by another": replaced,
    "its directory removed": folder_removed,
    "disk full": disk_full,
    "file cut off": truncated,
    "one bit flipped": flipped,
}


def endure(fault: Fault, folder: Path, number: int, expected: bytes) -> Trial:
    """One trial: disturbed, then run to its end. Raises where the results are not those of the undisturbed run."""
    place = folder / f"{number}"
    (place / "runs").mkdir(parents=True)
    trial = Trial(place, f"sqlite:///{place}/runs/store.db", random.Random(number), workers=number % 3)
    if fault is worker_killed:
        trial.workers = 1 + number % 2
    fault(trial)
    trial.finish()
    assert trial.export() == expected, "the results differ"
    return trial


def endure_server(server: Server, folder: Path, number: int, expected: bytes) -> Trial:
    """The server is killed in the middle of the run and is away for a while. No second run gets in."""
    engine, schema = sa.create_engine(server.url), f"trial_{number}"
    with engine.begin() as connection:
        connection.exec_driver_sql(f"CREATE SCHEMA {schema}")
    engine.dispose()
    url = engine.url.update_query_dict({"options": f"-csearch_path={schema}"}).render_as_string(hide_password=False)
    (folder / f"{number}").mkdir(parents=True)
    trial = Trial(folder / f"{number}", url, random.Random(number), workers=number % 3)
    process = trial.begun()
    server.kill()
    time.sleep(trial.rng.random() * 2)
    server.start()
    assert trial.end(trial.begin()) == 2
    assert f"in use by another run (process {process.pid})" in trial.said[-1]
    assert trial.end(process) == 0
    trial.finish()
    assert trial.export() == expected, "the results differ"
    return trial


def flip_and_export(sound: Path, place: Path, rng: random.Random, expected: list[str]) -> str:
    """What comes of one flipped bit: the same export, one without the cells that it names, or a sentence."""
    shutil.copy(sound, place)
    flip(place, rng)
    try:
        with open_store(f"sqlite:///{place}", create=False) as store:
            damaged = export_csv(store, place.with_suffix(".csv"))
    except StoreError as error:
        return "refused" if "\n" not in str(error) else "wrong"
    found = place.with_suffix(".csv").read_text().splitlines()
    if found == expected:
        return "same"
    return "named" if found == [line for line in expected if line.partition(",")[0] not in damaged] else "wrong"
