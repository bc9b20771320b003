"""What can a person quote of lifelong runs? Sentences, made last, from data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from mohs.core.score import ReferenceKind
from mohs.protocols.lifelong.study import SEPARATE, method
from mohs.report.findings import Finding
from mohs.report.numbers import formatted, with_interval
from mohs.stats import Estimate
from mohs.stats.intervals import FEWEST_FOR_MEAN

if TYPE_CHECKING:
    from mohs.core.score import Score
    from mohs.protocols.lifelong.study import LifelongStudy
    from mohs.protocols.lifelong.verdict import LifelongResult

BOUNDS = 0.995  # a ceiling below this is one


def findings(
    study: LifelongStudy, agents: tuple[LifelongResult, ...], scores: Mapping[str, Score], ceiling: float | None
) -> tuple[Finding, ...]:
    """A sentence for each agent, then what bounds them all."""
    exact = all(exact_optimum(scores[name]) for name in study.curriculum.learnt)
    found = [_agent(study, result, "the optimum" if exact else "what experts reach") for result in agents]
    if ceiling is not None and ceiling < BOUNDS:
        knows = any(method(agent) == SEPARATE for agent in study.agents)
        found.append(
            f"No agent that does not observe the task id can do better than {ceiling:.3g} on average: the tasks are "
            "indistinguishable until they pay."
            f"{' separate selects its network by the task id, and so observes it.' if knows else ''}"
        )
    if study.curriculum.held_out:
        found.append(f"Held out, evaluated but never trained on: {', '.join(study.curriculum.held_out)}.")
    return tuple(Finding(text) for text in found)


def exact_optimum(score: Score) -> bool:
    """Whether 1 is the exact optimum, and not what experts reach."""
    return score.high is not None and score.high.kind is not ReferenceKind.BASELINE


def _agent(study: LifelongStudy, result: LifelongResult, best: str) -> str:
    metrics, count = result.metrics, len(study.curriculum.learnt)
    average, lost, share = (metrics[name] for name in ("average_performance", "forgetting", "relative_performance"))
    if result.missing == study.seeds:
        return f"{result.label}: no lifelong run has finished yet."
    if average.n == 0:
        return (
            f"{result.label}: performance is not defined, because experts earn no more than the random policy, or are "
            "missing."
        )
    if not average.known:
        return f"{result.label}: too few runs for a verdict, n = {average.n}; {FEWEST_FOR_MEAN} or more are needed."
    text = f"{result.label} ends at {_said(average)} of {best}, on average over {count} tasks"
    if lost.known:
        clear = lost.low > 0
        text += f", having forgotten {_said(lost)}" if clear else f", without clear forgetting ({_said(lost)})"
    if share.known:
        text += f"; its training earned {_said(share)} times what the experts of the tasks earned"
    return text + "."


def _said(e: Estimate) -> str:
    return formatted(e.value, ".2f") + with_interval(e, 2)
