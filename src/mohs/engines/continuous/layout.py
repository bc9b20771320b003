"""What is kept of a point mass and of its task? Two record types; positions and parameters lie in the float arena.

Parameters that differ between dimensions are stored for every dimension, with weight 0 and cubes of infinite reach
where it is irrelevant, so that the law walks over all dimensions alike.
"""

from __future__ import annotations

import numpy as np

_SIZES = (
    "dims",
    "relevant",
    "order",
    "cubes",
    "length",
    "delay",
    "horizon",
    "pay_at_end",
    "dense",
    "line",
    "fixed",
    "_room",
)
_OFFSETS = ("taylor", "inertia", "weight", "target", "centres", "reach", "start", "scratch")
_LEVELS = ("limit", "bound", "radius", "transition_noise", "loss", "reward_noise", "scale", "shift", "terminal_bonus")

TASK = np.dtype(
    [(name, np.int32) for name in _SIZES]
    + [(name, np.int64) for name in _OFFSETS]
    + [(name, np.float64) for name in _LEVELS],
    align=True,
)

INSTANCE = np.dtype(  # 64 bytes: one cache line
    [
        ("key", np.uint64),  # of its random stream
        ("pushed", np.float64),  # reward noise drawn outside, for the step to come
        ("distance", np.float64),  # to the target
        ("episode", np.int32),
        ("t", np.int32),  # steps taken in this episode
        ("task", np.int32),
        ("choices", np.int32),  # offset of the tasks to draw from, in the integer arena; 0: a single one
        ("state", np.int32),  # offset of [order, dims]: the position, its first derivative, ... (so are all below)
        ("kept", np.int32),  # offset of the state that the last episode ended in, after `state`; 0: it is not kept
        ("push", np.int32),  # offset of transition noise drawn outside, for the step to come; 0: there is none
        ("path", np.int32),  # offset of the last [length + 1, relevant] positions, in which a straight line is sought
        ("line", np.int32),  # offset of the delay line
        ("place", np.int16),  # in the delay line: t modulo delay, kept because a division costs more than a step
        ("over", np.int8),  # 1: the episode has ended and waits to be begun anew
    ],
    align=True,
)
