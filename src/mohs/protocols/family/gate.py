"""When is the ranking decided, so that the rest of the budget can be saved?

With `--looks k` the points run in k stages. After each stage all pairs of methods are compared at a level that is
corrected for the looks, so that the ranking is wrong with at most the stated probability wherever the study stops.
"""

from __future__ import annotations

import itertools

from mohs.protocols.family.outcomes import outcomes
from mohs.protocols.family.study import FamilyStudy
from mohs.protocols.family.verdict import LEVEL, estimate_over, finished_draws, sample_of
from mohs.protocols.protocol import Gate, Stop
from mohs.runs.plan import Track
from mohs.runs.results import Results
from mohs.stats.family import decided


def gate(study: FamilyStudy) -> Gate:
    """The default point and the points of the first look run first, then those of each later look."""
    sizes = study.look_sizes
    names = (*study.labels, *study.reference_names)
    default = tuple(Track(method, point) for point in study.default_names for method in names)
    ends = (0, *sizes[:-1])
    stages = [
        tuple(Track(method, point.name) for point in study.points[low:high] for method in names)
        for low, high in itertools.pairwise(ends)
    ]
    if stages:
        stages[0] = (*default, *stages[0])

    def decide(results: Results) -> Stop | None:
        if len(sizes) == 1 or len(study.methods) < 2:
            return None
        found = outcomes(study, results)
        used = finished_draws(found)
        look = next((i for i, size in enumerate(sizes) if size == len(used)), None)
        if look is None or look == len(sizes) - 1 or used[-1] != len(used) - 1:
            return None
        estimate = estimate_over(study, sample_of(study, used), found.scores[:, used], found)
        if not decided(estimate, look, sizes, LEVEL):
            return None
        reason = f"The ranking is decided after {len(used)} of {len(study.points)} points."
        return Stop(reason, "", {"points": len(used), "look": look + 1, "looks": len(sizes)}, answered=True)

    return Gate(tuple(stages), decide)
