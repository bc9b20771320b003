"""How far are the studies of a store, and which cells failed?"""

from __future__ import annotations

import json
from dataclasses import dataclass

from mohs.core.errors import UsageError, unknown
from mohs.core.values import Json
from mohs.runs.export import agent_text
from mohs.runs.store import CellStatus, Store, StoredStudy, sound

LAST_ERRORS = 5
SHORTEST_KEY = 4  # characters that stand for a whole key
LISTED_KEY = 12


@dataclass(frozen=True)
class Failure:
    """A failed cell; `reason` is the last line of its traceback."""

    cell: str
    agent: str
    error: str

    @property
    def reason(self) -> str:
        lines = self.error.strip().splitlines()
        return lines[-1].strip() if lines else ""

    def to_json(self) -> dict[str, Json]:
        return {"cell": self.cell, "agent": self.agent, "reason": self.reason, "error": self.error}


@dataclass(frozen=True)
class StudyStatus:
    """Counts of a study's cells and steps; `steps_saved` are the steps that checkpoints of pending cells hold."""

    study: StoredStudy
    done: int
    pending: int
    failed: int
    steps: int
    steps_done: int
    steps_saved: int
    failures: tuple[Failure, ...]

    @property
    def cells(self) -> int:
        return self.done + self.pending + self.failed

    def to_json(self) -> dict[str, Json]:
        failures: list[Json] = [failure.to_json() for failure in self.failures]
        return {
            "key": self.study.key,
            "name": self.study.name,
            "protocol": self.study.protocol,
            "options": dict(self.study.options),
            "created": self.study.created,
            "cells": self.cells,
            "done": self.done,
            "pending": self.pending,
            "failed": self.failed,
            "steps": self.steps,
            "steps_done": self.steps_done,
            "steps_saved": self.steps_saved,
            "failures": failures,
        }


def status(store: Store, errors: int = LAST_ERRORS) -> list[StudyStatus]:
    """Every study, oldest first, with some of its failures."""
    return [_study_status(store, study, errors) for study in store.studies()]


def failures(store: Store, study: str, limit: int | None = None) -> list[Failure]:
    """The failed cells of a study, in its order."""
    records = store.failures(study, limit)
    with sound(store.name):
        return [Failure(r.key, agent_text(json.loads(r.json)["agent"]), r.error) for r in records]


def find(store: Store, name: str, protocol: str = "") -> StoredStudy:
    """The study with this name, key, beginning of a key, or agent: the newest, of this protocol if one is.

    A study has its own name, and perhaps a shorter one among its options. Of the studies of an agent, those of this
    agent alone come first, then those that name it first.

    Raises:
        UsageError: there is none, or several keys begin so.
    """
    newest_first = store.studies()[::-1]
    studies = sorted(newest_first, key=lambda s: s.protocol != protocol)
    named = [s for s in studies if s.name == name] or [s for s in studies if s.options.get("name") == name]
    if named:
        return named[0]
    if len(name) >= SHORTEST_KEY and (found := [s for s in studies if s.key.startswith(name)]):
        found = [s for s in found if s.protocol == protocol] or found
        if len(found) > 1:
            listed = ", ".join(f"{s.key[:LISTED_KEY]} ({s.name})" for s in found)
            raise UsageError(f"the keys of several studies begin with {name!r}: {listed}.")
        return found[0]
    if found := [s for s in studies if name in s.agents]:
        return min(found, key=lambda s: (s.protocol != protocol, s.agents != (name,), s.agents[0] != name))
    raise unknown("study", name, {s.name for s in studies})


def _study_status(store: Store, study: StoredStudy, errors: int) -> StudyStatus:
    counts = store.counts(study.key)
    return StudyStatus(
        study,
        done=counts.cells[CellStatus.DONE],
        pending=counts.cells[CellStatus.PENDING],
        failed=counts.cells[CellStatus.FAILED],
        steps=sum(counts.steps.values()),
        steps_done=counts.steps[CellStatus.DONE],
        steps_saved=counts.saved,
        failures=tuple(failures(store, study.key, errors)),
    )
