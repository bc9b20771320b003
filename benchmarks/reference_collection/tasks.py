"""Which tasks are in the reference collection? Toys of the standard batteries, CT-graphs, toy text, MiniGrids, puzzles.

Every task is finite. A toy whose table a dial does not change (reward noise) or only multiplies (reward scale) is left
out: no measure of the card would see a difference.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import gymnasium
import numpy as np

from mohs.core.errors import UsageError
from mohs.core.files import user_cache
from mohs.core.registry import environment
from mohs.core.task import Task
from mohs.protocols.card.targets import resolve
from mohs.report.files import slug
from mohs.tables.build import table
from mohs.tables.challenge.catalogue import Status, catalogue
from mohs.tables.challenge.grid import Kind
from mohs.tables.table import Table

CACHE = user_cache() / "reference-collection"
UNSEEN = ("reward_noise", "reward_scale")  # dials that no measure of a table sees
HORIZON = 100  # of what has no limit of its own, and of MiniGrid, as in BRIDGE
MOST_STATES = 3000  # of a MiniGrid

CTGRAPHS: tuple[dict[str, Any], ...] = (
    *({"depth": depth} for depth in (1, 2, 3, 4, 5)),
    *({"depth": depth, "branching": 3} for depth in (1, 2, 3)),
    *({"depth": depth, "wait_probability": 0.5} for depth in (1, 2, 3, 4)),
    *({"depth": depth, "reward": "gradient"} for depth in (2, 4)),
)
TOY_TEXT: tuple[tuple[str, dict[str, Any]], ...] = (
    ("FrozenLake-v1", {}),
    ("FrozenLake-v1", {"is_slippery": False}),
    ("FrozenLake8x8-v1", {}),
    ("FrozenLake8x8-v1", {"is_slippery": False}),
    ("CliffWalking-v1", {}),
    ("CliffWalking-v1", {"is_slippery": True}),
    ("Taxi-v4", {}),
    ("Taxi-v4", {"is_rainy": True}),
)
MINIGRIDS = (
    "Empty-5x5", "Empty-6x6", "Empty-8x8", "Empty-16x16", "Empty-Random-5x5", "Empty-Random-6x6", "FourRooms",
    "DistShift1", "DistShift2", "LavaGapS5", "LavaGapS6", "LavaGapS7",
    "LavaCrossingS9N1", "LavaCrossingS9N2", "LavaCrossingS9N3", "LavaCrossingS11N5",
    "SimpleCrossingS9N1", "SimpleCrossingS9N2", "SimpleCrossingS9N3", "SimpleCrossingS11N5",
    "DoorKey-5x5", "DoorKey-6x6", "MultiRoom-N2-S4", "GoToDoor-5x5", "Unlock", "KeyCorridorS3R1", "MemoryS7",
)  # fmt: skip


@dataclass(frozen=True)
class Known:
    """A task of the collection: as a card calls it, its table, and its task if one of mohs' own engines plays it."""

    name: str
    group: str
    horizon: int
    table: Callable[[], Table] = field(repr=False)
    task: Task | None = None


def known_tasks() -> tuple[Known, ...]:
    """The whole collection, each task once."""
    found = itertools.chain(_toys("toy/discrete"), _toys("toy/grid"), _ctgraphs(), _toy_text(), _minigrids(), _mdps())
    return tuple({known.name: known for known in found}.values())


def _toys(env: str) -> Iterator[Known]:
    """One dial at a time and the battery's pairs of dials, as a diagnosis has them."""
    battery = environment(env).realisation("batteries")["standard"]
    doses = {dial: values for dial, values in battery.doses.items() if dial not in UNSEEN}
    points: list[Mapping[str, Any]] = [{dial: dose} for dial, values in doses.items() for dose in values]
    points += [
        dict(zip(pair, both, strict=True))
        for pair in battery.pairs
        for both in itertools.product(*(doses[dial] for dial in pair))
    ]
    for point in points:
        task = Task.make(env, **{**battery.base, **point})
        yield Known(str(task), "toys", task["max_episode_steps"], lambda task=task: table(task), task)


def _ctgraphs() -> Iterator[Known]:
    for params in CTGRAPHS:
        task = Task.make("ctgraph", max_episode_steps=HORIZON, **params)
        yield Known(str(task), "CT-graph", HORIZON, lambda task=task: table(task))


def _toy_text() -> Iterator[Known]:
    for name, params in TOY_TEXT:
        limit = gymnasium.spec(name).max_episode_steps or HORIZON
        title = " ".join([name, *(f"{key}={str(value).lower()}" for key, value in params.items())])
        yield Known(title, "toy text", limit, lambda name=name, params=params: _read(name, params))


def _read(name: str, params: Mapping[str, Any]) -> Table:
    found = resolve(name, params).table
    if found is None:
        raise UsageError(f"{name} has no table.")
    return found


def _minigrids() -> Iterator[Known]:
    for short in MINIGRIDS:
        name = f"MiniGrid-{short}-v0"
        yield Known(name, "MiniGrid", HORIZON, lambda name=name: _explored(name))


def _explored(name: str) -> Table:
    """From the start after reset(seed=0); the goal pays 1 at any time, as in BRIDGE. The table is kept."""
    path = table_path(name)
    if path.is_file():
        return Table.load(path)
    import minigrid  # noqa: F401 (registers its environments)

    env = gymnasium.wrappers.TransformReward(gymnasium.make(name), np.sign)
    found = Table.from_gymnasium(env, clock="step_count", horizon=HORIZON, limit=MOST_STATES)
    keep(name, found)
    return found


def _mdps() -> Iterator[Known]:
    """The list of the challenge, and the puzzles that were too easy for it."""
    for entry in catalogue():
        easy = entry.status == Status.GUESSED and entry.kind == Kind.PLANNING
        if entry.status == Status.CHALLENGE or easy:
            task = Task.make("challenge", mdp=entry.id)
            yield Known(entry.id, "challenge", entry.horizon, lambda task=task: table(task), task)


def table_path(name: str) -> Any:
    return CACHE / f"{slug(name)}.npz"


def keep(name: str, found: Table) -> None:
    """Writes a table where training finds it."""
    CACHE.mkdir(parents=True, exist_ok=True)
    found.save(table_path(name))
