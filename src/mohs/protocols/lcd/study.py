"""What does a study of perceptual and learning challenge ask? Agents on games, each under several conditions.

An agent is trained on the training levels of a game in one view and with one reward probability. During training it
is evaluated on held-out levels with the game's own reward.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from mohs.core.cell import Agent, Cell, Mode, Probe, Segment
from mohs.core.domain import Choice, Integer, Real
from mohs.core.errors import UsageError
from mohs.core.family import Family
from mohs.core.point import Point
from mohs.core.task import Task, read_json, reading
from mohs.core.values import Json
from mohs.protocols.lcd.conditions import (
    FRONT_END,
    SEMANTIC,
    Condition,
    Remedy,
    check_best,
    check_game,
    conditions,
    held_out,
    offers_shaping,
    seeing,
    takes_front_end,
)
from mohs.protocols.scale import has_references
from mohs.runs.plan import Plan, Track
from mohs.runs.windows import window

PROTOCOL = "lcd"
RANDOM, PROBE = "random policy", "held_out"
PROBABILITIES = (1.0, 0.75, 0.5, 0.25)  # section 3 of the paper
SEEDS, STEPS, LEVELS, EVALUATIONS, EPISODES = 5, 100_000, 500, 10, 16
FLOOR = 0.05
FEWEST_EVALUATIONS = 4


@dataclass(frozen=True)
class LcdStudy:
    """What a study of perceptual and learning challenge asks.

    Attributes:
        agents: the agents, each with hyperparameters.
        games: the training tasks by name: pixels, full reward.
        seeds: runs of each agent under each condition.
        steps: environment steps of each run.
        probabilities: of a reward being paid, 1 among them, falling.
        remedies: what may help, and by how much.
        figure_ground: whether figure and ground is among the views.
        controls: whether conditions are run that should make no difference.
        evaluations: after the first one, at equal distances, up to the end of training.
        episodes: of each evaluation.
        mode: policy of evaluations.
        best: the largest return per episode, by game, where the game does not say it.
        floor: the area in the semantic view that must be clearly exceeded before a loss is judged.
    """

    agents: tuple[Agent, ...]
    games: tuple[tuple[str, Task], ...]
    seeds: int = SEEDS
    steps: int = STEPS
    probabilities: tuple[float, ...] = PROBABILITIES
    remedies: tuple[Remedy, ...] = ()
    figure_ground: bool = True
    controls: bool = True
    evaluations: int = EVALUATIONS
    episodes: int = EPISODES
    mode: Mode = "sample"
    best: tuple[tuple[str, float], ...] = ()
    floor: float = FLOOR

    @classmethod
    def make(
        cls,
        agents: Sequence[Agent],
        games: Mapping[str, Task],
        *,
        seeds: int = SEEDS,
        steps: int = STEPS,
        probabilities: Sequence[float] = PROBABILITIES,
        remedies: Sequence[str] = (),
        figure_ground: bool = True,
        controls: bool = True,
        evaluations: int = EVALUATIONS,
        episodes: int = EPISODES,
        mode: Mode = "sample",
        best: Mapping[str, float] | None = None,
        floor: float = FLOOR,
    ) -> LcdStudy:
        """A study, checked."""
        if not agents or not games:
            raise UsageError("a study of challenges needs at least one agent and one game.")
        labels = [str(agent) for agent in agents]
        if twice := next((label for label in labels if labels.count(label) > 1), None):
            raise UsageError(f"the agent {twice} is named twice.")
        for name, task in games.items():
            check_game(name, task)
        chosen = tuple(
            Remedy(Choice(tuple(map(str, Remedy))).parse("remedy", remedy)) for remedy in dict.fromkeys(remedies)
        )
        if Remedy.SHAPING in chosen and not any(map(offers_shaping, games.values())):
            raise UsageError(f"none of {', '.join(games)} offers shaping (a reward for sub-goals).")
        for agent in agents if {Remedy.MOTION, Remedy.GENERIC} & set(chosen) else ():
            if not takes_front_end(agent):
                raise UsageError(f"{agent.name} takes no front-end: it has no hyperparameter {FRONT_END}.")
        for name, value in (best or {}).items():
            if name not in games:
                raise UsageError(f"best names {name}, which is not among the games {', '.join(games)}.")
            check_best(name, games[name], Real().parse("best", value))
        evaluations = Integer(FEWEST_EVALUATIONS, 10_000).parse("evaluations", evaluations)
        return cls(
            tuple(agents),
            tuple(games.items()),
            Integer(1, 10_000).parse("seeds", seeds),
            Integer(evaluations).parse("steps", steps),
            _probabilities(probabilities),
            chosen,
            figure_ground,
            controls,
            evaluations,
            Integer(1).parse("episodes", episodes),
            Choice(("greedy", "sample")).parse("mode", mode),  # type: ignore[arg-type]
            tuple(sorted((name, float(value)) for name, value in (best or {}).items())),
            float(Real(0, 0.5).parse("floor", floor)),
        )

    @property
    def labels(self) -> tuple[str, ...]:
        """What the agents are called: by name where no two share one, in full otherwise."""
        names = [agent.name for agent in self.agents]
        return tuple(names) if len(set(names)) == len(names) else tuple(map(str, self.agents))

    @property
    def name(self) -> str:
        """How people call it."""
        names = [name for name, _ in self.games]
        listed = ", ".join(names) if len(names) <= 3 else f"{names[0]} and {len(names) - 1} more games"
        return f"{', '.join(self.labels)} on {listed}"

    def conditions(self, task: Task) -> tuple[Condition, ...]:
        """The conditions of a game."""
        return conditions(
            task, self.probabilities, self.remedies, figure_ground=self.figure_ground, controls=self.controls
        )

    @cached_property
    def family(self) -> Family:
        """Every game under each of its conditions."""
        points = [
            Point(point_name(game, c.name), task.replace(**dict(c.params)), (("game", game), ("condition", c.name)))
            for game, task in self.games
            for c in self.conditions(task)
        ]
        return Family(("game", "condition"), tuple(points))

    @property
    def at(self) -> range:
        """The steps of the evaluations, 0 among them."""
        every = self.steps // self.evaluations
        return range(0, every * self.evaluations + 1, every)

    def cell(self, agent: Agent, task: Task, condition: Condition, seed: int) -> Cell:
        """One run."""
        trained = task.replace(**dict(condition.params))
        probe = Probe(PROBE, held_out(trained), self.at, self.episodes, self.mode)
        return Cell(
            seeing(agent, condition, task),
            seed + condition.shift,
            (Segment(trained, self.steps),),
            (probe,),
            window(task, self.steps),
        )

    def random(self, task: Task, seed: int) -> Cell:
        """The random policy on held-out levels, where a game does not say what it earns: no training."""
        probe = Probe(PROBE, held_out(task), (0,), 4 * self.episodes, "sample")
        return Cell(Agent.make("random"), seed, (Segment(task, 0),), (probe,), 1)

    @property
    def probed(self) -> str:
        """Where agents are evaluated."""
        apart = [task.environment.held_out is not None for _, task in self.games]
        return (
            "held-out levels" if all(apart) else "held-out levels, where a game has them" if any(apart) else "the game"
        )

    @property
    def unscaled(self) -> tuple[tuple[str, Task], ...]:
        """The games that do not say what the random policy earns."""
        return tuple((name, task) for name, task in self.games if not has_references(task.env))

    def to_json(self) -> dict[str, Json]:
        """The study as plain data."""
        return {
            "agents": [agent.to_json() for agent in self.agents],
            "games": {name: task.to_json() for name, task in self.games},
            "seeds": self.seeds,
            "steps": self.steps,
            "probabilities": list(self.probabilities),
            "remedies": [str(remedy) for remedy in self.remedies],
            "figure_ground": self.figure_ground,
            "controls": self.controls,
            "evaluations": self.evaluations,
            "episodes": self.episodes,
            "mode": self.mode,
            "best": dict(self.best),
            "floor": self.floor,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> LcdStudy:
        """Reads a study that `to_json` wrote."""
        keys = {"agents", "games", "seeds", "steps", "probabilities", "remedies", "figure_ground", "controls",
                "evaluations", "episodes", "mode", "best", "floor"}  # fmt: skip
        data = read_json(data, "study of challenges", keys)
        with reading("study of challenges"):
            agents = tuple(Agent.from_json(agent) for agent in data["agents"])
            games = tuple((name, Task.from_json(task)) for name, task in data["games"].items())
            probabilities, best = tuple(data["probabilities"]), tuple(sorted(data["best"].items()))
            remedies = tuple(map(Remedy, data["remedies"]))
            return cls(
                agents, games, data["seeds"], data["steps"], probabilities, remedies, data["figure_ground"],
                data["controls"], data["evaluations"], data["episodes"], data["mode"], best,
                data["floor"],
            )  # fmt: skip


def _probabilities(given: Sequence[float]) -> tuple[float, ...]:
    """Falling, and the full reward among them."""
    found = {float(Real(0, 1, low_open=True).parse("probability", p)) for p in given}
    if 1.0 not in found:
        raise UsageError("the reward probabilities must have 1 among them, with which all others are compared.")
    return tuple(sorted(found, reverse=True))


def point_name(game: str, condition: str) -> str:
    """What a game under a condition is called in a plan."""
    return f"{game}: {condition}"


def plan(study: LcdStudy) -> Plan:
    """Every agent on every game under every condition; the random policy where a game has no references."""
    tracks: dict[Track, Callable[[int], Cell]] = {}
    for name, task in study.games:
        for condition in study.conditions(task):
            for agent, label in zip(study.agents, study.labels, strict=True):
                track = Track(label, point_name(name, condition.name))
                tracks[track] = partial(study.cell, agent, task, condition)
    for name, task in study.unscaled:
        tracks[Track(RANDOM, name)] = partial(study.random, task)
    return Plan.of(study.name, PROTOCOL, study.to_json(), tracks, study.seeds)


def first_tracks(study: LcdStudy) -> tuple[Track, ...]:
    """What must be learnt before anything can be compared: the semantic view at full reward."""
    semantic = [Track(label, point_name(name, SEMANTIC)) for name, _ in study.games for label in study.labels]
    return (*semantic, *(Track(RANDOM, name) for name, _ in study.unscaled))
