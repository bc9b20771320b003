"""When can nothing be told, so that the other runs can be saved? Where no agent learns with perception made easy."""

from __future__ import annotations

from mohs.protocols.lcd.results import semantic_areas
from mohs.protocols.lcd.study import LcdStudy, first_tracks
from mohs.protocols.protocol import Gate, Stop
from mohs.runs.results import Results
from mohs.stats.lcd import Judgement, view_cost


def gate(study: LcdStudy) -> Gate:
    """The semantic view at full reward runs first; the study ends there if no agent learns any game in it."""

    def decide(results: Results) -> Stop | None:
        judged = [view_cost(areas, areas, floor=study.floor).judgement for areas in semantic_areas(study, results)]
        if not judged or any(judgement is not Judgement.FLOOR for judgement in judged):
            return None
        what = "any of these games" if len(study.games) > 1 else study.games[0][0]
        reason = (
            f"Cannot tell: {', '.join(study.labels)} did not learn {what} in {study.steps:,} steps in the semantic "
        )
        return Stop(f"{reason}view at full reward.", "Raise --steps, or change the hyperparameters with --set.")

    return Gate((first_tracks(study),), decide)
