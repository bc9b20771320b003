"""What is kept, what transfers? Metrics of one life: an agent that learns tasks one after the other.

A life has blocks, in each of which one task is learnt; before the first and after each, all tasks are evaluated.
Performance maintenance, performance recovery, transfer, relative performance and sample efficiency are those of New et
al. (2022, l2metrics), average performance, forgetting and forward transfer by areas those of Wołczyk et al. (2021,
Continual World). Where a metric is not defined (no task was learnt twice, a ratio to zero) it is nan.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
TERMINAL = 0.1  # the share of a curve, at its end, that tells what was reached
LEARNT = 0.01  # the performance above which an expert has learnt something to compare with
SMOOTHED, WIDEST = 0.2, 100  # the share of a curve, and the most points, that are averaged before saturation is sought


@dataclass(frozen=True, eq=False)
class Life:
    """`blocks` are the tasks that were learnt, by number; `evaluations` [blocks + 1, tasks]; `curves` the performance
    in training of each block, `experts` that of an agent that learnt a task alone."""

    blocks: tuple[int, ...]
    evaluations: Floats
    curves: tuple[Floats, ...]
    experts: Mapping[int, Floats]

    def learnt(self, task: int) -> list[int]:
        """The blocks in which a task was learnt."""
        return [block for block, of in enumerate(self.blocks) if of == task]

    @property
    def tasks(self) -> list[int]:
        """The tasks that were learnt, in that order."""
        return list(dict.fromkeys(self.blocks))

    def curve(self, task: int) -> Floats:
        """The training of a task, its blocks one after the other."""
        return np.concatenate([self.curves[block] for block in self.learnt(task)])


def terminal(curve: Floats) -> float:
    """What was reached at the end of a curve."""
    known = curve[~np.isnan(curve)]
    return float(known[int((1 - TERMINAL) * len(known)) :].mean()) if len(known) else np.nan


def maintenance(life: Life) -> float:
    """Evaluations after other tasks were learnt, less the one right after the task itself."""
    return _maintained(life, lambda task, block: float(life.evaluations[block + 1, task]))


def terminal_maintenance(life: Life) -> float:
    """The same, less what was reached at the end of training."""
    return _maintained(life, lambda task, block: terminal(life.curves[block]))


def _maintained(life: Life, reference: Callable[[int, int], float]) -> float:
    means = []
    for task in life.tasks:
        changes = []
        for after in range(1, len(life.blocks) + 1):
            before = [block for block in life.learnt(task) if block < after]
            if before and after > before[-1] + 1:  # the evaluation right after learning is the reference itself
                changes.append(float(life.evaluations[after, task]) - reference(task, before[-1]))
        if changes:
            means.append(float(np.mean(changes)))
    return _mean(means)


def recovery(life: Life) -> float:
    """By how many points a task is learnt again sooner from one time to the next (Theil and Sen's slope, negated)."""
    slopes = []
    for task in life.tasks:
        blocks = life.learnt(task)
        times = [recovery_time(life.curves[b], terminal(life.curves[a])) for a, b in pairwise(blocks)]
        if len(times) > 1 and not np.isnan(times).any():
            slopes.append(-np.median([(y - x) / (j - i) for (i, x), (j, y) in combinations(enumerate(times), 2)]))
    return _mean(slopes)


def recovery_time(curve: Floats, level: float) -> float:
    """The points of a curve before it reaches a level; one more than there are where it does not."""
    there = np.flatnonzero(curve >= level)
    return float(there[0]) if len(there) else np.nan if np.isnan(level) else len(curve) + 1.0


def forward_pairs(life: Life) -> Iterator[tuple[int, int, float, float]]:
    """(task learnt, task not learnt yet, its performance before and after)."""
    yield from _pairs(life, lambda block, first: first is None or block < first)


def backward_pairs(life: Life) -> Iterator[tuple[int, int, float, float]]:
    """(task learnt, task learnt before, its performance before and after)."""
    yield from _pairs(life, lambda block, first: first is not None and block > first)


def _pairs(life: Life, counts: Callable[[int, int | None], bool]) -> Iterator[tuple[int, int, float, float]]:
    for block, task in enumerate(life.blocks):
        for other in range(life.evaluations.shape[1]):
            if other != task and counts(block, next(iter(life.learnt(other)), None)):
                before, after = life.evaluations[block : block + 2, other]
                yield task, other, float(before), float(after)


def ratio(before: float, after: float) -> float:
    """Not defined where nothing could be done before; what is below 0 counts as 0."""
    return max(after, 0.0) / before if before > 0 else np.nan


def contrast(before: float, after: float) -> float:
    """From -1 (all is lost) to 1 (all is new). Not defined where nothing could be done before or after."""
    before, after = max(before, 0.0), max(after, 0.0)
    return (after - before) / (after + before) if after + before > 0 else np.nan


def relative_performance(life: Life) -> float:
    """The area under the curve of a task, as a share of its expert's over as many points."""
    shares = []
    for task, expert in _experts(life):
        mine = life.curve(task)
        points = min(len(mine), len(expert))
        area, whole = _mean(mine[:points]), _mean(expert[:points])
        shares.append(area / whole if whole > LEARNT else np.nan)
    return _mean(shares)


def sample_efficiency(life: Life) -> float:
    """How much higher than its expert's the curve of a task gets, times how much sooner it is there."""
    products = []
    for task, expert in _experts(life):
        (high, soon), (other_high, other_soon) = saturation(life.curve(task)), saturation(expert)
        defined = soon > 0 and other_high > LEARNT
        products.append(high / other_high * other_soon / soon if defined else np.nan)
    return _mean(products)


def saturation(curve: Floats) -> tuple[float, int]:
    """The highest value of a smoothed curve, and the point at which it is reached."""
    known = np.flatnonzero(~np.isnan(curve))
    if len(known) == 0:
        return np.nan, 0
    smooth = smoothed(curve[known])
    return float(smooth.max()), int(known[smooth.argmax()])


def smoothed(curve: Floats) -> Floats:
    """Moving averages over a fifth of the curve, which is mirrored at both ends."""
    window = min(int(SMOOTHED * len(curve)), WIDEST)
    if window < 3:
        return curve
    padded = np.pad(curve, window - 1, mode="reflect")
    means = np.convolve(padded, np.full(window, 1 / window), mode="valid")
    first = window // 2 - 1
    return means[first : first + len(curve)]


def average_performance(life: Life) -> float:
    """Over all tasks that were learnt, at the end."""
    return float(np.mean(life.evaluations[-1, life.tasks]))


def forgetting(life: Life) -> float:
    """What a task was worth right after it was learnt last, less what it is worth at the end."""
    lost = [life.evaluations[life.learnt(task)[-1] + 1, task] - life.evaluations[-1, task] for task in life.tasks]
    return float(np.mean(lost))


def area_transfer(life: Life) -> float:
    """How much of what an expert's curve leaves below 1 the first block of a task gains; performances are ≤ 1."""
    gains = []
    for task, _ in _experts(life):
        mine, other = first_areas(life, task)
        gains.append((mine - other) / (1 - other) if other < 1 else np.nan)
    return _mean(gains)


def first_areas(life: Life, task: int) -> tuple[float, float]:
    """The mean performance in training while a task is first learnt, and its expert's over as many points."""
    first, expert = life.curves[life.learnt(task)[0]], life.experts[task]
    points = min(len(first), len(expert))
    return _mean(first[:points]), _mean(expert[:points])


def _experts(life: Life) -> Iterator[tuple[int, Floats]]:
    return ((task, life.experts[task]) for task in life.tasks if task in life.experts)


def _mean(values: Sequence[float] | Floats) -> float:
    """The mean of those that are defined."""
    known = [value for value in values if not np.isnan(value)]
    return float(np.mean(known)) if known else np.nan


@dataclass(frozen=True)
class Metric:
    """`neutral` is what an agent scores that neither gains nor loses anything; None where that is no question."""

    title: str
    text: str
    neutral: float | None
    of: Callable[[Life], float]
    higher_is_better: bool = True


def _over(
    pairs: Callable[[Life], Iterator[tuple[int, int, float, float]]], compare: Callable[[float, float], float]
) -> Callable[[Life], float]:
    return lambda life: _mean([compare(before, after) for _, _, before, after in pairs(life)])


METRICS: dict[str, Metric] = {
    "average_performance": Metric("average performance", "of all tasks, at the end", None, average_performance),
    "forgetting": Metric(
        "forgetting", "performance right after learning, less that at the end", 0.0, forgetting, higher_is_better=False
    ),
    "performance_maintenance": Metric(
        "performance maintenance", "later evaluations, less the one right after learning", 0.0, maintenance
    ),
    "terminal_maintenance": Metric(
        "maintenance of terminal performance", "later evaluations, less the end of training", 0.0, terminal_maintenance
    ),
    "performance_recovery": Metric(
        "performance recovery", "points by which a task is learnt again sooner each time", 0.0, recovery
    ),
    "forward_transfer_ratio": Metric(
        "forward transfer, ratio", "of tasks not learnt yet, after and before another", 1.0, _over(forward_pairs, ratio)
    ),
    "forward_transfer_contrast": Metric(
        "forward transfer, contrast", "their difference by their sum", 0.0, _over(forward_pairs, contrast)
    ),
    "backward_transfer_ratio": Metric(
        "backward transfer, ratio",
        "of tasks learnt before, after and before another",
        1.0,
        _over(backward_pairs, ratio),
    ),
    "backward_transfer_contrast": Metric(
        "backward transfer, contrast", "their difference by their sum", 0.0, _over(backward_pairs, contrast)
    ),
    "relative_performance": Metric(
        "relative performance", "area under the curve, as a share of the expert's", 1.0, relative_performance
    ),
    "sample_efficiency": Metric(
        "sample efficiency", "height of the curve × how soon it is reached, by the expert's", 1.0, sample_efficiency
    ),
    "area_transfer": Metric(
        "forward transfer, area", "gain over the expert's curve, by what that leaves below 1", 0.0, area_transfer
    ),
}
