"""What does a study of the challenge ask? Agents in all their settings, each on its own on every MDP, seed by seed.

Every 1,000 steps the deterministic policy plays one episode: MDP and policy are certain, so one tells all. An MDP is
solved once that earns the optimal return, without discount. With sticky actions it is not certain: the policy plays a
hundred episodes ten times less often, and must earn nearly what is optimal then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from mohs.agents.registry import check_plays
from mohs.core.cell import Cell, Probe, Segment
from mohs.core.domain import Choice, Integer, Real
from mohs.core.errors import UsageError
from mohs.core.task import Task, read_json, reading
from mohs.core.values import Json
from mohs.exact.values.sticky import sticky_return
from mohs.protocols.challenge.editions import EDITIONS
from mohs.protocols.challenge.settings import Contender, Setting, contenders
from mohs.runs.plan import Plan
from mohs.tables.challenge.cache import stored
from mohs.tables.challenge.catalogue import NO_WIN, TOO_LARGE, Listed, catalogue, listed

PROTOCOL = "challenge"
PROBE = "eval"
EVERY, EVERY_STICKY = 1000, 10_000  # steps between evaluations
EPISODES_STICKY = 100  # of an evaluation, where one does not tell all
OWN = "own"  # the edition of a study whose MDPs were chosen by hand
WINDOWS = 200  # points of a training curve


@dataclass(frozen=True)
class ChallengeStudy:
    contenders: tuple[Contender, ...]
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
        found = chosen.choose(catalogue()) if mdps is None else [listed(mdp) for mdp in dict.fromkeys(mdps)]
        if not found:
            raise UsageError("a study of the challenge needs at least one MDP.")
        for mdp in found:
            if mdp.status in (NO_WIN, TOO_LARGE):
                raise UsageError(f"{mdp.id} was dropped ({mdp.status}): there is nothing to solve.")
        study = cls(
            contenders(agents, steps, settings, chosen.settings, hyperparameters, certain=not sticks),
            tuple(mdp.id for mdp in found),
            steps,
            Integer(1, 1_000_000).parse("seeds", chosen.seeds if seeds is None else seeds),
            apart,
            edition if mdps is None else OWN,
            sticks,
            Integer(1).parse("episodes", (EPISODES_STICKY if sticks else 1) if episodes is None else episodes),
        )
        smallest = min(found, key=lambda mdp: mdp.states or 0).id
        for contender in study.contenders:
            for setting in contender.settings:
                check_plays(setting.agent, study.task(smallest, setting), steps)
        return study

    @property
    def name(self) -> str:
        """How people call it."""
        agents = ", ".join(contender.name for contender in self.contenders)
        chosen = self.mdps[0] if len(self.mdps) == 1 else f"{len(self.mdps)} MDPs"
        where = chosen if self.edition == OWN else f"the {self.edition} challenge"
        sticky = f" with actions that stick at {self.sticky:g}" if self.sticky else ""
        return f"{agents} on {where}{sticky}"

    @property
    def evaluations(self) -> range:
        return range(self.every, self.budget + 1, self.every)

    def task(self, mdp: str, setting: Setting) -> Task:
        return Task.make("challenge", mdp=mdp, observation=setting.observation, sticky_actions=self.sticky)

    def cell(self, mdp: str, setting: Setting, seed: int) -> Cell:
        """One run."""
        task = self.task(mdp, setting)
        probe = Probe(PROBE, task, self.evaluations, episodes=self.episodes, metrics=("return",))
        return Cell(
            setting.agent, seed, (Segment(task, self.budget),), (probe,), max(self.every, self.budget // WINDOWS)
        )

    def to_json(self) -> dict[str, Json]:
        return {
            "contenders": [contender.to_json() for contender in self.contenders],
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
        what = "study of the challenge"
        keys = {"contenders", "mdps", "budget", "seeds", "every", "edition", "sticky", "episodes"}
        data = dict(read_json({"sticky": 0.0, "episodes": 1, **data}, what, keys))  # older ones have neither
        with reading(what):
            agents = tuple(Contender.from_json(contender) for contender in data.pop("contenders"))
            return cls(agents, tuple(data.pop("mdps")), **data)


def facts(study: ChallengeStudy) -> list[Listed]:
    """What is known of a study's MDPs: what the catalogue says, and what that becomes with sticky actions."""
    return [_sticky(listed(mdp), study.sticky) if study.sticky else listed(mdp) for mdp in study.mdps]


@lru_cache(maxsize=1000)
def _sticky(mdp: Listed, probability: float) -> Listed:
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


def plan(study: ChallengeStudy) -> Plan:
    """Every MDP, agent, setting and seed, seed by seed, so that an interrupted study has whole seeds."""
    cells = [
        study.cell(mdp, setting, seed)
        for seed in range(study.seeds)
        for contender in study.contenders
        for setting in contender.settings
        for mdp in study.mdps
    ]
    return Plan(study.name, PROTOCOL, study.to_json(), tuple(cells))
