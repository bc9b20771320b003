"""How is a fleet built that plays tables? Tasks and instances are written into records; the tables stay in place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mohs.core.task import Source, Task
from mohs.engines.fleets import NumberedFleet
from mohs.engines.table.address import address_of
from mohs.engines.table.law import LAW
from mohs.tables.challenge.cache import stored
from mohs.tables.challenge.parameters import spaces


class TableFleet(NumberedFleet):
    """Its `spaces` are (actions, kind of observations, and the sizes of these)."""

    law = LAW

    def __post_init__(self) -> None:
        """Opens the tables and writes where they lie: after unpickling that is somewhere else."""
        super().__post_init__()
        self._open = [stored(task["mdp"]) for task in self.numbers]
        self.tasks["entries"] = [address_of(mdp.entries) for mdp in self._open]
        self.tasks["cells"] = [address_of(mdp.cells) for mdp in self._open]

    @property
    def sizes(self) -> tuple[int, int]:
        return int(self.tasks["states"].max()), int(self.tasks["actions"][0])


def fleet(sources: Sequence[Source], history: bool = False) -> TableFleet:
    """A fleet with one instance for each source. The records hold the same with and without `history`."""
    return TableFleet.from_records(sources, _write_task, spaces, "(actions, observation, sizes)")


def _write_task(record: Any, task: Task) -> None:
    mdp = stored(task["mdp"])
    record["start"], record["states"], record["actions"] = mdp.start, mdp.states, mdp.actions
    record["horizon"], record["sticky"] = task["max_episode_steps"], task["sticky_actions"]
    record["width"] = mdp.cells.shape[1]
