"""Where are the MDPs of the challenge kept? One directory for each, in the user's cache, read through memory maps.

`entries.npy` has for each state and action the next state and the reward side by side, `cells.npy` the boards,
`facts.json` all else and a checksum. A directory appears whole or not at all, and is the same on every machine.
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
        """As the exact layer takes it."""
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
    """Whether an MDP is kept, and by its own word is the one that is listed: rules may have changed since."""
    if not is_there(id):
        return False
    wanted = {mdp.id: mdp.checksum for mdp in catalogue()}.get(id)
    return wanted in (None, json.loads((directory(id) / "facts.json").read_text()).get("checksum"))


@lru_cache(maxsize=256)
def stored(id: str) -> Stored:
    """An MDP; where it is not there yet, or is another than the one that is listed, it is built first."""
    if not is_stored(candidate(id).id):
        print(f"mohs: building {id} for the first time (mohs challenge build makes all of them).", file=sys.stderr)
        make(id)
    return read(id)


def make(id: str, progress: Progress | None = None) -> None:
    """Builds an MDP and keeps it."""
    from mohs.tables.challenge.build import build  # the rules of all games, which those who play tables do not need

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
        told = {**asdict(facts), "checksum": checksum(facts, entries, mdp.cells)}
        (draft / "facts.json").write_text(json.dumps(told, indent=1))
        if place.exists() and not is_stored(id):  # an old one, or what is left of one that was being removed
            shutil.rmtree(place)
        draft.chmod(0o755)
        draft.rename(place)
    except OSError as error:
        if is_there(id):  # somebody else was faster: theirs is the same
            return
        raise UsageError(f"{place} cannot be written: {error.strerror or error}.") from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def packed(id: str, mdp: Mdp) -> tuple[Facts, npt.NDArray[np.void]]:
    """What is kept of an MDP beside its boards."""
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
        told: dict[str, Any] = json.loads((place / "facts.json").read_text())
        entries = np.load(place / "entries.npy", mmap_mode="r")
        cells = np.load(place / "cells.npy", mmap_mode="r")
        told["shape"], told["action_names"] = tuple(told["shape"]), tuple(told["action_names"])
        found = Stored(**told, entries=entries, cells=cells)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{place} cannot be read ({error}); remove it, and it is built anew.") from error
    whole = len(entries) == found.states * found.actions and len(cells) == found.states and found.id == id
    # A kernel trusts what it reads here, so it must not lead out of the table.
    if not whole or int((entries["next"] & ~END).max(initial=0)) >= found.states:
        raise UsageError(f"{place} does not hold together; remove it, and it is built anew.")
    return found


def checksum(facts: Facts, entries: npt.NDArray[np.void], cells: npt.NDArray[np.uint8]) -> str:
    digest = hashlib.sha256(json.dumps(asdict(facts), sort_keys=True).encode())
    for array in (entries, cells):
        digest.update(np.ascontiguousarray(array).view(np.uint8).data)
    return digest.hexdigest()


def is_sound(found: Stored) -> bool:
    """Whether what is kept is what was written."""
    facts = Facts(**{name: getattr(found, name) for name in Facts.__dataclass_fields__})
    return checksum(facts, found.entries, found.cells) == found.checksum
