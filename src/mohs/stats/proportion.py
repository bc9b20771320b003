"""How sure is a probability of which some runs are known? Clopper and Pearson's interval."""

from __future__ import annotations

from scipy.special import betaincinv

LEVEL = 0.95


def clopper_pearson(successes: int, runs: int, level: float = LEVEL) -> tuple[float, float]:
    """An interval that holds the probability with at least this confidence, whatever it is."""
    tail = (1 - level) / 2
    low = float(betaincinv(successes, runs - successes + 1, tail)) if successes > 0 else 0.0
    high = float(betaincinv(successes + 1, runs - successes, 1 - tail)) if successes < runs else 1.0
    return low, high
