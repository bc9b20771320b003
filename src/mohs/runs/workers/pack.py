"""How does one pack of cells run from its first step, or its checkpoint, to its results?

Training is cut into chunks that never cross an event (a probe, the end of a segment). A learner is bit-identical
however it is cut, so the clock paces the chunks: often enough to report, to stop and to checkpoint. A custom agent
makes no such promise. It is cut at events only, which the cell alone determines.

A cell that the learner counts as failed is over at once, and the others continue.
"""

from __future__ import annotations

import math
import time
import traceback
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import cast

import numpy as np

from mohs.agents.protocol import ACTIONS, Learner, Recorder
from mohs.core.cell import Cell
from mohs.core.packed import is_plain
from mohs.runs.curves import Checkpoint, Curve, Curves
from mohs.runs.plan import is_user_agent

CHUNK_SECONDS = 0.2
FIRST_CHUNK = 64
# A checkpoint waits at least this many times as long as the last one took, so that they cost at most 5 %.
CHECKPOINT_REST = 20


@dataclass(frozen=True)
class Stepped:
    """Environment steps that the cells took, summed; negative where steps are lost and will be taken again."""

    count: int


@dataclass(frozen=True)
class Saved:
    """Checkpoints by cell: the step and the bytes."""

    states: Mapping[str, tuple[int, bytes]]


@dataclass(frozen=True)
class Finished:
    """The curves of the cells that are done."""

    results: Mapping[str, Curves]


@dataclass(frozen=True)
class Failed:
    """A cell that will not be done; the last line of `error` says why."""

    cell: str
    error: str


@dataclass(frozen=True)
class Noted:
    """A message to people that stops nothing."""

    text: str


Message = Stepped | Saved | Finished | Failed | Noted
Factory = Callable[[Sequence[Cell]], Learner]
UNTRUSTED = (
    "checkpoints that only code can read (pickles, of third-party environments or custom agents) were not read: their "
    "cells restart; --trust resumes them, if you trust the store"
)
Probed = Mapping[str, Sequence[tuple[int, float]]]  # what the probes of a cell gave so far


@dataclass(frozen=True)
class Pace:
    """Least time between checkpoints, and steps between looks at the clock; None lets the clock decide.

    `bytes_per_second` is what a worker may send in checkpoints, so that many workers do not bury their coordinator.
    """

    checkpoint_seconds: float = 5.0
    chunk: int | None = None
    bytes_per_second: float = math.inf


def run_cells(
    cells: Sequence[Cell],
    factory: Factory,
    resume: Mapping[str, bytes],
    should_stop: Callable[[], bool],
    pace: Pace,
    trust: bool = False,
) -> Iterator[Message]:
    """Runs a pack; if it raises, runs its cells alone, one by one, so that only the culprit fails."""
    taken, failed = 0, set[str]()
    try:
        learner, start, trouble = _begin(cells, factory, resume, trust)
        if trouble:
            yield Noted(trouble)
        for message in run_pack(cells, learner, start, should_stop, pace):
            taken += message.count if isinstance(message, Stepped) else 0
            failed |= {message.cell} if isinstance(message, Failed) else set()
            yield message
        return
    except GeneratorExit:
        raise
    except BaseException as raised:  # code of the user may raise anything
        if isinstance(raised, KeyboardInterrupt) and should_stop():
            raise  # the second Ctrl-C, not the cell
        error = traceback.format_exc()
    yield Stepped(-taken)
    if len(cells) == 1:
        yield Failed(cells[0].key, error)
        return
    for cell in cells:
        if cell.key not in failed and not should_stop():
            yield from run_cells([cell], factory, resume, should_stop, pace, trust)


def _begin(
    cells: Sequence[Cell], factory: Factory, resume: Mapping[str, bytes], trust: bool
) -> tuple[Learner, Sequence[Checkpoint] | None, str]:
    """The learner, the checkpoints it resumes from, and why not where one cannot be used."""
    learner = factory(cells)
    if not all(cell.key in resume for cell in cells):
        return learner, None, ""
    try:
        start = [Checkpoint.from_bytes(resume[cell.key]) for cell in cells]
        if not trust and not all(is_plain(checkpoint.state) for checkpoint in start):
            return learner, None, UNTRUSTED
        learner.load([checkpoint.state for checkpoint in start])
    except Exception as error:  # another version of the agent may have written it
        trouble = f"a checkpoint of {len(cells)} cells cannot be read ({error}); they restart"
        return factory(cells), None, trouble
    return learner, start, ""


