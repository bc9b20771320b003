"""What became of the findings? Each is judged from what a store holds of its studies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmarks.findings.catalogue import Finding
from benchmarks.findings.claims import NOT_RUN, Check, check, outcome
from mohs.core.values import Json
from mohs.protocols.experiment.study import Experiment, plan
from mohs.protocols.experiment.verdict import ExperimentVerdict, verdict
from mohs.runs.plan import Plan
from mohs.runs.results import Results
from mohs.runs.store import Store


@dataclass(frozen=True)
class Judged:
    """A finding about one agent."""

    agent: str
    checks: tuple[Check, ...]

    @property
    def outcome(self) -> str:
        return outcome(self.checks) if self.ran else NOT_RUN

    @property
    def ran(self) -> bool:
        """Whether all can be compared; some points may have been run in other studies."""
        return all(e.n for c in self.checks for e in c.numbers)

    @property
    def n(self) -> int:
        return min((e.n for c in self.checks for e in c.numbers), default=0)

    def to_json(self) -> dict[str, Json]:
        return {
            "agent": self.agent,
            "outcome": self.outcome,
            "n": self.n,
            "checks": [c.to_json() for c in self.checks],
        }


@dataclass(frozen=True)
class Result:
    """What a finding came to: first for the paper's agent, then for the others."""

    finding: Finding
    judged: tuple[Judged, ...]

    @property
    def outcome(self) -> str:
        return self.judged[0].outcome

    def to_json(self) -> dict[str, Json]:
        f = self.finding
        return {
            "figure": f.figure,
            "name": f.name,
            "claim": f.claim,
            "studies": list(f.studies),
            "outcome": self.outcome,
            "agents": [j.to_json() for j in self.judged],
        }


def outcomes(experiments: Mapping[str, Experiment], store: Store | None) -> dict[str, ExperimentVerdict]:
    """Every study with the runs that the store has of it."""
    return {name: verdict(asked, _results(plan(asked), store)) for name, asked in experiments.items()}


def _results(planned: Plan, store: Store | None) -> Results:
    return Results.of(planned, dict(store.results(cell.key for cell in planned.cells)) if store else {})


def judge(findings: Sequence[Finding], verdicts: Mapping[str, ExperimentVerdict]) -> list[Result]:
    return [_result(finding, verdicts) for finding in findings]


def _result(finding: Finding, verdicts: Mapping[str, ExperimentVerdict]) -> Result:
    experiments = {study: verdicts[study].experiment for study in finding.studies}
    claims, agents = finding.claims(experiments), finding.judged(experiments)
    return Result(finding, tuple(Judged(agent, check(claims, agent, verdicts)) for agent in agents))
