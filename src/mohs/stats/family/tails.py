"""Is the sample large enough for how skewed the scores are? If not, are log-ratios better?

The interval of a mean leans on the mean being near to normal. Rare large scores spoil that, and the sample that lacks
them looks harmless. Cochran's rule asks for 25 times the squared skewness (Sampling Techniques, section 2.15).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from mohs.core.errors import UsageError
from mohs.stats.checks import FloatArray, checked_array

FEWEST_POINTS = 16
COCHRAN = 25.0
REFUSED = 1.5  # times the squared skewness: with fewer points one of them makes most of the spread


def skewness(values: FloatArray, weights: FloatArray) -> FloatArray:
    """The weighted skewness of values [..., n]; 0 where they do not vary."""
    centred = values - (values @ weights)[..., None]
    variance = centred**2 @ weights
    scale = np.where(variance > 1e-24, variance, 1.0) ** 1.5
    return np.asarray(np.where(variance > 1e-24, centred**3 @ weights / scale, 0.0))


def points_for_skewness(skew: float) -> int:
    """How many points an interval needs by Cochran's rule, if scores are as skewed as this; at least 16.

    Example:
        >>> from mohs.stats.family import points_for_skewness
        >>> points_for_skewness(0.5), points_for_skewness(4.0)
        (16, 400)
    """
    return max(FEWEST_POINTS, int(np.ceil(COCHRAN * skew**2)))


def too_skewed(skew: ArrayLike, n: int) -> bool:
    """Whether one of n points makes most of the spread, so that an interval would hang on it alone."""
    return bool((REFUSED * np.square(skew) > n).any())


def skewness_warning(skew: float, n: int, size: int | None = None) -> str:
    """One sentence if n points are too few for how skewed the scores are; empty if they are enough.

    Args:
        skew: Of the scores.
        n: The points of the sample.
        size: The points of the family, where they are known.

    Example:
        >>> from mohs.stats.family import skewness_warning
        >>> skewness_warning(0.5, 60)
        ''
        >>> skewness_warning(4.0, 60)
        'The scores are heavy-tailed (skewness 4.0): the interval of their mean needs about 400 points, not 60.'
        >>> skewness_warning(4.0, 60, size=90)
        'The scores are heavy-tailed (skewness 4.0): the interval of their mean needs all 90 points with several seeds.'
    """
    if n >= COCHRAN * skew**2:
        return ""
    needed, skewed = points_for_skewness(skew), f"{skew:.1f}".replace("-", "−")
    many = size is not None and needed > size
    points = f"all {size:,} points with several seeds" if many else f"about {needed:,} points, not {n}"
    return f"The scores are heavy-tailed (skewness {skewed}): the interval of their mean needs {points}."


def log_ratios(scores: ArrayLike, baseline: ArrayLike) -> FloatArray:
    """The logarithm of scores [K, ...] over those of a baseline [...] at the same points.

    Their mean is the logarithm of a geometric mean ratio: exp of it says by which factor a method beats the baseline
    on a typical point. It has short tails where scores are positive and spread over orders of magnitude.

    Args:
        scores: Positive scores, NaN for a missing run.
        baseline: Positive scores of what they are compared with.

    Returns:
        The logarithms, in the shape of the scores.

    Raises:
        UsageError: A score is not positive.

    Example:
        >>> from mohs.stats.family import log_ratios
        >>> log_ratios([[1.0, 100.0]], [1.0, 10.0]).round(2).tolist()
        [[0.0, 2.3]]
    """
    ours, theirs = checked_array(scores, "scores"), checked_array(baseline, "baseline")
    if (ours <= 0).any() or (theirs <= 0).any():
        raise UsageError("log-ratios need positive scores: shift them, or compare means.")
    return np.asarray(np.log(ours) - np.log(theirs))
