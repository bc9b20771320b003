"""Verdicts on the challenge from invented runs: real MDPs of the catalogue, of which other things are said."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from unittest.mock import patch

import numpy as np

from mohs.protocols.challenge import study as study_module
from mohs.protocols.challenge import verdict as verdict_module
from mohs.protocols.challenge.settings import all_with_settings
from mohs.protocols.challenge.study import PROBE, ChallengeStudy, plan
from mohs.protocols.challenge.verdict import ChallengeVerdict, verdict
from mohs.runs.results import Results
from mohs.tables.challenge.catalogue import CatalogueEntry, Status, catalogue

BUDGET, EVERY = 20_000, 1000
OPTIMUM = 2.0
Player = Callable[[str, str, str, int, np.ndarray], np.ndarray | None]


def said_of(mdp: CatalogueEntry, **facts: object) -> CatalogueEntry:
    """An MDP of the catalogue with an optimal return of 2, of which some things are said anew."""
    plain = {"optimal_return": OPTIMUM, "status": Status.CHALLENGE, "gorp_steps": None, "gorp_budget": 10**8}
    plain |= {"effective_horizon": None, "effective_horizon_low": 5.0, "guess_steps": 1e9}
    return replace(mdp, **{**plain, **facts})


def facts(*each: dict[str, object]) -> list[CatalogueEntry]:
    return [said_of(mdp, **one) for mdp, one in zip(catalogue(), each or ({}, {}, {}), strict=False)]


def study_of(mdps: Sequence[CatalogueEntry], agents: Sequence[str] = ("ppo", "dqn"), seeds: int = 3) -> ChallengeStudy:
    chosen = tuple(mdp.id for mdp in mdps)
    return ChallengeStudy(all_with_settings(agents, BUDGET), chosen, BUDGET, seeds, EVERY)


def results_of(study: ChallengeStudy, play: Player) -> Results:
    """Results in which evaluations are `play(agent, setting, mdp, seed, steps)`; None is a run that is missing."""
    steps, found = np.array(study.evaluations), {}
    for agent in study.agents:
        for setting in agent.settings:
            for mdp in study.mdps:
                for seed in range(study.seeds):
                    returns = play(agent.name, setting.name, mdp, seed, steps)
                    if returns is not None:
                        key = study.cell(mdp, setting, seed).key
                        found[key] = {f"{PROBE}/return": (steps, np.asarray(returns, dtype=float))}
    assert set(found) <= {cell.key for cell in plan(study).cells}
    return Results.of(plan(study), found)


def judged(study: ChallengeStudy, play: Player, mdps: Sequence[CatalogueEntry]) -> ChallengeVerdict:
    """The verdict on invented results, where this is what is known of the MDPs."""
    results = results_of(study, play)
    with (
        patch.object(study_module, "facts", lambda _: list(mdps)),
        patch.object(verdict_module, "facts", lambda _: list(mdps)),
    ):
        return verdict(study, results)


def missing(*_: object) -> None:
    """A player none of whose runs has finished."""


def from_step(first: float) -> Callable[..., np.ndarray]:
    """Returns of an agent that is optimal from a step on, and earns half before."""
    return lambda agent, setting, mdp, seed, steps: np.where(steps >= first, OPTIMUM, OPTIMUM / 2)
