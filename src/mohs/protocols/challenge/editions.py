"""On which MDPs, for how long and how often is the challenge met? In full as in the paper, or quickly with controls."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from mohs.tables.challenge.catalogue import CatalogueEntry, Status

QUICK_CHALLENGE, QUICK_CONTROLS = 6, 4


@dataclass(frozen=True)
class Edition:
    """`choose` picks the MDPs from all that are listed, by a rule; `settings` bounds how many an agent is tried in."""

    budget: int
    seeds: int
    settings: int | None
    choose: Callable[[Iterable[CatalogueEntry]], list[CatalogueEntry]]


def is_control(mdp: CatalogueEntry) -> bool:
    """Whether the filter dropped it as too easy."""
    return mdp.status in (Status.GUESSED, Status.GORP)


def survivors(listed: Iterable[CatalogueEntry]) -> list[CatalogueEntry]:
    """The MDPs that the filter kept."""
    return [mdp for mdp in listed if mdp.status == Status.CHALLENGE]


def few(listed: Iterable[CatalogueEntry]) -> list[CatalogueEntry]:
    """Six MDPs of the challenge from six sources, and for four of them a control that looks the same.

    Of each source the smallest MDP of the challenge is taken. Its control is the MDP with the shortest effective
    horizon that the filter dropped, GORP solved, and that has the same board and actions. The four smallest that have
    one are taken with their controls, and the two smallest of the others. Ties go to the name that comes first.
    """
    every = list(listed)
    hard: dict[str, CatalogueEntry] = {}
    for mdp in sorted(survivors(every), key=_size):
        hard.setdefault(mdp.source, mdp)
    controls = {mdp.source: control for mdp in hard.values() if (control := _control(mdp, every)) is not None}
    paired = [mdp for mdp in hard.values() if mdp.source in controls][:QUICK_CONTROLS]
    others = [mdp for mdp in hard.values() if mdp not in paired][: QUICK_CHALLENGE - len(paired)]
    return [*sorted([*paired, *others], key=_size), *(controls[mdp.source] for mdp in paired)]


def _control(mdp: CatalogueEntry, every: Iterable[CatalogueEntry]) -> CatalogueEntry | None:
    """The easiest MDP that GORP solved and that looks the same: source, board and actions are equal."""
    looks = mdp.source, mdp.board, mdp.actions
    alike = [other for other in every if is_control(other) and (other.source, other.board, other.actions) == looks]
    return min((other for other in alike if other.gorp_steps is not None), key=_ease, default=None)


def _size(mdp: CatalogueEntry) -> tuple[float, str]:
    return mdp.states or math.inf, mdp.id


def _ease(mdp: CatalogueEntry) -> tuple[float, str]:
    return mdp.effective_horizon or math.inf, mdp.id


EDITIONS = {
    "full": Edition(10_000_000, 3, None, survivors),
    "quick": Edition(300_000, 3, 1, few),
}
