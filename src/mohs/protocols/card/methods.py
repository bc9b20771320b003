"""How is a hardness card described in the methods section of a paper?"""

from __future__ import annotations

from mohs.protocols.verdict import Verdict
from mohs.report.methods import Methods, paragraph


def methods(verdict: Verdict) -> Methods:
    """What was computed, of which task, and by whose definitions."""
    facts = "; ".join(f"{name}: {text}" for name, text in verdict.page().facts.items())
    return paragraph(
        [
            "We computed the hardness card of the task before any training, exactly from its table where it is finite.",
            f"Settings: {facts}." if facts else "",
            "Effective horizon, min k and its bounds are those of [@laidlaw2023bridging], for stochastic tasks those "
            "of [@laidlaw2024stochastic]; GORP is played as in [@laidlaw2025challenge].",
        ]
    )
