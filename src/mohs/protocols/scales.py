"""By what is a run's return normalised? By the references of its task or, where it has none, by the study's own runs.

**References of the task** (`Environment.score`): 0 is the random policy, 1 the optimum of each run's own task.

**The study's own runs**, for environments of others, whose optimum nobody knows: 0 is random play on the vanilla task
with the same seed, 1 the agent's own mean training return on vanilla. Vanilla's mean is then 1 by construction, and the
interval around it is that of the difference vanilla − random, paired by seed, in units of its mean. It counts as learnt
by the same rule as elsewhere: the interval's lower end lies above a tenth, that is, at least a tenth of the agent's
lead over random play is certain. An agent without a lead has an interval that reaches below 0, or none at all.
Doses are judged on vanilla's scale, so what a dial does to the rewards' arithmetic must be undone where that can be
done: (R − reward_shift · length) / reward_scale. Masking and delay keep a return's mean as it is. `term_state_reward`
and `reward_clip` change what an episode is worth, which return and length cannot tell: they are judged by what is paid.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from mohs.agents.protocol import Points
from mohs.core.errors import UsageError
from mohs.core.registry import environment
from mohs.core.score import Score
from mohs.core.task import Task
from mohs.core.values import Json
from mohs.protocols.sentences import with_interval
from mohs.protocols.study import REFERENCE_EPISODES, Study
from mohs.stats import Estimate, auc, estimate

Values = npt.NDArray[np.float64]
_UNKNOWN = "unknown"
_NUMBERS = re.compile(r"[\d.,]+")


@dataclass(frozen=True)
class Scale:
    """How returns are normalised, and in words what 0 and 1 stand for.

    `normalise(task, curves, name)` is the curve `name` ("train", or a probe) of a run on a task; NaN where the task
    has no range to normalise by.
    """

    low: str
    high: str
    text: str
    normalise: Callable[[Task, Points, str], Values] = field(repr=False, compare=False)
    random: Estimate | None = None  # the mean return of random play, where it was played

    def to_json(self) -> dict[str, Json]:
        random = None if self.random is None else self.random.to_dict()
        return {"0": self.low, "1": self.high, "text": self.text, "random": random}


def has_references(env: str) -> bool:
    """Whether the tasks of an environment come with references of their own."""
    return environment(env).score is not None


def ends_in_brief(env: str) -> str:
    """What 0 and 1 stand for, on an axis."""
    return "0 = random, 1 = optimum" if has_references(env) else "0 = random, 1 = own vanilla"


def find_scale(study: Study, scores: Mapping[str, Points]) -> Scale:
    """The scale of a study; `scores` maps cell keys to the curves of finished runs."""
    return _of_references(study, scores) if has_references(study.env) else _of_own_runs(study, scores)


def plain_returns(task: Task, curves: Points, name: str) -> Values:
    """Mean returns with scale and shift of the rewards undone."""
    returns = curves[f"{name}/return"][1]
    scale, shift = task["reward_scale"], task["reward_shift"]
    if shift:
        returns = returns - shift * curves[f"{name}/length"][1]
    return returns / scale if scale else np.full_like(returns, np.nan)


def by_references(task: Task, returns: Values) -> Values:
    """Returns on a task between its references; NaN where it has none, or no range between them."""
    score = references(task)
    if isinstance(score, Score) and score.spread > 0:
        return score.normalise(returns)
    return np.full(len(returns), np.nan)


def _of_references(study: Study, scores: Mapping[str, Points]) -> Scale:
    def normalise(task: Task, curves: Points, name: str) -> Values:
        return by_references(task, curves[f"{name}/return"][1])

    ran = [point for point in study.points() if study.cell(point, 0).key in scores]
    vanilla = references(study.task({}))
    low, high = _sources(vanilla) if isinstance(vanilla, Score) else (_UNKNOWN, _UNKNOWN)
    text = f"0 = {low}; 1 = {high}: each of the run's own task, whatever its dose (the numbers are vanilla's)."
    for words, points in _others(study, ran, high).items():
        text += f" {words}: {'; '.join(points)}."
    return Scale(low, high, text, normalise)


def _others(study: Study, points: Iterable[Task], usual: str) -> dict[str, list[str]]:
    """The points with another kind of optimum than the usual, or with none, by what there is to say of it."""
    found: dict[str, list[str]] = {}
    for point in points:
        score = references(point)
        if not isinstance(score, Score):
            found.setdefault(f"Not normalised, because {score.rstrip('.')}", []).append(_turned(study, point))
        elif _NUMBERS.sub("", source := _sources(score)[1]) != _NUMBERS.sub("", usual):
            found.setdefault(f"1 = {source}", []).append(_turned(study, point))
    return found


def _sources(score: Score) -> tuple[str, str]:
    return score.low.source if score.low else _UNKNOWN, score.high.source if score.high else _UNKNOWN


def _turned(study: Study, point: Task) -> str:
    """What differs from vanilla, whose parameters may be others than the defaults."""
    vanilla = study.task({}).values
    turned = {name: value for name, value in point.values.items() if value != vanilla[name]}
    return ", ".join(f"{name} = {value}" for name, value in sorted(turned.items())) or "vanilla"


@lru_cache(maxsize=100_000)
def references(task: Task) -> Score | str:
    """The references of a task, or why they are out of reach: those of a table that would be too large, for one."""
    try:
        found: Score = task.environment.realisation("score")(task)
    except UsageError as error:
        return str(error)
    return found


def _of_own_runs(study: Study, scores: Mapping[str, Points]) -> Scale:
    vanilla = study.task({})
    random, own = np.full(study.seeds, np.nan), np.full(study.seeds, np.nan)
    for seed in range(study.seeds):
        if played := scores.get(study.reference(seed).key):
            random[seed] = plain_returns(vanilla, played, "random")[-1]
        if trained := scores.get(study.cell(vanilla, seed).key):
            own[seed] = auc(plain_returns(vanilla, trained, "train"))
    leads = (own - random)[~np.isnan(own - random)]
    lead = float(leads.mean()) if leads.size else math.nan

    def normalise(task: Task, curves: Points, name: str) -> Values:
        returns = plain_returns(task, curves, name)
        return (returns - random[task.seed]) / lead if lead > 0 else np.full(len(returns), np.nan)

    mean = estimate(random)
    low = f"random play on the vanilla task with the same seed, {REFERENCE_EPISODES} episodes for each"
    high = "the agent's own vanilla runs, mean training return over all seeds"
    found = f"{mean.value:.4g}{with_interval(mean, '.4g')} over {mean.n} seeds" if mean.n else "not played yet"
    text = (
        f"0 = {low}: {found}; 1 = {high}. Rewards are brought back to vanilla's scale first: (return − reward_shift · "
        "length) / reward_scale. What term_state_reward and reward_clip do to a return cannot be undone: their doses "
        "are judged by what is paid."
    )
    return Scale(low, high, text, normalise, mean)
