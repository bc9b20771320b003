"""Is a game hard to see or hard to learn? What follows from the runs of all conditions.

A cost is the share of what an agent reaches in the semantic view at full reward that it loses in pixels (perception)
or with the rarest reward (learning). `phi` and `psi` are the paper's own measures (A.2, A.4), kept beside them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mohs.core.task import Task
from mohs.core.values import Json
from mohs.protocols.lcd.conditions import (
    CONTROLS,
    FIGURE_GROUND,
    PIXELS,
    SEMANTIC,
    Remedy,
    helped,
    helps,
    rarer,
)
from mohs.protocols.lcd.results import MEASURES, Runs, measured, runs_of
from mohs.protocols.lcd.scale import relative
from mohs.protocols.lcd.study import PROTOCOL, LcdStudy
from mohs.protocols.scores import Scores
from mohs.protocols.verdict import Verdict
from mohs.report.findings import Finding
from mohs.runs.results import Results
from mohs.stats import Estimate, estimate
from mohs.stats.intervals import corrected_level
from mohs.stats.lcd import (
    FEWEST_GAMES,
    Cost,
    Judgement,
    gain,
    joint,
    min_max,
    paper_phi,
    paper_psi,
    rank_agreement,
    reward_cost,
    reward_slope,
    synergy,
    view_cost,
)

if TYPE_CHECKING:
    import pandas as pd

LEVEL = 0.95
Floats = npt.NDArray[np.float64]
_ABSENT = (Judgement.SMALL, Judgement.REVERSED)  # no challenge: less than the threshold, or the other way round


class Challenge(StrEnum):
    """What makes a game hard for an agent."""

    PERCEPTION = "perception"
    LEARNING = "learning"
    BOTH = "both"
    NEITHER = "neither"
    OPEN = "open"  # one of both is not decided, or neither
    UNKNOWN = "unknown"  # cannot be told at this budget


@dataclass(frozen=True, eq=False)
class GameResult:
    """One agent on one game.

    Attributes:
        runs: Its curves and areas by condition.
        reached: The area in the semantic view at full reward.
        perception: What pixels cost.
        ground: What figure and ground costs, where it was run.
        learning: What the rarest reward costs, where several probabilities were run.
        slope: The change of the area with every halving of the reward probability.
        phi: The paper's perceptual challenge; needs figure and ground.
        psi: The paper's learning challenge.
        joint: Centre and covariance of both costs.
        controls: Costs that should be zero.
        gains: What remedies add to the area.
    """

    runs: Runs
    reached: Estimate
    perception: Cost
    ground: Cost | None
    learning: Cost | None
    slope: Estimate | None
    phi: Estimate | None
    psi: Estimate | None
    joint: tuple[Floats, Floats] | None
    controls: Mapping[str, Cost]
    gains: Mapping[Remedy, Estimate]

    @property
    def agent(self) -> str:
        """The label of the agent."""
        return self.runs.agent

    @property
    def game(self) -> str:
        """The name of the game."""
        return self.runs.game

    @property
    def challenge(self) -> Challenge:
        """What both costs say together."""
        p = self.perception.judgement
        q = Judgement.SMALL if self.learning is None else self.learning.judgement
        if not p.told and (not q.told or self.learning is None):
            return Challenge.UNKNOWN
        if not (p.known and q.known):
            return Challenge.OPEN
        if p in _ABSENT:
            return Challenge.NEITHER if q in _ABSENT else Challenge.LEARNING
        return Challenge.PERCEPTION if q in _ABSENT else Challenge.BOTH

    @property
    def sound(self) -> bool:
        """Whether no control shows an effect."""
        effects = (Judgement.CHALLENGE, Judgement.REVERSED)
        return not any(control.judgement in effects for control in self.controls.values())

    def to_json(self) -> dict[str, Json]:
        """As plain data."""
        numbers: dict[str, Cost | Estimate | None] = {
            "reached": self.reached, "perception": self.perception, "figure_ground": self.ground,
            "learning": self.learning, "slope_per_halving": self.slope, "phi": self.phi, "psi": self.psi,
        }  # fmt: skip
        return {
            "agent": self.agent,
            "game": self.game,
            "challenge": str(self.challenge),
            "score": None if self.runs.score is None else self.runs.score.to_json(),
            **{name: None if e is None else e.to_dict() for name, e in numbers.items()},
            "controls": {name: cost.to_dict() for name, cost in self.controls.items()},
            "gains": {str(remedy): e.to_dict() for remedy, e in self.gains.items()},
        }


@dataclass(frozen=True)
class Agreement:
    """How far two agents order the games alike (Figure 4): rank correlations over the games told for both."""

    first: str
    second: str
    perception: Estimate
    learning: Estimate | None

    def to_json(self) -> dict[str, Json]:
        """As plain data."""
        learning = None if self.learning is None else self.learning.to_dict()
        return {"agents": [self.first, self.second], "perception": self.perception.to_dict(), "learning": learning}


@dataclass(frozen=True)
class Synergy:
    """Whether a better agent and a better view give more together than the sum of both gains (Figure 5).

    The intervals of all games of a study hold together.
    """

    first: str
    second: str
    game: str
    extra: Estimate

    def to_json(self) -> dict[str, Json]:
        """As plain data."""
        return {"agents": [self.first, self.second], "game": self.game, **self.extra.to_dict()}


@dataclass(frozen=True, eq=False, repr=False)
class LcdVerdict(Verdict):
    """What makes every game hard for every agent, and what helps."""

    protocol = PROTOCOL

    study: LcdStudy
    scores: Scores = field(repr=False)
    results: tuple[GameResult, ...]  # game by game, the agents of each in their order
    phi: Mapping[str, Mapping[str, float]]  # of each agent, the paper's measures normalised over games
    psi: Mapping[str, Mapping[str, float]]
    agreements: tuple[Agreement, ...]
    synergies: tuple[Synergy, ...]
    runs: int  # that were planned
    missing: int

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All sentences."""
        from mohs.protocols.lcd.sentences import findings

        return findings(self)

    def of(self, agent: str) -> tuple[GameResult, ...]:
        """The results of one agent, game by game.

        Example:
            >>> from mohs.protocols.lcd.verdict import Challenge
            >>> Challenge("both").value
            'both'
        """
        return tuple(result for result in self.results if result.agent == agent)

    def frame(self) -> pd.DataFrame:
        """One row for each agent, game, condition and seed, with the measures of the run."""
        return self.scores.frame()

    def to_json(self) -> dict[str, Json]:
        """All of it as plain data."""
        return {
            "study": self.study.to_json(),
            "headline": list(self.sentences),
            "results": [result.to_json() for result in self.results],
            "paper": {
                "phi": {k: dict(v) for k, v in self.phi.items()},
                "psi": {k: dict(v) for k, v in self.psi.items()},
            },
            "agreements": [agreement.to_json() for agreement in self.agreements],
            "synergies": [synergy.to_json() for synergy in self.synergies],
            "runs": self.runs,
            "missing": self.missing,
        }


