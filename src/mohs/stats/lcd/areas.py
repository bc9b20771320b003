"""How much did a run gain over its training, as one number?"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from mohs.core.errors import UsageError
from mohs.stats.checks import checked_array


def curve_area(steps: ArrayLike, values: ArrayLike) -> float:
    """The area under an evaluation curve divided by the span of its steps: the mean height by the trapezoid rule.

    Args:
        steps: Steps of training before each evaluation, increasing.
        values: Normalised scores (0 = random policy, 1 = known maximum). NaN marks a missing evaluation; the curve is
            a straight line between its neighbours.

    Returns:
        The normalised area (AUC); NaN where the first or the last evaluation is missing.

    Raises:
        UsageError: The two differ in length, or the steps do not increase.

    Example:
        >>> curve_area([0, 100, 200], [0.0, 1.0, 1.0])
        0.75
    """
    x, y = checked_array(steps, "steps", 1), checked_array(values, "values", 1)
    if x.shape != y.shape:
        raise UsageError(f"steps and values must have the same length; got {x.size} and {y.size}.")
    if not (np.diff(x) > 0).all():
        raise UsageError("steps must increase from one evaluation to the next.")
    if np.isnan(y[0]) or np.isnan(y[-1]):
        return math.nan
    if len(x) == 1:
        return float(y[0])
    known = ~np.isnan(y)
    x, y = x[known], y[known]
    return float(((y[1:] + y[:-1]) / 2 * np.diff(x)).sum() / (x[-1] - x[0]))
