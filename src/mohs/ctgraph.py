"""The formulas of the CT-graph: `mohs.ctgraph.expected_length(branching, depth, wait_probability)` and others."""

from mohs.exact.ctgraph import (
    best_memoryless,
    best_open_loop,
    end_probability,
    expected_length,
    length_probability,
    length_variance,
    navigation_policy,
    navigation_probability,
    num_decisions,
    num_ends,
    num_states,
    num_waits,
    optimal_policy,
    optimal_search_episodes,
    random_policy,
    reward_probability,
)

__all__ = [
    "best_memoryless", "best_open_loop", "end_probability", "expected_length", "length_probability", "length_variance",
    "navigation_policy", "navigation_probability", "num_decisions", "num_ends", "num_states", "num_waits",
    "optimal_policy", "optimal_search_episodes", "random_policy", "reward_probability",
]  # fmt: skip
