"""What does a diagnosis ask? One agent, one base task, doses of dials, and the runs that follow from them.

Vanilla and, one dial at a time, every dose of the battery; the same seeds everywhere, so that runs are paired: seed i
has the same generated dynamics at every dose and for every agent.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

from mohs.core.cell import Agent, Cell, Probe, Segment
from mohs.core.domain import Integer
from mohs.core.errors import UsageError
from mohs.core.family import Family
from mohs.core.point import Point
from mohs.core.registry import canonical, environment
from mohs.core.task import SEED, Task, read_json, reading
from mohs.core.values import Json, from_json, to_json
from mohs.envs.dials import dial_of, read_dial
from mohs.protocols.diagnose.batteries import battery as find_battery
from mohs.protocols.diagnose.batteries import known_doses
from mohs.protocols.scale import has_references
from mohs.runs.checks import cannot_be_made
from mohs.runs.plan import Plan, Track
from mohs.runs.windows import window

DEFAULT_ENV = "toy/discrete"
VANILLA, RANDOM = "vanilla", "random policy"  # which is no agent's name, so that `random` can be diagnosed too
REFERENCE_EPISODES = 20  # of the random policy, for each seed
PROTOCOL = "diagnose"


@dataclass(frozen=True)
class DiagnosisStudy:
    """What a diagnosis asks. `params` are those of the vanilla task, around which the dials are turned.

    `left_out` names what of the battery this environment does not allow: a dial, or "dial = dose, dose". `units` are
    those of dials whose unit depends on the action space.
    """

    agent: Agent
    battery: str
    doses: tuple[tuple[str, tuple[Any, ...]], ...]
    pairs: tuple[tuple[str, str], ...]
    seeds: int
    budget: int
    env: str = DEFAULT_ENV
    episodes: int = 10
    params: tuple[tuple[str, Any], ...] = ()
    left_out: tuple[str, ...] = ()
    units: tuple[tuple[str, str], ...] = ()

    @classmethod
    def make(
        cls,
        agent: Agent,
        battery: str = "quick",
        dials: Sequence[str] | None = None,
        pairs: Sequence[tuple[str, str]] | None = None,
        seeds: int | None = None,
        budget: int | None = None,
        env: str = DEFAULT_ENV,
        params: Mapping[str, Any] | None = None,
        doses: Mapping[str, Sequence[Any]] | None = None,
    ) -> DiagnosisStudy:
        """A battery, some of it replaced.

        Dials outside the battery take their doses from the full one; dials with `doses` of their own are always among
        those that are tried. What was asked for by name must fit the environment; of a battery, what does not fit is
        left out.
        """
        (env, named), given = canonical(env), _as_lists(doses)
        chosen = find_battery(env, battery)
        vanilla = _vanilla(env, chosen.base, {**named, **(params or {})})
        known = {**known_doses(env, battery), **given}
        for a, b in map(_as_pair, pairs or ()):
            if a == b:
                raise UsageError(f"the pair {a}:{b} must name two different dials.")
        for name in itertools.chain(dials or (), given):
            _check_dial(vanilla, name, known, chosen.paired)
        for name in itertools.chain(*(pairs or ())):
            _check_dial(vanilla, name, {**known, **chosen.paired}, {})
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
            raise UsageError(cannot_be_made(vanilla) or "a diagnosis needs at least one dial.")
        two = chosen.pairs if pairs is None and dials is None else tuple(pairs or ())
        turned = dict.fromkeys([*parsed, *itertools.chain(*two)])
        return cls(
            agent,
            battery,
            tuple(parsed.items()),
            two,
            Integer(1, 1_000_000).parse("seeds", chosen.seeds if seeds is None else seeds),
            Integer(200).parse("budget", chosen.budget if budget is None else budget),
            env,
            params=vanilla.params,
            left_out=tuple(left_out),
            units=tuple(
                (name, dial_of(vanilla, name).unit)
                for name in turned
                if read_dial(vanilla.environment, name).unit_continuous is not None
            ),
        )

    @property
    def name(self) -> str:
        """How people call it: by its agent, and by its environment unless that is the usual one."""
        return str(self.agent) if self.env == DEFAULT_ENV else f"{self.agent} on {self.env}"

    @cached_property
    def pair_doses(self) -> Mapping[str, tuple[Any, ...]]:
        """The doses of every dial that a pair names."""
        paired = find_battery(self.env, self.battery).paired
        known = {**known_doses(self.env, self.battery), **paired, **dict(self.doses)}
        return {name: known[name] for pair in self.pairs for name in pair}

    @cached_property
    def family(self) -> Family:
        """Every task that is tried, once: vanilla, one dial at a time, and the grid of every pair."""
        points: dict[Task, Point] = {}
        for turned in self._turned():
            task = self.task(turned)
            at = tuple(turned.items())
            name = " ".join(f"{dial}={value}" for dial, value in at) or VANILLA
            points.setdefault(task, Point(name, task, at))
        axes = dict.fromkeys([*dict(self.doses), *itertools.chain(*self.pairs)])
        return Family(tuple(axes), tuple(points.values()))

    def _turned(self) -> Iterable[dict[str, Any]]:
        yield {}
        for name, values in self.doses:
            yield from ({name: value} for value in values)
        for a, b in self.pairs:
            yield from ({a: x, b: y} for x, y in itertools.product(self.pair_doses[a], self.pair_doses[b]))

    @cached_property
    def _names(self) -> dict[Task, str]:
        return {point.task: point.name for point in self.family}

    def point(self, turned: Mapping[str, Any]) -> str:
        """The name of the point at which these dials are turned."""
        return self._names[self.task(turned)]

    def task(self, params: Mapping[str, Any], seed: int = 0) -> Task:
        """The vanilla task with some dials turned."""
        key = repr(params)
        if key not in self._made:  # a large study asks for the same few points once for each seed
            self._made[key] = Task.make(self.env, **{**dict(self.params), **params})
        return replace(self._made[key], seed=SEED.parse("seed", seed))

    @cached_property
    def _made(self) -> dict[str, Task]:
        return {}

    def unit(self, dial: str) -> str:
        """The unit of a dial's doses."""
        return dict(self.units).get(dial) or read_dial(environment(self.env), dial).unit

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
        """The random policy on the vanilla task: no training, and one evaluation."""
        task = self.task({}, seed)
        probe = Probe("random", task, (0,), REFERENCE_EPISODES, "sample")
        return Cell(Agent.make("random"), seed, (Segment(task, 0),), (probe,), 1)

    def to_json(self) -> dict[str, Json]:
        """As plain data."""
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
        if self.units:
            data["units"] = dict(self.units)
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> DiagnosisStudy:
        """From plain data, as `to_json` gives it."""
        optional: dict[str, Any] = {"params": {}, "left_out": [], "units": {}}
        keys = {"agent", "battery", "doses", "pairs", "seeds", "budget", "env", "episodes", *optional}
        data = read_json({**optional, **data}, "diagnosis", keys)
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
                tuple(data["units"].items()),
            )


