"""How good is a method over a weighted family of tasks, if only some of its points are trained?

`weights` [N] are those of the points and sum to 1, `features` [N, F] describe them. `scores` are [methods, sampled
points], or [methods, sampled points, seeds] with NaN for a missing run. More is better.
"""

from mohs.stats.family.designs import DESIGNS, Design, Sample, draw
from mohs.stats.family.dominance import dominance, dominance_shares, weighted_profile
from mohs.stats.family.errors import RESAMPLED, DesignErrors, error_against_budget, failure_weights
from mohs.stats.family.estimators import FamilyEstimate, estimate_family
from mohs.stats.family.explain import Condition, FailureRule, FailureTree, explain_failures
from mohs.stats.family.inclusion import inclusion_probabilities, prefix_probabilities
from mohs.stats.family.pivotal import nested_order
from mohs.stats.family.planner import (
    Budget,
    Components,
    budget_to_decide,
    components,
    expected_width,
    plan_budget,
    points_for_width,
)
from mohs.stats.family.rank_shares import rank_share_intervals, rank_shares
from mohs.stats.family.ranking import better_on_random_member, rank_intervals, surely_better
from mohs.stats.family.sequential import decided, look_comparisons, look_sizes, spent
from mohs.stats.family.tails import log_ratios, points_for_skewness, skewness_warning
from mohs.stats.family.weightings import Reversal, dirichlet_weightings, simplex_shares, smallest_reversal

__all__ = [
    "DESIGNS",
    "RESAMPLED",
    "Budget",
    "Components",
    "Condition",
    "Design",
    "DesignErrors",
    "FailureRule",
    "FailureTree",
    "FamilyEstimate",
    "Reversal",
    "Sample",
    "better_on_random_member",
    "budget_to_decide",
    "components",
    "decided",
    "dirichlet_weightings",
    "dominance",
    "dominance_shares",
    "draw",
    "error_against_budget",
    "estimate_family",
    "expected_width",
    "explain_failures",
    "failure_weights",
    "inclusion_probabilities",
    "log_ratios",
    "look_comparisons",
    "look_sizes",
    "nested_order",
    "plan_budget",
    "points_for_skewness",
    "points_for_width",
    "prefix_probabilities",
    "rank_intervals",
    "rank_share_intervals",
    "rank_shares",
    "simplex_shares",
    "skewness_warning",
    "smallest_reversal",
    "spent",
    "surely_better",
    "weighted_profile",
]
