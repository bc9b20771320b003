"""Which MDPs did agents solve, after how many steps, and how does that go with the effective horizon?

A pure function of the study, its results and what the catalogue says of its MDPs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import get_args

import numpy as np

from mohs.agents.protocol import Points
from mohs.core.values import Json
from mohs.exact.lookahead.gorp import LONG
from mohs.protocols.challenge.editions import is_control
from mohs.protocols.challenge.runs import Floats, Ints, Kind, first_solved, goal, kind, known
from mohs.protocols.challenge.sentences import headline
from mohs.protocols.challenge.settings import Contender
from mohs.protocols.challenge.study import PROBE, ChallengeStudy
from mohs.stats import Estimate
from mohs.stats.counts import median_time, share
from mohs.tables.challenge.catalogue import CatalogueEntry

LEVEL = 0.95
ALL = "all"
GROUPS = {
    ALL: "all MDPs",
    "challenge": "challenge",
    "controls": "controls",
    "short": f"effective horizon below {LONG}",
    "long": f"effective horizon of {LONG} or more",
    "unknown": "effective horizon not known",
}


@dataclass(frozen=True, eq=False)
class Outcome:
    """One agent on one MDP. `firsts` [settings, seeds] are the steps of the first evaluations that solved it.

    They are infinite where there was none and NaN where the run is missing. `complexity` is the sample complexity: the
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
        return int(np.isfinite(self.firsts).sum())

    @property
    def runs(self) -> int:
        """Those that are not missing."""
        return int((~np.isnan(self.firsts)).sum())


@dataclass(frozen=True, eq=False)
class Standing:
    """One agent on all MDPs: outcomes in their order, the share solved of every group, and what became of its runs."""

    contender: Contender
    outcomes: tuple[Outcome, ...]
    shares: Mapping[str, Estimate]
    kinds: Mapping[str, int]

    @property
    def label(self) -> str:
        return self.contender.name


@dataclass(frozen=True)
class Baseline:
    """A way to solve MDPs that needs no run: the steps it takes, NaN where nobody knows."""

    label: str
    steps: tuple[float, ...]
    shares: Mapping[str, Estimate]


@dataclass(frozen=True, eq=False)
class Verdict:
    study: ChallengeStudy
    mdps: tuple[CatalogueEntry, ...]
    agents: tuple[Standing, ...]
    baselines: tuple[Baseline, ...]
    headline: tuple[str, ...]
    runs: int
    missing: int

    @property
    def goals(self) -> list[float]:
        """The return that solves each MDP."""
        return [goal(mdp, self.study.sticky > 0) for mdp in self.mdps]

    @property
    def solvers(self) -> list[Standing | Baseline]:
        """All agents, then what needs no runs."""
        return [*self.agents, *self.baselines]

    @property
    def groups(self) -> list[str]:
        """The groups that have MDPs and differ from all of them."""
        found = groups(self.mdps)
        return [name for name in found if name == ALL or len(found[name]) < len(self.mdps)]

    def to_json(self) -> dict[str, Json]:
        return {
            "study": self.study.to_json(),
            "headline": list(self.headline),
            "mdps": [{**asdict(mdp), "goal": goal} for mdp, goal in zip(self.mdps, self.goals, strict=True)],
            "runs": self.runs,
            "missing_runs": self.missing,
            "agents": [_standing_json(self, standing) for standing in self.agents],
            "baselines": [
                {"name": b.label, "shares_solved": _shares_json(b.shares), "steps": _by_mdp(self, b.steps)}
                for b in self.baselines
            ],
        }


def verdict(study: ChallengeStudy, results: Mapping[str, Points], facts: Sequence[CatalogueEntry]) -> Verdict:
    """The verdict on a study; `results` maps cell keys to the curves of finished runs, `facts` are of its MDPs."""
    by_id = {mdp.id: mdp for mdp in facts}
    mdps = tuple(by_id[mdp] for mdp in study.mdps)
    agents = tuple(_standing(study, contender, mdps, results) for contender in study.contenders)
    baselines = _baselines(mdps, study.budget) if not study.sticky else ()
    runs = sum(outcome.firsts.size for standing in agents for outcome in standing.outcomes)
    missing = sum(standing.kinds["missing"] for standing in agents)
    return Verdict(study, mdps, agents, baselines, headline(study, agents, baselines), runs, missing)


def groups(mdps: Sequence[CatalogueEntry]) -> dict[str, list[int]]:
    """Numbers of MDPs by group; those without any are left out."""
    found: dict[str, list[int]] = {name: [] for name in GROUPS}
    for i, mdp in enumerate(mdps):
        for name in (ALL, "controls" if is_control(mdp) else "challenge", length(mdp)):
            found[name].append(i)
    return {name: members for name, members in found.items() if members}


