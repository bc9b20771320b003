"""What is kept of a game and of an instance? Two records. A board is a set of cells: a bit for each cell."""

from __future__ import annotations

from typing import Any

import numpy as np

from mohs.engines.law import instance_record

GAMES = ("collect", "avoid", "chase", "maze", "cross", "shoot", "cue", "dig")
COLLECT, AVOID, CHASE, MAZE, CROSS, SHOOT, CUE, DIG = range(len(GAMES))
ACTIONS = 5
STAY, UP, DOWN, LEFT, RIGHT = range(ACTIONS)

INSTANCE: np.dtype[Any] = instance_record(
    ("level", np.int64),
    ("world", np.uint64),  # the key of the level's own draws
    ("good", np.uint64),  # boards; each game says what lies on them
    ("bad", np.uint64),
    ("item", np.uint64),
    ("solid", np.uint64),
    ("soft", np.uint64),
    ("trodden", np.uint64),
    ("held", np.float64),  # earned and not yet paid
    ("earned", np.int32),  # rewards above 0
    ("place", np.int32),  # the cell of the agent
    ("prey", np.int32),
    ("ghost", np.int32),
    ("tally", np.int32),  # keys, lanes, or the kind that the cue shows
    ("_room", np.int32),
)

TASK: np.dtype[Any] = np.dtype(
    [
        ("game", np.int64),
        ("horizon", np.int64),
        ("start_level", np.int64),
        ("levels", np.int64),
        ("pay_every", np.int64),
        ("quota", np.int64),
        ("deadly", np.int64),
        ("reward_probability", np.float64),
        ("shaping", np.float64),
    ],
    align=True,
)
