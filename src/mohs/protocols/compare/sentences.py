"""What is said of a comparison? Who is better, how sure that is, and what was left out."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from mohs.protocols.compare.shared import joined
from mohs.protocols.measures import MEASURES
from mohs.report import numbers
from mohs.report.findings import Finding
from mohs.stats import smallest_p_value

if TYPE_CHECKING:
    from mohs.protocols.compare.comparison import Comparison

SIGNIFICANT = 0.05


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
    if overall.low > 0.5:
        winner = f"{a} is the better agent over these doses."
    elif overall.high < 0.5:
        winner = f"{b} is the better agent over these doses."
    else:
        winner = "Neither is clearly better over these doses."
    return f"{winner} {chance}; {gap}."


def _of_many(comparison: Comparison) -> list[str]:
    names, count = comparison.names, len(comparison.names)
    best = comparison.order[0]
    rank = comparison.agents[best].rank
    seeds = comparison.shared.complete.shape[2]
    if math.isnan(rank.value):
        return ["No seed ran at every shared dose with every agent: no ranks."]
    close = [p.b if p.a == best else p.a for p in comparison.pairs if best in (p.a, p.b) and not p.apart]
    placed = f"mean rank {numbers.number(rank.value)} of {count} ({numbers.at_length(rank)})"
    if not close:
        said = [f"{names[best]} is the best of {count} agents over these doses: {placed}."]
    else:
        others = joined([names[i] for i in close], "or")
        said = [f"{names[best]} ranks first, but is not clearly better than {others}: {placed}."]
    chance = "p < 0.001" if comparison.friedman < 0.001 else f"p = {numbers.number(comparison.friedman)}"
    if comparison.friedman <= SIGNIFICANT:
        said.append(f"The agents differ in rank (Friedman's test, {chance}).")
    else:
        said.append(f"No difference in rank is certain (Friedman's test, {chance}).")
    least = smallest_p_value(seeds) * len(comparison.pairs)
    if least > SIGNIFICANT:
        need = math.ceil(1 + math.log2(len(comparison.pairs) / SIGNIFICANT))
        said.append(f"{seeds} seeds are too few to tell {count} agents apart by pairs: {need} seeds could.")
    elif comparison.groups:
        listed = "; ".join(joined([names[i] for i in group]) for group in comparison.groups)
        said.append(f"Not told apart: {listed} (Wilcoxon's test of paired seeds, Holm-corrected).")
    else:
        said.append("Every two agents differ (Wilcoxon's test of paired seeds, Holm-corrected).")
    return said
