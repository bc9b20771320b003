"""How is an evaluation over a family described in the methods section of a paper?"""

from __future__ import annotations

from mohs.protocols.family.verdict import FamilyVerdict
from mohs.report.methods import Methods, counted, paragraph
from mohs.stats.family import DESIGNS


def methods(verdict: FamilyVerdict) -> Methods:
    """What was run and how it was judged."""
    study = verdict.study
    scale = verdict.outcomes.scale
    return paragraph(
        [
            f"We evaluated {', '.join(study.labels)} over a family of {len(study.members):,} tasks of {study.env} "
            "[@jayawardana2022impact].",
            f"{counted(len(study.points), 'point')} {'was' if len(study.points) == 1 else 'were'} chosen "
            f"({DESIGNS[study.design].title} sampling), with {counted(study.seeds, 'model')} of each method at each "
            f"point, {study.steps:,} environment steps per model and {study.episodes} evaluation episodes.",
            "Scores are raw returns." if scale is None else f"Scores are normalised: {scale.text}",
            "Means over the family are weighted; differences are paired by point, and intervals of pairs and ranks are "
            "Bonferroni-corrected.",
        ]
    )