def length(mdp: CatalogueEntry) -> str:
    """The group of an MDP by its effective horizon, as far as that is known."""
    if mdp.effective_horizon is not None:
        return "short" if mdp.effective_horizon < LONG else "long"
    return "long" if known(mdp.effective_horizon_low) >= LONG else "unknown"


def _standing(
    study: ChallengeStudy, contender: Contender, mdps: Sequence[CatalogueEntry], results: Mapping[str, Points]
) -> Standing:
    outcomes = tuple(_outcome(study, contender, mdp, results) for mdp in mdps)
    kinds = [k for outcome in outcomes for row in outcome.kinds for k in row]
    counts = {name: kinds.count(name) for name in get_args(Kind)}
    return Standing(contender, outcomes, _shares([o.solved for o in outcomes], mdps), counts)


def _outcome(
    study: ChallengeStudy, contender: Contender, mdp: CatalogueEntry, results: Mapping[str, Points]
) -> Outcome:
    steps, target = np.array(study.evaluations, dtype=np.int64), goal(mdp, study.sticky > 0)
    returns = np.full((len(contender.settings), study.seeds, len(steps)), np.nan)
    for i, setting in enumerate(contender.settings):
        for seed in range(study.seeds):
            points = results.get(study.cell(mdp.id, setting, seed).key)
            if points is not None:
                returns[i, seed] = points[f"{PROBE}/return"][1]
    there = ~np.isnan(returns).any(2)
    firsts = np.where(there, np.apply_along_axis(lambda run: first_solved(steps, run, target), 2, returns), np.nan)
    kinds = tuple(
        tuple(kind(run, target) if ran else "missing" for run, ran in zip(*of, strict=True))
        for of in zip(returns, there, strict=True)
    )
    best = _best(firsts, returns)
    return Outcome(
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


def _baselines(mdps: Sequence[CatalogueEntry], budget: int) -> tuple[Baseline, ...]:
    """Both are for MDPs that are certain."""
    return (
        _baseline("GORP", [_gorp_steps(mdp, budget) for mdp in mdps], mdps, budget),
        _baseline("random guessing", [known(mdp.guess_steps) for mdp in mdps], mdps, budget),
    )


def _gorp_steps(mdp: CatalogueEntry, budget: int) -> float:
    """As many as it was charged; infinite where it is only known that it needs more than the budget."""
    if mdp.gorp_steps is None and budget <= known(mdp.gorp_budget):
        return math.inf
    return known(mdp.gorp_steps)


def _baseline(label: str, steps: Sequence[float], mdps: Sequence[CatalogueEntry], budget: int) -> Baseline:
    solved = [None if math.isnan(each) else each <= budget for each in steps]
    return Baseline(label, tuple(steps), _shares(solved, mdps))


def _shares(solved: Sequence[bool | None], mdps: Sequence[CatalogueEntry]) -> dict[str, Estimate]:
    """The share solved of every group; MDPs of which it is not known are left out."""
    found = {}
    for name, members in groups(mdps).items():
        known = [solved[i] for i in members if solved[i] is not None]
        found[name] = share(sum(map(bool, known)), len(known), LEVEL)
    return found


def _shares_json(shares: Mapping[str, Estimate]) -> dict[str, Json]:
    return {name: e.to_dict() for name, e in shares.items()}


def _by_mdp(verdict: Verdict, values: Sequence[float]) -> dict[str, Json]:
    return {mdp.id: value for mdp, value in zip(verdict.mdps, values, strict=True)}


def _standing_json(verdict: Verdict, standing: Standing) -> dict[str, Json]:
    names = [setting.name for setting in standing.contender.settings]
    return {
        "name": standing.label,
        "tries": len(names) * verdict.study.seeds,
        "shares_solved": _shares_json(standing.shares),
        "runs": dict(standing.kinds),
        "mdps": {
            mdp.id: {
                "solved": outcome.solved,
                "runs_solved": outcome.runs_solved,
                "runs": outcome.runs,
                "best_setting": names[outcome.best],
                "sample_complexity": outcome.complexity.to_dict(),
                "first_solved_step": dict(zip(names, outcome.firsts.tolist(), strict=True)),
                "what_became_of_runs": dict(zip(names, map(list, outcome.kinds), strict=True)),
            }
            for mdp, outcome in zip(verdict.mdps, standing.outcomes, strict=True)
        },
    }
