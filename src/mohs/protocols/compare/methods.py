"""How is a comparison of agents described in the methods section of a paper?"""

from __future__ import annotations

from mohs.protocols.compare.comparison import Comparison
from mohs.report.methods import Methods, paragraph


def methods(verdict: Comparison) -> Methods:
    """What was compared, on which runs, and by which statistics."""
    facts = "; ".join(f"{name}: {text}" for name, text in verdict.page().facts.items())
    return paragraph(
        [
            "We compared diagnosed agents on the same tasks, dials, doses and seeds [@rajan2023mdp].",
            f"Settings: {facts}." if facts else "",
            "Runs are paired by task and seed, and all intervals are over seeds. Agents are ranked at every task and "
            "seed; agents form a group where no two of them differ at 5% by Wilcoxon's signed-rank test over seeds, "
            "Holm-corrected for all pairs. Probability of improvement, interquartile mean, optimality gap and "
            "performance profiles follow [@agarwal2021precipice].",
        ]
    )
