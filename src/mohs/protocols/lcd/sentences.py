"""What does the verdict on the challenges of games say? Sentences from its data, the most important first."""

from __future__ import annotations

from collections.abc import Iterator

from mohs.protocols.lcd.conditions import PERMUTED, Remedy
from mohs.protocols.lcd.verdict import Agreement, Challenge, GameResult, LcdVerdict, Synergy
from mohs.protocols.words import joined
from mohs.report import numbers
from mohs.report.findings import Finding
from mohs.report.methods import counted
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
    lines += _gains(verdict)
    lines += [Finding(_agreement(agreement)) for agreement in verdict.agreements]
    lines += _synergies(verdict.synergies)
    if verdict.missing and verdict.stopped is None:
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
    study = verdict.study
    costs = {"perception": result.perception}
    if result.learning is not None:
        costs[f"rarer reward (p = {study.probabilities[-1]:g})"] = result.learning
    judgements = {cost.judgement for cost in costs.values()}
    if judgements == {Judgement.TOO_FEW}:
        return f"cannot tell; {counted(result.perception.n, 'pair')} of finished runs are too few."
    if judgements == {Judgement.FLOOR}:
        return _floor(verdict, result)
    told = [_cost(what, cost) for what, cost in costs.items()]
    if result.perception.judgement.told:
        told[0] += f" of what {result.agent} could reach here"
    text = f"{'; '.join(told)}."
    if Judgement.REVERSED in judgements:
        text += " A negative cost: runs did better where it should be harder."
    if result.challenge is Challenge.OPEN:
        return f"{text} {_open(result)}".rstrip()
    return f"{text} {_MEANING[result.challenge]}" if result.learning is not None else text


def _floor(verdict: LcdVerdict, result: GameResult) -> str:
    """In the semantic view ppo reached 3.1% of the range ..."""
    study, cost = verdict.study, result.perception
    if not result.reached.value:  # on a scale of the agents' own
        reached = f"{result.agent} was not clearly better than the random policy after {study.steps:,} steps"
    else:
        reached = (
            f"{result.agent} reached {numbers.share(result.reached)} of the range in {study.steps:,} steps, not "
            f"clearly above {numbers.percent(study.floor)}"
        )
    seeds = f"About {cost.runs_needed:,} seeds would show that it learns" if cost.runs_needed else ""
    advice = f"{seeds}; more" if seeds else "More"
    return (
        f"cannot tell; in the semantic view {reached}, so too little was learnt that could be lost. {advice} steps or "
        "other hyperparameters may help."
    )


def _cost(what: str, cost: Cost) -> str:
    """Perception costs 40% [32%, 47%], or why that cannot be told."""
    if cost.judgement is Judgement.CEILING:
        return f"what {what} costs cannot be told, since scores are near the maximum (fewer steps may tell)"
    if cost.judgement is Judgement.TOO_FEW:
        return f"what {what} costs cannot be told from {counted(cost.n, 'pair')} of finished runs"
    if cost.judgement is Judgement.FLOOR:
        return f"what {what} costs cannot be told, since runs in the semantic view differ too much"
    return f"{what} costs {_share(cost)}"


def _open(result: GameResult) -> str:
    """What is decided already, and how many seeds would decide the rest."""
    costs = {"perception": result.perception, **({} if result.learning is None else {"learning": result.learning})}
    sure = [what for what, cost in costs.items() if cost.judgement is Judgement.CHALLENGE]
    undecided = {what: cost for what, cost in costs.items() if cost.judgement is Judgement.UNDECIDED}
    text = f"{joined(sure).capitalize()} {'are challenges' if len(sure) > 1 else 'is a challenge'}. " if sure else ""
    if not undecided:
        return text.rstrip()
    needed = [cost.runs_needed for cost in undecided.values()]
    known = [n for n in needed if n is not None]
    more = f": about {max(known):,} seeds would tell" if known and len(known) == len(needed) else ""
    return f"{text}Whether {joined(list(undecided), 'or')} is a challenge is undecided{more}."


def _share(cost: Cost) -> str:
    """40% [32%, 47%]."""
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


def _gains(verdict: LcdVerdict) -> Iterator[Finding]:
    """One sentence for each agent and remedy: where it changes what is earned, and where that is not clear."""
    for label in verdict.study.labels:
        for remedy in verdict.study.remedies:
            found = {r.game: r.gains[remedy] for r in verdict.of(label) if remedy in r.gains}
            clear = [game for game, e in found.items() if e.low > 0 or e.high < 0]
            open_ = [game for game, e in found.items() if e.known and game not in clear]
            few = [game for game, e in found.items() if not e.known]
            parts = [f"by {joined([f'{numbers.estimated(found[game])} on {game}' for game in clear])}"] if clear else []
            if open_:
                only = f" ({numbers.estimated(found[open_[0]])})" if len(open_) == 1 else ""
                parts.append(f"not clearly on {joined(open_)}{only}")
            if few:
                parts.append(f"on {joined(few)} runs are too few")
            if parts:
                yield Finding(f"{_REMEDIES[remedy]} changes the normalised area of {label} {'; '.join(parts)}.")


def _agreement(agreement: Agreement) -> str:
    found = {"perception": agreement.perception, "learning": agreement.learning}
    said = [f"{name} {numbers.estimated(e)} (n = {e.n})" for name, e in found.items() if e is not None]
    return (
        f"{agreement.first} and {agreement.second} order the games that can be told for both with these rank "
        f"correlations: {'; '.join(said)}."
    )


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
