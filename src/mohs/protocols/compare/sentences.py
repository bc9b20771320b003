"""What is said of a comparison? Who is better, how sure that is, and what was left out."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from mohs.protocols.compare.shared import ALPHA
from mohs.protocols.measures import MEASURES
from mohs.protocols.words import joined
from mohs.report import numbers
from mohs.report.findings import Finding
from mohs.stats import smallest_p_value

if TYPE_CHECKING:
    from mohs.protocols.compare.comparison import Comparison
    from mohs.stats import Estimate


def findings(comparison: Comparison) -> tuple[Finding, ...]:
    """The most important first."""
    two = len(comparison.names) == 2
    said = [_of_two(comparison)] if two else _of_many(comparison)
    warnings = [f"Left out: {'; '.join(comparison.shared.left_out)}."] if comparison.shared.left_out else []
    lost = int(np.isnan(comparison.shared.scores).sum())
    warnings += [f"{lost} of {comparison.shared.scores.size} shared runs are missing."] if lost else []
    return (
        *(Finding(text) for text in said),
        *(Finding(text) for text in comparison.notes),
        *(Finding(text, warning=True) for text in warnings),
    )


def _of_two(comparison: Comparison) -> str:
    (a, b), (pair,) = comparison.names, comparison.pairs
    overall, difference, score = pair.overall, pair.difference, MEASURES[comparison.measure].title
    if math.isnan(overall.value):
        return f"No dose has runs of both {a} and {b}: no verdict."
    if not overall.known:
        return f"Too few runs to say whether {a} is better than {b} (n = {overall.n})."
    chance = (
        f"A run of {a} beats a run of {b} with probability {numbers.number(overall.value)} "
        f"({numbers.at_length(overall)})"
    )
    gap = (
        f"the mean paired difference of {score} is {numbers.number(difference.value)} ({numbers.at_length(difference)})"
    )
    return f"{_winner(a, b, _side(overall, 0.5), _side(difference, 0.0))} {chance}; {gap}."


def _side(e: Estimate, neutral: float) -> int:
    """1 where the interval lies above the neutral value, −1 below, 0 where it holds it or is not known."""
    return int(e.low > neutral) - int(e.high < neutral)


def _winner(a: str, b: str, wins: int, scores: int) -> str:
    """An agent is better only if it both wins more often (1: a does, −1: b) and scores more on average."""
    if not wins and not scores:
        return "Neither is clearly better over these doses."
    name = a if (wins or scores) > 0 else b
    if wins == scores:
        return f"{name} is the better agent over these doses."
    if not wins:
        return f"{name} scores more on average over these doses, but does not clearly win more often."
    but = "scores less" if scores else "does not clearly score more"
    return f"{name} wins more often over these doses, but {but} on average."


def _of_many(comparison: Comparison) -> list[str]:
    names, count = comparison.names, len(comparison.names)
    best = comparison.order[0]
    rank = comparison.agents[best].rank
    seeds = comparison.shared.complete.shape[2]
    if math.isnan(rank.value):
        return ["No seed ran at every shared dose with every agent: no ranks."]
    rivals = {(p.b if p.a == best else p.a): p for p in comparison.pairs if best in (p.a, p.b)}
    close = [names[i] for i, p in rivals.items() if not p.apart]
    # The first by rank may score less on average: it wins often by little, and loses seldom by much.
    gains = {i: p.difference.value if p.a == best else -p.difference.value for i, p in rivals.items() if p.apart}
    above = [names[i] for i, gain in gains.items() if gain <= 0]
    placed = f"mean rank {numbers.number(rank.value)} of {count} ({numbers.at_length(rank)})"
    buts = [f"is not clearly better than {joined(close, 'or')}"] if close else []
    buts += [f"does not score more on average than {joined(above, 'or')}"] if above else []
    place = f"ranks first, but {joined(buts)}" if buts else f"is the best of {count} agents over these doses"
    said = [f"{names[best]} {place}: {placed}."]
    chance = "p < 0.001" if comparison.friedman < 0.001 else f"p = {numbers.number(comparison.friedman)}"
    if comparison.friedman <= ALPHA:
        said.append(f"The agents differ in rank (Friedman's test, {chance}).")
    else:
        said.append(f"No difference in rank is certain (Friedman's test, {chance}).")
    least = smallest_p_value(seeds) * len(comparison.pairs)
    if least > ALPHA:
        need = math.ceil(1 + math.log2(len(comparison.pairs) / ALPHA))
        said.append(f"{seeds} seeds are too few to tell {count} agents apart by pairs: {need} seeds could.")
    elif comparison.groups:
        listed = "; ".join(joined([names[i] for i in group]) for group in comparison.groups)
        said.append(f"No significant difference: {listed} (Wilcoxon's test of paired seeds, Holm-corrected).")
    else:
        said.append("Every two agents differ (Wilcoxon's test of paired seeds, Holm-corrected).")
    return said
