"""How often does an algorithm find an optimal policy with k steps of look-ahead and m episodes?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mohs.stats.counts import clopper_pearson
from mohs.stats.sequential import is_clear, until_clear

Outcome = tuple[bool, int]  # of a run: whether it found an optimal policy, and the number of steps it simulated


@dataclass(frozen=True)
class Success:
    """The number of runs with these k and m that found an optimal policy, and the interval of the probability."""

    k: int
    m: int
    runs: int
    successes: int
    interval: tuple[float, float]
    simulated: int

    @property
    def likely(self) -> bool:
        """Whether at least half of the runs succeeded."""
        return 2 * self.successes >= self.runs

    def __str__(self) -> str:
        return f"k = {self.k}, m = {self.m}: {self.successes} of {self.runs} runs optimal"

    @property
    def clear(self) -> bool:
        """Whether the interval excludes one half."""
        return is_clear(self.interval)


def success_of(k: int, m: int, outcomes: Sequence[Outcome]) -> Success:
    """The outcomes of runs as a `Success`."""
    return completed(Success(k, m, 0, 0, (0.0, 1.0), 0), outcomes)


def probe(play: Callable[[range], list[Outcome]], k: int, m: int, runs: int, looks: int) -> Success:
    """Plays at most `runs` runs, until it is clear whether half of them succeed (`stats.sequential`)."""
    simulated = 0

    def trials(numbers: range) -> list[bool]:
        nonlocal simulated
        outcomes = play(numbers)
        simulated += sum(taken for _, taken in outcomes)
        return [optimal for optimal, _ in outcomes]

    successes, played, interval = until_clear(trials, runs, looks)
    return Success(k, m, played, successes, interval, simulated)


def completed(found: Success, rest: Sequence[Outcome]) -> Success:
    """A probe with the rest of its runs, and the interval of a single analysis."""
    runs, successes = found.runs + len(rest), found.successes + sum(optimal for optimal, _ in rest)
    simulated = found.simulated + sum(taken for _, taken in rest)
    return Success(found.k, found.m, runs, successes, clopper_pearson(successes, runs), simulated)
