"""Which runs do all of the compared agents have? The same task with the same seed; what is not shared is named.

This is the only module of the comparison that reads the doses and scores of a diagnosis.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.core.errors import UsageError
from mohs.core.task import Task
from mohs.protocols.diagnose.points import LEVEL, Dose
from mohs.protocols.diagnose.verdict import TRAINED, Diagnosis, DialVerdict
from mohs.protocols.measures import return_measure
from mohs.protocols.words import joined
from mohs.report import numbers
from mohs.runs.status import SHOWN_KEY, without_folders

Floats = npt.NDArray[np.float64]
ALPHA = 1 - LEVEL  # p-values up to it are significant


@dataclass(frozen=True)
class SharedDial:
    """A dial that all agents were tried with: its shared doses, and the place of each among the shared tasks."""

    name: str
    unit: str
    doses: tuple[Any, ...]
    points: tuple[int, ...]
    vanilla: int | None  # which of the doses it is

    @property
    def turned(self) -> tuple[int, ...]:
        """The places of the doses other than vanilla."""
        return tuple(point for i, point in enumerate(self.points) if i != self.vanilla)


@dataclass(frozen=True, eq=False)
class SharedRuns:
    """The scores [agents, tasks, seeds] by one measure (NaN = missing), every task once, and what was left out."""

    measure: str
    scores: Floats
    dials: tuple[SharedDial, ...]
    left_out: tuple[str, ...]

    @property
    def complete(self) -> Floats:
        """The scores of the seeds that every agent ran at every task."""
        return self.scores[:, :, ~np.isnan(self.scores).any(axis=(0, 1))]


def judged_by(diagnoses: Sequence[Diagnosis]) -> str:
    """The measure that agents are compared by.

    The normalised training return, where tasks have references of their own: the same 0 and 1 for all agents. The
    attained share, by which a dial is judged, has the best that the agent's own view allows as its 1, so that agents
    with and without memory would be measured by different rules. In third-party environments 1 is each agent's own
    vanilla score, which compares nothing, so that the return on the plain scale is taken.
    """
    first = diagnoses[0]
    return TRAINED if first.scale.bounded else return_measure(first.scores.measures)


def shared_runs(names: Sequence[str], diagnoses: Sequence[Diagnosis]) -> SharedRuns:
    """The runs that all diagnoses have.

    Raises:
        UsageError: two of them are of the same runs, or of different tasks or budgets, or they share no dose.
    """
    _check(names, diagnoses)
    measure, seeds = judged_by(diagnoses), min(d.study.seeds for d in diagnoses)
    tables = [{dial.name: {dose.value: dose for dose in dial.doses} for dial in d.dials} for d in diagnoses]
    left_out = [
        f"the seeds from {seeds} on, which only {_listed(names, (d.study.seeds > seeds for d in diagnoses))} ran"
    ] * any(d.study.seeds > seeds for d in diagnoses)
    places: dict[Task, int] = {}
    scores: list[list[Floats]] = []
    dials = []
    for dial in _all_dials(diagnoses):
        if lacking := _listed(names, (dial.name not in table for table in tables)):
            left_out.append(f"{dial.name}, which {lacking} did not try")
            continue
        doses, missed = [], _Missed(dial.name, names)
        for value in _all_doses(dial.name, diagnoses):
            sides = [table[dial.name].get(value) for table in tables]
            runs = [_scores(dose, measure, seeds) for dose in sides]
            if missed.note("which {} did not try", value, [dose is None for dose in sides]):
                continue
            if missed.note("without a score of {}", value, [bool(np.isnan(side).all()) for side in runs]):
                continue
            task = diagnoses[0].study.task({dial.name: value})
            if task not in places:
                places[task] = len(scores)
                scores.append(runs)
            doses.append((value, places[task]))
        left_out += missed.sentences()
        if doses:
            vanilla = diagnoses[0].study.task({})[dial.name]
            values = tuple(value for value, _ in doses)
            at = values.index(vanilla) if vanilla in values else None
            dials.append(SharedDial(dial.name, dial.unit, values, tuple(place for _, place in doses), at))
    if not dials:
        raise UsageError("the studies have no dial and dose in common at which all have finished runs.")
    return SharedRuns(measure, np.array(scores).transpose(1, 0, 2), tuple(dials), tuple(left_out))


def _check(names: Sequence[str], diagnoses: Sequence[Diagnosis]) -> None:
    first = diagnoses[0].study
    for name, other in zip(names[1:], (d.study for d in diagnoses[1:]), strict=True):
        if (first.budget, first.task({})) != (other.budget, other.task({})):
            raise UsageError(
                f"the studies cannot be compared: {names[0]} had {first.budget:,} steps on {first.task({})}, {name} "
                f"{other.budget:,} steps on {other.task({})}."
            )
    for (a, one), (b, two) in combinations(zip(names, (d.study for d in diagnoses), strict=True), 2):
        if (one.agent, one.episodes) == (two.agent, two.episodes):
            raise UsageError(
                f"a study cannot be compared with itself: {a} and {b} are the same runs of {one.agent}, with the same "
                "version, task and budget."
            )


def _all_dials(diagnoses: Sequence[Diagnosis]) -> list[DialVerdict]:
    """Every dial that any diagnosis has, once, in the order of the first one."""
    found: dict[str, DialVerdict] = {}
    for diagnosis in diagnoses:
        for dial in diagnosis.dials:
            found.setdefault(dial.name, dial)
    return list(found.values())


def _all_doses(dial: str, diagnoses: Sequence[Diagnosis]) -> list[Any]:
    """Every dose that any diagnosis tried, numbers in their order."""
    found = dict.fromkeys(dose.value for d in diagnoses for own in d.dials if own.name == dial for dose in own.doses)
    ordered = all(isinstance(value, int | float) and not isinstance(value, bool) for value in found)
    return sorted(found) if ordered else list(found)


def _scores(dose: Dose | None, measure: str, seeds: int) -> Floats:
    return np.full(seeds, np.nan) if dose is None else dose.samples[measure][:seeds]


class _Missed:
    """The doses of a dial that some agents do not have, by what they lack and who lacks it."""

    def __init__(self, dial: str, names: Sequence[str]) -> None:
        self.dial, self.names = dial, names
        self.doses: dict[tuple[str, str], list[str]] = {}

    def note(self, what: str, value: Any, absent: Sequence[bool]) -> bool:
        """Whether any agent lacks the dose; keeps who."""
        who = _listed(self.names, absent)
        if who:
            self.doses.setdefault((who, what), []).append(numbers.dose(value))
        return bool(who)

    def sentences(self) -> list[str]:
        return [f"{self.dial} = {', '.join(doses)}, {what.format(who)}" for (who, what), doses in self.doses.items()]


def _listed(names: Sequence[str], chosen: Iterable[bool]) -> str:
    """a, b and c: those of the names that are chosen."""
    return joined([name for name, kept in zip(names, chosen, strict=True) if kept])


def names_of(diagnoses: Sequence[Diagnosis]) -> tuple[str, ...]:
    """Names that tell diagnoses apart: labels or agents; where those are the same, with version, or with a letter."""
    agents = [without_folders(str(d.study.agent)) for d in diagnoses]
    plain = [d.label or agent for d, agent in zip(diagnoses, agents, strict=True)]
    whole = [f"{agent} ({d.label})" if d.label else agent for d, agent in zip(diagnoses, agents, strict=True)]
    versions = [f"{name} @{d.study.agent.source[:SHOWN_KEY]}" for d, name in zip(diagnoses, plain, strict=True)]
    letters = [f"{name} ({chr(ord('A') + i)})" for i, name in enumerate(plain)]
    return next(tuple(names) for names in (plain, whole, versions, letters) if len(set(names)) == len(names))
