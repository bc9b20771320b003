"""What will a plan cost? Cells, steps and packs; time and disk space, estimated by a short trial of each kind of pack.

A trial trains a real pack briefly in one thread, as a worker does. It measures this machine with its present load. A
pack that fails in its trial is left out of the time, and the cost keeps the first reason. When it runs, its cells are
recorded as failed.
"""

from __future__ import annotations

import contextlib
import sys
import time
import traceback
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial

from mohs.agents.protocol import Learner
from mohs.agents.registry import agent_entry, learner
from mohs.agents.stage import is_native
from mohs.agents.windows import count
from mohs.core.cell import METRICS, Cell
from mohs.core.errors import UsageError
from mohs.core.task import members
from mohs.core.values import Json, canonical_json
from mohs.runs.plan import packs, runs_alone, signature, suited_size
from mohs.runs.workers import registrations
from mohs.runs.workers.aside import Aside

SECONDS = 6.0  # of all trials together,
SHORTEST, LONGEST = 0.2, 1.5  # and of each
FIRST_CHUNK = 64
ROW = 150  # bytes of a curve's row beside its numbers


@dataclass(frozen=True)
class Cost:
    """The cost of what is left to run: time on all workers, bytes of results, bytes of checkpoints while it runs."""

    cells: int
    steps: int
    packs: int
    workers: int
    seconds: float
    results: int
    checkpoints: int
    broken: int  # cells whose trial failed, so that their time is not known
    reason: str  # why the first of them failed

    def to_json(self) -> dict[str, Json]:
        return asdict(self)


@dataclass(frozen=True)
class Trial:
    """What one cell costs in a pack of its kind."""

    seconds: float
    checkpoint: int


def cost(cells: Sequence[Cell], workers: int, pack_size: int | None = None, device: str = "cpu") -> Cost:
    """The cost of some cells in packs as `execute` makes them. Trials run in a worker process, if there are any."""
    at_once = max(1, workers)
    jobs = packs(cells, pack_size or partial(suited_size, total=len(cells), workers=at_once))
    largest: dict[Hashable, list[Cell]] = {}
    for job in jobs:
        if len(job) > len(largest.get(_kind(job[0]), ())):
            largest[_kind(job[0])] = job
    each = min(LONGEST, max(SHORTEST, SECONDS / max(1, len(largest))))
    trials = _trials(largest, each, device, aside=workers > 0)
    known = [(len(job), trial) for job in jobs if isinstance(trial := trials[_kind(job[0])], Trial)]
    times = [size * trial.seconds for size, trial in known]
    saved = sorted((size * trial.checkpoint for size, trial in known), reverse=True)
    return Cost(
        cells=len(cells),
        steps=sum(cell.steps for cell in cells),
        packs=len(jobs),
        workers=at_once,
        seconds=max(sum(times) / at_once, max(times, default=0.0)),
        results=sum(stored(cell) for cell in cells),
        checkpoints=sum(saved[:at_once]),
        broken=len(cells) - sum(size for size, _ in known),
        reason=next((trial for trial in trials.values() if isinstance(trial, str)), ""),
    )


def _trials(
    jobs: Mapping[Hashable, Sequence[Cell]], seconds: float, device: str, aside: bool
) -> dict[Hashable, Trial | str]:
    """The trial of each pack, or why it fails."""
    if not aside:
        with contextlib.redirect_stdout(sys.stderr):  # what an agent prints must not mix with data
            return {kind: _tried(job, seconds, device) for kind, job in jobs.items()}
    found: dict[Hashable, Trial | str] = {}
    with Aside() as process:
        for kind, job in jobs.items():
            texts = [canonical_json(cell.to_json()) for cell in job]
            arguments, environments = (texts, seconds, device), registrations.pack(job)
            try:
                name = job[0].agent.name
                found[kind] = process.call(name, f"{__name__}:tried", *arguments, environments=environments)
            except UsageError as error:
                found[kind] = str(error)
    return found


def tried(texts: Sequence[str], seconds: float, device: str) -> Trial | str:
    """The trial of a pack of cells as JSON, or why it fails."""
    return _tried([Cell.from_json(text) for text in texts], seconds, device)


def _tried(cells: Sequence[Cell], seconds: float, device: str) -> Trial | str:
    try:
        return try_out(cells, seconds, device)
    except (Exception, SystemExit) as error:
        return " ".join("".join(traceback.format_exception_only(error)).split())


def try_out(cells: Sequence[Cell], seconds: float, device: str = "cpu") -> Trial:
    """Trains a pack for some seconds and evaluates it once. The last and longest chunk determines the speed.

    The first segment that has steps stands for all.
    """
    pack = [_eager(cell) for cell in cells]
    steps, mine = pack[0].steps, learner(pack, device)
    most = next((segment.steps for segment in pack[0].segments if segment.steps), 0)
    warm = chunk = min(2 * FIRST_CHUNK, most // 2)
    mine.train(warm)  # compiles, and learns a little: weights that have moved are larger to save
    began, done, took = time.perf_counter(), warm, 0.0
    before = after = _saved(mine)
    while done < most and time.perf_counter() - began < seconds:
        chunk = min(max(1, 2 * chunk), most - done)
        start = time.perf_counter()
        mine.train(chunk)
        took = (time.perf_counter() - start) / chunk
        done += chunk
        before, after = after, _saved(mine)
    grown = max(0, after - before) / max(1, chunk)  # as at the end of the trial: a small buffer is full by then
    whole = took * steps + sum(_evaluations(mine, cells[0], number) for number in range(len(pack[0].probes)))
    return Trial(whole / len(pack), round(after + grown * (steps - done)))


def stored(cell: Cell) -> int:
    """The bytes that the results of a cell take, about."""
    points = len(METRICS) * count(cell.window, cell.steps) + sum(len(p.metrics) * len(p.at) for p in cell.probes)
    rows = len(METRICS) + sum(len(p.metrics) for p in cell.probes)
    return len(canonical_json(cell.to_json())) + 16 * points + ROW * rows


def _kind(cell: Cell) -> Hashable:
    """Equal for cells that cost the same. Cells that run alone are compared by agent and environment."""
    if not runs_alone(cell):
        return signature(cell)
    return cell.agent, cell.steps, tuple(task.env for task in members(cell.segments[0].source)[0])


def _eager(cell: Cell) -> Cell:
    """The cell with an agent that learns from the first steps on, so that a short trial is like the whole run.

    One episode is enough where an evaluation plays episodes one after the other.
    """
    agent = cell.agent
    entry = agent_entry(agent.name)
    if entry.eager is not None:
        agent = entry.realisation("eager")(agent, FIRST_CHUNK)
    probes = [probe if is_native(probe.source) else replace(probe, episodes=1) for probe in cell.probes]
    return replace(cell, agent=agent, probes=tuple(probes))


def _evaluations(mine: Learner, cell: Cell, number: int) -> float:
    """The seconds of all evaluations of a cell's probe."""
    probe, tried = cell.probes[number], mine.cells[0].probes[number]
    if is_native(probe.source):
        mine.evaluate(number)  # compiles
    start = time.perf_counter()
    mine.evaluate(number)
    return (time.perf_counter() - start) * len(probe.at) * probe.episodes / tried.episodes


def _saved(mine: Learner) -> int:
    """The bytes of a cell's checkpoint; none where the agent cannot be saved."""
    states = mine.save()
    return len(states[0]) if states else 0
