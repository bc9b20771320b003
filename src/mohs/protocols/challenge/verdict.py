"""Which MDPs did agents solve, after how many steps, and how does that go with the effective horizon?

A pure function of the study, its results and what the catalogue says of its MDPs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from mohs.agents.protocol import Points
from mohs.core.family import Family
from mohs.core.point import Point
from mohs.core.values import Json
from mohs.exact.lookahead.gorp import LONG
from mohs.protocols.challenge.runs import Floats, Ints, Kind, first_solved, goal, kind, known
from mohs.protocols.challenge.sentences import findings
from mohs.protocols.challenge.settings import ChallengeAgent
from mohs.protocols.challenge.study import CHALLENGE, CONTROLS, PROBE, PROTOCOL, ChallengeStudy, facts, label
from mohs.protocols.scores import Scores
from mohs.protocols.verdict import Verdict
from mohs.report.findings import Finding
from mohs.runs.results import Results
from mohs.stats import Estimate
from mohs.stats.counts import median_time, share
from mohs.tables.challenge.catalogue import CatalogueEntry

if TYPE_CHECKING:
    import pandas as pd

LEVEL = 0.95
FIRST = "first_solved_step"  # what a run scores: infinite where no evaluation solved the MDP, NaN where it is missing
ALL = "all"
GROUPS = {
    ALL: "all MDPs",
    CHALLENGE: "challenge",
    CONTROLS: "controls",
    "short": f"effective horizon below {LONG}",
    "long": f"effective horizon of {LONG} or more",
    "unknown": "effective horizon not known",
}


@dataclass(frozen=True, eq=False)
class MdpOutcome:
    """One agent on one MDP. `firsts` [settings, seeds] are its scores: the first evaluations that solved it.

    `complexity` is the sample complexity: the
    median over seeds in the setting that is best by it. `curve` are the evaluations there, the mean over seeds and
    its range.
    """

    firsts: Floats
    kinds: tuple[tuple[Kind, ...], ...]
    best: int
    complexity: Estimate
    steps: Ints = field(repr=False)
    curve: tuple[Floats, Floats, Floats] = field(repr=False)

    @property
    def solved(self) -> bool | None:
        """Whether any run reached the optimum; None where none did yet, and some are missing."""
        if np.isfinite(self.firsts).any():
            return True
        return None if np.isnan(self.firsts).any() else False

    @property
    def runs_solved(self) -> int:
        """Those that reached the optimum."""
        return int(np.isfinite(self.firsts).sum())

    @property
    def runs(self) -> int:
        """Those that are not missing."""
        return int((~np.isnan(self.firsts)).sum())


@dataclass(frozen=True, eq=False)
class ChallengeResult:
    """One agent on all MDPs: outcomes in their order, the share solved of every group, and what became of its runs."""

    agent: ChallengeAgent
    outcomes: tuple[MdpOutcome, ...]
    shares: Mapping[str, Estimate]
    kinds: Mapping[Kind, int]

    @property
    def label(self) -> str:
        """What the agent is called."""
        return self.agent.name


@dataclass(frozen=True)
class Baseline:
    """A way to solve MDPs that needs no run: the steps it takes, NaN where nobody knows."""

    label: str
    steps: tuple[float, ...]
    shares: Mapping[str, Estimate]


@dataclass(frozen=True, eq=False, repr=False)
class ChallengeVerdict(Verdict):
    """Which MDPs agents solved, after how many steps."""

    protocol = PROTOCOL

    study: ChallengeStudy
    scores: Scores = field(repr=False)  # of each agent in each setting, MDP and seed
    mdps: tuple[CatalogueEntry, ...]
    agents: tuple[ChallengeResult, ...]
    baselines: tuple[Baseline, ...]
    findings: tuple[Finding, ...]
    runs: int
    missing: int

    def frame(self) -> pd.DataFrame:
        """One row for each agent in a setting, MDP and seed: the MDP's features, when it was solved, the run's kind."""
        kinds = [np.stack([outcome.kinds for outcome in result.outcomes], axis=1) for result in self.agents]
        return self.scores.frame().assign(kind=np.concatenate(kinds).ravel())  # [settings, MDPs, seeds] of each agent

    @property
    def goals(self) -> list[float]:
        """The return that solves each MDP."""
        return [goal(mdp, self.study.sticky > 0) for mdp in self.mdps]

    @property
    def solvers(self) -> list[ChallengeResult | Baseline]:
        """All agents, then what needs no runs."""
        return [*self.agents, *self.baselines]

    @property
    def groups(self) -> list[str]:
        """The groups that have MDPs and differ from all of them."""
        found = groups(self.scores.family)
        return [name for name in found if name == ALL or len(found[name]) < len(self.mdps)]

    def to_json(self) -> dict[str, Json]:
        """All of it as plain data. Of a run without `first_solved_step`, `kinds` says whether it is missing."""
        return {
            "study": self.study.to_json(),
            "headline": list(self.sentences),
            "mdps": [{**asdict(mdp), "goal": goal} for mdp, goal in zip(self.mdps, self.goals, strict=True)],
            "runs": self.runs,
            "missing": self.missing,
            "agents": [_result_json(self, result) for result in self.agents],
            "baselines": [
                {
                    "name": b.label,
                    "shares_solved": _shares_json(b.shares),
                    "steps": dict(zip(self.study.mdps, b.steps, strict=True)),
                }
                for b in self.baselines
            ],
        }


def verdict(study: ChallengeStudy, results: Results) -> ChallengeVerdict:
    """The verdict on the runs that have finished, with what is known of the MDPs."""
    mdps = tuple(facts(study))
    scores = _scores(study, mdps, results)
    agents = tuple(_result(study, agent, mdps, results, scores) for agent in study.agents)
    baselines = _baselines(study, mdps) if not study.sticky else ()
    missing = int(np.isnan(scores.values).sum())
    said = findings(study, agents, baselines)
    return ChallengeVerdict(study, scores, mdps, agents, baselines, said, scores.values.size, missing)


def _scores(study: ChallengeStudy, mdps: Sequence[CatalogueEntry], results: Results) -> Scores:
    """The step of the first evaluation that solved an MDP, of every run."""
    labels = [label(agent, setting) for agent in study.agents for setting in agent.settings]
    goals = {mdp.id: goal(mdp, study.sticky > 0) for mdp in mdps}

    def measured(agent: str, point: Point, seed: int, curves: Points) -> dict[str, float]:
        steps, returns = curves[f"{PROBE}/return"]
        return {FIRST: math.nan if np.isnan(returns).any() else first_solved(steps, returns, goals[point.name])}

    return Scores.of(results, study.family, labels, (FIRST,), measured)


def groups(family: Family) -> dict[str, list[int]]:
    """Numbers of MDPs by group: their stratum, and their effective horizon. Groups without any are left out."""
    found: dict[str, list[int]] = {name: [] for name in GROUPS}
    for i, point in enumerate(family):
        for name in (ALL, point.stratum, length(point)):
            found[name].append(i)
    return {name: members for name, members in found.items() if members}


def length(point: Point) -> str:
    """The group of an MDP by its effective horizon, as far as that is known."""
    features = dict(point.features)
    if "effective_horizon" in features:
        return "short" if features["effective_horizon"] < LONG else "long"
    return "long" if features.get("effective_horizon_low", 0.0) >= LONG else "unknown"


def _result(
    study: ChallengeStudy, agent: ChallengeAgent, mdps: Sequence[CatalogueEntry], results: Results, scores: Scores
) -> ChallengeResult:
    outcomes = tuple(_outcome(study, agent, mdp, results, scores) for mdp in mdps)
    kinds = [k for outcome in outcomes for row in outcome.kinds for k in row]
    counts = {kind: kinds.count(kind) for kind in Kind}
    return ChallengeResult(agent, outcomes, _shares([o.solved for o in outcomes], study.family), counts)


def _outcome(
    study: ChallengeStudy, agent: ChallengeAgent, mdp: CatalogueEntry, results: Results, scores: Scores
) -> MdpOutcome:
    steps, target = np.array(study.evaluations, dtype=np.int64), goal(mdp, study.sticky > 0)
    firsts = np.stack([scores.at(label(agent, setting), mdp.id, FIRST) for setting in agent.settings])
    returns = np.full((len(agent.settings), study.seeds, len(steps)), np.nan)
    for i, setting in enumerate(agent.settings):
        for seed, points in results.finished(label(agent, setting), mdp.id):
            returns[i, seed] = points[f"{PROBE}/return"][1]
    there = ~np.isnan(firsts)
    kinds = tuple(
        tuple(kind(run, target) if ran else Kind.MISSING for run, ran in zip(*of, strict=True))
        for of in zip(returns, there, strict=True)
    )
    best = _best(firsts, returns)
    return MdpOutcome(
        firsts, kinds, best, median_time(firsts[best], LEVEL), steps, _mean_and_range(returns[best][there[best]])
    )


def _best(firsts: Floats, returns: Floats) -> int:
    """The setting of the smallest median; then of the most runs that solved, then of the largest mean return."""

    def merit(i: int) -> tuple[float, int, float]:
        median, mean = median_time(firsts[i], LEVEL).value, returns[i][~np.isnan(returns[i])]
        late = math.inf if math.isnan(median) else median
        return -late, int(np.isfinite(firsts[i]).sum()), float(mean.mean()) if mean.size else -math.inf

    return max(range(len(firsts)), key=merit)


def _mean_and_range(runs: Floats) -> tuple[Floats, Floats, Floats]:
    if not len(runs):
        nothing: Floats = np.full(runs.shape[1], np.nan)
        return nothing, nothing, nothing
    return runs.mean(0), runs.min(0), runs.max(0)


def _baselines(study: ChallengeStudy, mdps: Sequence[CatalogueEntry]) -> tuple[Baseline, ...]:
    """Both are for MDPs that are certain."""
    return (
        _baseline(study, "GORP", [_gorp_steps(mdp, study.budget) for mdp in mdps]),
        _baseline(study, "random guessing", [known(mdp.guess_steps) for mdp in mdps]),
    )


def _gorp_steps(mdp: CatalogueEntry, budget: int) -> float:
    """As many as it was charged; infinite where it is only known that it needs more than the budget."""
    if mdp.gorp_steps is None and budget <= known(mdp.gorp_budget):
        return math.inf
    return known(mdp.gorp_steps)


def _baseline(study: ChallengeStudy, label: str, steps: Sequence[float]) -> Baseline:
    solved = [None if math.isnan(each) else each <= study.budget for each in steps]
    return Baseline(label, tuple(steps), _shares(solved, study.family))


def _shares(solved: Sequence[bool | None], family: Family) -> dict[str, Estimate]:
    """The share solved of every group; MDPs of which it is not known are left out."""
    found = {}
    for name, members in groups(family).items():
        known = [solved[i] for i in members if solved[i] is not None]
        found[name] = share(sum(map(bool, known)), len(known), LEVEL)
    return found


def _shares_json(shares: Mapping[str, Estimate]) -> dict[str, Json]:
    return {name: e.to_dict() for name, e in shares.items()}


def _result_json(verdict: ChallengeVerdict, result: ChallengeResult) -> dict[str, Json]:
    names = [setting.name for setting in result.agent.settings]
    return {
        "name": result.label,
        "tries": len(names) * verdict.study.seeds,
        "shares_solved": _shares_json(result.shares),
        "runs": {str(kind): count for kind, count in result.kinds.items()},
        "mdps": {
            mdp.id: {
                "solved": outcome.solved,
                "runs_solved": outcome.runs_solved,
                "runs": outcome.runs,
                "best_setting": names[outcome.best],
                "sample_complexity": outcome.complexity.to_dict(),
                FIRST: dict(zip(names, outcome.firsts.tolist(), strict=True)),
                "kinds": dict(zip(names, map(list, outcome.kinds), strict=True)),
            }
            for mdp, outcome in zip(verdict.mdps, result.outcomes, strict=True)
        },
    }
