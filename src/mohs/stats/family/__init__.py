"""How good is a method over a weighted family of tasks, if only some of its points are trained?

`weights` [N] are those of the points and sum to 1, `features` [N, F] describe them. `scores` are [methods, sampled
points], or [methods, sampled points, seeds] with NaN for a missing run. More is better.
"""

from mohs.stats.family.designs import DESIGNS, Design, Sample, draw
from mohs.stats.family.estimators import FamilyEstimate, estimate_family
from mohs.stats.family.inclusion import inclusion_probabilities, prefix_probabilities
from mohs.stats.family.pivotal import nested_order
from mohs.stats.family.ranking import better_on_random_member, rank_intervals, surely_better
from mohs.stats.family.tails import log_ratios, points_for_skewness, skewness_warning

__all__ = [
    "DESIGNS",
    "Design",
    "FamilyEstimate",
    "Sample",
    "better_on_random_member",
    "draw",
    "estimate_family",
    "inclusion_probabilities",
    "log_ratios",
    "nested_order",
    "points_for_skewness",
    "prefix_probabilities",
    "rank_intervals",
    "skewness_warning",
    "surely_better",
]
