"""How is a study file described in the methods section of a paper?"""

from __future__ import annotations

from mohs.protocols.experiment.verdict import ExperimentVerdict
from mohs.protocols.measures import MEASURES
from mohs.report import numbers
from mohs.report.methods import Methods, counted, paragraph


def methods(verdict: ExperimentVerdict) -> Methods:
    """The agents, the axes, the runs and the intervals."""
    study = verdict.experiment
    agents = "; ".join(f"{c.label} ({c.agent}, {c.budget:,} steps)" for c in study.agents)
    axes = "; ".join(f"{a.name}: {', '.join(numbers.dose(level.value) for level in a.levels)}" for a in study.axes)
    base = ", ".join([study.env, *(f"{name} = {numbers.dose(value)}" for name, value in study.params)])
    mean = verdict.panels[0].points[0].means[study.figures[0]]
    measures = " ".join(f"{MEASURES[name].title}: {MEASURES[name].text}" for name in study.figures)
    varied = "in all combinations" if study.mode == "grid" else "one at a time"
    return paragraph(
        [
            f"We trained {agents} on {base}. The axes were varied {varied} ({axes}), as in the experiments of MDP "
            "Playground [@rajan2023mdp].",
            f"Every point has {counted(study.seeds, 'seed')}, {counted(verdict.runs, 'run')} in all, "
            f"{verdict.missing:,} of them missing; hyperparameters that are not named have their defaults. The greedy "
            f"policy was evaluated {study.evaluation.points} times a run on "
            f"{counted(study.evaluation.episodes, 'episode')}.",
            measures,
            f"Means over seeds have {numbers.level(mean.level)} intervals ({mean.method}); those of standard "
            "deviations follow [@bonett2006sd]. Along one axis they are Bonferroni-corrected over the pairs of levels.",
            "Agents, and levels of an axis, are compared by differences paired by seed, with simultaneous intervals.",
        ]
    )
