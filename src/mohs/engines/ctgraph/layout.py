"""What is kept of a CT-graph and of an instance? Two record types; the tree itself is computed, not stored."""

from __future__ import annotations

import numpy as np

SEEN = np.dtype([("first", np.int32), ("stride", np.int32), ("choices", np.int32)])

TASK = np.dtype(
    [
        ("actions", np.int32),
        ("branching", np.int32),
        ("depth", np.int32),
        ("decisions", np.int32),  # nodes that are no leaves
        ("leaves", np.int32),
        ("goal", np.int32),
        ("fewest", np.int32),  # episodes after which the goal changes; 0: never
        ("most", np.int32),
        ("reward", np.int32),  # a place in `REWARDS` of the graph
        ("swapped", np.int32),  # a decision node, or -1, and two of its actions
        ("one", np.int32),
        ("other", np.int32),
        ("horizon", np.int32),
        ("varied", np.int32),  # some states show one of several observations
        ("wait_probability", np.float64),
        ("high_r", np.float64),
        ("fail_r", np.float64),
        ("step_r", np.float64),
        ("reward_noise", np.float64),
        ("home", SEEN),
        ("wait", SEEN),
        ("decision", SEEN),
        ("end", SEEN),
        ("fail", SEEN),
        ("_more_room", np.int32),
    ],
    align=True,
)

INSTANCE = np.dtype(
    [
        ("key", np.uint64),  # of its random stream
        ("episode", np.int32),
        ("t", np.int32),  # steps taken in this episode
        ("task", np.int32),
        ("state", np.int32),
        ("seen", np.int32),  # the observation
        ("goal", np.int32),  # of this episode
        ("told", np.int32),  # a goal that `reset` was given; -1: that of the task
        ("choices", np.int32),  # offset of the tasks to draw from, in the integer arena; 0: a single one
        ("over", np.int32),  # 1: the episode has ended and waits to be begun anew
        ("until", np.int32),  # the episode in which the goal changes next, and how often it has
        ("changed", np.int32),
        ("_room", np.int32),
    ],
    align=True,
)
