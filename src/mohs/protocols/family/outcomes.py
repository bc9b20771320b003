"""What did every model score? The evaluations of a study's runs as arrays over methods, sampled points and seeds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from mohs.agents.protocol import Points
from mohs.core.family import Family
from mohs.core.point import Point
from mohs.core.score import ReferenceKind
from mohs.protocols.family.curves import Training, training
from mohs.protocols.family.replays import Actions, recorded
from mohs.protocols.family.scale import episodes_for, find_scale, of_point
from mohs.protocols.family.study import FamilyStudy
from mohs.protocols.measures import MEASURES
from mohs.protocols.scale import Scale, between
from mohs.protocols.scores import Scores
from mohs.runs.results import Results
from mohs.stats import auc
from mohs.stats.ranges import Range

Floats = npt.NDArray[np.float64]
COARSE = 0.25  # of the range: an evaluation with a larger standard error hardly tells a good policy from a poor one
_MEASURES = ("eval", "eval_length", "auc")


@dataclass(frozen=True, eq=False)
class Outcomes:
    """The scores of a study, NaN where a model is missing.

    Attributes:
        scale: what 0 and 1 are; None where scores are raw returns.
        table: every measure of every run, with the points' places.
        scores: [methods, draws of the sample, seeds].
        returns: [methods, draws of the sample, seeds], not normalised.
        default: [methods, runs at the default point]; no columns where the family has no default.
        bounds: the least and the greatest score that a mean can have; None where neither is known.
        training: how the methods learnt at the points; None where only the means of the curves are known.
        episodes: of each draw of the sample, how many episodes of an evaluation have a standard error of a quarter of
            the range between the references; 0 where that is not known.
        recorded: of methods that recorded an episode at the default point, its actions.
    """

    scale: Scale | None
    table: Scores = field(repr=False)
    scores: Floats = field(repr=False)
    returns: Floats = field(repr=False)
    default: Floats = field(repr=False)
    bounds: Range | None = None
    training: Training | None = field(default=None, repr=False)
    episodes: Floats = field(default_factory=lambda: np.zeros(0), repr=False)
    recorded: Mapping[str, Actions] = field(default_factory=dict, repr=False)

    @property
    def measure(self) -> str:
        """The measure that scores are."""
        return measure_of(self.scale)

    @property
    def references(self) -> Range | None:
        """The scores of the references at every point; None where scores are raw returns."""
        return None if self.scale is None else (0.0, 1.0)

    @property
    def title(self) -> str:
        """What a score is, in few words."""
        return MEASURES[self.measure].title

    @property
    def unscaled(self) -> int:
        """The draws of the sample at which every method has returns, but the references have no range."""
        ran = ~np.isnan(nan_mean(self.returns)).any(axis=0)
        return 0 if self.scale is None else int((ran & np.isnan(self.means).all(axis=0)).sum())

    @property
    def means(self) -> Floats:
        """[methods, draws]: means over seeds; NaN where no model has finished."""
        return nan_mean(self.scores)


def measure_of(scale: Scale | None) -> str:
    """The measure by which methods are judged."""
    return "eval" if scale is None else "normalised_eval"


def outcomes(study: FamilyStudy, results: Results) -> Outcomes:
    """The scores of all models that have finished."""
    scale = find_scale(study, results)
    measures = (measure_of(scale), *(name for name in _MEASURES if name != measure_of(scale)))
    default = (
        []
        if study.default is None
        else [replace(study.default, name=n, weight=0.0, marks=()) for n in study.default_names]
    )
    ran = Family(study.family.axes, (*default, *study.points))

    def measured(_method: str, point: Point, _seed: int, curves: Points) -> Mapping[str, float]:
        returned = float(np.mean(curves["eval/return"][1]))
        values = {
            "eval": returned,
            "eval_length": float(np.mean(curves["eval/length"][1])),
            "auc": float(auc(curves["train/return"][1])),
        }
        if scale is not None:
            values["normalised_eval"] = between(of_point(scale, study, point), returned)
        return values

    table = Scores.of(results, ran, study.labels, measures, measured)
    values, first = table.values[..., 0], len(default)
    returns = table.values[..., measures.index("eval")][:, first:]
    at_default = values[:, :first].reshape(len(study.methods), -1)
    learnt = training(study, results, scale)
    bounds = _bounds(scale, study, ran)
    episodes = np.array([episodes_for(of_point(scale, study, point), COARSE) for point in study.points])
    shown = recorded(study, results)
    return Outcomes(scale, table, values[:, first:], returns, at_default, bounds, learnt, episodes, shown)


def _bounds(scale: Scale | None, study: FamilyStudy, ran: Family) -> Range | None:
    """No mean score is above 1 where 1 is the optimum or a bound on it at every point."""
    scores = [of_point(scale, study, point) for point in ran]
    kinds = {score.high.kind for score in scores if score is not None and score.high is not None}
    return (-math.inf, 1.0) if kinds and kinds <= {ReferenceKind.EXACT, ReferenceKind.BOUND} else None


def nan_mean(values: Floats) -> Floats:
    """Means over the last axis, NaN where all are missing."""
    known = ~np.isnan(values)
    count = known.sum(axis=-1)
    total = np.where(known, values, 0.0).sum(axis=-1)
    return np.asarray(np.where(count > 0, total / np.maximum(count, 1), np.nan))
