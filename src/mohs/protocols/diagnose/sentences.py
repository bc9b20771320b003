"""What can a person quote of a diagnosis? Sentences, made last, from data."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mohs.protocols.diagnose.effects import SMALL, Effect, is_learnt
from mohs.protocols.measures import MEASURES, return_measure
from mohs.report import numbers
from mohs.report.findings import Finding
from mohs.report.numbers import fixed, with_interval
from mohs.stats import BreakingDose, BreakingStatus, Estimate, Side, ratio_samples, runs_needed

if TYPE_CHECKING:
    from mohs.protocols.diagnose.attribution import Attribution
    from mohs.protocols.diagnose.points import Dose
    from mohs.protocols.diagnose.study import DiagnosisStudy
    from mohs.protocols.diagnose.verdict import DialVerdict
    from mohs.protocols.scale import Scale

MOST_DIALS = 5  # in the headline
_TOO_LITTLE = "That is too little to break: no dial gets a verdict."
_WORTH_TELLING = (Effect.BREAKS, Effect.MAY_BREAK, Effect.COSTS)


def findings(
    study: DiagnosisStudy,
    scale: Scale,
    judged: str,
    unattributed: str,
    vanilla: Dose,
    view: float,
    dials: Iterable[DialVerdict],
    missing: int,
) -> tuple[Finding, ...]:
    """How well vanilla is learnt, what the dials do, whose fault it is, and what is missing."""
    lines = [Finding(text) for text in _opening(study, scale, judged, vanilla, view)]
    told = [d for d in dials if d.effect != Effect.NOT_LEARNT]
    worst = [d for d in told if d.effect in _WORTH_TELLING] or told
    lines += [Finding(d.text, subject=d.name, anchor=f"dial-{d.name}") for d in worst[:MOST_DIALS]]
    rest = [d for d in told if d not in worst[:MOST_DIALS]]
    lines += [Finding(text) for text in _others(rest)]
    if unattributed and told:
        lines.append(Finding(f"No loss is attributed to the task or to missing memory: {unattributed.rstrip('.')}."))
    if missing:
        lines.append(Finding(f"{missing} runs have not finished; what rests on them is marked.", warning=True))
    if study.left_out:
        left = "; ".join(study.left_out)
        text = f"Left out of the battery, because the environment does not allow it: {left}."
        lines.append(Finding(text, warning=True))
    return tuple(lines)


def _others(dials: list[DialVerdict]) -> list[str]:
    """The dials without a sentence of their own in the headline, by effect."""
    words = {
        Effect.BREAKS: "It also breaks under {}.",
        Effect.MAY_BREAK: "It may break under {}.",
        Effect.COSTS: "Less costly: {}.",
        Effect.SMALL: f"No effect larger than {100 * SMALL:.0f}%: {{}}.",
        Effect.IDENTICAL: "No effect at all, identical runs: {}.",
        Effect.HELPS: "It does better under {}.",
        Effect.UNCLEAR: "Too uncertain for a verdict: {}.",
        Effect.TOO_FEW: "Too few runs: {}.",
        Effect.UNTESTED: "Tested at no harder dose: {}.",
    }
    named = {effect: [d.name for d in dials if d.effect == effect] for effect in words}
    return [words[effect].format(", ".join(names)) for effect, names in named.items() if names]


def _opening(study: DiagnosisStudy, scale: Scale, judged: str, vanilla: Dose, view: float) -> tuple[str, ...]:
    """How vanilla is learnt. `view` is the share of the optimum that the agent's view allows."""
    score, agent = vanilla.means[judged], study.agent.name
    given = ", ".join(f"{name} = {numbers.dose(value)}" for name, value in study.params)
    task = f"the vanilla task ({given})" if given else "the vanilla task"
    if scale.random is None:
        return _between_references(agent, task, study.budget, score, view, bool(vanilla.means["auc"].n))
    earned = vanilla.means[return_measure(tuple(vanilla.means))]
    return _beside_random(agent, task, study.budget, earned, scale.random, is_learnt(score))


