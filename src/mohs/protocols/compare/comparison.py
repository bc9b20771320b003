"""Which agent is better on the same cells? Ranks, pairs and aggregates of any number of diagnoses, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from mohs.core.errors import UsageError
from mohs.core.values import Json
from mohs.protocols.compare.sentences import findings
from mohs.protocols.compare.shared import ALPHA, Floats, SharedRuns, names_of, shared_runs
from mohs.protocols.diagnose.points import LEVEL
from mohs.protocols.diagnose.verdict import Diagnosis
from mohs.protocols.measures import MEASURES
from mohs.protocols.verdict import Verdict
from mohs.report.findings import Finding
from mohs.stats import (
    Estimate,
    bonferroni_comparisons,
    cliques,
    estimate,
    friedman_p_value,
    holm,
    interquartile_mean,
    mean_ranks,
    optimality_gap,
    paired_difference,
    probability_of_improvement,
    signed_rank_p_value,
    spearman,
)
from mohs.stats.intervals import corrected_level

if TYPE_CHECKING:
    import pandas as pd

ALL = "all dials"
UNKNOWN = estimate([np.nan])  # no seed ran everywhere


@dataclass(frozen=True, eq=False)
class Pair:
    """Agent a against agent b, by their places. a is better if its probability is above ½ and its difference above 0.

    `difference` is the mean over tasks of a − b, paired by seed. `p_value` is that of Wilcoxon's signed-rank test of
    the same differences, Holm-corrected for all pairs. `correlations` are rank correlations over doses.
    """

    a: int
    b: int
    overall: Estimate
    dials: tuple[tuple[str, Estimate], ...]  # at the doses other than vanilla
    difference: Estimate
    p_value: float
    correlations: tuple[tuple[str, Estimate], ...]

    @property
    def cliffs_delta(self) -> Estimate:
        """P(a > b) − P(a < b), which is twice the probability of improvement less 1."""
        e = self.overall
        return replace(e, value=2 * e.value - 1, low=2 * e.low - 1, high=2 * e.high - 1, statistic="Cliff's delta")

    @property
    def apart(self) -> bool:
        """Whether the corrected test finds a significant difference between the two agents."""
        return self.p_value <= ALPHA


@dataclass(frozen=True, eq=False)
class AgentSummary:
    """One agent over all shared tasks. `gap` is known where no policy scores above 1; `dials` has its mean on each."""

    name: str
    rank: Estimate
    mean: Estimate
    iqm: Estimate
    gap: Estimate | None
    dials: tuple[tuple[str, Estimate], ...]  # at the doses other than vanilla


@dataclass(frozen=True, eq=False)
class Comparison(Verdict):
    """Any number of diagnosed agents on the runs that all have. `groups` have no significant difference."""

    protocol = "compare"

    names: tuple[str, ...]
    diagnoses: tuple[Diagnosis, ...]
    shared: SharedRuns
    agents: tuple[AgentSummary, ...]
    pairs: tuple[Pair, ...]
    friedman: float
    groups: tuple[tuple[int, ...], ...]
    notes: tuple[str, ...] = ()

    @property
    def measure(self) -> str:
        """The name of the measure that agents are compared by."""
        return self.shared.measure

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The agents from the best mean rank to the worst."""
        return tuple(sorted(range(len(self.names)), key=lambda i: self.agents[i].rank.value))

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Which agent is better, how sure that is, and what was left out."""
        return findings(self)

    def against(self, baseline: int) -> Estimate:
        """The first agent's mean paired difference to another, corrected for the number of others."""
        seeds = _by_seed(self.shared)
        return paired_difference(seeds[0], seeds[baseline], "mean", LEVEL, len(self.names) - 1)

    def worse_than(self, margin: float = 0.0) -> tuple[str, ...]:
        """The agents that the first one is certainly worse than: the interval of the difference lies below −margin."""
        found = {name: self.against(i) for i, name in enumerate(self.names) if i}
        return tuple(name for name, e in found.items() if e.known and e.high < -margin)

    def frame(self) -> pd.DataFrame:
        """One row for each quantity of an agent or of a pair, with its interval."""
        import pandas as pd

        columns = ("agent", "against", "dial", "quantity")
        rows = [{**dict(zip(columns, key, strict=True)), **e.to_dict()} for key, e in self._quantities()]
        return pd.DataFrame(rows)

    def _quantities(self) -> list[tuple[tuple[str, str, str, str], Estimate]]:
        found: list[tuple[tuple[str, str, str, str], Estimate]] = []
        for agent in self.agents:
            own = {"mean rank": agent.rank, "mean": agent.mean, "interquartile mean": agent.iqm}
            own |= {"optimality gap": agent.gap} if agent.gap is not None else {}
            found += [((agent.name, "", ALL, what), e) for what, e in own.items()]
            found += [((agent.name, "", dial, "mean"), e) for dial, e in agent.dials]
        for pair in self.pairs:
            who = self.names[pair.a], self.names[pair.b]
            both = {"probability of improvement": pair.overall, "Cliff's delta": pair.cliffs_delta}
            found += [((*who, ALL, what), e) for what, e in (both | {"difference": pair.difference}).items()]
            found += [((*who, dial, "probability of improvement"), e) for dial, e in pair.dials]
            found += [((*who, dial, "rank correlation"), e) for dial, e in pair.correlations]
        return found

    def to_json(self) -> dict[str, Json]:
        """As plain data."""
        return {
            "headline": list(self.sentences),
            "measure": self.measure,
            "agents": [self._agent_json(i) for i in range(len(self.names))],
            "pairs": [self._pair_json(pair) for pair in self.pairs],
            "friedman_p_value": self.friedman,
            "no_significant_difference": [[self.names[i] for i in group] for group in self.groups],
            "left_out": list(self.shared.left_out),
            "notes": list(self.notes),
        }

    def _agent_json(self, i: int) -> dict[str, Json]:
        agent, diagnosis = self.agents[i], self.diagnoses[i]
        return {
            "name": agent.name,
            "label": diagnosis.label,
            "study": diagnosis.study.to_json(),
            "mean_rank": agent.rank.to_dict(),
            "mean": agent.mean.to_dict(),
            "interquartile_mean": agent.iqm.to_dict(),
            "optimality_gap": None if agent.gap is None else agent.gap.to_dict(),
            "dials": {name: e.to_dict() for name, e in agent.dials},
        }

    def _pair_json(self, pair: Pair) -> dict[str, Json]:
        return {
            "a": self.names[pair.a],
            "b": self.names[pair.b],
            "probability_of_improvement": pair.overall.to_dict(),
            "cliffs_delta": pair.cliffs_delta.to_dict(),
            "difference": pair.difference.to_dict(),
            "p_value": pair.p_value,
            "dials": {name: e.to_dict() for name, e in pair.dials},
            "rank_correlation": {name: e.to_dict() for name, e in pair.correlations},
        }


