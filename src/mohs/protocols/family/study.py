"""What does an evaluation over a family ask? Methods, a weighted family, a budget of trained models and a design.

A *model* is one training run of a method at one point. A budget of n models for each method is spent on a sample of
points (`--design`) and, with more than one seed, on seeds. The default point runs besides, with seeds of its own, so
that what is usually reported can be compared with what holds over the family.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.agents.registry import agent_entry
from mohs.core.cell import Agent, Cell, Probe, Segment
from mohs.core.domain import Integer, Real
from mohs.core.errors import UsageError, unknown
from mohs.core.family import Family
from mohs.core.point import Point
from mohs.core.seeding import child, seed_of
from mohs.core.task import Task, read_json, reading
from mohs.core.values import Json, content_hash, from_json, to_json
from mohs.envs.effects import effects
from mohs.protocols.family.coordinates import Coordinates, coordinates
from mohs.protocols.scale import has_references
from mohs.runs.plan import Plan, Track
from mohs.runs.windows import window
from mohs.stats.family import DESIGNS, Sample, draw, look_sizes
from mohs.stats.family.tails import FEWEST_POINTS

Floats = npt.NDArray[np.float64]
PROTOCOL = "family"
DEFAULT, RANDOM, BASELINE = "default", "random policy", "baseline"
BUDGET, STEPS, EPISODES, FAILURE = 64, 50_000, 20, 0.2
DEFAULT_SEEDS = 5  # what is usually reported is a mean over a few seeds
NESTED = ("pivotal", "assisted", "census")  # designs whose order keeps a smaller sample within a larger one


@dataclass(frozen=True)
class FamilyStudy:
    """What an evaluation over a family asks.

    Attributes:
        methods: the agents, each with hyperparameters.
        family: all points, with weights; the mark `default` names the point that is usually reported.
        title: what the family is called.
        budget: trained models of each method, those at the default point not counted.
        design: how the points are chosen (`stats.family.designs`).
        seeds: models of each method at each chosen point.
        steps: environment steps of each model.
        episodes: of the evaluation at the end of training.
        looks: after how many shares of the budget it may end, because the ranking is decided; 1 runs all of it.
        draw: seed of the sample of points.
        evaluation: parameters of the evaluated task that differ from those of the trained one.
        baseline: the agent whose score at each point is 1, where the optimum is not known.
        failure: a normalised score below which a method has failed at a point.
        notes: what was found of the points before anything was trained, as sentences.
        width: the half-width of intervals for which the verdict plans a budget; half of the present one by default.
        default_seeds: models of each method at the default point, rounded up to a multiple of `seeds`.
    """

    methods: tuple[Agent, ...]
    family: Family
    title: str
    budget: int
    design: str = "pivotal"
    seeds: int = 1
    steps: int = STEPS
    episodes: int = EPISODES
    looks: int = 1
    draw: int = 0
    evaluation: tuple[tuple[str, Any], ...] = ()
    baseline: Agent | None = None
    failure: float = FAILURE
    notes: tuple[str, ...] = ()
    width: float | None = None
    default_seeds: int = DEFAULT_SEEDS

    @classmethod
    def make(
        cls,
        methods: Sequence[Agent],
        family: Family,
        title: str,
        *,
        budget: int | None = None,
        design: str | None = None,
        seeds: int | None = None,
        steps: int | None = None,
        episodes: int = EPISODES,
        looks: int = 1,
        draw: int = 0,
        evaluation: Mapping[str, Any] | None = None,
        baseline: Agent | None = None,
        failure: float | None = None,
        width: float | None = None,
        default_seeds: int = DEFAULT_SEEDS,
    ) -> FamilyStudy:
        """Checks everything. By default `BUDGET` points by the pivotal design, or all of a smaller family."""
        if not methods:
            raise UsageError("a family needs at least one method.")
        twice = [str(m) for m in methods if list(map(str, methods)).count(str(m)) > 1]
        if twice:
            raise UsageError(f"the method {twice[0]} is named twice.")
        seeds = Integer(1, 1000).parse("seeds", 1 if seeds is None else seeds)
        members = len(family.members)
        most = members * seeds
        chosen = design or ("census" if budget is None and members <= BUDGET else "pivotal")
        if chosen not in DESIGNS:
            raise unknown("design", chosen, DESIGNS)
        usual = most if chosen == "census" else min(BUDGET * seeds, most)
        models = Integer(1).parse("budget", usual if budget is None else budget)
        if models > most:
            raise UsageError(
                f"budget is {models:,} models of each method, but the family has {members:,} points with {seeds} "
                f"seed{'s' * (seeds > 1)} each: at most {most:,}; a larger --seeds allows more."
            )
        if models < seeds:
            raise UsageError(f"budget is {models} models, which is less than one point with {seeds} seeds.")
        if models % seeds:
            raise UsageError(
                f"budget is {models} models, but each point has {seeds} seeds: it must be a multiple of {seeds}."
            )
        if chosen == "census" and models // seeds != members:
            raise UsageError(
                f"the design census runs all {members:,} points: leave --budget out, or use another design."
            )
        if models // seeds == members and chosen in NESTED:
            chosen = "census"
        study = cls(
            tuple(methods),
            family,
            title,
            models,
            chosen,
            seeds,
            Integer(200).parse("steps", STEPS if steps is None else steps),
            Integer(1).parse("episodes", episodes),
            Integer(1, 20).parse("looks", looks),
            Integer(0, 2**31 - 1).parse("draw", draw),
            tuple(sorted((evaluation or {}).items())),
            baseline,
            FAILURE if failure is None else Real(-math.inf, math.inf).parse("failure", failure),
            width=None if width is None else Real(1e-9, math.inf).parse("width", width),
            default_seeds=Integer(1, 1000).parse("default_seeds", default_seeds),
        )
        _check_looks(study)
        return replace(study, notes=_notes(study))

    @property
    def name(self) -> str:
        """How people call it: by its methods and its family."""
        return f"{', '.join(self.labels)} on the family {self.title}"

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the methods."""
        return tuple(map(str, self.methods))

    @cached_property
    def members(self) -> tuple[Point, ...]:
        """The points that have a weight."""
        return self.family.members

    @cached_property
    def weights(self) -> Floats:
        """The weights of the members, which sum to 1."""
        given = self.family.weights
        return np.asarray(given[given > 0])

    @cached_property
    def coordinates(self) -> Coordinates:
        """Where the members lie, in numbers."""
        return coordinates(self.family.axes, self.members)

    @cached_property
    def sample(self) -> Sample:
        """The points that run, in the order in which they do."""
        return self.sampled(self.design, self.budget // self.seeds)

    def sampled(self, design: str, n: int) -> Sample:
        """n points by a design."""
        return draw(design, self.weights, self.coordinates.space, n, self.draw, self.strata)

    @cached_property
    def look_sizes(self) -> tuple[int, ...]:
        """How many points have run at each look; one look where the design is not nested."""
        return look_sizes(len(self.points), self.looks if self.nested else 1)

    @property
    def nested(self) -> bool:
        """Whether the first points of the sample are a smaller sample of the same design."""
        return self.design in NESTED

    @cached_property
    def strata(self) -> list[str] | None:
        """The stratum of each member; None where there are none."""
        found = [point.stratum for point in self.members]
        return found if any(found) else None

    @cached_property
    def unsolvable(self) -> Mapping[Task, str]:
        """Why no policy can solve the tasks of members, for those where that is proved."""
        entry = self.family[0].task.environment
        if entry.unsolvable is None:
            return {}
        prove = entry.realisation("unsolvable")
        found = {point.task: prove(self.evaluated(point.task)) for point in self.members}
        return {task: reason for task, reason in found.items() if reason}

    @cached_property
    def points(self) -> tuple[Point, ...]:
        """The chosen points, one for each draw. A point that is drawn again has another name, and runs of its own."""
        times: Counter[int] = Counter()
        found = []
        for i in self.sample.chosen.tolist():
            times[i] += 1
            point = self.members[i]
            found.append(point if times[i] == 1 else replace(point, name=f"{point.name} (draw {times[i]})"))
        return tuple(found)

    @property
    def default(self) -> Point | None:
        """The point that is usually reported."""
        return self.family.default

    @property
    def env(self) -> str:
        """The environment of the family."""
        return self.family[0].task.env

    @property
    def normalised(self) -> bool:
        """Whether a score is a share of a range whose ends are known at every point."""
        return self.baseline is not None or has_references(self.env)

    def evaluated(self, task: Task) -> Task:
        """The task on which a model that was trained on `task` is evaluated."""
        return task.replace(**dict(self.evaluation)) if self.evaluation else task

    def cell(self, method: Agent, point: Point, seed: int) -> Cell:
        """One model: training, where it learns, then the greedy policy."""
        steps = self.steps if agent_entry(method.name).learns else 0
        shown = agent_entry(method.name).records and point.task.environment.shown
        probe = Probe("eval", self.evaluated(point.task), (steps,), self.episodes, record=shown)
        return Cell(method, seed, (Segment(point.task, steps),), (probe,), window(point.task, self.steps))

    def reference(self, point: Point, seed: int) -> Cell:
        """The random policy at a point: no training, and one evaluation."""
        probe = Probe("eval", self.evaluated(point.task), (0,), self.episodes, "sample")
        return Cell(Agent.make("random"), seed, (Segment(point.task, 0),), (probe,), 1)

    def tracks_at(self, point: Point, name: str, first: int = 0) -> dict[Track, Callable[[int], Cell]]:
        """What runs at a point, under a name and from a first seed on: methods, and references where needed.

        Every point has its own seeds, shared by the methods. With the same seeds at all points, lucky draws would be
        lucky at all of them, and an interval that takes points for independent would be too narrow.
        """
        own = content_hash(point.task.to_json())

        def seeded(make: Callable[[int], Cell]) -> Callable[[int], Cell]:
            return lambda seed: make(seed_of(child(first + seed, own)))

        makers: dict[str, Callable[[int], Cell]] = {str(m): partial(self.cell, m, point) for m in self.methods}
        if self.baseline is not None:
            makers[RANDOM] = partial(self.reference, point)
            makers[BASELINE] = partial(self.cell, self.baseline, point)
        return {Track(agent, name): seeded(make) for agent, make in makers.items()}

    @property
    def reference_names(self) -> tuple[str, ...]:
        """What runs at every point beside the methods."""
        return () if self.baseline is None else (RANDOM, BASELINE)

    @cached_property
    def default_names(self) -> tuple[str, ...]:
        """The names under which the default point runs, `seeds` models of each method under each."""
        if self.default is None:
            return ()
        return tuple(f"{DEFAULT} {i + 1}" for i in range(math.ceil(self.default_seeds / self.seeds)))

    def to_json(self) -> dict[str, Json]:
        """As plain data."""
        return {
            "methods": [method.to_json() for method in self.methods],
            "family": self.family.to_json(),
            "title": self.title,
            "budget": self.budget,
            "design": self.design,
            "seeds": self.seeds,
            "steps": self.steps,
            "episodes": self.episodes,
            "looks": self.looks,
            "draw": self.draw,
            "evaluation": {name: to_json(value) for name, value in self.evaluation},
            "baseline": None if self.baseline is None else self.baseline.to_json(),
            "failure": self.failure,
            "notes": list(self.notes),
            "width": self.width,
            "default_seeds": self.default_seeds,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> FamilyStudy:
        """From plain data, as `to_json` gives it."""
        keys = {"methods", "family", "title", "budget", "design", "seeds", "steps", "episodes", "looks", "draw"}
        keys |= {"evaluation", "baseline", "failure", "notes"}
        data = read_json(data, "family study", keys, since={"width": None, "default_seeds": DEFAULT_SEEDS})
        with reading("family study"):
            return cls(
                tuple(Agent.from_json(method) for method in data["methods"]),
                Family.from_json(data["family"]),
                data["title"],
                data["budget"],
                data["design"],
                data["seeds"],
                data["steps"],
                data["episodes"],
                data["looks"],
                data["draw"],
                tuple((name, from_json(value)) for name, value in data["evaluation"].items()),
                None if data["baseline"] is None else Agent.from_json(data["baseline"]),
                data["failure"],
                tuple(data["notes"]),
                data["width"],
                data["default_seeds"],
            )


def plan(study: FamilyStudy) -> Plan:
    """Every method at the default point and at the chosen points, in their order."""
    tracks: dict[Track, Callable[[int], Cell]] = {}
    for i, name in enumerate(study.default_names):
        assert study.default is not None
        tracks |= study.tracks_at(study.default, name, first=i * study.seeds)
    before: Counter[Task] = Counter()
    for point in study.points:
        tracks |= study.tracks_at(point, point.name, first=before[point.task] * study.seeds)
        before[point.task] += 1
    return Plan.of(study.name, PROTOCOL, study.to_json(), tracks, study.seeds)


def _check_looks(study: FamilyStudy) -> None:
    """Raises where the ranking could never be looked at before all points have run."""
    if study.looks == 1 or len(study.look_sizes) > 1:
        return
    if not study.nested:
        raise UsageError(
            f"looks is {study.looks}, but samples of the design {study.design} have no smaller ones to look at: "
            f"use {', '.join(NESTED[:-1])} or census, or leave it at 1."
        )
    raise UsageError(
        f"looks is {study.looks}, but there are {len(study.points)} points: the first look needs {FEWEST_POINTS} and "
        f"comes after half of them at the latest, so use {2 * FEWEST_POINTS - 1} or more, or leave it at 1."
    )


def _notes(study: FamilyStudy) -> tuple[str, ...]:
    """What is known of the points before anything is trained: equal dynamics, and points that no policy can solve.

    All members of compiled environments are played. Of third-party environments only what will run is.

    Raises:
        UsageError: a value has no effect on the dynamics.
    """
    entry = study.family[0].task.environment
    played = tuple(study.members[i] for i in np.unique(study.sample.chosen)) if entry.third_party else study.members
    default = () if study.default is None or study.default in played else (study.default,)
    found = effects(Family(study.family.axes, (*played, *default)))
    found.check()
    notes = []
    if found.distinct < found.points:
        notes.append(
            f"{found.points - found.distinct:,} of {found.points:,} points "
            f"{'has' if found.points - found.distinct == 1 else 'have'} the dynamics of another point."
        )
    if study.unsolvable:
        count, first = len(study.unsolvable), next(iter(study.unsolvable.values()))
        notes.append(f"No policy can solve {count:,} of {found.points:,} points, the first because {first}")
    return tuple(notes)
