"""What can a person quote of the challenge? Sentences, made last, from data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from mohs.protocols.challenge.editions import EDITIONS
from mohs.protocols.challenge.runs import Kind
from mohs.protocols.challenge.study import CHALLENGE, CONTROLS
from mohs.report.findings import Finding

if TYPE_CHECKING:
    from mohs.protocols.challenge.study import ChallengeStudy
    from mohs.protocols.challenge.verdict import Baseline, ChallengeResult
    from mohs.stats import Estimate

PAPER = EDITIONS["full"].budget


def findings(
    study: ChallengeStudy, agents: Sequence[ChallengeResult], baselines: Sequence[Baseline]
) -> tuple[Finding, ...]:
    """What every agent solved, then what baselines would have, what held up the rest, and what is missing."""
    lines = [_solved(study, result) for result in agents]
    if baselines:
        others = ", ".join(f"{b.label} {_parts(b.shares, interval=False)}" for b in baselines)
        lines.append(f"What baselines would solve in as many steps: {others}.")
    stuck = [text for result in agents if (text := _stuck(result))]
    if stuck:
        lines.append(
            f"Stuck at a local maximum, of the runs that did not solve their MDP: {', '.join(stuck)}. They rose, and "
            "the second half of training brought nothing better."
        )
    if study.budget < PAPER:
        lines.append(f"The challenge allows {PAPER:,} steps: what is not solved in {study.budget:,} may yet be.")
    missing = sum(result.kinds[Kind.MISSING] for result in agents)
    if missing:
        lines.append(
            f"{missing:,} runs are missing; an MDP that has some and is not solved by others counts as undecided."
        )
    return tuple(Finding(text) for text in lines)


def tries(study: ChallengeStudy, result: ChallengeResult) -> str:
    """How often an agent could try, since the best of many tries is better than that of few."""
    settings, seeds = len(result.agent.settings), study.seeds
    return f"best of {settings} setting{'s' * (settings > 1)} × {seeds} seed{'s' * (seeds > 1)}"


def counted(e: Estimate) -> str:
    """12 of 43."""
    return f"{round(e.value * e.n) if e.n else 0} of {e.n}"


def _solved(study: ChallengeStudy, result: ChallengeResult) -> str:
    if not any(e.n for e in result.shares.values()):
        return f"{result.label}: no MDP is decided yet."
    found = _parts(result.shares, interval=True)
    return f"{result.label} solves {found} within {study.budget:,} steps, {tries(study, result)}."


def _parts(shares: Mapping[str, Estimate], *, interval: bool) -> str:
    """0 of 6 challenge MDPs and 4 of 4 controls."""
    names = {CHALLENGE: "challenge MDPs", CONTROLS: "controls"}
    return " and ".join(
        f"{counted(shares[name])} {title}{_percent(shares[name]) if interval else ''}"
        for name, title in names.items()
        if name in shares
    )


def _percent(e: Estimate) -> str:
    return f" ({100 * e.value:.0f}% [{100 * e.low:.0f}, {100 * e.high:.0f}])" if e.known else ""


def _stuck(result: ChallengeResult) -> str:
    """ppo 20 of 24 (83%); nothing where none is stuck."""
    stuck = result.kinds[Kind.STUCK]
    unsolved = stuck + result.kinds[Kind.RISING] + result.kinds[Kind.FLAT]
    return f"{result.label} {stuck:,} of {unsolved:,} ({100 * stuck / unsolved:.0f}%)" if stuck else ""
