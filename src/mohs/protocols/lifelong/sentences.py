"""What is to be said of lives in a few sentences?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from mohs.protocols.lifelong.study import SEPARATE, method
from mohs.protocols.sentences import with_interval
from mohs.stats import Estimate
from mohs.stats.intervals import FEWEST_FOR_MEAN

if TYPE_CHECKING:
    from mohs.protocols.lifelong.scale import Span
    from mohs.protocols.lifelong.study import LifelongStudy
    from mohs.protocols.lifelong.verdict import Lived

BOUNDS = 0.995  # a ceiling below this is one


def headline(
    study: LifelongStudy, agents: tuple[Lived, ...], spans: Mapping[str, Span], ceiling: float | None
) -> tuple[str, ...]:
    """A sentence for each agent, then what bounds them all."""
    exact = all(spans[name].exact for name in study.curriculum.learnt)
    found = [_life(study, lived, "the optimum" if exact else "what experts reach") for lived in agents]
    if ceiling is not None and ceiling < BOUNDS:
        knows = any(method(agent) == SEPARATE for agent in study.agents)
        found.append(
            f"No agent that is not told the task can do better than {ceiling:.3g} on average: the tasks look alike "
            f"until they pay.{' separate has a network for each task, and so is told.' if knows else ''}"
        )
    if study.curriculum.held_out:
        found.append(f"Held out, evaluated but never learnt: {', '.join(study.curriculum.held_out)}.")
    return tuple(found)


def _life(study: LifelongStudy, lived: Lived, best: str) -> str:
    metrics, count = lived.metrics, len(study.curriculum.learnt)
    average, lost, share = (metrics[name] for name in ("average_performance", "forgetting", "relative_performance"))
    if lived.missing == study.seeds:
        return f"{lived.label}: no life has been finished yet."
    if average.n == 0:
        return (
            f"{lived.label}: performance is not defined, because experts earn no more than random play, or are missing."
        )
    if not average.known:
        return f"{lived.label}: too few lives for a verdict, n = {average.n}; {FEWEST_FOR_MEAN} or more are needed."
    text = f"{lived.label} ends at {_said(average)} of {best}, on average over {count} tasks"
    if lost.known:
        clear = lost.low > 0
        text += f", having forgotten {_said(lost)}" if clear else f", without clear forgetting ({_said(lost)})"
    if share.known:
        text += f"; its training earned {_said(share)} times what experts of each task earned"
    return text + "."


def _said(e: Estimate) -> str:
    return f"{e.value:.2f}{with_interval(e, '.2f')}".replace("-", "−")