def plan(study: DiagnosisStudy) -> Plan:
    """Every point of the family; where a task has no references of its own, the random policy on vanilla too."""
    tracks = {} if has_references(study.env) else {Track(RANDOM, VANILLA): study.reference}
    tracks |= {Track(str(study.agent), point.name): partial(study.cell, point.task) for point in study.family}
    return Plan.of(study.name, PROTOCOL, study.to_json(), tracks, study.seeds)


def ordered(values: Iterable[Any]) -> bool:
    """Whether doses are numbers, which have an order."""
    return all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)


def _as_lists(doses: Mapping[str, Sequence[Any]] | None) -> dict[str, Sequence[Any]]:
    """Doses by dial, as they must be given."""
    if not isinstance(doses or {}, Mapping):
        raise UsageError(f"doses is {doses!r}, but must be a mapping of dials to lists of doses.")
    for name, values in (doses or {}).items():
        if isinstance(values, str) or not isinstance(values, Sequence):
            raise UsageError(f"the doses of {name} are {values!r}, but must be a list.")
    return dict(doses or {})


def _as_pair(pair: Any) -> tuple[str, str]:
    if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
        raise UsageError(f"a pair is {pair!r}, but must be two dials, as in ('delay', 'sequence_length').")
    return pair[0], pair[1]


def _vanilla(env: str, base: Mapping[str, Any], params: Mapping[str, Any]) -> Task:
    """The task that these parameters ask for; the battery's own give way where they exclude each other."""
    alone = Task.make(env, **params)
    try:
        return Task.make(env, **{**base, **params})
    except UsageError:
        return alone


def _check_dial(vanilla: Task, name: str, known: Mapping[str, Any], paired: Mapping[str, Any]) -> None:
    read_dial(vanilla.environment, name)
    if name in known:
        return
    if name in paired:
        raise UsageError(f"{name} has no effect on sequences of one state: try --pairs sequence_length:{name}.")
    raise UsageError(f"{name} has no default doses in {vanilla.env}: give some, --doses {name}=v1,v2,...")


def _doses(vanilla: Task, name: str, values: Iterable[Any]) -> tuple[Any, ...]:
    """The doses of a dial, each once, vanilla's among them; numbers in their order."""
    domain, plain = vanilla.environment.parameters[name].domain, vanilla[name]
    doses = list(dict.fromkeys([plain, *(domain.parse(name, value) for value in values)]))
    if len(doses) == 1:
        raise UsageError(f"{name} needs a dose other than vanilla's, which is {plain!r}.")
    return tuple(sorted(doses) if ordered(doses) else doses)


def _fitting(vanilla: Task, name: str, values: Iterable[Any]) -> tuple[tuple[Any, ...], str]:
    """The doses of a battery's dial that this very environment allows, if any but vanilla's, and in words the rest.

    Whether a dial can be turned in a third-party environment is known only when it is made.
    """
    if not vanilla.environment.third_party:
        return _doses(vanilla, name, values), ""
    if name not in vanilla.environment.parameters:
        return (), name
    doses = _doses(vanilla, name, values)
    fit = tuple(v for v in doses if v == vanilla[name] or not cannot_be_made(vanilla.replace(**{name: v})))
    if len(fit) == 1:
        return (), name
    rest = ", ".join(str(value) for value in doses if value not in fit)
    return fit, f"{name} = {rest}" if rest else ""
