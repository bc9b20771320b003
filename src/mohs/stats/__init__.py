"""What do the scores of a few runs say, and with which certainty? Free functions on plain arrays."""

from mohs.stats.aggregates import interquartile_mean, optimality_gap
from mohs.stats.comparison import paired_difference, probability_of_improvement, spearman
from mohs.stats.curves import auc, final, paper_scale, paper_scaling, pooled_auc
from mohs.stats.doses import BreakingDose, BreakingStatus, Side, breaking_dose, damage, monotone_fit
from mohs.stats.intervals import Estimate, bonferroni_comparisons, estimate, estimates
from mohs.stats.losses import Gains, Parts, loss_parts, ratio_samples
from mohs.stats.power import identical_runs, runs_needed
from mohs.stats.profiles import Profile, joint_profile, performance_profile
from mohs.stats.rank_test import approximate_p_value, exact_p_value
from mohs.stats.ranks import cliques, friedman_p_value, holm, mean_ranks, signed_rank_p_value, smallest_p_value
from mohs.stats.stratified import aggregate, stratified_bootstrap

__all__ = [
    "BreakingDose",
    "BreakingStatus",
    "Estimate",
    "Gains",
    "Parts",
    "Profile",
    "Side",
    "aggregate",
    "approximate_p_value",
    "auc",
    "bonferroni_comparisons",
    "breaking_dose",
    "cliques",
    "damage",
    "estimate",
    "estimates",
    "exact_p_value",
    "final",
    "friedman_p_value",
    "holm",
    "identical_runs",
    "interquartile_mean",
    "joint_profile",
    "loss_parts",
    "mean_ranks",
    "monotone_fit",
    "optimality_gap",
    "paired_difference",
    "paper_scale",
    "paper_scaling",
    "performance_profile",
    "pooled_auc",
    "probability_of_improvement",
    "ratio_samples",
    "runs_needed",
    "signed_rank_p_value",
    "smallest_p_value",
    "spearman",
    "stratified_bootstrap",
]
