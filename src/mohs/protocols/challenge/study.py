"""What does a study of the challenge ask? Agents in all their settings, each on its own on every MDP, seed by seed.

Every 1,000 steps the deterministic policy plays one episode: MDP and policy are certain, so one tells all. An MDP is
solved once that earns the optimal return, without discount. With sticky actions it is not certain: the policy plays a
hundred episodes ten times less often, and must earn nearly what is optimal then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from typing import Any

from mohs.core.cell import Cell, Probe, Segment
from mohs.core.domain import Choice, Integer, Real
from mohs.core.errors import UsageError
from mohs.core.family import Family
from mohs.core.point import Point
from mohs.core.task import Task, read_json, reading
from mohs.core.values import Json
from mohs.exact.values.sticky import sticky_return
from mohs.protocols.challenge.editions import EDITIONS, is_control
from mohs.protocols.challenge.settings import ChallengeAgent, Setting, all_with_settings
from mohs.report.terminal import stages
from mohs.runs.plan import Plan, Track
from mohs.tables.challenge.cache import stored
from mohs.tables.challenge.catalogue import CatalogueEntry, Status, catalogue, catalogue_entry

PROTOCOL = "challenge"
PROBE = "eval"
EVERY, EVERY_STICKY = 1000, 10_000  # steps between evaluations
EPISODES_STICKY = 100  # of an evaluation, where one does not tell all
OWN = "own"  # the edition of a study whose MDPs were chosen by hand
WINDOWS = 200  # points of a training curve
CHALLENGE, CONTROLS = "challenge", "controls"  # strata of the MDPs
FEATURES = ("actions", "effective_horizon", "effective_horizon_low", "horizon", "min_k", "states")


@dataclass(frozen=True)
class ChallengeStudy:
    """What a study of the challenge asks. `every` are the steps between evaluations, `episodes` those of one."""

    agents: tuple[ChallengeAgent, ...]
    mdps: tuple[str, ...]
    budget: int
    seeds: int
    every: int = EVERY
    edition: str = OWN
    sticky: float = 0.0
    episodes: int = 1

    @classmethod
    def make(
        cls,
        agents: Sequence[str],
        *,
        edition: str = "full",
        mdps: Sequence[str] | None = None,
        settings: Sequence[str] | None = None,
        budget: int | None = None,
        seeds: int | None = None,
        every: int | None = None,
        sticky: float = 0.0,
        episodes: int | None = None,
        hyperparameters: Mapping[str, Any] | None = None,
    ) -> ChallengeStudy:
        """A study, checked: an edition with some of it set anew."""
        chosen = EDITIONS[Choice(tuple(EDITIONS)).parse("edition", edition)]
        steps = Integer(1).parse("budget", chosen.budget if budget is None else budget)
        sticks = Real(0, 1).parse("sticky", sticky)
        apart = Integer(1).parse("every", (EVERY_STICKY if sticks else EVERY) if every is None else every)
        if apart > steps:
            raise UsageError(f"every is {apart:,}, but must be at most the budget of {steps:,}: nothing would be seen.")
        found = chosen.choose(catalogue()) if mdps is None else [catalogue_entry(mdp) for mdp in dict.fromkeys(mdps)]
        if not found:
            raise UsageError("a study of the challenge needs at least one MDP.")
        for mdp in found:
            if mdp.status in (Status.NO_WIN, Status.TOO_LARGE):
                raise UsageError(f"{mdp.id} was dropped ({mdp.status}): there is nothing to solve.")
        return cls(
            all_with_settings(agents, steps, settings, chosen.settings, hyperparameters, certain=not sticks),
            tuple(mdp.id for mdp in found),
            steps,
            Integer(1, 1_000_000).parse("seeds", chosen.seeds if seeds is None else seeds),
            apart,
            edition if mdps is None else OWN,
            sticks,
            Integer(1).parse("episodes", (EPISODES_STICKY if sticks else 1) if episodes is None else episodes),
        )

    @property
    def name(self) -> str:
        """How people call it."""
        agents = ", ".join(agent.name for agent in self.agents)
        chosen = self.mdps[0] if len(self.mdps) == 1 else f"{len(self.mdps)} MDPs"
        where = chosen if self.edition == OWN else f"the {self.edition} challenge"
        sticky = f" with sticky actions {self.sticky:g}" if self.sticky else ""
        return f"{agents} on {where}{sticky}"

    @property
    def evaluations(self) -> range:
        """The steps after which a run is evaluated."""
        return range(self.every, self.budget + 1, self.every)

    @cached_property
    def family(self) -> Family:
        """The MDPs: `CHALLENGE` and `CONTROLS` are strata, what the catalogue knows of them features."""
        return Family((), tuple(self._point(mdp) for mdp in facts(self)))

    def _point(self, mdp: CatalogueEntry) -> Point:
        known = {name: getattr(mdp, name) for name in FEATURES}
        features = tuple((name, float(value)) for name, value in known.items() if value is not None)
        stratum = CONTROLS if is_control(mdp) else CHALLENGE
        task = Task.make("challenge", mdp=mdp.id, sticky_actions=self.sticky)
        return Point(mdp.id, task, stratum=stratum, features=features)

    def task(self, mdp: str, setting: Setting) -> Task:
        """An MDP as an agent in this setting observes it."""
        return Task.make("challenge", mdp=mdp, observation=setting.observation, sticky_actions=self.sticky)

    def cell(self, mdp: str, setting: Setting, seed: int) -> Cell:
        """One run."""
        task = self.task(mdp, setting)
        probe = Probe(PROBE, task, self.evaluations, episodes=self.episodes, metrics=("return",))
        return Cell(
            setting.agent, seed, (Segment(task, self.budget),), (probe,), max(self.every, self.budget // WINDOWS)
        )

    def to_json(self) -> dict[str, Json]:
        """The study as plain data."""
        return {
            "contenders": [agent.to_json() for agent in self.agents],
            "mdps": list(self.mdps),
            "budget": self.budget,
            "seeds": self.seeds,
            "every": self.every,
            "edition": self.edition,
            "sticky": self.sticky,
            "episodes": self.episodes,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ChallengeStudy:
        """Reads a study that `to_json` wrote."""
        what = "study of the challenge"
        keys = {"contenders", "mdps", "budget", "seeds", "every", "edition", "sticky", "episodes"}
        data = dict(read_json({"sticky": 0.0, "episodes": 1, **data}, what, keys))  # older ones have neither
        with reading(what):
            agents = tuple(ChallengeAgent.from_json(agent) for agent in data.pop("contenders"))
            return cls(agents, tuple(data.pop("mdps")), **data)


def label(agent: ChallengeAgent, setting: Setting) -> str:
    """What an agent in a setting is called in a plan."""
    return f"{agent.name}, {setting.name}"


def facts(study: ChallengeStudy) -> list[CatalogueEntry]:
    """What is known of a study's MDPs: what the catalogue says, and what that becomes with sticky actions."""
    return [_sticky(catalogue_entry(mdp), study.sticky) if study.sticky else catalogue_entry(mdp) for mdp in study.mdps]


@lru_cache(maxsize=1000)
def _sticky(mdp: CatalogueEntry, probability: float) -> CatalogueEntry:
    """Returns are exact; guessing and GORP are for what is certain. The effective horizon is that of the MDP itself."""
    table = stored(mdp.id).table()
    return replace(
        mdp,
        optimal_return=sticky_return(table, probability, "best"),
        random_return=sticky_return(table, probability, "mean"),
        p_opt=None,
        guess_steps=None,
        gorp_steps=None,
        gorp_budget=None,
    )


def open_tables(study: ChallengeStudy, _say: Callable[[str], None]) -> None:
    """Builds the tables that are not there yet, before several workers would each do it."""
    with stages() as say:
        for mdp in study.mdps:
            say(f"opening {mdp}")
            stored(mdp)


def plan(study: ChallengeStudy) -> Plan:
    """Every agent in every setting on every MDP."""
    tracks = {
        Track(label(agent, setting), mdp): partial(study.cell, mdp, setting)
        for agent in study.agents
        for setting in agent.settings
        for mdp in study.mdps
    }
    return Plan.of(study.name, PROTOCOL, study.to_json(), tracks, study.seeds)
