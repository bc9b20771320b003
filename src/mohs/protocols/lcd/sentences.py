"""What does the verdict on the challenges of games say? Sentences from its data, the most important first."""

from __future__ import annotations

import math
from collections.abc import Iterator

from mohs.protocols.lcd.conditions import PERMUTED, Remedy
from mohs.protocols.lcd.verdict import Agreement, Challenge, GameResult, LcdVerdict, Synergy
from mohs.protocols.words import joined
from mohs.report import numbers
from mohs.report.findings import Finding
from mohs.stats import Estimate
from mohs.stats.lcd import THRESHOLD, Cost, Judgement

KINDS = {
    Challenge.PERCEPTION: "hard to see",
    Challenge.LEARNING: "hard to learn",
    Challenge.BOTH: "hard to see and to learn",
    Challenge.NEITHER: "neither",
    Challenge.OPEN: "undecided",
    Challenge.UNKNOWN: "cannot be told",
}
_MEANING = {
    Challenge.PERCEPTION: "It is the eyes, not the learning.",
    Challenge.LEARNING: "It is the learning, not the eyes.",
    Challenge.BOTH: "It is both.",
    Challenge.NEITHER: f"Neither is a challenge of {THRESHOLD:.0%} or more.",
}
_REMEDIES = {
    Remedy.SHAPING: "Shaping",
    Remedy.MOTION: "The front-end that learnt from motion",
    Remedy.GENERIC: "The generic front-end",
}


def findings(verdict: LcdVerdict) -> tuple[Finding, ...]:
    """All sentences."""
    lines: list[Finding] = []
    if len(verdict.study.games) > 1:
        lines += [Finding(_overview(label, verdict.of(label))) for label in verdict.study.labels]
    for i, result in enumerate(verdict.results, 1):
        lines.append(Finding(_costs(verdict, result), f"{_subject(verdict, result)}:", f"game-{i}"))
        lines += _controls(verdict, result)
        lines += [Finding(_gain(result, remedy, e)) for remedy, e in result.gains.items()]
    lines += [Finding(_agreement(agreement)) for agreement in verdict.agreements]
    lines += _synergies(verdict.synergies)
    if verdict.missing:
        lines.append(Finding(f"{verdict.missing:,} of {verdict.runs:,} runs are missing.", warning=True))
    return tuple(lines)


def _overview(agent: str, results: tuple[GameResult, ...]) -> str:
    """Of 8 games, 2 are hard to see for ppo (a, b), ..."""
    by = {kind: [r.game for r in results if r.challenge is kind] for kind in Challenge}
    said = [f"{len(games)} {KINDS[kind]} ({', '.join(games)})" for kind, games in by.items() if games]
    return f"Of {len(results)} games for {agent}: {'; '.join(said)}."


def _subject(verdict: LcdVerdict, result: GameResult) -> str:
    return result.game if len(verdict.study.agents) == 1 else f"{result.game}, {result.agent}"


def _costs(verdict: LcdVerdict, result: GameResult) -> str:
    """Both costs and what they mean, or why nothing can be told."""
    study, kind = verdict.study, result.challenge
    judgements = {result.perception.judgement, *(() if result.learning is None else (result.learning.judgement,))}
    if Judgement.TOO_FEW in judgements:
        return f"cannot tell; {result.reached.n} finished runs are too few."
    if Judgement.FLOOR in judgements:
        reached = numbers.share(result.reached)
        return (
            f"cannot tell; in the semantic view {result.agent} reached {reached} of the range in {study.steps:,} "
            f"steps, not clearly above {study.floor:.3g}, so too little was learnt that could be lost. More steps or "
            "other hyperparameters may help."
        )
    parts = [f"perception costs {_share(result.perception)} of what {result.agent} could reach here"]
    if result.learning is not None:
        parts.append(f"rarer reward (p = {study.probabilities[-1]:g}) costs {_share(result.learning)}")
    if Judgement.CEILING in judgements:
        return (
            f"{'; '.join(parts)}. Scores are so near the maximum that a challenge could not show; fewer steps may tell."
        )
    meaning = _open(result) if kind is Challenge.OPEN else _MEANING[kind] if result.learning is not None else ""
    return f"{'; '.join(parts)}. {meaning}".rstrip()


def _open(result: GameResult) -> str:
    """What is decided already, and how many seeds would decide the rest."""
    costs = {"perception": result.perception, **({} if result.learning is None else {"learning": result.learning})}
    sure = [name for name, cost in costs.items() if cost.judgement is Judgement.CHALLENGE]
    undecided = {name: cost for name, cost in costs.items() if cost.judgement is Judgement.UNDECIDED}
    needed = [cost.runs_needed for cost in undecided.values()]
    text = f"{joined(sure).capitalize()} is a challenge; " if sure else ""
    text += (
        f"whether {joined(list(undecided))} {'is' if len(undecided) == 1 else 'are'} one too is"
        if sure
        else (f"Whether {joined(list(undecided), 'or')} is a challenge is")
    )
    known = [n for n in needed if n is not None]
    more = f": about {max(known):,} seeds would tell" if known and len(known) == len(needed) else ""
    return f"{text} undecided{more}."


def _share(cost: Cost) -> str:
    """40% [32%, 47%]."""
    if not (math.isfinite(cost.low) and math.isfinite(cost.high)):
        return numbers.percent(cost.value)
    return f"{numbers.percent(cost.value)} [{numbers.percent(cost.low)}, {numbers.percent(cost.high)}]"


def _controls(verdict: LcdVerdict, result: GameResult) -> Iterator[Finding]:
    for name, cost in result.controls.items():
        if cost.judgement not in (Judgement.CHALLENGE, Judgement.REVERSED):
            continue
        why = (
            "ids are exchanged, which one-hot masks do not notice" if name == PERMUTED else "only the seeds are others"
        )
        yield Finding(
            f"The control {name} of {_subject(verdict, result)} shows a cost of {_share(cost)}, though {why}: take the "
            "costs of this game with care, and run more seeds.",
            warning=True,
        )


def _gain(result: GameResult, remedy: Remedy, e: Estimate) -> str:
    subject = f"{_REMEDIES[remedy]} on {result.game}"
    if not e.known:
        return f"{subject}: too few runs."
    verb = "adds" if e.value >= 0 else "takes"
    size = f"{numbers.number(abs(e.value))} of the range"
    clear = "" if e.low > 0 or e.high < 0 else "; not clearly different from none"
    return f"{subject} {verb} {size} {numbers.interval(e)} for {result.agent}{clear}."


def _agreement(agreement: Agreement) -> str:
    said = [f"perception {numbers.estimated(agreement.perception)}"]
    if agreement.learning is not None:
        said.append(f"learning {numbers.estimated(agreement.learning)}")
    return f"{agreement.first} and {agreement.second} order the games with these rank correlations: {'; '.join(said)}."


def _synergies(found: tuple[Synergy, ...]) -> Iterator[Finding]:
    """One sentence for each pair of agents: on how many games the whole is more than the sum of both gains."""
    for first, second in dict.fromkeys((s.first, s.second) for s in found):
        mine = [s for s in found if (s.first, s.second) == (first, second)]
        more = [s.game for s in mine if s.extra.low > 0]
        less = [s.game for s in mine if s.extra.high < 0]
        yield Finding(
            f"{second} with the semantic view gains more over {first} on pixels than the sum of both gains on "
            f"{_named(more)} of {len(mine)} games, less on {_named(less)}; the rest is open."
        )


def _named(games: list[str]) -> str:
    """2 (a, b)."""
    return f"{len(games)} ({', '.join(games)})" if games else "0"
