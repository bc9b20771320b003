"""Which MDPs make up the challenge, and what is known of every candidate? The versioned catalogue."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import Any

from mohs.core.errors import unknown
from mohs.tables.challenge.grid import VERSION, Kind


class Status(StrEnum):
    """Whether the filter kept a candidate (`CHALLENGE`), or why it dropped it."""

    CHALLENGE = "challenge"
    NO_WIN = "no win"  # the agent cannot win the game
    TOO_LARGE = "too large"
    GUESSED = "guessed"  # random guessing solves it
    GORP = "gorp"  # GORP solves it


@dataclass(frozen=True)
class CatalogueEntry:
    """A candidate of the grid and the results of the filter; a quantity that was not computed is None."""

    id: str
    source: str
    kind: Kind
    title: str
    status: Status
    actions: int
    horizon: int
    board: str | None = None  # rows x columns
    states: int | None = None
    optimal_return: float | None = None
    random_return: float | None = None
    p_opt: float | None = None
    guess_steps: float | None = None  # T log 2 / p_opt
    min_k: int | None = None
    gorp_steps: int | None = None  # charged with the best k and m; None: more than `gorp_budget`
    gorp_budget: int | None = None
    effective_horizon: float | None = None  # measured by GORP
    effective_horizon_low: float | None = None  # it is at least this
    checksum: str | None = None

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> CatalogueEntry:
        """Reads an entry of the catalogue file."""
        return cls(**{**data, "kind": Kind(data["kind"]), "status": Status(data["status"])})

    @property
    def length(self) -> str:
        """The effective horizon as text, or its lower bound."""
        if self.effective_horizon is not None:
            return f"{self.effective_horizon:.1f}"
        return "–" if self.effective_horizon_low is None else f"≥ {self.effective_horizon_low:.1f}"


@cache
def catalogue() -> tuple[CatalogueEntry, ...]:
    """Every candidate, in the order of the grid."""
    text = (files(__package__) / f"{VERSION}.json").read_text(encoding="utf-8")
    return tuple(CatalogueEntry.from_json(entry) for entry in json.loads(text))


def challenge() -> tuple[CatalogueEntry, ...]:
    """The candidates that the filter kept."""
    return tuple(entry for entry in catalogue() if entry.status == Status.CHALLENGE)


def catalogue_entry(id: str) -> CatalogueEntry:
    """The entry with this id; raises `UsageError` where there is none."""
    for entry in catalogue():
        if entry.id == id:
            return entry
    raise unknown("MDP of the challenge", id, [entry.id for entry in catalogue()])