def _between_references(
    agent: str, task: str, budget: int, vanilla: Estimate, view: float, finished: bool
) -> tuple[str, ...]:
    """Vanilla's score between the references of its task."""
    if np.isnan(vanilla.value) and finished:
        return ("The vanilla task has no references to normalise by: no verdict.",)
    if np.isnan(vanilla.value):
        return (_no_verdict(agent),)
    best = "the optimum"
    if view < 0.995:
        best = f"the best policy that sees what it sees (which gains {_whole(view)} of what the optimum does)"
    first = (
        f"On {task} {agent} scores {fixed(vanilla.value, 2)}{with_interval(vanilla, 2)} of the way from the "
        f"random policy to {best} over {budget:,} steps, n = {vanilla.n}."
    )
    learnt = is_learnt(vanilla)
    if learnt is None and vanilla.known:
        return (first, "That is too uncertain for a verdict: more seeds are needed.")
    return (first, _TOO_LITTLE) if learnt is False else (first,)


def _beside_random(
    agent: str, task: str, budget: int, earned: Estimate, random: Estimate, learnt: bool | None
) -> tuple[str, ...]:
    """What vanilla earns beside the random policy, where the optimum is unknown."""
    if np.isnan(earned.value):
        return (_no_verdict(agent),)
    if np.isnan(random.value):
        return ("The random policy has not been run on the vanilla task: no verdict.",)
    first = (
        f"On {task} {agent} earns {numbers.estimated(earned)} an episode over {budget:,} steps of training, "
        f"the random policy {numbers.estimated(random)}, n = {earned.n}."
    )
    if learnt or not earned.known:
        return (first,)
    return (first, f"It has no certain lead over the random policy. {_TOO_LITTLE}")


def _no_verdict(agent: str) -> str:
    return f"No finished run of {agent} on the vanilla task: no verdict."


def dial_text(agent: str, dial: DialVerdict, scores: npt.NDArray[np.float64], reason: str) -> str:
    """What is said of a dial, after its name.

    `scores` [doses, seeds] are those of vanilla and of the harder doses; `reason` says why it could have no effect.
    """
    said = f"{_effect(dial, scores, reason)}.{_left_out(dial)}"
    hardest = dial.hardest
    if hardest is None or hardest.attribution is None or dial.effect in (Effect.IDENTICAL, Effect.NOT_LEARNT):
        return said
    if not hardest.attribution.parts.total.known:
        return said
    return f"{said} {blame(agent, hardest.value, dial.unit, hardest.attribution)}"


def _left_out(dial: DialVerdict) -> str:
    """The doses that do not count, with the reason."""
    if not dial.left_out:
        return ""
    doses = ", ".join(numbers.dose(dose.value) for dose in dial.left_out)
    reason = dial.left_out[0].reason.partition(" (")[0].rstrip(".")
    return f" Left out: {doses}, because {reason[0].lower()}{reason[1:]}."


def blame(agent: str, dose: Any, unit: str, found: Attribution) -> str:
    """Whose fault the loss at a dose is."""
    parts = found.parts
    at = "Turned on," if dose is True else f"At {numbers.dose(dose)} {unit}".rstrip()
    whole = f"{at} {agent} loses {_percent(parts.total)} of what it gains on vanilla"
    if found.reason:
        task, rest = numbers.whole_parts((parts.task.value, parts.learning.value))
        return f"{whole}: {task}% is the task's, {rest}% is learning or missing memory.".replace("-", "−")
    task, memory, learning = numbers.whole_parts((parts.task.value, parts.memory.value, parts.learning.value))
    needs = f"{memory}% needs memory"
    if found.bracketed:
        needs = f"{_whole(found.least_memory)} to {memory}% needs memory"
    said = f"{whole}: {task}% is the task's, {needs}, {learning}% is learning".replace(" -", " −")
    return f"{said}{_cut(found)}."


def _cut(found: Attribution) -> str:
    """Where the learning's part arises, if it matters and the evaluations can tell."""
    parts = found.parts
    if not (parts.learning.low > 0 and found.cut_known):
        return ""
    return f" ({_whole(parts.policy.value)} in the learnt policy, {_whole(parts.training.value)} on the way to it)"


