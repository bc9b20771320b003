"""How is a fleet of arcade games built, and which levels does a task have?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mohs.core.errors import UsageError
from mohs.core.task import Source, Task
from mohs.core.views import Classes
from mohs.engines.arcade import avoid, chase, collect, cross, cue, dig, maze, shoot
from mohs.engines.arcade.law import LAW, WIDTH
from mohs.engines.arcade.layout import GAMES
from mohs.engines.fleets import Fleet

HELD_OUT = 2**30  # the first level that no training has; there are as many from there on
CLASSES = {
    name: module.CLASSES
    for name, module in zip(GAMES, (collect, avoid, chase, maze, cross, shoot, cue, dig), strict=True)
}


class ArcadeFleet(Fleet):
    """Its `spaces` are (game, view, encoding)."""

    law = LAW
    observed = np.uint8

    @property
    def width(self) -> int:
        return WIDTH


def fleet(sources: Sequence[Source], history: bool = False) -> ArcadeFleet:
    """A fleet with one instance for each source. The records hold the same with and without `history`."""
    return ArcadeFleet.from_records(sources, _write_task, spaces, "(game, view, view_encoding)")


def _write_task(record: Any, task: Task) -> None:
    record["game"], record["horizon"] = GAMES.index(game(task)), task["max_episode_steps"]
    record["start_level"], record["levels"] = levels(task)
    for name in ("pay_every", "quota", "deadly", "reward_probability"):
        record[name] = task[name]
    record["shaping"] = task.values.get("shaping", 0.0)


def game(task: Task) -> str:
    """The name of the game of a task."""
    return task.env.rpartition("/")[2]


def classes(task: Task) -> Classes:
    """What the masks of a task tell apart."""
    found: Classes = CLASSES[game(task)]
    return found


def spaces(task: Task) -> tuple[str, str, str]:
    """Equal for tasks that can share a fleet. Pixels have no encoding."""
    view = task["view"]
    return game(task), view, "" if view == "pixels" else task["view_encoding"]


def levels(task: Task) -> tuple[int, int]:
    """The first level of a task, and how many there are."""
    start, count = task["start_level"], task["num_levels"]
    end = HELD_OUT if start < HELD_OUT else 2 * HELD_OUT
    return start, count or end - start


def check(values: Mapping[str, Any], given: frozenset[str]) -> dict[str, Any]:
    """Levels are all for training or all held out."""
    start, count = values["start_level"], values["num_levels"]
    if start < HELD_OUT < start + count or start + count > 2 * HELD_OUT:
        raise UsageError(
            f"start_level + num_levels is {start + count}, but levels for training end at {HELD_OUT} and held-out ones "
            f"at {2 * HELD_OUT}."
        )
    return {}


def held_out(task: Task) -> Task:
    """The same task on all levels that are held out."""
    if task["start_level"] >= HELD_OUT:
        raise UsageError(f"the levels of {task} are held out already.")
    return task.replace(start_level=HELD_OUT, num_levels=0)
