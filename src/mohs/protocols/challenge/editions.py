"""On which MDPs, for how long and how often is the challenge met? In full as in the paper, or quickly with controls."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from mohs.tables.challenge.catalogue import CHALLENGE, Listed

QUICK_CHALLENGE, QUICK_CONTROLS = 6, 4


@dataclass(frozen=True)
class Edition:
    """`choose` picks the MDPs from all that are listed, by a rule; `settings` bounds how many an agent is tried in."""

    budget: int
    seeds: int
    settings: int | None
    choose: Callable[[Iterable[Listed]], list[Listed]]


def is_control(mdp: Listed) -> bool:
    """Whether the filter dropped it, as too easy."""
    return mdp.status != CHALLENGE


def survivors(listed: Iterable[Listed]) -> list[Listed]:
    return [mdp for mdp in listed if not is_control(mdp)]


def few(listed: Iterable[Listed]) -> list[Listed]:
    """Six MDPs of the challenge from six sources, and four controls by the rules of some of these.

    Of each source the smallest MDP of the challenge is taken; of these, the six smallest. A control is the MDP with the
    shortest effective horizon of those that the filter dropped from such a source and GORP solved; the four largest are
    taken, so that it is not their size that makes them easy. Ties go to the name that comes first.
    """
    every = list(listed)
    hard = sorted(_each_source(survivors(every), _size), key=_size)[:QUICK_CHALLENGE]
    sources = {mdp.source for mdp in hard}
    dropped = [mdp for mdp in every if mdp.source in sources and mdp.gorp_steps is not None and is_control(mdp)]
    return hard + sorted(_each_source(dropped, _ease), key=_size)[-QUICK_CONTROLS:]


def _each_source(mdps: Iterable[Listed], key: Callable[[Listed], tuple[float, str]]) -> list[Listed]:
    """The first of every source by a key."""
    found: dict[str, Listed] = {}
    for mdp in sorted(mdps, key=key):
        found.setdefault(mdp.source, mdp)
    return list(found.values())


def _size(mdp: Listed) -> tuple[float, str]:
    return mdp.states or math.inf, mdp.id


def _ease(mdp: Listed) -> tuple[float, str]:
    return mdp.effective_horizon or math.inf, mdp.id


EDITIONS = {
    "full": Edition(10_000_000, 3, None, survivors),
    "quick": Edition(300_000, 5, 1, few),
}
