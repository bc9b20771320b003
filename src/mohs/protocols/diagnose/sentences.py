"""What can a person quote of a diagnosis? Sentences, made last, from data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mohs.protocols.measures import return_measure
from mohs.report.findings import Finding
from mohs.report.numbers import with_interval
from mohs.stats import BreakingDose, BreakingStatus, Estimate, Side

if TYPE_CHECKING:
    from mohs.protocols.diagnose.study import DiagnosisStudy
    from mohs.protocols.diagnose.verdict import DialVerdict, Dose
    from mohs.protocols.scale import Scale

MOST_DIALS = 3  # in the headline
_TOO_LITTLE = "That is too little to break: no dial gets a verdict."


def findings(
    study: DiagnosisStudy,
    scale: Scale,
    vanilla: Dose,
    dials: Iterable[DialVerdict],
    missing: int,
    learnt_above: float,
) -> tuple[Finding, ...]:
    """How well vanilla is learnt, the dials that do the most damage, and what is missing."""
    lines = [Finding(text) for text in _opening(study, scale, vanilla, learnt_above)]
    worst = [d for d in dials if d.damage.known][:MOST_DIALS]
    lines += [Finding(d.text, subject=d.name, anchor=f"dial-{d.name}") for d in worst]
    if missing:
        lines.append(Finding(f"{missing} runs are missing; what rests on them is marked.", warning=True))
    if study.left_out:
        rest = "; ".join(study.left_out)
        text = f"Left out of the battery, because the environment does not allow it: {rest}."
        lines.append(Finding(text, warning=True))
    return tuple(lines)


def _opening(study: DiagnosisStudy, scale: Scale, vanilla: Dose, learnt_above: float) -> tuple[str, ...]:
    """How vanilla is learnt."""
    score, agent = vanilla.means["normalised_auc"], study.agent.name
    learnt = score.low > learnt_above
    if scale.random is None:
        return _between_references(agent, study.budget, score, learnt, bool(vanilla.means["auc"].n))
    earned = vanilla.means[return_measure(tuple(vanilla.means))]
    return _beside_random(agent, study.budget, earned, scale.random, learnt)


def _between_references(agent: str, budget: int, vanilla: Estimate, learnt: bool, finished: bool) -> tuple[str, ...]:
    """Vanilla's score between the references of its task."""
    if np.isnan(vanilla.value) and finished:
        return ("The vanilla task has no references to normalise by: no verdict.",)
    if np.isnan(vanilla.value):
        return (_no_verdict(agent),)
    first = (
        f"On the vanilla task {agent} scores {vanilla.value:.2f}{with_interval(vanilla, '.2f')} of the way from the "
        f"random policy to the optimum over {budget:,} steps, n = {vanilla.n}."
    )
    return (first, _TOO_LITTLE) if vanilla.known and not learnt else (first,)


def _beside_random(agent: str, budget: int, earned: Estimate, random: Estimate, learnt: bool) -> tuple[str, ...]:
    """What vanilla earns beside the random policy, where the optimum is unknown."""
    if np.isnan(earned.value):
        return (_no_verdict(agent),)
    if np.isnan(random.value):
        return ("The random policy has not been run on the vanilla task: no verdict.",)
    first = (
        f"On the vanilla task {agent} earns {earned.value:.4g}{with_interval(earned, '.4g')} an episode over "
        f"{budget:,} steps of training, the random policy {random.value:.4g}{with_interval(random, '.4g')}, "
        f"n = {earned.n}."
    )
    return (first, f"It has no certain lead over the random policy. {_TOO_LITTLE}") if not learnt else (first,)


def _no_verdict(agent: str) -> str:
    return f"No finished run of {agent} on the vanilla task: no verdict."


def dial_text(unit: str, values: tuple[Any, ...], harder: str, breaking: Sequence[BreakingDose], loss: Estimate) -> str:
    """What is said of a dial, after its name."""
    if not breaking:
        return "was tested at no harder dose."
    found = " and ".join(dict.fromkeys(_breaks(b, unit, values, two_sided=harder == "both") for b in breaking))
    if not loss.known:
        return f"{found}."
    return f"{found}; its harder doses cost {_percent(loss)} of vanilla's score."


def _breaks(b: BreakingDose, unit: str, values: tuple[Any, ...], two_sided: bool) -> str:
    """One side of a dial in words."""
    way = {Side.UP: "upwards ", Side.DOWN: "downwards "}.get(b.side, "") if two_sided else ""
    if b.status == BreakingStatus.REACHED:
        return f"{way}breaks the agent at {b.dose:.3g} {unit} ({_range(b)}; n = {b.n})"
    if b.status == BreakingStatus.NOT_REACHED:
        edge = f"down to {min(values):g}" if b.side == Side.DOWN else f"up to {max(values):g}"
        return f"{way}does not break it {edge} {unit} (n = {b.n})"
    if b.status == BreakingStatus.NOT_LEARNT:
        return "has no breaking dose, because vanilla itself is not learnt"
    if b.status == BreakingStatus.TOO_FEW:
        return f"has too few runs for a breaking dose (n = {b.n})"
    return "has no order of doses, so no breaking dose"


def _percent(e: Estimate) -> str:
    value, low, high = (f"{round(100 * x) + 0:d}%" for x in (e.value, e.low, e.high))
    return f"{value} ({100 * e.level:.0f}% interval {low} to {high}, n = {e.n})"


def _range(b: BreakingDose) -> str:
    ends = ["beyond the tested doses" if np.isinf(end) else f"{end:.3g}" for end in (b.low, b.high)]
    return f"{100 * b.level:.0f}% interval {ends[0]} to {ends[1]}"
