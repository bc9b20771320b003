"""Where are the MDPs of the challenge stored? One directory for each in the user's cache, read by memory mapping.

`entries.npy` has for each state and action the next state and the reward side by side, `cells.npy` the boards,
`facts.json` all else and a checksum. A directory is written atomically and is the same on every machine.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
import tempfile
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.core.errors import UsageError
from mohs.core.files import user_cache
from mohs.tables.challenge.catalogue import catalogue
from mohs.tables.challenge.grid import VERSION, candidate
from mohs.tables.mdp import Mdp
from mohs.tables.numbering import Progress
from mohs.tables.table import Table

ENTRY = np.dtype([("next", np.uint32), ("reward", np.float32)])  # of row state · actions + action
END = np.uint32(1 << 31)  # set in `next` where the episode ends there


@dataclass(frozen=True)
class Facts:
    """All that is not in the large arrays."""

    id: str
    start: int
    states: int
    actions: int
    horizon: int
    shape: tuple[int, int]
    codes: str
    action_names: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Stored(Facts):
    entries: npt.NDArray[np.void]
    cells: npt.NDArray[np.uint8]
    checksum: str

    def table(self) -> Table:
        """The MDP as a `Table`."""
        last = self.entries["next"] & ~END
        terminal = np.zeros(self.states, dtype=np.bool_)
        terminal[last[self.entries["next"] >= END]] = True
        number = np.arange(self.states, dtype=np.int32)
        return Table(
            actions=self.actions,
            succ=last.astype(np.int32),
            reward=self.entries["reward"].astype(np.float64),
            terminal=terminal,
            initial=(number == self.start).astype(np.float64),
            observation=number,
            horizon=self.horizon,
            action_names=self.action_names,
        )


def directory(id: str) -> Path:
    return user_cache() / "challenge" / VERSION / id


def is_there(id: str) -> bool:
    return (directory(id) / "facts.json").is_file()


def is_stored(id: str) -> bool:
    """Whether an MDP is stored with the checksum of the catalogue; its rules may have changed since."""
    if not is_there(id):
        return False
    wanted = {mdp.id: mdp.checksum for mdp in catalogue()}.get(id)
    return wanted in (None, json.loads((directory(id) / "facts.json").read_text()).get("checksum"))


@lru_cache(maxsize=256)
def stored(id: str) -> Stored:
    """Reads an MDP. It is built first if it is missing or differs from the catalogue."""
    if not is_stored(candidate(id).id):
        print(f"mohs: building {id} for the first time (mohs challenge build makes all of them).", file=sys.stderr)
        make(id)
    return read(id)


def make(id: str, progress: Progress | None = None) -> None:
    """Builds an MDP and stores it."""
    from mohs.tables.challenge.build import build  # the rules of all games are not needed to step a stored table

    write(id, build(candidate(id), progress))


def write(id: str, mdp: Mdp) -> None:
    facts, entries = packed(id, mdp)
    place = directory(id)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=f".{id}.", suffix=".tmp", dir=place.parent))
    except OSError as error:
        raise UsageError(f"{place} cannot be written: {error.strerror or error}.") from error
    try:
        np.save(draft / "entries.npy", entries)
        np.save(draft / "cells.npy", mdp.cells)
        contents = {**asdict(facts), "checksum": checksum(facts, entries, mdp.cells)}
        (draft / "facts.json").write_text(json.dumps(contents, indent=1))
        if place.exists() and not is_stored(id):  # outdated, or the rest of a removed one
            shutil.rmtree(place)
        draft.chmod(0o755)
        draft.rename(place)
    except OSError as error:
        if is_there(id):  # another process was faster; its files are the same
            return
        raise UsageError(f"{place} cannot be written: {error.strerror or error}.") from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def packed(id: str, mdp: Mdp) -> tuple[Facts, npt.NDArray[np.void]]:
    """The facts and entries of an MDP, as stored beside its boards."""
    table = mdp.table
    assert table.horizon is not None
    entries = np.empty(len(table.succ), dtype=ENTRY)
    entries["next"] = table.succ
    entries["next"][table.terminal[table.succ]] |= END
    entries["reward"] = table.reward
    facts = Facts(
        id, mdp.start, table.states, table.actions, table.horizon, mdp.shape, mdp.codes, tuple(table.action_names)
    )
    return facts, entries


def read(id: str) -> Stored:
    place = directory(id)
    try:
        contents: dict[str, Any] = json.loads((place / "facts.json").read_text())
        entries = np.load(place / "entries.npy", mmap_mode="r")
        cells = np.load(place / "cells.npy", mmap_mode="r")
        contents["shape"], contents["action_names"] = tuple(contents["shape"]), tuple(contents["action_names"])
        found = Stored(**contents, entries=entries, cells=cells)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{place} cannot be read ({error}); remove it to have it built again.") from error
    whole = len(entries) == found.states * found.actions and len(cells) == found.states and found.id == id
    # A kernel trusts what it reads here, so it must not lead out of the table.
    if not whole or int((entries["next"] & ~END).max(initial=0)) >= found.states:
        raise UsageError(f"{place} is inconsistent; remove it to have it built again.")
    return found


def checksum(facts: Facts, entries: npt.NDArray[np.void], cells: npt.NDArray[np.uint8]) -> str:
    digest = hashlib.sha256(json.dumps(asdict(facts), sort_keys=True).encode())
    for array in (entries, cells):
        digest.update(np.ascontiguousarray(array).view(np.uint8).data)
    return digest.hexdigest()


def is_sound(found: Stored) -> bool:
    """Whether the stored files have their checksum."""
    facts = Facts(**{name: getattr(found, name) for name in Facts.__dataclass_fields__})
    return checksum(facts, found.entries, found.cells) == found.checksum
