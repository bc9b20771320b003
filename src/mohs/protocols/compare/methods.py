"""How is a comparison of agents described in the methods section of a paper?"""

from __future__ import annotations

from mohs.protocols.verdict import Verdict
from mohs.report.methods import Methods, paragraph


def methods(verdict: Verdict) -> Methods:
    """What was compared, on which runs, and by which statistics."""
    facts = "; ".join(f"{name}: {text}" for name, text in verdict.page().facts.items())
    return paragraph(
        [
            "We compared diagnosed agents on the same tasks, dials, doses and seeds [@rajan2023mdp].",
            f"Settings: {facts}." if facts else "",
            "The probability of improvement and the performance profiles follow [@agarwal2021precipice], with runs "
            "paired by seed.",
        ]
    )
