"""Does an algorithm succeed in half of its runs? Runs are counted until that is clear."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mohs.stats.proportion import LEVEL, clopper_pearson

Outcome = tuple[bool, int]  # of a run: whether it found an optimal policy, and the steps it took


@dataclass(frozen=True)
class Success:
    """How many runs with these k and m found an optimal policy, and an interval for the probability."""

    k: int
    m: int
    runs: int
    successes: int
    interval: tuple[float, float]
    simulated: int

    @property
    def likely(self) -> bool:
        return 2 * self.successes >= self.runs

    def __str__(self) -> str:
        return f"k = {self.k}, m = {self.m}: {self.successes} of {self.runs} runs optimal"

    @property
    def clear(self) -> bool:
        """Whether the interval says on which side of ½ the probability is."""
        return not self.interval[0] <= 0.5 <= self.interval[1]


def success_of(k: int, m: int, outcomes: Sequence[Outcome], level: float = LEVEL) -> Success:
    successes = sum(optimal for optimal, _ in outcomes)
    interval = clopper_pearson(successes, len(outcomes), level)
    return Success(k, m, len(outcomes), successes, interval, sum(taken for _, taken in outcomes))


def probe(play: Callable[[range], list[Outcome]], k: int, m: int, runs: int, looks: int) -> Success:
    """Plays runs by their numbers until it is clear whether half of them succeed, but no more than `runs`.

    Their number is doubled from look to look. All looks together have the confidence of one (Bonferroni), so the
    interval holds wherever the probe ends.
    """
    outcomes: list[Outcome] = []
    for count in sorted({-(-runs // 2**i) for i in range(looks)}):
        outcomes += play(range(len(outcomes), count))
        found = success_of(k, m, outcomes, 1 - (1 - LEVEL) / looks)
        if found.clear:
            break
    return found


def completed(found: Success, rest: Sequence[Outcome]) -> Success:
    """The same with more runs, looked at once."""
    runs, successes = found.runs + len(rest), found.successes + sum(optimal for optimal, _ in rest)
    simulated = found.simulated + sum(taken for _, taken in rest)
    return Success(found.k, found.m, runs, successes, clopper_pearson(successes, runs), simulated)
