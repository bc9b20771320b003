"""What is the table of a third-party environment, with the dials that a table can hold?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mohs.core.dials import DIALS
from mohs.core.errors import UsageError
from mohs.core.task import Task
from mohs.envs.third_party import bare
from mohs.tables.table import Table
from mohs.tables.transforms import action_noise, sticky_actions

_COMPILED = ("reward_clip", "reward_scale", "reward_shift", "sticky_actions", "term_state_reward", "transition_noise")
_UNBIASED = ("reward_noise", "reward_probability")  # rewards are taken at their mean, as in the tables of toys


def table(task: Task, limit: int = 4_000_000) -> Table:
    """The table of an environment that lists its dynamics in `P`, as those of Gymnasium's toy text do."""
    env = bare(task)
    plain = Table.from_gymnasium(env, limit=limit)
    env.close()
    return with_dials(plain, task)


def with_dials(plain: Table, task: Task) -> Table:
    """The table of a third-party environment with the dials of a task.

    Sticky actions and transition noise become part of the state. Dials of single rewards become part of the rewards.

    Raises:
        UsageError: A dial of the task cannot be part of a table.
    """
    on = [name for name, _ in task.params if name in DIALS]
    refused = [name for name in on if name not in (*_COMPILED, *_UNBIASED)]
    if refused:
        raise UsageError(
            f"{task.env} has no table with {', '.join(refused)}; there is one with {', '.join(_COMPILED)}."
        )
    if task["reward_clip"] is not None and any(name in on for name in _UNBIASED):
        raise UsageError("a clipped reward that is left to chance has another mean than the reward: there is no table.")
    made = _rewarded(plain, task)
    # An action sticks before noise befalls it, so what the state remembers is the action without noise.
    if task["transition_noise"]:
        made = action_noise(made, task["transition_noise"])
    return sticky_actions(made, task["sticky_actions"]) if task["sticky_actions"] else made


def _rewarded(made: Table, task: Task) -> Table:
    scale, ends = task["reward_scale"], made.terminal[made.succ]
    reward = made.reward * scale + task["reward_shift"] + np.where(ends, task["term_state_reward"] * scale, 0.0)
    if task["reward_clip"] is not None:
        reward = np.clip(reward, *task["reward_clip"])
    if made.deterministic:  # the rows of terminal states, which have no entries otherwise
        reward[np.repeat(made.terminal, made.actions)] = 0.0
    return replace(made, reward=reward)
