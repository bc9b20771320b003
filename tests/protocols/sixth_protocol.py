"""How does the evaluation of an agent change with one parameter of a task? A complete protocol in one file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Annotated, Any

import numpy as np
import typer

from mohs.agents.registry import agent as find_agent
from mohs.core.cell import Agent, Cell, Probe, Segment
from mohs.core.family import Family
from mohs.core.task import Task
from mohs.core.values import Json, from_json, to_json
from mohs.protocols.options import AGENT_HELP
from mohs.protocols.protocol import Protocol
from mohs.protocols.scores import Scores
from mohs.protocols.verdict import Verdict
from mohs.protocols.words import names, read_value
from mohs.report import numbers
from mohs.report.data import ESTIMATE, csv_text, estimate_cells
from mohs.report.figures.bars import BarPanel, Bars, bars_figure
from mohs.report.findings import Finding
from mohs.report.page import Page, simple_page
from mohs.report.tables import TextTable
from mohs.runs.plan import Plan, Track
from mohs.runs.results import Results
from mohs.stats import Estimate, estimate

PROTOCOL = Protocol(
    name="sweep",
    text="How does the evaluation of an agent change with one parameter of a task?",
    study=f"{__name__}:SweepStudy",
    plan=f"{__name__}:plan",
    verdict=f"{__name__}:verdict",
    page=f"{__name__}:page",
    summary=f"{__name__}:summary",
    ask=f"{__name__}:ask",
)


@dataclass(frozen=True)
class SweepStudy:
    agent: Agent
    env: str
    parameter: str
    values: tuple[Any, ...]
    seeds: int
    budget: int

    @property
    def name(self) -> str:
        return f"{self.agent} over {self.parameter}"

    @cached_property
    def family(self) -> Family:
        return Family.grid(self.env, **{self.parameter: list(self.values)})

    def cell(self, point: Task, seed: int) -> Cell:
        task = replace(point, seed=seed)
        return Cell(self.agent, seed, (Segment(task, self.budget),), (Probe("eval", task, (self.budget,)),))

    def to_json(self) -> dict[str, Json]:
        own = {"env": self.env, "parameter": self.parameter, "seeds": self.seeds, "budget": self.budget}
        return {"agent": self.agent.to_json(), "values": to_json(self.values), **own}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> SweepStudy:
        return cls(**{**data, "agent": Agent.from_json(data["agent"]), "values": from_json(data["values"])})


def plan(study: SweepStudy) -> Plan:
    tracks = {Track(study.agent.name, p.name): partial(study.cell, p.task) for p in study.family}
    return Plan.of(study.name, PROTOCOL.name, study.to_json(), tracks, study.seeds)


@dataclass(frozen=True, eq=False)
class Sweep(Verdict):
    protocol = PROTOCOL.name
    study: SweepStudy
    scores: Scores
    means: Mapping[str, Estimate]
    missing: int

    @property
    def findings(self) -> tuple[Finding, ...]:
        best = max(self.means, key=lambda name: np.nan_to_num(self.means[name].value, nan=-np.inf))
        return (Finding(f"is best at {best}: {numbers.estimated(self.means[best])}.", self.study.agent.name),)

    def frame(self) -> Any:
        return self.scores.frame()

    def to_json(self) -> dict[str, Json]:
        means = {name: e.to_dict() for name, e in self.means.items()}
        return {"study": self.study.to_json(), "headline": list(self.sentences), "mean": means, "missing": self.missing}


def verdict(study: SweepStudy, results: Results) -> Sweep:
    def measured(_agent: str, _point: object, _seed: int, curves: Any) -> dict[str, float]:
        return {"eval": float(curves["eval/return"][1][-1])}

    scores = Scores.of(results, study.family, [study.agent.name], ["eval"], measured)
    means = {point.name: estimate(scores.at(study.agent.name, point.name, "eval")) for point in study.family}
    return Sweep(study, scores, means, results.missing)


def page(found: Sweep) -> Page:
    panel = BarPanel("evaluation", tuple(found.means.values()))
    bars = bars_figure(Bars(found.study.parameter, tuple(map(str, found.study.values)), found.study.seeds, (panel,)))
    rows = [(name, *estimate_cells(e)) for name, e in found.means.items()]
    tables = {"means.csv": csv_text(("point", *ESTIMATE), rows)}
    return simple_page(found.study.name, found.findings, {"evaluation": bars}, tables)


def summary(found: Sweep) -> tuple[TextTable, ...]:
    rows = [(name, numbers.estimated(e), str(e.n)) for name, e in found.means.items()]
    return (TextTable("Evaluation", ("point", "mean with 95% interval", "n"), rows),)


def ask(
    agent: Annotated[str, typer.Argument(help=AGENT_HELP)],
    parameter: Annotated[str, typer.Argument(help="A parameter of the environment.")],
    values: Annotated[str, typer.Argument(help="Its values, comma-separated.")],
    env: Annotated[str, typer.Option(help="The environment.")] = "toy/discrete",
    seeds: Annotated[int, typer.Option(help="Seeds at each value.")] = 5,
    budget: Annotated[int, typer.Option(help="Environment steps of each run.")] = 5_000,
) -> SweepStudy:
    """Train an agent at several values of one parameter."""
    given = tuple(read_value(word) for word in names(values))
    return SweepStudy(find_agent(agent), env, parameter, given, seeds, budget)
