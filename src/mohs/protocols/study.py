"""What does a diagnosis ask? One agent, one base task, doses of dials, and the runs that follow from them.

Vanilla and, one dial at a time, every dose of the battery; the same seeds everywhere, so that runs are paired: seed i
has the same generated dynamics at every dose and for every agent.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from mohs.core.cell import Agent, Cell, Probe, Segment
from mohs.core.dial import Applies
from mohs.core.domain import Integer
from mohs.core.errors import UsageError
from mohs.core.registry import canonical, environment
from mohs.core.task import Task, read_json, reading
from mohs.core.values import Json, from_json, to_json
from mohs.envs.dials import dial_of
from mohs.envs.make import make, time_limit
from mohs.protocols.batteries import PAIRED, known_doses
from mohs.protocols.batteries import battery as find_battery
from mohs.runs.learners import check_plays, check_sees
from mohs.runs.plan import Plan

PROTOCOL = "diagnose"
CURVE_POINTS = 50
REFERENCE_EPISODES = 20  # of random play, for each seed


@dataclass(frozen=True)
class Study:
    """What a diagnosis asks. `params` are those of the vanilla task, around which the dials are turned.

    `left_out` names what of the battery this environment does not allow: a dial, or "dial = dose, dose".
    """

    agent: Agent
    battery: str
    doses: tuple[tuple[str, tuple[Any, ...]], ...]
    pairs: tuple[tuple[str, str], ...]
    seeds: int
    budget: int
    env: str = "toy/discrete"
    episodes: int = 10
    params: tuple[tuple[str, Any], ...] = ()
    left_out: tuple[str, ...] = ()

    @classmethod
    def make(
        cls,
        agent: Agent,
        battery: str = "quick",
        dials: Sequence[str] | None = None,
        pairs: Sequence[tuple[str, str]] | None = None,
        seeds: int | None = None,
        budget: int | None = None,
        env: str = "toy/discrete",
        params: Mapping[str, Any] | None = None,
        doses: Mapping[str, Sequence[Any]] | None = None,
    ) -> Study:
        """A battery with some of it set anew.

        Dials outside the battery take their doses from the full one; dials with `doses` of their own are always among
        those that are tried. What was asked for by name must fit the environment; of a battery, what does not is left
        out.
        """
        (env, named), given = canonical(env), dict(doses or {})
        chosen = find_battery(_place(env), battery)
        vanilla = _vanilla(env, chosen.base, {**named, **(params or {})})
        if vanilla.environment.place is None:
            raise UsageError(f"{env} has no dials to diagnose by: vary its parameters in a study (mohs run FILE).")
        check_plays(agent, vanilla)
        _check_made(vanilla)
        known = {**known_doses(_place(env), battery), **given}
        for a, b in pairs or ():
            if a == b:
                raise UsageError(f"the pair {a}:{b} must name two different dials.")
        for name in itertools.chain(dials or (), given):
            _check_dial(vanilla, name, known)
        for name in itertools.chain(*(pairs or ())):
            _check_dial(vanilla, name, {**known, **PAIRED.get(_place(env), {})})
        asked = {*(dials or ()), *given}
        parsed: dict[str, tuple[Any, ...]] = {}
        left_out = []
        for name in dict.fromkeys([*(chosen.doses if dials is None else dials), *given]):
            if name in asked:
                parsed[name] = _doses(vanilla, name, known[name])
                continue
            fitting, rest = _fitting(vanilla, name, known[name])
            parsed |= {name: fitting} if fitting else {}
            left_out += [rest] if rest else []
        if not parsed:
            raise UsageError("a diagnosis needs at least one dial.")
        two = chosen.pairs if pairs is None and dials is None else tuple(pairs or ())
        steps = Integer(200).parse("budget", chosen.budget if budget is None else budget)
        count = Integer(1, 1_000_000).parse("seeds", chosen.seeds if seeds is None else seeds)
        study = cls(
            agent,
            battery,
            tuple(parsed.items()),
            two,
            count,
            steps,
            env,
            params=vanilla.params,
            left_out=tuple(left_out),
        )
        fit = {study.task({name: value}) for name, values in study.doses if name not in asked for value in values}
        checked = set()
        for point in study.points():
            check_sees(agent, point)
            spaces = point.environment.realisation("spaces")(point)
            if spaces not in checked:
                check_plays(agent, point, steps)
                checked.add(spaces)
            if vanilla.environment.third_party and point not in fit:
                make(point).close()
        return study

    @property
    def name(self) -> str:
        """How people call it: by its agent, and by its environment unless that is the usual one."""
        return str(self.agent) if self.env == "toy/discrete" else f"{self.agent} on {self.env}"

    @cached_property
    def pair_doses(self) -> Mapping[str, tuple[Any, ...]]:
        """The doses of every dial that a pair names."""
        known = {**known_doses(_place(self.env), self.battery), **PAIRED.get(_place(self.env), {}), **dict(self.doses)}
        return {name: known[name] for pair in self.pairs for name in pair}

    def points(self) -> tuple[Task, ...]:
        """Every task that is tried, once: vanilla, one dial at a time, and the grid of every pair."""
        return tuple(dict.fromkeys(self._points()))

    def _points(self) -> Iterable[Task]:
        yield self.task({})
        for name, values in self.doses:
            yield from (self.task({name: value}) for value in values)
        for a, b in self.pairs:
            for x, y in itertools.product(self.pair_doses[a], self.pair_doses[b]):
                yield self.task({a: x, b: y})

    def task(self, params: Mapping[str, Any], seed: int = 0) -> Task:
        """The vanilla task with some dials turned."""
        return Task.make(self.env, seed=seed, **{**dict(self.params), **params})

    def cell(self, point: Task, seed: int) -> Cell:
        """One run: training, then the greedy policy on its own task and without noise."""
        task = replace(point, seed=seed)
        end = (self.budget,)
        probes = (
            Probe("eval", task, end, self.episodes),
            Probe("noise_free", task.noise_free(), end, self.episodes),
        )
        return Cell(self.agent, seed, (Segment(task, self.budget),), probes, window(task, self.budget))

    def reference(self, seed: int) -> Cell:
        """Random play on the vanilla task: no training, and one evaluation."""
        task = self.task({}, seed)
        probe = Probe("random", task, (0,), REFERENCE_EPISODES, "sample")
        return Cell(Agent.make("random"), seed, (Segment(task, 0),), (probe,), 1)

    def to_json(self) -> dict[str, Json]:
        data: dict[str, Json] = {
            "agent": self.agent.to_json(),
            "battery": self.battery,
            "doses": [[name, to_json(values)] for name, values in self.doses],
            "pairs": [list(pair) for pair in self.pairs],
            "seeds": self.seeds,
            "budget": self.budget,
            "env": self.env,
            "episodes": self.episodes,
        }
        # Left out where there are none, so that the studies of before keep their keys.
        if self.params:
            data["params"] = {name: to_json(value) for name, value in self.params}
        if self.left_out:
            data["left_out"] = list(self.left_out)
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Study:
        keys = {"agent", "battery", "doses", "pairs", "seeds", "budget", "env", "episodes", "params", "left_out"}
        data = read_json({"params": {}, "left_out": [], **data}, "diagnosis", keys)
        with reading("diagnosis"):
            return cls(
                Agent.from_json(data["agent"]),
                data["battery"],
                tuple((name, from_json(values)) for name, values in data["doses"]),
                tuple((a, b) for a, b in data["pairs"]),
                data["seeds"],
                data["budget"],
                data["env"],
                data["episodes"],
                tuple((name, from_json(value)) for name, value in data["params"].items()),
                tuple(data["left_out"]),
            )


def window(task: Task, budget: int) -> int:
    """As long as an episode may be, so that every window has one; shorter where that is longer than the run."""
    limit, share = task["max_episode_steps"], budget // CURVE_POINTS
    return share if limit is None or limit > budget else max(limit, share)


def plan(study: Study) -> Plan:
    """All cells of a diagnosis, seed by seed, so that an interrupted one has whole seeds.

    Where a task has no references of its own, random play is among the runs.
    """
    points = study.points()
    cells: list[Cell] = []
    for seed in range(study.seeds):
        if environment(study.env).score is None:
            cells.append(study.reference(seed))
        cells += [study.cell(point, seed) for point in points]
    return Plan(study.name, PROTOCOL, study.to_json(), tuple(cells))


def ordered(values: Iterable[Any]) -> bool:
    """Whether doses are numbers, which have an order."""
    return all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)


def _place(env: str) -> Applies:
    """Where the dials of an environment are read."""
    return environment(env).place or "wrapper"


def _vanilla(env: str, base: Mapping[str, Any], params: Mapping[str, Any]) -> Task:
    """The task that these parameters ask for; the battery's own give way where they exclude each other."""
    alone = Task.make(env, **params)
    try:
        return Task.make(env, **{**base, **params})
    except UsageError:
        return alone


