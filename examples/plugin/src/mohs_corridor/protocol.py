"""How long a corridor can an agent learn? A small protocol: an agent in corridors of growing length."""

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Annotated

import typer

from mohs import Agent, Cell, Family, Probe, Protocol, Segment, Verdict
from mohs.agents.registry import agent as find_agent
from mohs.protocols.scores import Scores
from mohs.report import numbers
from mohs.report.data import ESTIMATE, csv_text, estimate_cells
from mohs.report.figures.bars import BarPanel, Bars, bars_figure
from mohs.report.findings import Finding
from mohs.report.page import simple_page
from mohs.report.tables import TextTable
from mohs.runs.plan import Plan, Track
from mohs.stats import estimate

PROTOCOL = Protocol(
    name="reach",
    text="How long a corridor can an agent learn?",
    study=f"{__name__}:ReachStudy",
    plan=f"{__name__}:plan",
    verdict=f"{__name__}:verdict",
    page=f"{__name__}:page",
    summary=f"{__name__}:summary",
    ask=f"{__name__}:ask",
)


@dataclass(frozen=True)
class ReachStudy:
    """What is asked: an agent, the lengths, seeds and environment steps."""

    agent: Agent
    lengths: tuple[int, ...] = (4, 8, 16)
    seeds: int = 5
    budget: int = 2_000

    @property
    def name(self):
        return f"{self.agent} reaches"

    @cached_property
    def family(self):
        return Family.grid("corridor", length=list(self.lengths))

    def to_json(self):
        own = {"lengths": list(self.lengths), "seeds": self.seeds, "budget": self.budget}
        return {"agent": self.agent.to_json(), **own}

    @classmethod
    def from_json(cls, data):
        return cls(Agent.from_json(data["agent"]), tuple(data["lengths"]), data["seeds"], data["budget"])


def plan(study):
    """A run for every length and seed."""

    def cell(task, seed):
        return Cell(study.agent, seed, (Segment(task, study.budget),), (Probe("eval", task, (study.budget,)),))

    tracks = {Track(study.agent.name, p.name): partial(cell, p.task) for p in study.family}
    return Plan.of(study.name, PROTOCOL.name, study.to_json(), tracks, study.seeds)


@dataclass(frozen=True, eq=False)
class Reach(Verdict):
    """The share of evaluation episodes that reach the end, at every length."""

    protocol = PROTOCOL.name
    study: ReachStudy
    scores: Scores
    means: dict
    findings: tuple

    def frame(self):
        return self.scores.frame()

    def to_json(self):
        means = {name: e.to_dict() for name, e in self.means.items()}
        return {"study": self.study.to_json(), "headline": list(self.sentences), "mean": means}


def verdict(study, results):
    """The longest corridor that the agent surely learns in most runs."""

    def measured(agent, point, seed, curves):
        return {"eval": float(curves["eval/return"][1][-1])}

    scores = Scores.of(results, study.family, [study.agent.name], ["eval"], measured)
    means = {p.name: estimate(scores.at(study.agent.name, p.name, "eval")) for p in study.family}
    learnt = [name for name, e in means.items() if e.known and e.low > 0.5]
    text = f"learns corridors up to {learnt[-1]}." if learnt else "learns none of these corridors for certain."
    return Reach(study, scores, means, (Finding(text, study.agent.name),))


def page(found):
    """A bar for every length."""
    panel = BarPanel("share that reaches the end", tuple(found.means.values()))
    figure = bars_figure(Bars("length", tuple(map(str, found.study.lengths)), found.study.seeds, (panel,)))
    rows = [(name, *estimate_cells(e)) for name, e in found.means.items()]
    return simple_page(
        found.study.name, found.findings, {"reach": figure}, {"means.csv": csv_text(("point", *ESTIMATE), rows)}
    )


def summary(found):
    """The same for the terminal."""
    rows = [(name, numbers.estimated(e), str(e.n)) for name, e in found.means.items()]
    return (TextTable("Share that reaches the end", ("corridor", "95% interval", "n"), rows),)


def ask(
    agent: Annotated[str, typer.Argument(help="An agent (mohs agents lists them).")],
    seeds: Annotated[int, typer.Option(help="Seeds for each length.")] = 5,
    budget: Annotated[int, typer.Option(help="Environment steps of each run.")] = 2_000,
):
    """Train an agent in corridors of growing length."""
    return ReachStudy(find_agent(agent), seeds=seeds, budget=budget)
