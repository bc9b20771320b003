"""When does a claim about a study hold? Intervals of paired seeds decide; what is compared does not depend on results.

**More**: holds if the whole interval of a difference lies above a bound, fails if it leaves no room for an effect that
counts, and is open otherwise. **Flat**: holds if the interval lies within a band around 0, fails if it lies outside.
**Inside**: holds if some level between the ends of an axis beats both ends, fails if an end beats all between.
**Learnt**: holds if the agent is surely a tenth of the way from random play to the optimum; where it is not, there is
nothing to lose and the finding is open.

All intervals that decide about one agent in one finding hold together at 95% (Bonferroni).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.core.values import Json
from mohs.protocols.experiment.verdict import LEVEL, ExperimentVerdict, Panel
from mohs.stats import Estimate, paired_difference

REPRODUCED, NOT_REPRODUCED, DIFFERENT, OPEN, NOT_RUN = (
    "reproduced", "not reproduced", "different", "open", "not run yet",
)  # fmt: skip

LEARNT = 0.1  # of the way from random play to the optimum, as in a diagnosis

Verdicts = Mapping[str, ExperimentVerdict]  # by the name of the study


@dataclass(frozen=True)
class At:
    """The runs at one point of a study by one measure: one number for each seed."""

    measure: str
    values: tuple[Any, ...]  # on each axis
    study: str
    agent: str = ""  # another one than is judged
    times: float = 1.0


@dataclass(frozen=True)
class More:
    """The sum of `plus` is more than the sum of `minus` by more than `over`; less than `least` beyond is no effect."""

    says: str
    plus: tuple[At, ...]
    minus: tuple[At, ...] = ()
    over: float = 0.0
    least: float = 0.0


@dataclass(frozen=True)
class Flat:
    """Two points differ by less than `within`."""

    says: str
    one: At
    other: At
    within: float


@dataclass(frozen=True)
class Inside:
    """The best level of a study's only axis is neither its first nor its last."""

    says: str
    measure: str
    study: str


@dataclass(frozen=True)
class Learnt:
    """What the other claims rest on: the task without its difficulty is learnt."""

    says: str
    values: tuple[Any, ...]
    study: str


Claim = More | Flat | Inside | Learnt


@dataclass(frozen=True)
class Check:
    """What became of a claim: `holds` is None where it is open. `numbers` are what decided.

    Where one that is `needed` does not hold, the others say nothing.
    """

    says: str
    numbers: tuple[Estimate, ...]
    holds: bool | None
    needed: bool = False

    @property
    def word(self) -> str:
        return {True: "holds", False: "fails", None: "open"}[self.holds]

    def to_json(self) -> dict[str, Json]:
        return {"says": self.says, "numbers": [e.to_dict() for e in self.numbers], "result": self.word}


def check(claims: Sequence[Claim], agent: str, verdicts: Verdicts) -> tuple[Check, ...]:
    """Every claim about an agent."""
    comparisons = sum(_comparisons(claim, verdicts) for claim in claims)
    return tuple(_check(claim, agent, verdicts, comparisons) for claim in claims)


def outcome(checks: Sequence[Check]) -> str:
    """Of a finding, from all that it claims.

    Reproduced where all holds; different where a part holds and another fails; not reproduced where a part fails and
    none holds; open where nothing fails, but a part cannot be decided by these runs, and where nothing is learnt.
    What is needed is no part.
    """
    if not all(c.holds for c in checks if c.needed):
        return OPEN
    results = {c.holds for c in checks if not c.needed}
    if False in results:
        return DIFFERENT if True in results else NOT_REPRODUCED
    return OPEN if None in results else REPRODUCED


def _check(claim: Claim, agent: str, verdicts: Verdicts, comparisons: int) -> Check:
    if isinstance(claim, Inside):
        return _inside(claim, agent, verdicts, comparisons)
    if isinstance(claim, Learnt):
        lead = _difference([At("normalised_auc", claim.values, claim.study)], [], agent, verdicts, comparisons)
        return Check(claim.says, (lead,), True if lead.low > LEARNT else None, needed=True)
    plus, minus = (claim.plus, claim.minus) if isinstance(claim, More) else ((claim.one,), (claim.other,))
    found = _difference(plus, minus, agent, verdicts, comparisons)
    return Check(claim.says, (found,), _more(found, claim) if isinstance(claim, More) else _flat(found, claim))


def _more(found: Estimate, claim: More) -> bool | None:
    if found.low > claim.over:
        return True
    return False if found.high < claim.over + claim.least else None


def _flat(found: Estimate, claim: Flat) -> bool | None:
    if -claim.within < found.low and found.high < claim.within:
        return True
    return False if found.low > claim.within or found.high < -claim.within else None


def _inside(claim: Inside, agent: str, verdicts: Verdicts, comparisons: int) -> Check:
    """All levels between are compared with both ends, so the best of them may be picked afterwards."""
    runs = [found.samples[claim.measure] for found in _panel(verdicts[claim.study], agent).points]
    leads = [
        tuple(paired_difference(between, end, "mean", LEVEL, comparisons) for end in (runs[0], runs[-1]))
        for between in runs[1:-1]
    ]
    best = max(leads, key=lambda pair: min(e.low if e.known else -np.inf for e in pair))
    holds: bool | None = None
    if all(e.low > 0 for e in best):
        holds = True
    elif any(all(pair[end].high < 0 for pair in leads) for end in (0, 1)):
        holds = False
    return Check(claim.says, best, holds)


def _comparisons(claim: Claim, verdicts: Verdicts) -> int:
    if not isinstance(claim, Inside):
        return 1
    return 2 * (len(verdicts[claim.study].experiment.axes[0].levels) - 2)


def _difference(plus: Sequence[At], minus: Sequence[At], agent: str, verdicts: Verdicts, comparisons: int) -> Estimate:
    seeds = min(verdicts[at.study].experiment.seeds for at in (*plus, *minus))
    ours, theirs = (sum((_runs(at, agent, verdicts)[:seeds] for at in side), np.zeros(seeds)) for side in (plus, minus))
    return paired_difference(ours, theirs, "mean", LEVEL, comparisons)


def _runs(at: At, agent: str, verdicts: Verdicts) -> npt.NDArray[np.float64]:
    panel = _panel(verdicts[at.study], at.agent or agent)
    found = next(found for found in panel.points if tuple(level.value for level in found.point) == at.values)
    return at.times * found.samples[at.measure]


def _panel(verdict: ExperimentVerdict, agent: str) -> Panel:
    return next(panel for panel in verdict.panels if panel.agent.label == agent)