def _check_made(vanilla: Task) -> None:
    """An environment of somebody else's must be there, and its episodes must end: evaluations play whole ones."""
    if not vanilla.environment.third_party:
        return
    made = make(vanilla)
    limit = time_limit(made)
    made.close()
    if limit is None:
        raise UsageError(f"{vanilla.env} has no time limit, so an episode may never end: --param max_episode_steps=N.")


def _check_dial(vanilla: Task, name: str, known: Mapping[str, Any]) -> None:
    dial_of(vanilla, name)
    if name in known:
        return
    if name in PAIRED.get(_place(vanilla.env), {}):
        raise UsageError(f"{name} does nothing to sequences of one state: try --pairs sequence_length:{name}.")
    raise UsageError(f"{name} has no usual doses in {vanilla.env}: give some, --doses {name}=v1,v2,...")


def _doses(vanilla: Task, name: str, values: Iterable[Any]) -> tuple[Any, ...]:
    """The doses of a dial, each once, vanilla's among them; numbers in their order."""
    domain, plain = vanilla.environment.parameters[name].domain, vanilla[name]
    doses = list(dict.fromkeys([plain, *(domain.parse(name, value) for value in values)]))
    if len(doses) == 1:
        raise UsageError(f"{name} needs a dose other than vanilla's, which is {plain!r}.")
    return tuple(sorted(doses) if ordered(doses) else doses)


def _fitting(vanilla: Task, name: str, values: Iterable[Any]) -> tuple[tuple[Any, ...], str]:
    """The doses of a battery's dial that this very environment allows, if any but vanilla's, and in words the rest.

    Whether a dial can be turned in an environment of somebody else's is known only when it is made.
    """
    if not vanilla.environment.third_party:
        return _doses(vanilla, name, values), ""
    if name not in vanilla.environment.parameters:
        return (), name
    doses = _doses(vanilla, name, values)
    fit = tuple(value for value in doses if value == vanilla[name] or _can_be_made(vanilla.replace(**{name: value})))
    if len(fit) == 1:
        return (), name
    rest = ", ".join(str(value) for value in doses if value not in fit)
    return fit, f"{name} = {rest}" if rest else ""


def _can_be_made(task: Task) -> bool:
    try:
        make(task).close()
    except UsageError:
        return False
    return True