def run_pack(
    cells: Sequence[Cell],
    learner: Learner,
    resume: Sequence[Checkpoint] | None,
    should_stop: Callable[[], bool],
    pace: Pace,
) -> Iterator[Message]:
    """Runs a pack to its results, or to a checkpoint where it is to stop. Ends early when all cells have failed."""
    clock = time.monotonic
    first = cells[0]
    events = event_steps(first)
    start = step = resume[0].step if resume else 0
    failed: set[int] = set()
    points = [{name: list(p) for name, p in c.probes.items()} for c in resume] if resume else [{} for _ in cells]
    if not resume:
        _probe(first, learner, 0, points)
        yield from _failures(cells, learner, failed, 0)
    saved_at, saved_step, rest = clock(), step, pace.checkpoint_seconds
    reported_at, reported_step = clock(), step
    chunk = pace.chunk or FIRST_CHUNK
    while step < first.steps and len(failed) < len(cells):
        event = events[bisect_right(events, step)]
        size = event - step if is_user_agent(first) else min(chunk, event - step)
        began = clock()
        learner.train(size)
        now = clock()
        step += size
        if pace.chunk is None:
            chunk = _paced(chunk, size, now - began)
        if step == event:
            _probe(first, learner, step, points)
            now = clock()
        yield from _failures(cells, learner, failed, reported_step - start)
        stop = should_stop()
        save = step < first.steps and (stop or now - saved_at >= rest)
        if save or now - reported_at >= CHUNK_SECONDS or step == first.steps:  # what is saved has been reported
            yield Stepped((step - reported_step) * (len(cells) - len(failed)))
            reported_at, reported_step = now, step
        if save:
            size = 0
            if step > saved_step:
                for saved in _saved(cells, learner, step, points, failed):
                    size = sum(len(state) for _, state in saved.states.values())
                    yield saved
            saved_at, saved_step = clock(), step
            rest = max(pace.checkpoint_seconds, CHECKPOINT_REST * (saved_at - now), size / pace.bytes_per_second)
            if stop:
                return
    results = _results(cells, learner, points, failed)
    for key, error in {key: _not_finite(curves) for key, curves in results.items()}.items():
        if error:
            del results[key]
            yield Stepped(start - step)
            yield Failed(key, error)
    yield Finished(results)


def _failures(cells: Sequence[Cell], learner: Learner, known: set[int], reported: int) -> Iterator[Message]:
    """The cells that failed since the last look. Their steps that were reported are taken back."""
    for i, error in learner.failed.items():
        if i not in known:
            known.add(i)
            yield Stepped(-reported)
            yield Failed(cells[i].key, error)


def event_steps(cell: Cell) -> list[int]:
    """The steps after the first at which a probe is taken or a segment ends, in order."""
    ends = np.cumsum([segment.steps for segment in cell.segments]).tolist()
    return sorted({*ends, *(step for probe in cell.probes for step in probe.at)} - {0})


def _paced(chunk: int, size: int, seconds: float) -> int:
    if seconds > 2 * CHUNK_SECONDS:
        return max(1, size // 2)
    return chunk * 2 if size == chunk and seconds < CHUNK_SECONDS / 2 else chunk


def _probe(cell: Cell, learner: Learner, step: int, points: list[dict[str, list[tuple[int, float]]]]) -> None:
    for number, probe in enumerate(cell.probes):
        if step in probe.at:
            measured = learner.evaluate(number)
            for metric in probe.metrics:
                for mine, value in zip(points, measured[metric], strict=True):
                    mine.setdefault(f"{probe.name}/{metric}", []).append((step, float(value)))
            if probe.record and step == probe.at[-1]:
                for mine, actions in zip(points, cast(Recorder, learner).record(number), strict=True):
                    mine[f"{probe.name}/{ACTIONS}"] = list(enumerate(actions.tolist()))


def _saved(
    cells: Sequence[Cell], learner: Learner, step: int, points: Sequence[Probed], failed: Set[int]
) -> Iterator[Saved]:
    states = learner.save()
    if states is not None:
        each = [of_cell for i, of_cell in enumerate(zip(cells, points, states, strict=True)) if i not in failed]
        yield Saved({cell.key: (step, Checkpoint(step, mine, s).to_bytes()) for cell, mine, s in each})


def _results(
    cells: Sequence[Cell], learner: Learner, points: Sequence[Probed], failed: Set[int]
) -> dict[str, dict[str, Curve]]:
    results = {}
    for i, (cell, mine, trained) in enumerate(zip(cells, points, learner.curves(), strict=True)):
        if i in failed:
            continue
        curves = {metric: _curve(metric, steps, values) for metric, (steps, values) in trained.items()}
        for metric, pairs in mine.items():
            curves[metric] = _curve(metric, [s for s, _ in pairs], [v for _, v in pairs])
        results[cell.key] = curves
    return results


def _not_finite(curves: Curves) -> str:
    """Why a run is worth nothing: a return is no number although an episode ended, or a value is infinite.

    A window of training in which no episode ended has neither a return nor a length; an evaluation always ends one.
    """
    for name, (steps, values) in curves.items():
        wrong = np.isinf(values)
        if name.endswith("/return"):
            lengths = curves.get(f"{name.removesuffix('return')}length")
            if lengths is None:
                wrong |= np.isnan(values) & (not name.startswith("train/"))
            elif lengths[1].shape == values.shape:
                wrong |= np.isfinite(lengths[1]) & np.isnan(values)
        if wrong.any():
            what = "the environment gave a reward that is" if name.endswith("/return") else "a result is"
            return f"ValueError: {what} not finite: {name} at step {steps[wrong][0]}."
    return ""


def _curve(metric: str, steps: Sequence[int] | np.ndarray, values: Sequence[float] | np.ndarray) -> Curve:
    x, y = np.array(steps, dtype=np.int64), np.array(values, dtype=np.float64)
    if x.ndim != 1 or x.shape != y.shape:
        raise ValueError(f"the curve {metric!r} has steps of shape {x.shape} but values of shape {y.shape}")
    return x, y