def verdict(study: LcdStudy, results: Results) -> LcdVerdict:
    """The verdict on the runs that have finished."""
    read = [runs_of(study, results, agent, name, task) for name, task in study.games for agent in study.labels]
    tasks = dict(study.games)
    found = tuple(_judged(study, runs, tasks[runs.game]) for runs in read)
    by_agent = {label: [r for r in found if r.agent == label] for label in study.labels}
    pairs = list(combinations(study.labels, 2))
    return LcdVerdict(
        study,
        _scores(study, results, read),
        found,
        {label: _normalised({r.game: r.phi for r in of}) for label, of in by_agent.items()},
        {label: _normalised({r.game: r.psi for r in of}) for label, of in by_agent.items()},
        tuple(_agreement(by_agent[a], by_agent[b]) for a, b in pairs if len(study.games) >= FEWEST_GAMES),
        tuple(
            _synergy(p, q, corrected_level(LEVEL, len(study.games)))
            for a, b in pairs
            for p, q in zip(by_agent[a], by_agent[b], strict=True)
        ),
        results.planned,
        results.missing,
    )


def _judged(study: LcdStudy, runs: Runs, task: Task) -> GameResult:
    areas = runs.areas
    semantic, pixels = areas[SEMANTIC], areas[PIXELS]
    ground = areas[FIGURE_GROUND] if study.figure_ground else None
    by_probability = {p: areas[rarer(p)] for p in study.probabilities}
    several = len(by_probability) > 1
    # Where 1 is what an agent reached, nobody knows how near the maximum that is.
    rules = {"floor": study.floor, **({"ceiling": math.inf} if relative(runs.score) else {})}
    names = {c.name for c in study.conditions(task)}
    return GameResult(
        runs,
        estimate(semantic, "mean", LEVEL),
        view_cost(semantic, pixels, **rules),
        None if ground is None else view_cost(semantic, ground, **rules),
        reward_cost(by_probability, **rules) if several else None,
        reward_slope(by_probability) if several else None,
        None if ground is None else paper_phi(pixels, ground, semantic),
        paper_psi(by_probability) if several else None,
        joint((semantic, pixels), by_probability) if several else None,
        {name: view_cost(semantic, areas[name], **rules) for name in CONTROLS if name in names},
        {
            remedy: gain(areas[helps(remedy)], areas[helped(remedy)])
            for remedy in study.remedies
            if helped(remedy) in names
        },
    )


def _scores(study: LcdStudy, results: Results, read: Sequence[Runs]) -> Scores:
    scores = {(runs.agent, runs.game): runs.score for runs in read}
    return Scores.of(
        results, study.family, study.labels, MEASURES,
        lambda agent, point, seed, points: measured(scores[agent, dict(point.at)["game"]], points),
    )  # fmt: skip


def _normalised(values: Mapping[str, Estimate | None]) -> dict[str, float]:
    """From 0, the least of the games, to 1, the greatest, as in the paper."""
    return min_max({game: e.value for game, e in values.items() if e is not None})


def _agreement(first: Sequence[GameResult], second: Sequence[GameResult]) -> Agreement:
    def over_games(what: str) -> Estimate:
        told = dict(told_for_both(first, second, what))
        unknown = (np.nan, np.nan)
        costs = [tuple(c.value for c in told[r.game]) if r.game in told else unknown for r in first]
        return rank_agreement(*np.array(costs).T)

    several = any(result.learning is not None for result in first)
    return Agreement(
        first[0].agent, second[0].agent, over_games("perception"), over_games("learning") if several else None
    )


def told_for_both(
    first: Sequence[GameResult], second: Sequence[GameResult], what: str
) -> list[tuple[str, tuple[Cost, Cost]]]:
    """The games of which both agents' costs can be told, with these costs: `perception` or `learning`."""
    pairs = [(a.game, (getattr(a, what), getattr(b, what))) for a, b in zip(first, second, strict=True)]
    return [(game, pair) for game, pair in pairs if all(cost and cost.judgement.told for cost in pair)]


def _synergy(first: GameResult, second: GameResult, level: float) -> Synergy:
    a, b = first.runs.areas, second.runs.areas
    extra = synergy(a[PIXELS], a[SEMANTIC], b[PIXELS], b[SEMANTIC], level)
    return Synergy(first.agent, second.agent, first.game, extra)
