"""What became of one run? Whether and when it reached the optimum; if not, whether it was stuck below it."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
import numpy.typing as npt

from mohs.exact.qvi import TIES

Kind = Literal["solved", "rising", "stuck", "flat", "missing"]
KINDS: dict[Kind, str] = {
    "solved": "an evaluation earned the optimal return",
    "rising": "not solved, and the best evaluation of the second half of training is better than any of the first half",
    "stuck": "not solved, the second half brought nothing better, and its mean is above the first evaluation: the run "
    "rose and stayed at a local maximum",
    "flat": "not solved, the second half brought nothing better, and its mean is not above the first evaluation",
}
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def first_optimal(steps: Ints, returns: Floats, optimum: float) -> float:
    """The step of the first evaluation that earned the optimum; infinite where none did."""
    reached = returns >= optimum - TIES
    return float(steps[np.argmax(reached)]) if reached.any() else math.inf


def kind(returns: Floats, optimum: float) -> Kind:
    """What a run's evaluations look like."""
    if (returns >= optimum - TIES).any():
        return "solved"
    first, second = returns[: len(returns) // 2], returns[len(returns) // 2 :]
    if len(first) and second.max() > first.max() + TIES:
        return "rising"
    return "stuck" if second.mean() > returns[0] + TIES else "flat"
