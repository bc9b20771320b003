"""How is a study of challenges described in the methods section of a paper?"""

from __future__ import annotations

from mohs.protocols.lcd.verdict import LEVEL, LcdVerdict
from mohs.protocols.words import joined
from mohs.report import numbers
from mohs.report.methods import Methods, counted, paragraph


def methods(verdict: LcdVerdict) -> Methods:
    """The games, the conditions, the runs, the measures and the intervals."""
    study = verdict.study
    views = ["pixels", *(["figure and ground"] if study.figure_ground else []), "semantic masks"]
    probabilities = joined([f"{p:g}" for p in study.probabilities])
    games = joined([name for name, _ in study.games])
    return paragraph(
        [
            f"We measured the perceptual and the learning challenge of {games} for "
            f"{joined(list(map(str, study.agents)))} [@govindarajan2023diagnosing].",
            f"Each agent was trained for {study.steps:,} steps on training levels in {counted(len(views), 'view')} "
            f"({joined(views)}) and, in the semantic view, with reward probabilities {probabilities}, rewards being "
            f"divided by the probability: {counted(study.seeds, 'seed')} each, {counted(verdict.runs, 'run')} in all, "
            f"{verdict.missing:,} of them missing.",
            f"It was evaluated {study.evaluations + 1} times on {counted(study.episodes, 'episode')} of {study.probed} "
            f"with the original reward ({study.mode}). The area under this curve is normalised by the random "
            "policy and the largest return of the game.",
            "The cost of perception is the share of the area in the semantic view that is lost in pixels; the cost of "
            "rarer rewards is the share lost at the lowest probability, by a line over the logarithm of the "
            f"probability. Both have {numbers.level(LEVEL)} intervals by Fieller's method.",
        ]
    )
