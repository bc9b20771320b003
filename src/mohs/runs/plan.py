"""What is to be run, and which cells may run together?

A `Plan` is data: a named list of cells. `packs` cuts cells into groups that one batched learner can train in step.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

from mohs.agents.registry import agent_entry
from mohs.core.cell import Cell
from mohs.core.errors import UsageError
from mohs.core.task import Source, Task, members, read_json
from mohs.core.values import Json, canonical_json, content_hash

Size = int | Callable[[Sequence[Cell]], int]  # of packs, or how it follows from the cells that could be in one
LARGEST_PACK = 64  # beyond this the batched learners gain nothing and a lost pack costs more


@dataclass(frozen=True)
class Track:
    """One agent at one point of a family, or on the whole of it (""): a run for every seed."""

    agent: str
    point: str = ""


@dataclass(frozen=True)
class Plan:
    """The runs of a study: agents × points of a family × seeds, as cells to run, each once.

    `options` is the study as JSON. `tracks` names what was asked for; `runs` are the keys of its cells, seed by seed
    and track by track. Several runs may be one cell: the vanilla task is a dose of every dial. `label` is what people
    call the study: another label is another study, of the same cells.
    """

    name: str
    protocol: str
    options: Mapping[str, Json] = field(hash=False)
    cells: tuple[Cell, ...]
    tracks: tuple[Track, ...] = ()
    label: str = ""
    runs: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        try:
            options = json.loads(canonical_json(dict(self.options)))
        except (TypeError, ValueError) as error:
            raise UsageError(
                f"the options of a plan must be a mapping that can be written as JSON: {error}."
            ) from error
        if self.tracks and len(self.cells) % len(self.tracks):
            raise UsageError("a plan must have one cell for each track and seed.")
        object.__setattr__(self, "options", options)
        object.__setattr__(self, "runs", tuple(cell.key for cell in self.cells))
        object.__setattr__(self, "cells", tuple({cell.key: cell for cell in self.cells}.values()))

    @classmethod
    def of(
        cls,
        name: str,
        protocol: str,
        options: Mapping[str, Json],
        tracks: Mapping[Track, Callable[[int], Cell]],
        seeds: int,
    ) -> Plan:
        """Every track with the seeds 0, 1, ...; seed by seed, so that an interrupted study has whole seeds."""
        cells = tuple(make(seed) for seed in range(seeds) for make in tracks.values())
        return cls(name, protocol, options, cells, tuple(tracks))

    def labelled(self, label: str) -> Plan:
        """The same runs under a label."""
        cells = {cell.key: cell for cell in self.cells}
        runs = tuple(cells[key] for key in self.runs)
        return Plan(self.name, self.protocol, self.options, runs, self.tracks, label)

    @property
    def steps(self) -> int:
        return sum(cell.steps for cell in self.cells)

    def to_json(self) -> dict[str, Json]:
        cells = {cell.key: cell.to_json() for cell in self.cells}
        tracks: list[Json] = [[track.agent, track.point] for track in self.tracks]
        return {**self._header(), "label": self.label, "tracks": tracks, "cells": [cells[key] for key in self.runs]}

    @classmethod
    def from_json(cls, data: str | Mapping[str, Any]) -> Plan:
        data = read_json(data, "plan", {"name", "protocol", "options", "label", "tracks", "cells"})
        if not isinstance(data["options"], Mapping) or not isinstance(data["cells"], list | tuple):
            raise UsageError("a plan must have a mapping of options and a list of cells.")
        tracks = tuple(Track(*names) for names in data["tracks"])
        cells = tuple(Cell.from_json(c) for c in data["cells"])
        return cls(data["name"], data["protocol"], data["options"], cells, tracks, data["label"])

    @cached_property
    def key(self) -> str:
        """A content hash; the cells enter by their own keys. The tracks follow from the options."""
        return content_hash({**self._header(), "cells": [cell.key for cell in self.cells]})

    def _header(self) -> dict[str, Json]:
        header: dict[str, Json] = {"name": self.name, "protocol": self.protocol, "options": dict(self.options)}
        return header | ({"label": self.label} if self.label else {})  # studies without one keep their keys


def keys_of(chosen: Collection[Track], tracks: Sequence[Track], runs: Sequence[str]) -> set[str]:
    """The keys of all runs of some tracks, of runs that are listed seed by seed and track by track."""
    wanted = [track in chosen for track in tracks]
    return {key for i, key in enumerate(runs) if wanted[i % len(tracks)]}


def is_user_agent(cell: Cell) -> bool:
    """Whether the agent trains without a pause from one evaluation to the next, as custom agents do."""
    return agent_entry(cell.agent.name).whole


def runs_alone(cell: Cell) -> bool:
    """Whether the agent trains one cell at a time."""
    return agent_entry(cell.agent.name).alone


def signature(cell: Cell, memo: dict[Task, Hashable] | None = None) -> Hashable:
    """Equal for cells that one learner can train in step: they differ in tasks of equal spaces and in seeds only."""
    memo = {} if memo is None else memo
    if runs_alone(cell):
        return cell.key
    return (
        cell.agent,
        cell.window,
        _pattern(cell),
        tuple((s.steps, s.task_id, _spaces(s.source, memo)) for s in cell.segments),
        tuple((p.name, p.at, p.episodes, p.mode, p.metrics, p.record, _spaces(p.source, memo)) for p in cell.probes),
    )


def _pattern(cell: Cell) -> Hashable:
    """When tasks come back or are evaluated that were learnt before: what an agent does then, all of a pack do."""
    if len(cell.segments) == 1:
        return None
    sources = [*(segment.source for segment in cell.segments), *(probe.source for probe in cell.probes)]
    return tuple(cell.numbers.get(source) for source in sources)


def packs(cells: Iterable[Cell], size: Size, at: Mapping[str, int] | None = None) -> list[list[Cell]]:
    """Packs of at most `size` cells of one signature and, where `at` gives it, at one step; cells keep their order.

    The packs of one signature are equally long, give or take one cell.
    """
    if isinstance(size, int) and size < 1:
        raise UsageError(f"the size of a pack is {size}, but must be an integer ≥ 1.")
    at = at or {}
    memo: dict[Task, Hashable] = {}
    groups: dict[Hashable, list[Cell]] = {}
    for cell in cells:
        groups.setdefault((signature(cell, memo), at.get(cell.key, 0)), []).append(cell)
    return [pack for group in groups.values() for pack in _cut(group, size if isinstance(size, int) else size(group))]


def default_pack_size(cells: int, workers: int) -> int:
    """Two packs for each worker, so that all stay busy to near the end."""
    return max(1, min(LARGEST_PACK, math.ceil(cells / (2 * max(1, workers)))))


def suited_size(group: Sequence[Cell], total: int, workers: int) -> int:
    """How many of these cells, out of `total` with others, make a good pack.

    A batched pack of few cells takes nearly as long as one of many, so batched agents make one pack for each worker, or
    as many rounds of them as networks stay in cache; and fewer where other groups keep workers busy, two packs each.
    """
    entry, most = agent_entry(group[0].agent.name), _most(group[0])
    if not entry.batched:
        return min(default_pack_size(total, workers), most)
    hands = max(1, workers)
    at_once = min(hands, math.ceil(2 * hands * len(group) / max(total, len(group))))
    rounds = math.ceil(len(group) / (at_once * most))
    return math.ceil(len(group) / (at_once * rounds))


def _most(cell: Cell) -> int:
    """How many cells like this one a pack may have."""
    entry = agent_entry(cell.agent.name)
    try:
        return int(entry.realisation("pack_size")(cell)) if entry.pack_size else LARGEST_PACK
    except Exception:  # the cell itself will say what is wrong with its task
        return LARGEST_PACK


def _cut(group: Sequence[Cell], size: int) -> list[list[Cell]]:
    count = math.ceil(len(group) / size)
    ends = [len(group) * i // count for i in range(count + 1)]
    return [list(group[a:b]) for a, b in pairwise(ends)]


def _spaces(source: Source, memo: dict[Task, Hashable]) -> Hashable:
    found = []
    for task in members(source)[0]:
        if task not in memo:
            memo[task] = (task.env, task.environment.realisation("spaces")(task))
        found.append(memo[task])
    return tuple(dict.fromkeys(found))
