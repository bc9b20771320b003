"""What may be said of a dial? The rules that turn intervals into words.

"Breaks" needs two things: the interval of the damage lies above 0, and that of the breaking dose inside the tested
doses.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from mohs.protocols.diagnose.study import DiagnosisStudy
from mohs.stats import BreakingDose, BreakingStatus, Estimate, Side, identical_runs

LEARNT_ABOVE = 0.1  # vanilla's score, the lower end of its interval
SMALL = 0.1  # of vanilla's score: the smallest damage that matters


HALF_KNOWN = (BreakingStatus.REACHED, BreakingStatus.NOT_REACHED)


class Effect(StrEnum):
    """What a dial does to the agent, as far as the runs show."""

    BREAKS = "breaks"  # the score certainly halves within the tested doses
    MAY_BREAK = "may break"  # it may halve there: the interval of the breaking dose begins inside
    COSTS = "costs"  # it certainly loses something, perhaps more than `SMALL`, and not half of it
    SMALL = "small"  # whatever it loses or gains is certainly not more than `SMALL`
    UNCLEAR = "unclear"  # the runs cannot tell
    HELPS = "helps"  # it certainly gains
    IDENTICAL = "identical"  # the runs are the same at every dose
    NOT_LEARNT = "not learnt"  # vanilla is not learnt, so there is nothing to lose
    TOO_FEW = "too few"  # runs, for an interval
    UNTESTED = "untested"  # at no harder dose


def is_learnt(vanilla: Estimate) -> bool | None:
    """Whether vanilla is learnt by its mean score; None where the runs cannot tell.

    It is if the whole interval lies above `LEARNT_ABOVE`, and it is not if the mean does not.
    """
    if not vanilla.known:
        return None
    return True if vanilla.low > LEARNT_ABOVE else None if vanilla.value > LEARNT_ABOVE else False


def effect_of(
    returns: npt.NDArray[np.float64],
    hard: Sequence[int],
    learnt: bool | None,
    breaking: Sequence[BreakingDose],
    losses: Mapping[Side, Estimate],
) -> Effect:
    """The effect of a dial.

    Args:
        returns: training returns [doses, seeds].
        hard: the doses that are harder than vanilla.
        learnt: whether vanilla is learnt; None where that is uncertain.
        breaking: the breaking dose on each side.
        losses: the damage on each side, and that of all harder doses under `Side.NONE`.
    """
    loss = losses[Side.NONE]
    if not hard:
        return Effect.UNTESTED
    if learnt is False:
        return Effect.NOT_LEARNT
    if identical_runs(returns):
        return Effect.IDENTICAL
    if not loss.known:
        few = any(found.status == BreakingStatus.TOO_FEW for found in breaking) or loss.n == 0
        return Effect.TOO_FEW if learnt or few else Effect.UNCLEAR
    reached = [found for found in breaking if found.status == BreakingStatus.REACHED]
    if any(math.isfinite(b.low) and math.isfinite(b.high) and losses[b.side].low > 0 for b in reached):
        return Effect.BREAKS
    if any(
        found.status in HALF_KNOWN and (math.isfinite(found.low) or math.isfinite(found.high)) for found in breaking
    ):
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
