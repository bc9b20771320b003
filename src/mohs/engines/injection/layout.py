"""What is kept of environments into which dials are injected? One block: dials, streams, delay lines, actions.

Of each instance there are eight words, kept field by field, so that a loop over instances takes several at once. All
instances obey one record of dials. The block is one array for the same reason as that of a fleet (`engines.memory`).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mohs.core.kernel import law

# Lanes of the addressed draws. The moves of images have theirs, `engines.draws.LANE_IMAGE`, the last of the eight.
LANE_STICKY, LANE_ACTION, LANE_REWARD, LANE_MASK, LANE_STATE, LANE_OBSERVATION, LANE_TOY = range(7)

DROP, ON_TERMINATION, ALWAYS = range(3)  # what becomes of delayed rewards at the end of an episode
NEXT_STEP, SAME_STEP, DISABLED = range(3)  # when an instance whose episode is over begins the next

DIALS = np.dtype(
    [
        ("delay", np.int64),
        ("at_end", np.int64),
        ("place", np.int64),  # the row of the delay lines that the step to come writes
        ("bounded", np.int64),  # 1: what the agent chooses is cut off at the limits
        ("stickiness", np.float64),
        ("action_noise", np.float64),  # a probability, or the standard deviation of continuous actions
        ("given", np.float64),  # the probability that a reward is given
        ("reward_noise", np.float64),
        ("scale", np.float64),
        ("shift", np.float64),
        ("terminal_bonus", np.float64),
        ("lowest", np.float64),
        ("highest", np.float64),
    ]
)
_WORDS = DIALS.itemsize // 8
_HEADER = 3  # the numbers of instances, of rows of the delay lines, of action components
_FIELDS = 8  # of an instance
_ROOM = 4  # for what a fleet of one is called with: reward, terminated, truncated, action
Memory = npt.NDArray[np.int64]


def allocate(count: int, delay: int, components: int) -> Memory:
    """A zeroed block for so many instances, with delay lines of this length and so many action components."""
    words = _HEADER + _WORDS + _ROOM + count * (_FIELDS + delay + components) + 2 * components
    memory = np.zeros(words, dtype=np.int64)
    memory[:_HEADER] = count, delay, components
    return memory


def split(memory):
    """Views of a block: dials, instances, delay lines, actions of the step before, limits of the components, room.

    Instances are (key of the stream, episode, steps taken in it, length of the episode before, whether the episode is
    over and waits to be begun anew, reward noise drawn outside for the step to come, the address of its draws, room
    for one number).
    Delay lines are [delay, N]: in a step all instances write one row. Discrete actions have (first, number) of each
    component as limits; continuous ones are the same words read as floats, with (low, high).
    """
    n, delay, components = memory[0], memory[1], memory[2]
    one = 3 + _WORDS
    lines = one + 8 * n
    previous = lines + delay * n
    limits = previous + components * n
    instances = (
        memory[one : one + n].view(np.uint64),
        memory[one + n : one + 2 * n],
        memory[one + 2 * n : one + 3 * n],
        memory[one + 3 * n : one + 4 * n],
        memory[one + 4 * n : one + 5 * n],
        memory[one + 5 * n : one + 6 * n].view(np.float64),
        memory[one + 6 * n : one + 7 * n].view(np.uint64),
        memory[one + 7 * n : lines].view(np.uint64),
    )
    return (
        memory[3:one].view(DIALS),
        instances,
        memory[lines:previous].view(np.float64),
        memory[previous:limits],
        memory[limits : limits + 2 * components],
        memory[limits + 2 * components :],
    )


parts = law(split)
