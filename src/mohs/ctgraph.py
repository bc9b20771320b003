"""The formulas of the CT-graph: `mohs.ctgraph.expected_length(branching, depth, wait_probability)` and others."""

from mohs.exact.ctgraph import (
    best_memoryless,
    best_open_loop,
    end_probability,
    expected_length,
    length_probability,
    length_variance,
    navigation_probability,
    num_decisions,
    num_ends,
    num_states,
    num_waits,
    optimal_search_episodes,
    reward_probability,
)

__all__ = [
    "best_memoryless", "best_open_loop", "end_probability", "expected_length", "length_probability", "length_variance",
    "navigation_probability", "num_decisions", "num_ends", "num_states", "num_waits", "optimal_search_episodes",
    "reward_probability",
]  # fmt: skip
