"""What is kept of a task and of an instance? Two record types; their tables lie in arenas, at offsets."""

from __future__ import annotations

import numpy as np

_SIZES = ("states", "actions", "set_size", "sets", "irrelevant_states", "irrelevant_actions")
_DIALS = ("length", "delay", "horizon", "gated", "pay_at_end", "has_rewards", "stochastic")
_INT_OFFSETS = ("succ", "terminal", "node_step", "irrelevant_succ")
_FLOAT_OFFSETS = ("cdf", "start_cdf", "node_full", "node_partial", "reward")
_LEVELS = ("transition_noise", "reward_noise", "scale", "shift", "terminal_reward")

TASK = np.dtype(
    [(name, np.int32) for name in _SIZES + _DIALS]
    + [(name, np.int64) for name in _INT_OFFSETS + _FLOAT_OFFSETS]
    + [(name, np.float64) for name in _LEVELS],
    align=True,
)

INSTANCE = np.dtype(
    [
        ("key", np.uint64),  # of its random stream
        ("episode", np.int64),
        ("pushed", np.float64),  # reward noise drawn outside, for the step to come
        ("line", np.int64),  # offset of the delay line in the float arena
        ("trace", np.int64),  # offset of the N-state history in the integer arena
        ("choices", np.int64),  # offset of the tasks to draw from, in the integer arena
        ("weights", np.int64),  # offset of their cumulative weights, in the float arena
        ("num_choices", np.int32),
        ("trace_length", np.int32),  # 0: no history is kept
        ("task", np.int32),
        ("t", np.int32),  # steps taken in this episode
        ("state", np.int32),
        ("irrelevant", np.int32),
        ("node", np.int32),  # of the sequence automaton
        ("over", np.int32),  # 1: the episode has ended and waits to be begun anew
    ],
    align=True,
)
