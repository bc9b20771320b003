"""Verdicts on the challenge from invented runs: real MDPs of the catalogue, of which other things are said."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from mohs.protocols.challenge.settings import contenders
from mohs.protocols.challenge.study import PROBE, ChallengeStudy, plan
from mohs.tables.challenge.catalogue import CatalogueEntry, catalogue

BUDGET, EVERY = 20_000, 1000
OPTIMUM = 2.0
Player = Callable[[str, str, str, int, np.ndarray], np.ndarray | None]


def said_of(mdp: CatalogueEntry, **facts: object) -> CatalogueEntry:
    """An MDP of the catalogue with an optimal return of 2, of which some things are said anew."""
    plain = {"optimal_return": OPTIMUM, "status": "challenge", "gorp_steps": None, "gorp_budget": 10**8}
    plain |= {"effective_horizon": None, "effective_horizon_low": 5.0, "guess_steps": 1e9}
    return replace(mdp, **{**plain, **facts})


def facts(*each: dict[str, object]) -> list[CatalogueEntry]:
    return [said_of(mdp, **one) for mdp, one in zip(catalogue(), each or ({}, {}, {}), strict=False)]


def study_of(mdps: Sequence[CatalogueEntry], agents: Sequence[str] = ("ppo", "dqn"), seeds: int = 3) -> ChallengeStudy:
    chosen = tuple(mdp.id for mdp in mdps)
    return ChallengeStudy(contenders(agents, BUDGET), chosen, BUDGET, seeds, EVERY)


def results_of(study: ChallengeStudy, play: Player) -> dict[str, dict[str, tuple[np.ndarray, np.ndarray]]]:
    """Results in which evaluations are `play(agent, setting, mdp, seed, steps)`; None is a run that is missing."""
    steps, found = np.array(study.evaluations), {}
    for contender in study.contenders:
        for setting in contender.settings:
            for mdp in study.mdps:
                for seed in range(study.seeds):
                    returns = play(contender.name, setting.name, mdp, seed, steps)
                    if returns is not None:
                        key = study.cell(mdp, setting, seed).key
                        found[key] = {f"{PROBE}/return": (steps, np.asarray(returns, dtype=float))}
    assert set(found) <= {cell.key for cell in plan(study).cells}
    return found


def from_step(first: float) -> Callable[..., np.ndarray]:
    """Returns of an agent that is optimal from a step on, and earns half before."""
    return lambda agent, setting, mdp, seed, steps: np.where(steps >= first, OPTIMUM, OPTIMUM / 2)
