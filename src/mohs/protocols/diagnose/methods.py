"""How is a diagnosis described in the methods section of a paper?"""

from __future__ import annotations

from mohs.core.registry import environment
from mohs.protocols.diagnose.page import attribution_text, environment_text
from mohs.protocols.diagnose.verdict import Diagnosis
from mohs.protocols.measures import MEASURES
from mohs.report import numbers
from mohs.report.methods import Methods, counted, paragraph


def methods(verdict: Diagnosis) -> Methods:
    """The dials, the runs, the scale of the scores and the intervals."""
    study, judged, mean = verdict.study, MEASURES[verdict.measure], verdict.vanilla.means[verdict.measure]
    doses = "; ".join(f"{name}: {', '.join(map(numbers.dose, values))}" for name, values in study.doses)
    harder = [d.damage.method for d in verdict.dials if d.damage.method]
    pairs = ", ".join(f"{a} and {b}" for a, b in study.pairs)
    toy = " of MDP Playground" if environment(study.env).scaling is not None else ""
    return paragraph(
        [
            f"We diagnosed {study.agent} on {environment_text(study)}{toy} with {counted(len(study.doses), 'dial')} of "
            f"hardness, turned one at a time from the vanilla task [@rajan2023mdp] ({doses}).",
            f"The following dials were also turned in pairs: {pairs}." if pairs else "",
            f"Every point was trained for {study.budget:,} environment steps with {counted(study.seeds, 'seed')}, "
            f"{counted(verdict.runs, 'run')} in all, {verdict.missing:,} of them missing; hyperparameters that are not "
            f"named have their defaults. The greedy policy was evaluated on {counted(study.episodes, 'episode')} after "
            "training.",
            f"Dials are judged by the {judged.title}. {judged.text} {verdict.scale.text}",
            f"Means over seeds have {numbers.level(mean.level)} intervals ({mean.method}), Bonferroni-corrected over "
            "the pairs of doses of a dial. The breaking dose is where a monotone fit of the score crosses half of "
            "vanilla's; its interval is a bootstrap over seeds.",
            f"The damage is the share of vanilla's score lost over the harder doses ({harder[0]})." if harder else "",
            attribution_text(verdict),
            "The interquartile mean and the performance profile follow [@agarwal2021precipice]; the intervals of the "
            "profile are binomial [@clopper1934confidence].",
        ]
    )
