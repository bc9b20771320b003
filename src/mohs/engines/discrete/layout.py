"""What is kept of a task and of an instance? Two record types; their tables lie in arenas, at offsets."""

from __future__ import annotations

import numpy as np

_SIZES = ("states", "actions", "irrelevant_states", "irrelevant_actions", "set_size", "equal_starts")
_DIALS = ("length", "delay", "horizon", "gated", "pay_at_end", "has_rewards", "stochastic", "given", "special")
_INT_OFFSETS = (
    "starts",
    "succ",
    "next_set",
    "terminal",
    "node_step",
    "irrelevant_succ",
    "irrelevant_next_set",
    "connected",
)
_FLOAT_OFFSETS = ("cdf", "start_cdf", "pay", "reward")
_LEVELS = (
    "transition_noise",
    "action_noise",
    "stretch",
    "irrelevant_stretch",
    "reward_noise",
    "scale",
    "shift",
    "terminal_bonus",
)

TASK = np.dtype(
    [(name, np.int32) for name in _SIZES + _DIALS]
    + [(name, np.int64) for name in _INT_OFFSETS + _FLOAT_OFFSETS]
    + [(name, np.float64) for name in _LEVELS],
    align=True,
)

INSTANCE = np.dtype(  # 64 bytes: one cache line
    [
        ("key", np.uint64),  # of its random stream
        ("pushed", np.float64),  # reward noise drawn outside, for the step to come
        ("episode", np.int32),
        ("t", np.int32),  # steps taken in this episode
        ("task", np.int32),
        ("state", np.int32),
        ("irrelevant", np.int32),
        ("node", np.int32),  # of the sequence automaton
        ("line", np.int32),  # offset of the delay line in the float arena
        ("trace", np.int32),  # offset of the N-state history in the integer arena
        ("choices", np.int32),  # offset of the tasks to draw from, in the integer arena; 0: a single one
        ("place", np.int16),  # in the delay line: t modulo delay, kept because a division costs more than a step
        ("trace_length", np.int16),  # 0: no history is kept
        ("phase", np.int8),  # t modulo the sequence length, likewise
        ("over", np.int8),  # 1: the episode has ended and waits to be begun anew
        ("_room", np.int32),
    ],
    align=True,
)
