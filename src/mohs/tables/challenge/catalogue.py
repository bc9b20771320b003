"""Which MDPs make the challenge, and what is known of every one that was tried? The versioned list."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from mohs.core.errors import unknown
from mohs.tables.challenge.grid import VERSION

CHALLENGE = "challenge"  # the status of those that are left, and of those that were dropped and why
NO_WIN, TOO_LARGE, GUESSED, GORP = "no win", "too large", "guessed", "gorp"


@dataclass(frozen=True)
class Listed:
    """A candidate of the grid and what the filter found; what was not looked at is None.

    `status` is "challenge", or why it was dropped: "no win", "too large", "guessed" or "gorp".
    """

    id: str
    source: str
    kind: str
    title: str
    status: str
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

    @property
    def length(self) -> str:
        """The effective horizon, or what it is at least, for people."""
        if self.effective_horizon is not None:
            return f"{self.effective_horizon:.1f}"
        return "–" if self.effective_horizon_low is None else f"≥ {self.effective_horizon_low:.1f}"


@cache
def catalogue() -> tuple[Listed, ...]:
    """Every candidate, in the order of the grid."""
    text = (files(__package__) / f"{VERSION}.json").read_text(encoding="utf-8")
    return tuple(Listed(**entry) for entry in json.loads(text))


def challenge() -> tuple[Listed, ...]:
    """Those that were left."""
    return tuple(entry for entry in catalogue() if entry.status == CHALLENGE)


def listed(id: str) -> Listed:
    for entry in catalogue():
        if entry.id == id:
            return entry
    raise unknown("MDP of the challenge", id, [entry.id for entry in catalogue()])
