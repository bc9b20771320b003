"""Results of a family study without training: scores are given, curves are made of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from mohs.core.family import Family
from mohs.core.point import Point
from mohs.protocols.family.study import FamilyStudy, plan
from mohs.runs.results import Results

Score = Callable[[str, Point, int], float]  # of a method at a point with a seed, a return
Curve = Callable[[str, Point, int], Sequence[float]]  # its training returns in equal windows


def cartpoles(lengths: int = 8, gravities: int = 8) -> Family:
    """A grid of poles on carts with the default among its points."""
    made = Family.grid(
        "control/cartpole",
        length=np.linspace(0.25, 2.0, lengths).round(6).tolist(),
        gravity=np.linspace(5.0, 20.0, gravities).round(6).tolist(),
    )
    return Family(made.axes, (*made.points, Point("default", Family.grid("control/cartpole")[0].task, weight=0.0,
                                                  marks=("default",))))  # fmt: skip


def results(study: FamilyStudy, score: Score, curve: Curve | None = None) -> Results:
    """The results of a study in which every model is evaluated at the given return, its only training return too."""
    made = plan(study)
    points = {point.name: point for point in study.points}
    if study.default is not None:
        points |= dict.fromkeys(study.default_names, study.default)
    found = {}
    for i, key in enumerate(made.runs):
        track, seed = made.tracks[i % len(made.tracks)], i // len(made.tracks)
        number = seed
        if track.point in study.default_names:
            number += study.default_names.index(track.point) * study.seeds
        value = score(track.agent, points[track.point], number)
        at, one = np.array([study.steps]), np.array([value])
        trained = one if curve is None else np.array(curve(track.agent, points[track.point], number))
        train = np.arange(1, len(trained) + 1) * study.steps // len(trained), trained
        found[key] = {"eval/return": (at, one), "eval/length": (at, one), "train/return": train, "train/length": train}
    return Results.of(made, found)
