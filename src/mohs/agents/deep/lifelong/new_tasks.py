"""What does an agent do when the task changes? It finetunes, resets, or has separate networks for each task.

Or it protects the weights that mattered: elastic weight consolidation (see `consolidation.py`). An agent that finetunes
does not notice the change; all other methods are informed of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from itertools import takewhile
from typing import Any, Protocol

from mohs.agents.deep.algorithm import Algorithm, Part
from mohs.agents.deep.clock import Clock
from mohs.agents.deep.draws import Draws
from mohs.agents.deep.lifelong.consolidation import Consolidation
from mohs.agents.deep.networks.layers import Network
from mohs.agents.hyperparameters import Config, setting
from mohs.agents.streams import keys
from mohs.core.cell import Cell
from mohs.core.domain import Choice, Integer, Real

METHODS = ("finetune", "reset", "separate", "ewc")
PLAYED = Network, Clock  # the parts that an evaluation needs

State = dict[str, Any]  # of the parts of a cell


@dataclass(frozen=True)
class LifelongConfig(Config):
    """What an agent does when the task changes."""

    lifelong: str = setting(
        "finetune",
        Choice(METHODS),
        "when the task changes: finetune all weights, reset everything, separate networks for each task, or elastic "
        "weight consolidation",
    )
    ewc_weight: float = setting(1000.0, Real(0), "strength of elastic weight consolidation")
    ewc_samples: int = setting(256, Integer(1), "stored steps from which the Fisher information is estimated")

    @classmethod
    def lifelong_settings(cls) -> tuple[str, ...]:
        return tuple(f.name for f in fields(LifelongConfig))


class Response(Protocol):
    """Tasks are known by numbers, the same ones in all cells of a pack; None is a task that is never learnt."""

    parts: Mapping[str, Part]

    def change(self, old: int, new: int, segment: int) -> None:
        """One task has been learnt, and now another begins, with this segment of the cells."""
        ...

    def playing(self, now: int, task: int | None) -> Any:
        """A context in which the agent plays a task as it would if it met it now; nothing is learnt there."""
        ...


def response(config: LifelongConfig, algorithm: Algorithm, cells: Sequence[Cell]) -> Response:
    if config.lifelong == "reset":
        return Reset(algorithm, cells)
    if config.lifelong == "separate":
        return Separate(algorithm, cells)
    if config.lifelong == "ewc":
        draws = Draws(keys(cells, "agent", "consolidation"))
        return Consolidate(Consolidation(algorithm, draws, config.ewc_weight, config.ewc_samples))
    return GoOn()


class GoOn:
    parts: Mapping[str, Part] = {}

    def change(self, old: int, new: int, segment: int) -> None:
        """Nothing is known of it."""

    @contextmanager
    def playing(self, now: int, task: int | None) -> Iterator[None]:
        yield


class Consolidate(GoOn):
    def __init__(self, consolidation: Consolidation) -> None:
        self._consolidation = consolidation
        self.parts = {"consolidation": consolidation}

    def change(self, old: int, new: int, segment: int) -> None:
        self._consolidation.hold()


class Reset(GoOn):
    """Resets everything but the random streams; schedules span the task that begins."""

    def __init__(self, algorithm: Algorithm, cells: Sequence[Cell]) -> None:
        self._parts = {name: part for name, part in algorithm.parts.items() if not isinstance(part, Draws)}
        self._cell = cells[0]
        self._stretch(0)
        self._fresh = [_save(self._parts, i) for i in range(len(cells))]

    def change(self, old: int, new: int, segment: int) -> None:
        for i, state in enumerate(self._fresh):
            _load(self._parts, i, state)
        self._stretch(segment)

    def _stretch(self, segment: int) -> None:
        """Sets what schedules are stretched over."""
        for part in self._parts.values():
            if isinstance(part, Clock):
                part.total = self._steps(segment)

    def _steps(self, segment: int) -> int:
        """Of a task, until another begins."""
        rest = self._cell.segments[segment:]
        return sum(s.steps for s in takewhile(lambda s: s.source == rest[0].source, rest))


class Separate(Reset):
    """Separate networks, optimiser and replay buffer for each task; those not in training lie on a shelf."""

    def __init__(self, algorithm: Algorithm, cells: Sequence[Cell]) -> None:
        super().__init__(algorithm, cells)
        self._played = {name: part for name, part in self._parts.items() if isinstance(part, PLAYED)}
        self._shelf = Shelf([{} for _ in cells])
        self.parts = {"shelf": self._shelf}

    def change(self, old: int, new: int, segment: int) -> None:
        # All are put away before any is taken: some of what parts keep is that of all cells.
        for i, shelf in enumerate(self._shelf.of_cells):
            shelf[old] = _save(self._parts, i)
        for i, shelf in enumerate(self._shelf.of_cells):
            _load(self._parts, i, shelf.pop(new, self._fresh[i]))
        self._stretch(segment)

    def _steps(self, segment: int) -> int:
        """Of a task, whenever it is learnt."""
        return sum(s.steps for s in self._cell.segments if s.source == self._cell.segments[segment].source)

    @contextmanager
    def playing(self, now: int, task: int | None) -> Iterator[None]:
        if task == now:
            yield
            return
        mine = [_save(self._played, i) for i in range(len(self._fresh))]
        for i, shelf in enumerate(self._shelf.of_cells):
            _load(self._played, i, self._fresh[i] if task is None else shelf.get(task, self._fresh[i]))
        yield
        for i, state in enumerate(mine):
            _load(self._played, i, state)


@dataclass(frozen=True)
class Shelf:
    """What each cell has for each task that it is not learning now."""

    of_cells: list[dict[int, State]]

    def save(self, i: int) -> dict[int, State]:
        return self.of_cells[i]

    def load(self, i: int, state: dict[int, State]) -> None:
        self.of_cells[i] = state


def _save(parts: Mapping[str, Part], i: int) -> State:
    return {name: part.save(i) for name, part in parts.items()}


def _load(parts: Mapping[str, Part], i: int, state: State) -> None:
    for name, part in parts.items():
        part.load(i, state[name])
