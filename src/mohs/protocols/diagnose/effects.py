"""What may be said of a dial? The rules that turn intervals into words.

"Breaks" needs two things: the interval of the damage lies above 0, and that of the breaking dose inside the tested
doses.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from mohs.protocols.diagnose.study import DiagnosisStudy
from mohs.stats import BreakingDose, BreakingStatus, Estimate, identical_runs

SMALL = 0.1  # of vanilla's score: the smallest damage that matters


class Effect(StrEnum):
    """What a dial does to the agent, as far as the runs show."""

    BREAKS = "breaks"  # the score certainly halves within the tested doses
    MAY_BREAK = "may break"  # it halves there on average, but not with certainty
    COSTS = "costs"  # it certainly loses something, perhaps more than `SMALL`, and not half of it
    SMALL = "small"  # whatever it loses or gains is certainly not more than `SMALL`
    UNCLEAR = "unclear"  # the runs cannot tell
    HELPS = "helps"  # it certainly gains
    IDENTICAL = "identical"  # the runs are the same at every dose
    NOT_LEARNT = "not learnt"  # vanilla is not learnt, so there is nothing to lose
    TOO_FEW = "too few"  # runs, for an interval
    UNTESTED = "untested"  # at no harder dose


def effect_of(
    returns: npt.NDArray[np.float64], hard: Sequence[int], breaking: Sequence[BreakingDose], loss: Estimate
) -> Effect:
    """The effect of a dial: training returns [doses, seeds], which doses are harder, and what was estimated."""
    statuses = {found.status for found in breaking}
    if not hard:
        return Effect.UNTESTED
    if BreakingStatus.NOT_LEARNT in statuses:
        return Effect.NOT_LEARNT
    if identical_runs(returns):
        return Effect.IDENTICAL
    if not loss.known:
        return Effect.TOO_FEW
    reached = [found for found in breaking if found.status == BreakingStatus.REACHED]
    if loss.low > 0 and any(math.isfinite(found.low) and math.isfinite(found.high) for found in reached):
        return Effect.BREAKS
    if reached:
        return Effect.MAY_BREAK
    if max(abs(loss.low), abs(loss.high)) <= SMALL:
        return Effect.SMALL
    if loss.low > 0:
        return Effect.COSTS
    return Effect.HELPS if loss.high < 0 else Effect.UNCLEAR


def why_identical(study: DiagnosisStudy, dial: str) -> str:
    """Why runs may be identical at all doses of a dial, where a reason is known."""
    vanilla = study.task({}).values
    if dial == "delay" and vanilla.get("delay_at_end") == "terminated":
        return "rewards that are still pending are paid when the episode terminates, and the agent does not act on them"
    if dial in ("reward_every_n_steps", "make_denser") and vanilla.get("sequence_length") == 1:
        return "a sequence of one state is complete at once"
    return ""