def compare_diagnoses(diagnoses: Sequence[Diagnosis], notes: Sequence[str] = ()) -> Comparison:
    """Diagnoses on the doses and seeds that all have.

    Raises:
        UsageError: there is one only, two are of the same runs, or they have nothing in common.
    """
    if len(diagnoses) < 2:
        raise UsageError("a comparison needs two studies or more.")
    names = names_of(diagnoses)
    shared = shared_runs(names, diagnoses)
    bounded, whole = diagnoses[0].scale.bounded, shared.complete
    pairs = _pairs(shared)
    groups = cliques(len(names), {(pair.a, pair.b) for pair in pairs if pair.apart})
    friedman = friedman_p_value(whole) if whole.shape[2] > 1 else 1.0
    ranks = mean_ranks(whole, LEVEL) if whole.shape[2] else [UNKNOWN] * len(names)
    agents = tuple(
        _agent(name, shared, i, rank, bounded) for i, (name, rank) in enumerate(zip(names, ranks, strict=True))
    )
    return Comparison(names, tuple(diagnoses), shared, agents, pairs, friedman, groups, tuple(notes))


def _by_seed(shared: SharedRuns) -> Floats:
    """The mean over all tasks [agents, seeds], of the seeds that ran everywhere; one without a value if none did."""
    found = shared.complete.mean(axis=1)
    return found if found.shape[1] else np.full((len(found), 1), np.nan)


def _agent(name: str, shared: SharedRuns, i: int, rank: Estimate, bounded: bool) -> AgentSummary:
    runs = shared.complete[i]
    if not runs.shape[1]:
        return AgentSummary(name, rank, UNKNOWN, UNKNOWN, None, ())
    dials = tuple(
        (dial.name, estimate(runs[list(dial.turned)].mean(axis=0), "mean", LEVEL))
        for dial in shared.dials
        if dial.turned
    )
    gap = optimality_gap(runs, 1.0, LEVEL) if bounded and MEASURES[shared.measure].normalised else None
    mean = estimate(runs.mean(axis=0), "mean", LEVEL)
    return AgentSummary(name, rank, mean, interquartile_mean(runs, LEVEL), gap, dials)


def _pairs(shared: SharedRuns) -> tuple[Pair, ...]:
    scores, seeds = shared.scores, _by_seed(shared)
    count = bonferroni_comparisons(len(scores))
    level = corrected_level(LEVEL, count)
    places = list(combinations(range(len(scores)), 2))
    p_values = holm([signed_rank_p_value(seeds[a] - seeds[b]) for a, b in places])

    def improvement(a: int, b: int, points: Sequence[int]) -> Estimate:
        rows = list(points)
        return probability_of_improvement(scores[a, rows], scores[b, rows], level, paired=True)

    return tuple(
        Pair(
            a,
            b,
            improvement(a, b, range(scores.shape[1])),
            tuple((dial.name, improvement(a, b, dial.turned)) for dial in shared.dials if dial.turned),
            paired_difference(seeds[a], seeds[b], "mean", LEVEL, count),
            p_value,
            tuple(
                (dial.name, spearman(scores[a, list(dial.points)], scores[b, list(dial.points)], level))
                for dial in shared.dials
                if len(dial.points) > 2
            ),
        )
        for (a, b), p_value in zip(places, p_values, strict=True)
    )
