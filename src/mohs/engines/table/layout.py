"""What is kept of a table that is played and of an instance? Two record types; the table itself lies elsewhere."""

from __future__ import annotations

import numpy as np

TASK = np.dtype(
    [
        ("entries", np.uint64),  # the address of the table: see `address`
        ("cells", np.uint64),  # and of what lies on the board of each state
        ("sticky", np.float64),  # the chance that the action before is taken again
        ("start", np.int32),
        ("states", np.int32),
        ("actions", np.int32),
        ("horizon", np.int32),
        ("width", np.int32),  # cells of a board
        ("_room", np.int32),
    ],
    align=True,
)

INSTANCE = np.dtype(  # 32 bytes: two in a cache line
    [
        ("key", np.uint64),  # of its random stream
        ("episode", np.int32),
        ("t", np.int32),  # steps taken in this episode
        ("task", np.int32),
        ("state", np.int32),
        ("choices", np.int32),  # offset of the tasks to draw from, in the integer arena; 0: a single one
        ("last", np.int16),  # the action that was taken before; -1: none yet
        ("over", np.int16),  # 1: the episode has ended and waits to be begun anew
    ],
    align=True,
)
