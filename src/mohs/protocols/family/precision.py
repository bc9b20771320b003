"""How many models would make the intervals as narrow as wanted, and is it better to add points or seeds?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from mohs.core.values import Json
from mohs.protocols.family.study import FamilyStudy
from mohs.stats.family import Budget, Components, FamilyEstimate, expected_width, plan_budget

MORE = (0.5, 1.0, 2.0, 4.0)  # times the models that ran
SEEDS = (1, 2, 3, 5)


@dataclass(frozen=True)
class Precision:
    """Half-widths of the widest interval of a method, by what is trained.

    Attributes:
        wanted: the half-width of `--width`, or half of the present one.
        reached: the present one.
        budget: the fewest models of each method for the wanted one; None where no number of them is known to do.
        seeds: the columns of `expected`.
        expected: for numbers of models, the half-widths with so many seeds at each point; None where there are not so
            many points.
    """

    wanted: float
    reached: float
    budget: Budget | None
    seeds: tuple[int, ...]
    expected: tuple[tuple[int, tuple[float | None, ...]], ...]

    def to_json(self) -> dict[str, Json]:
        """As plain data."""
        budget: dict[str, Json] | None = None
        if self.budget is not None:
            budget = {"points": self.budget.points, "seeds": self.budget.seeds, "models": self.budget.models}
        return {
            "half_width": self.wanted,
            "reached": self.reached,
            "budget": budget,
            "expected": [
                {"models": models, **{f"seeds_{m}": half for m, half in zip(self.seeds, halves, strict=True)}}
                for models, halves in self.expected
            ],
        }


def precision(study: FamilyStudy, found: FamilyEstimate, parts: Sequence[Components]) -> Precision | None:
    """What more models would do, from the variance components of each method; None where there are no intervals."""
    ends = [found.estimate(i) for i in range(len(study.methods))]
    if not found.known or not all(e.known for e in ends):
        return None
    widths = [e.high - e.low for e in ends]
    if not max(widths) > 0:  # no spread, or scores beyond their bounds
        return None
    worst, reached, size = parts[widths.index(max(widths))], max(widths) / 2, len(study.members)
    wanted = study.width or reached / 2
    plans = [plan_budget(part, 2 * wanted, size, found.level, study.seeds) for part in parts]
    known = [plan for plan in plans if plan is not None]
    budget = max(known, key=lambda plan: plan.models) if len(known) == len(plans) else None

    def half(models: int, seeds: int) -> float | None:
        points = models // seeds
        return expected_width(worst, points, seeds, size, found.level) / 2 if 1 < points <= size else None

    seeds = SEEDS if worst.split else (1,)
    models = sorted({math.ceil(times * found.n * study.seeds) for times in MORE})
    rows = tuple((n, tuple(half(n, m) for m in seeds)) for n in models)
    return Precision(wanted, reached, budget, seeds, tuple(row for row in rows if any(x is not None for x in row[1])))
