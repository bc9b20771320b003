"""What does each challenge cost, do the controls show nothing, and what helps? Numbers with intervals, row by row."""

from __future__ import annotations

import math

from mohs.protocols.lcd.verdict import LEVEL, GameResult, LcdVerdict
from mohs.report import numbers
from mohs.report.figures.forest import Forest, ForestRow
from mohs.report.figures.looks import short
from mohs.stats import Estimate
from mohs.stats.lcd import Cost

_LEAST, _MOST = -1.0, 1.5  # wider intervals are cut off
_SHARE = "share lost of what the agent reached in the semantic view at full reward"


def as_estimate(cost: Cost) -> Estimate:
    """A cost as the numbers of a report are written; nothing is written of one that cannot be told."""
    value, low, high = (cost.value, cost.low, cost.high) if cost.judgement.told else (math.nan,) * 3
    return Estimate(value, low, high, cost.n, cost.level, "share lost", "Fieller")


def named(verdict: LcdVerdict, result: GameResult) -> str:
    """The game, and the agent where there are several."""
    several = len(verdict.study.agents) > 1
    return short(f"{result.game}, {result.agent}" if several else result.game, 30)


def cost_forest(verdict: LcdVerdict) -> Forest:
    """Perception, figure and ground, and rarer reward, game by game."""
    rows = []
    for result in verdict.results:
        parts = {"pixels": result.perception, "figure/ground": result.ground, "rarer reward": result.learning}
        rows += [
            ForestRow(f"{named(verdict, result)}: {what}", as_estimate(cost), what != "figure/ground")
            for what, cost in parts.items()
            if cost is not None and cost.judgement.told
        ]
    return _forest(rows, _SHARE)


def control_forest(verdict: LcdVerdict) -> Forest:
    """What should be zero."""
    rows = [
        ForestRow(f"{named(verdict, result)}: {name}", as_estimate(cost))
        for result in verdict.results
        for name, cost in result.controls.items()
        if cost.judgement.told
    ]
    return _forest(rows, f"controls, which should be zero · {_SHARE}")


def gain_forest(verdict: LcdVerdict) -> Forest:
    """What remedies add to the area."""
    rows = [
        ForestRow(f"{named(verdict, result)}: {remedy}", e)
        for result in verdict.results
        for remedy, e in result.gains.items()
    ]
    return _forest(rows, "gain in normalised area: shaping over the semantic view, front-ends over pixels")


def synergy_forest(verdict: LcdVerdict) -> Forest:
    """What a better agent and a better view give together beyond the sum of both gains."""
    rows = [ForestRow(short(f"{s.game}: {s.second} over {s.first}", 40), s.extra) for s in verdict.synergies]
    return _forest(rows, "normalised area beyond the sum of both gains · all hold together at 95%")


def _forest(rows: list[ForestRow], what: str) -> Forest:
    ends = [x for row in rows for x in (row.estimate.low, row.estimate.high) if _LEAST <= x <= _MOST]
    limits = (min([0.0, *ends]), max([0.0, *ends])) if ends else None
    level = max((row.estimate.level for row in rows), default=LEVEL)
    note = f"{what} · {numbers.level(level)} intervals · {numbers.count(row.estimate.n for row in rows)}"
    return Forest(tuple(rows), note, line=0.0, limits=limits)
