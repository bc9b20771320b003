"""How far are the studies of a store, and which cells failed?"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mohs.core.errors import UsageError, unknown
from mohs.core.values import Json
from mohs.runs.export import agent_text
from mohs.runs.places import Place, differences
from mohs.runs.store import CellStatus, Store, StoredStudy, sound

LAST_ERRORS = 5
SHORTEST_KEY = 4  # characters that stand for a whole key
SHOWN_KEY = 8
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
class About:
    """What the cells of a study say of it: environments, seeds, the smallest and the largest budget, agents' versions.

    The version of an agent is a hash of the file that it is in; built-in agents have none.
    """

    envs: tuple[str, ...]
    seeds: int
    budget: tuple[int, ...]
    versions: tuple[str, ...]

    def to_json(self) -> dict[str, Json]:
        return {
            "envs": list(self.envs),
            "seeds": self.seeds,
            "budget": list(self.budget),
            "versions": list(self.versions),
        }


@dataclass(frozen=True)
class StudyStatus:
    """Counts of a study's cells and steps; `steps_saved` are the steps that checkpoints of pending cells hold."""

    study: StoredStudy
    about: About
    done: int
    pending: int
    failed: int
    steps: int
    steps_done: int
    steps_saved: int
    failures: tuple[Failure, ...]
    places: tuple[Place, ...] = ()

    @property
    def cells(self) -> int:
        return self.done + self.pending + self.failed

    def to_json(self) -> dict[str, Json]:
        failures: list[Json] = [failure.to_json() for failure in self.failures]
        return {
            "key": self.study.key,
            "name": self.study.name,
            "protocol": self.study.protocol,
            "label": self.study.label,
            **self.about.to_json(),
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
            "places": [place.to_json() for place in self.places],
            "places_differ": list(differences(self.places)),
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
    """The study with this label, name, key, beginning of a key, or agent: the newest, of this protocol if one is.

    Raises:
        UsageError: there is none, or several keys begin so.
    """
    return candidates(store, name, protocol)[0]


def candidates(store: Store, name: str, protocol: str = "") -> list[StoredStudy]:
    """The studies with this label, name, key, beginning of a key, or agent: of this protocol first, then newest first.

    A study has its own name, and perhaps a shorter one among its options. Of the studies of an agent, those of this
    agent alone come first, then those that name it first.

    Raises:
        UsageError: there is none, or several keys begin so.
    """
    newest_first = store.studies()[::-1]
    studies = sorted(newest_first, key=lambda s: s.protocol != protocol)
    calls: tuple[Callable[[StoredStudy], object], ...] = (
        lambda s: s.label, lambda s: s.name, lambda s: s.options.get("name")
    )  # fmt: skip
    for called in calls:
        if name and (named := [s for s in studies if called(s) == name]):
            return named
    if len(name) >= SHORTEST_KEY and (found := [s for s in studies if s.key.startswith(name)]):
        found = [s for s in found if s.protocol == protocol] or found
        if len(found) > 1:
            listed = ", ".join(f"{s.key[:LISTED_KEY]} ({s.name})" for s in found)
            raise UsageError(f"the keys of several studies begin with {name!r}: {listed}.")
        return found
    if found := [s for s in studies if name in s.agents]:
        return sorted(found, key=lambda s: (s.protocol != protocol, s.agents != (name,), s.agents[0] != name))
    raise unknown("study", name, {called for s in studies for called in (s.name, s.label) if called})


def about(store: Store, study: StoredStudy) -> About:
    """What the cells of a study say of it. Those of the first seed name all tasks and agents."""
    with sound(store.name):
        cells = [json.loads(record.json) for record in store.cells(study.key, len(study.tracks) or None)]
    trained = [cell for cell in cells if any(segment["steps"] for segment in cell["segments"])] or cells
    steps = [sum(segment["steps"] for segment in cell["segments"]) for cell in trained]
    tasks = [task for cell in trained for segment in cell["segments"] for task in _tasks(segment["source"])]
    seeds = len(store.runs(study.key)) // len(study.tracks) if study.tracks else len({c["seed"] for c in cells})
    return About(
        tuple(dict.fromkeys(task["env"] for task in tasks)),
        seeds,
        tuple(sorted({min(steps), max(steps)})) if steps else (),
        tuple(dict.fromkeys(cell["agent"]["source"] for cell in trained if cell["agent"]["source"])),
    )


def without_folders(name: str) -> str:
    """The name of a study or agent as people read it: of a file its name, without its folders."""
    return re.sub(r"\S*/(?=[^/\s]+\.py:)", "", name)


def _tasks(source: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The tasks of a stored source: itself, or those of a set."""
    return list(source.get("tasks", [source]))


def _study_status(store: Store, study: StoredStudy, errors: int) -> StudyStatus:
    counts = store.counts(study.key)
    return StudyStatus(
        study,
        about(store, study),
        done=counts.cells[CellStatus.DONE],
        pending=counts.cells[CellStatus.PENDING],
        failed=counts.cells[CellStatus.FAILED],
        steps=sum(counts.steps.values()),
        steps_done=counts.steps[CellStatus.DONE],
        steps_saved=counts.saved,
        failures=tuple(failures(store, study.key, errors)),
        places=tuple(store.places_of(study.key)),
    )
