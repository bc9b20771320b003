"""How is a fleet built that plays tables? Tasks and instances are written into records; the tables stay in place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.core.task import Source
from mohs.engines.fleets import NumberedFleet, common_spaces, roster
from mohs.engines.memory import Arena
from mohs.engines.table.address import address_of
from mohs.engines.table.layout import INSTANCE, TASK
from mohs.tables.challenge.cache import stored
from mohs.tables.challenge.parameters import spaces


class Fleet(NumberedFleet):
    """Its `spaces` are (actions, how states are seen, and the sizes of what is seen)."""

    records = (INSTANCE, TASK)
    portable = ("key", "episode", "t", "state", "last", "over")

    def __post_init__(self) -> None:
        """Opens the tables and writes where they lie: after unpickling that is somewhere else."""
        super().__post_init__()
        self._open = [stored(task["mdp"]) for task in self.numbers]
        self.tasks["entries"] = [address_of(mdp.entries) for mdp in self._open]
        self.tasks["cells"] = [address_of(mdp.cells) for mdp in self._open]

    @property
    def sizes(self) -> tuple[int, int]:
        return int(self.tasks["states"].max()), int(self.tasks["actions"][0])

    def _draw(self, playing: npt.NDArray[np.bool_], actions: npt.NDArray[Any] | None) -> None:
        return  # no noise is given as a function

    def blocks(self, i: int) -> dict[str, npt.NDArray[np.float64]]:
        return {}


def fleet(sources: Sequence[Source]) -> Fleet:
    """A fleet with one instance for each source."""
    ints, floats = Arena(np.int32), Arena(np.float64)
    who = roster(sources, ints, floats)
    records = np.zeros(len(who.numbers), dtype=TASK)
    for task, number in who.numbers.items():
        record, mdp = records[number], stored(task["mdp"])
        record["start"], record["states"], record["actions"] = mdp.start, mdp.states, mdp.actions
        record["horizon"], record["sticky"] = task["max_episode_steps"], task["sticky_actions"]
        record["width"] = mdp.cells.shape[1]
    shown = common_spaces("(actions, observation, sizes)", [spaces(task) for task in who.numbers], list(who.numbers))
    instances = np.zeros(len(sources), dtype=INSTANCE)
    return Fleet.build(who, shown, {}, instances, records, ints, floats)