def _effect(dial: DialVerdict, scores: npt.NDArray[np.float64], reason: str) -> str:
    loss, harder = dial.damage, "its harder doses cost" if dial.harder != "none" else "its doses cost"
    of = f"of vanilla's {MEASURES[dial.measure].title}"
    if dial.effect == Effect.UNTESTED:
        return "was tested at no harder dose"
    if dial.effect == Effect.NOT_LEARNT:
        return "has no verdict, because vanilla itself is not learnt"
    if dial.effect == Effect.IDENTICAL:
        return f"has no effect: the runs are identical at every dose{f', because {reason}' if reason else ''}"
    if dial.effect == Effect.TOO_FEW:
        n = min(found.n for found in dial.breaking) if dial.breaking else loss.n
        return f"has too few runs for a verdict (n = {n}; at least 3 are needed)"
    if dial.effect == Effect.SMALL:
        largest = max(1, math.ceil(100 * max(abs(loss.low), abs(loss.high))))
        return f"has no effect larger than {largest}% {of} (n = {loss.n})"
    if dial.effect == Effect.UNCLEAR and not loss.known:
        return f"cannot be judged with {scores.shape[1]} runs: vanilla's own score is too uncertain"
    if dial.effect == Effect.UNCLEAR:
        return f"cannot be judged with {loss.n} runs: {harder} {_percent(loss)} {of}{_more_runs(scores)}"
    if dial.effect == Effect.HELPS:
        return f"does not hurt the agent: {harder} {_percent(loss)} {of}"
    sides = [b for b in dial.breaking if b.status != BreakingStatus.UNORDERED]
    if not sides:
        return f"costs the agent {_percent(loss)} {of}"
    certain = dial.effect == Effect.BREAKS
    found = " and ".join(dict.fromkeys(_breaks(b, dial, certain) for b in sides))
    return f"{found}; {harder} {_percent(loss)} {of}"


def _breaks(b: BreakingDose, dial: DialVerdict, certain: bool) -> str:
    """One side of a dial in words."""
    way = {Side.UP: "upwards ", Side.DOWN: "downwards "}.get(b.side, "") if dial.harder == "both" else ""
    values = [dose.value for dose in dial.doses]
    if b.status == BreakingStatus.REACHED:
        breaks = "breaks" if certain and np.isfinite(b.low) and np.isfinite(b.high) else "may break"
        return f"{way}{breaks} the agent at {b.dose:.3g} {dial.unit} ({_range(b)}; n = {b.n})".replace("  ", " ")
    if b.status == BreakingStatus.TOO_FEW:
        return f"{way}has too few runs for a breaking dose (n = {b.n})"
    near = b.high if b.side == Side.DOWN else b.low
    if np.isfinite(near):
        return f"{way}may break the agent from {near:.3g} {dial.unit} on".replace("  ", " ") + f" (n = {b.n})"
    edge = f"down to {min(values):g}" if b.side == Side.DOWN else f"up to {max(values):g}"
    return f"{way}does not break it {edge} {dial.unit}".rstrip() + f" (n = {b.n})"


def _more_runs(scores: npt.NDArray[np.float64]) -> str:
    """How many runs would tell the mean over harder doses from vanilla, or from a loss of `SMALL`."""
    lost = 1 - ratio_samples(scores[1:].mean(axis=0), scores[0])
    mean = abs(float(np.nanmean(lost)))
    needed = runs_needed(lost, max(mean, SMALL - mean))
    if needed is None:
        return ""
    return f"; about {needed:,} runs would decide" if needed > scores.shape[1] else "; a few more runs would decide"


def _whole(share: float) -> str:
    """A share in whole per cent, with a real minus sign."""
    return f"{round(100 * share) + 0:d}%".replace("-", "−")


def _percent(e: Estimate) -> str:
    value, low, high = (_whole(x) for x in (e.value, e.low, e.high))
    return f"{value} ({100 * e.level:.0f}% interval {low} to {high}, n = {e.n})"


def _range(b: BreakingDose) -> str:
    ends = ["beyond the tested doses" if np.isinf(end) else f"{end:.3g}" for end in (b.low, b.high)]
    return f"{100 * b.level:.0f}% interval {ends[0]} to {ends[1]}"
