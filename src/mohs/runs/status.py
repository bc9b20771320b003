"""How far are the studies of a store, and what went wrong?"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass

import sqlalchemy as sa

from mohs.core.errors import unknown
from mohs.core.values import Json
from mohs.runs import database
from mohs.runs.export import agent_text
from mohs.runs.schema import CELL, CHECKPOINT, STUDY_CELL
from mohs.runs.store import Store, Study

LAST_ERRORS = 5


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
    """Counts of a study's cells and steps; `steps_saved` are those of pending cells that lie in checkpoints."""

    study: Study
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
    query = (
        sa.select(CELL.c.key, CELL.c.json, CELL.c.error)
        .join(STUDY_CELL, STUDY_CELL.c.cell == CELL.c.key)
        .where(STUDY_CELL.c.study == study, CELL.c.status == "failed")
        .order_by(STUDY_CELL.c.position)
        .limit(limit)
    )
    with database.reading(store.engine) as db, store.sound():
        return [Failure(r.key, agent_text(json.loads(r.json)["agent"]), r.error) for r in db.execute(query)]


def find(store: Store, name: str, protocol: str = "") -> Study:
    """The study with this key, beginning of a key, or name; of several the newest, of this protocol if there is one."""
    studies = store.studies()
    found = [s for s in studies if s.name == name] or [s for s in studies if name and s.key.startswith(name)]
    found = found or [s for s in studies if s.name.split(" ")[0] == name]  # with some hyperparameters set
    if not found:
        raise unknown("study", name, Counter(s.name for s in studies))
    return ([s for s in found if s.protocol == protocol] or found)[-1]


def _study_status(store: Store, study: Study, errors: int) -> StudyStatus:
    mine = sa.select(STUDY_CELL.c.cell).where(STUDY_CELL.c.study == study.key)
    counted = sa.select(CELL.c.status, sa.func.count(), sa.func.sum(CELL.c.steps)).where(CELL.c.key.in_(mine))
    with database.reading(store.engine) as db:
        rows = {name: (int(n), int(steps or 0)) for name, n, steps in db.execute(counted.group_by(CELL.c.status))}
        saved = db.scalar(sa.select(sa.func.sum(CHECKPOINT.c.step)).where(CHECKPOINT.c.cell.in_(mine)))
    count = {name: rows.get(name, (0, 0)) for name in ("done", "pending", "failed")}
    return StudyStatus(
        study,
        done=count["done"][0],
        pending=count["pending"][0],
        failed=count["failed"][0],
        steps=sum(steps for _, steps in count.values()),
        steps_done=count["done"][1],
        steps_saved=int(saved or 0),
        failures=tuple(failures(store, study.key, errors)),
    )
