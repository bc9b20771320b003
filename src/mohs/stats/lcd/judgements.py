"""What may be said of a cost, and when must nothing be said?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from mohs.core.values import Json
from mohs.stats.checks import FloatArray
from mohs.stats.intervals import IntArray
from mohs.stats.lcd.ratios import FEWEST_PAIRS

THRESHOLD = 0.1  # the cost that counts as a challenge


class Judgement(StrEnum):
    """What a cost and its interval allow to say. FLOOR, CEILING, TOO_FEW and UNDECIDED mean: cannot tell.

    Attributes:
        CHALLENGE: The lower end lies above the threshold.
        SMALL: The upper end lies below the threshold. The cost is no more than that end.
        REVERSED: The upper end lies below −threshold: runs did better under the condition that should be harder.
        UNDECIDED: The interval holds the threshold. More runs may decide.
        FLOOR: The runs of the reference (semantic view, every reward paid) are not clearly above the floor: the lower
            end of their mean's interval is not above it, or Fieller's set is unbounded. Where little was learnt, little
            can be lost, whatever the challenge. The paper's psi is near 0 there and reads as easy.
        CEILING: Both means have reached the ceiling, and no challenge was found. An area of .95 leaves a twentieth of
            the budget for learning and for every mistake afterwards, so the largest loss that could show is half the
            threshold. That says that the budget is long or the levels are easy, not that the condition costs nothing.
            In a tenth of the budget the same two curves may differ by any share.
        TOO_FEW: Fewer than 3 paired runs, and no floor.
    """

    CHALLENGE = "challenge"
    SMALL = "small"
    UNDECIDED = "undecided"
    FLOOR = "floor"
    CEILING = "ceiling"
    TOO_FEW = "too_few"
    REVERSED = "reversed"

    @property
    def known(self) -> bool:
        """Whether something is said about the size of the cost."""
        return self in (Judgement.CHALLENGE, Judgement.SMALL, Judgement.REVERSED)

    @property
    def told(self) -> bool:
        """Whether the cost can be told at all, be it decided or not."""
        return self.known or self is Judgement.UNDECIDED


@dataclass(frozen=True)
class Cost:
    """The share of the reference that a harder condition costs, with its interval and what it allows to say.

    Attributes:
        value: The share lost; negative where the harder condition did better. NaN where the reference earned nothing.
        low: The lower end of the interval; −∞ where any share is possible, NaN with too few runs.
        high: The upper end.
        level: The coverage that the interval claims.
        n: The number of seeds that have all runs.
        judgement: What may be said.
        runs_needed: About how many seeds would decide, where the judgement is UNDECIDED, or would clear the floor,
            where it is FLOOR; None elsewhere, and where more than 1,000 would be needed.
    """

    value: float
    low: float
    high: float
    level: float
    n: int
    judgement: Judgement
    runs_needed: int | None = None

    @property
    def known(self) -> bool:
        """Whether the interval is bounded."""
        return math.isfinite(self.low) and math.isfinite(self.high)

    def to_dict(self) -> dict[str, Json]:
        """Plain data for JSON, which has neither NaN nor infinity: both are None."""
        numbers = {name: float(getattr(self, name)) for name in ("value", "low", "high")}
        return {
            **{name: number if math.isfinite(number) else None for name, number in numbers.items()},
            "level": self.level,
            "n": self.n,
            "judgement": str(self.judgement),
            "runs_needed": self.runs_needed,
        }


@dataclass(frozen=True)
class Rules:
    """Where judgements change: the floor and the ceiling of a mean area, and the cost that counts as a challenge."""

    floor: float = 0.05
    ceiling: float = 0.95
    threshold: float = THRESHOLD


def judged(
    rules: Rules, n: IntArray, low: FloatArray, high: FloatArray, surely: FloatArray, least: FloatArray
) -> list[Judgement]:
    """The judgement of each of k costs. The first rule that holds decides.

    Args:
        rules: Where judgements change.
        n: The number of paired runs, [k].
        low: The lower ends of the costs.
        high: The upper ends of the costs.
        surely: The lower ends of the means of the reference; NaN with too few runs of it.
        least: The smaller of the means of the two conditions compared.
    """
    ordered = [
        (Judgement.FLOOR, surely <= rules.floor),  # whatever was left out because of it
        (Judgement.TOO_FEW, n < FEWEST_PAIRS),
        (Judgement.FLOOR, ~np.isfinite(low) | ~np.isfinite(high)),
        (Judgement.CHALLENGE, low > rules.threshold),
        (Judgement.CEILING, least >= rules.ceiling),
        (Judgement.REVERSED, high < -rules.threshold),
        (Judgement.SMALL, high < rules.threshold),
        (Judgement.UNDECIDED, np.ones(len(n), dtype=bool)),
    ]
    first = np.argmax(np.stack([holds for _, holds in ordered]), axis=0)
    return [ordered[i][0] for i in first]
