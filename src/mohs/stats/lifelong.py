"""What is kept, what transfers? Metrics of one lifelong run: an agent that learns tasks one after the other.

A lifelong run is a sequence of blocks. The agent trains on one task in each block. All tasks are evaluated before the
first block and after each block.
Performance maintenance, performance recovery, transfer, relative performance and sample efficiency are those of New et
al. (2022, l2metrics), average performance, forgetting and forward transfer by areas those of Wołczyk et al. (2021,
Continual World). A metric that is not defined (no task was learnt twice, a ratio to zero) is NaN.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
TERMINAL = 0.1  # the last share of a curve, whose mean is the terminal performance
LEARNT = 0.01  # an expert must reach this performance to be compared with
SMOOTHED, WIDEST = 0.2, 100  # width of the moving average: as a share of the curve, and in points at most


@dataclass(frozen=True, eq=False)
class LifelongRun:
    """One agent's run through a curriculum.

    Attributes:
        blocks: The number of the task that each block trains on.
        evaluations: Performance on every task before the first and after each block, [blocks + 1, tasks].
        curves: The training curve of each block.
        experts: The training curve of a single-task expert, by task.
    """

    blocks: tuple[int, ...]
    evaluations: Floats
    curves: tuple[Floats, ...]
    experts: Mapping[int, Floats]

    def learnt(self, task: int) -> list[int]:
        """The blocks that train on a task."""
        return [block for block, of in enumerate(self.blocks) if of == task]

    @property
    def tasks(self) -> list[int]:
        """The tasks that were trained on, in order of first appearance."""
        return list(dict.fromkeys(self.blocks))

    def curve(self, task: int) -> Floats:
        """The training curve of a task: its blocks, concatenated."""
        return np.concatenate([self.curves[block] for block in self.learnt(task)])


def terminal(curve: Floats) -> float:
    """The terminal performance: the mean of the last tenth of a curve."""
    known = curve[~np.isnan(curve)]
    return float(known[int((1 - TERMINAL) * len(known)) :].mean()) if len(known) else np.nan


def maintenance(run: LifelongRun) -> float:
    """Performance maintenance: later evaluations minus the evaluation right after learning."""
    return _maintained(run, lambda task, block: float(run.evaluations[block + 1, task]))


def terminal_maintenance(run: LifelongRun) -> float:
    """Performance maintenance relative to the terminal performance in training."""
    return _maintained(run, lambda task, block: terminal(run.curves[block]))


def _maintained(run: LifelongRun, reference: Callable[[int, int], float]) -> float:
    means = []
    for task in run.tasks:
        changes = []
        for after in range(1, len(run.blocks) + 1):
            before = [block for block in run.learnt(task) if block < after]
            if before and after > before[-1] + 1:  # the evaluation right after learning is the reference itself
                changes.append(float(run.evaluations[after, task]) - reference(task, before[-1]))
        if changes:
            means.append(float(np.mean(changes)))
    return _mean(means)


def recovery(run: LifelongRun) -> float:
    """Performance recovery: by how many points relearning gets faster each time (negated Theil-Sen slope)."""
    slopes = []
    for task in run.tasks:
        blocks = run.learnt(task)
        times = [recovery_time(run.curves[b], terminal(run.curves[a])) for a, b in pairwise(blocks)]
        if len(times) > 1 and not np.isnan(times).any():
            slopes.append(-np.median([(y - x) / (j - i) for (i, x), (j, y) in combinations(enumerate(times), 2)]))
    return _mean(slopes)


def recovery_time(curve: Floats, level: float) -> float:
    """The number of points before a curve reaches a level; its length + 1 if it never does."""
    there = np.flatnonzero(curve >= level)
    return float(there[0]) if len(there) else np.nan if np.isnan(level) else len(curve) + 1.0


def forward_pairs(run: LifelongRun) -> Iterator[tuple[int, int, float, float]]:
    """(task trained on, a task not trained on yet, performance on the latter before and after)."""
    yield from _pairs(run, lambda block, first: first is None or block < first)


def backward_pairs(run: LifelongRun) -> Iterator[tuple[int, int, float, float]]:
    """(task trained on, a task trained on earlier, performance on the latter before and after)."""
    yield from _pairs(run, lambda block, first: first is not None and block > first)


def _pairs(run: LifelongRun, counts: Callable[[int, int | None], bool]) -> Iterator[tuple[int, int, float, float]]:
    for block, task in enumerate(run.blocks):
        for other in range(run.evaluations.shape[1]):
            if other != task and counts(block, next(iter(run.learnt(other)), None)):
                before, after = run.evaluations[block : block + 2, other]
                yield task, other, float(before), float(after)


def ratio(before: float, after: float) -> float:
    """after / before; NaN where `before` is not positive. Negative values count as 0."""
    return max(after, 0.0) / before if before > 0 else np.nan


def contrast(before: float, after: float) -> float:
    """(after - before) / (after + before), from -1 to 1; NaN where both are 0. Negative values count as 0."""
    before, after = max(before, 0.0), max(after, 0.0)
    return (after - before) / (after + before) if after + before > 0 else np.nan


def relative_performance(run: LifelongRun) -> float:
    """The area under the training curve of a task relative to that of its expert, over as many points."""
    shares = []
    for task, expert in _experts(run):
        mine = run.curve(task)
        points = min(len(mine), len(expert))
        area, whole = _mean(mine[:points]), _mean(expert[:points])
        shares.append(area / whole if whole > LEARNT else np.nan)
    return _mean(shares)


def sample_efficiency(run: LifelongRun) -> float:
    """Ratio of saturation values times inverse ratio of saturation times, against the single-task expert."""
    products = []
    for task, expert in _experts(run):
        (high, soon), (other_high, other_soon) = saturation(run.curve(task)), saturation(expert)
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
    """A moving average over a fifth of the curve, which is mirrored at both ends."""
    window = min(int(SMOOTHED * len(curve)), WIDEST)
    if window < 3:
        return curve
    padded = np.pad(curve, window - 1, mode="reflect")
    means = np.convolve(padded, np.full(window, 1 / window), mode="valid")
    first = window // 2 - 1
    return means[first : first + len(curve)]


def average_performance(run: LifelongRun) -> float:
    """The mean final performance over the tasks that were trained on."""
    return float(np.mean(run.evaluations[-1, run.tasks]))


def forgetting(run: LifelongRun) -> float:
    """Performance right after a task was last learnt, minus final performance."""
    lost = [run.evaluations[run.learnt(task)[-1] + 1, task] - run.evaluations[-1, task] for task in run.tasks]
    return float(np.mean(lost))


def area_transfer(run: LifelongRun) -> float:
    """Forward transfer by areas: (area - expert's area) / (1 - expert's area) in the first block of a task."""
    gains = []
    for task, _ in _experts(run):
        mine, other = first_areas(run, task)
        gains.append((mine - other) / (1 - other) if other < 1 else np.nan)
    return _mean(gains)


def first_areas(run: LifelongRun, task: int) -> tuple[float, float]:
    """The mean training performance in the first block of a task, and that of its expert over as many points."""
    first, expert = run.curves[run.learnt(task)[0]], run.experts[task]
    points = min(len(first), len(expert))
    return _mean(first[:points]), _mean(expert[:points])


def _experts(run: LifelongRun) -> Iterator[tuple[int, Floats]]:
    return ((task, run.experts[task]) for task in run.tasks if task in run.experts)


def _mean(values: Sequence[float] | Floats) -> float:
    """The mean of the values that are not NaN."""
    known = [value for value in values if not np.isnan(value)]
    return float(np.mean(known)) if known else np.nan


@dataclass(frozen=True)
class Metric:
    """A lifelong-learning metric. `neutral` is its value without any gain or loss; None if there is no such value."""

    title: str
    text: str
    neutral: float | None
    of: Callable[[LifelongRun], float]
    higher_is_better: bool = True


def _over(
    pairs: Callable[[LifelongRun], Iterator[tuple[int, int, float, float]]], compare: Callable[[float, float], float]
) -> Callable[[LifelongRun], float]:
    """The mean over the pairs of tasks, of each the first time that it is defined, as l2metrics has it."""

    def metric(run: LifelongRun) -> float:
        first: dict[tuple[int, int], float] = {}
        for learnt, other, before, after in pairs(run):
            value = compare(before, after)
            if not np.isnan(value):
                first.setdefault((learnt, other), value)
        return _mean(list(first.values()))

    return metric


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
