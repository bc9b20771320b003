"""Which MDPs are candidates for the challenge? All of them, as data; docs/challenge.md says how the grid was chosen.

Planning problems vary in their start (tiles, cube), size (Hanoi) or layout (Sokoban). Games vary in their board and in
the opponent: the values of its moves (perfect or noisy play of both sides), its temperature and the seed of its draws;
and, where a position has a score, in whether rewards are shaped.

`INSTANCES` start states of each distance and seeds of each opponent are tried. It began at 1 and is raised by one while
the filter keeps fewer than 43 MDPs, 28 games or 15 planning problems.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any

from mohs.core.errors import unknown

VERSION = "v1"
INSTANCES = 2
TILES, CUBES = (8, 12, 16, 20, 24, 28, 31), (4, 6, 8, 10, 12, 14, 15)  # distances of the starts
DISCS = (3, 4, 5, 6)
LEVELS = 19  # of Sokoban: all that are shipped
TEMPERATURES = (0.0, 0.025, 0.05, 0.1, 0.2, 0.4)
NOISE = 0.1  # share of random moves in noisy play
PERFECT, NOISY = "perfect", "noisy"
HORIZONS = {"tiles": 50, "hanoi": 100, "cube": 20, "sokoban": 100, "go": 32, "chess": 50, "checkers": 50}
BOARDS = {"go": ("4x4",), "chess": ("4x3", "4x4"), "checkers": ("5x5", "6x4"), "connect_four": ("6x5", "7x4")}
TITLES = {"go": "Go", "chess": "chess", "checkers": "checkers", "connect_four": "Connect Four"}


class Kind(StrEnum):
    """What a candidate is: a planning problem, or a game against a fixed opponent."""

    PLANNING = "planning"
    GAME = "game"


@dataclass(frozen=True)
class Candidate:
    """A candidate MDP; `params` are the arguments of its builder."""

    id: str
    source: str
    kind: Kind
    title: str
    horizon: int
    params: tuple[tuple[str, Any], ...]


@cache
def candidates() -> tuple[Candidate, ...]:
    return (*_planning(), *_games())


def candidate(id: str) -> Candidate:
    for found in candidates():
        if found.id == id:
            return found
    raise unknown("MDP of the challenge", id, [found.id for found in candidates()])


def _planning() -> Iterator[Candidate]:
    for source, distances, title in (
        ("tiles", TILES, "3×3 sliding tiles"),
        ("cube", CUBES, "2×2×3 tower cube"),
    ):
        for distance in distances:
            for number in range(INSTANCES):
                yield _planned(
                    f"{source}-{distance}-{number}", source, f"{title}, {distance} moves from solved",
                    distance=distance, number=number,
                )  # fmt: skip
    for discs in DISCS:
        yield _planned(f"hanoi-{discs}", "hanoi", f"towers of Hanoi, {discs} discs", discs=discs)
    for level in range(1, LEVELS + 1):
        yield _planned(f"sokoban-{level}", "sokoban", f"Sokoban, level {level}", level=level)


def _planned(id: str, source: str, title: str, **params: Any) -> Candidate:
    return Candidate(id, source, Kind.PLANNING, title, HORIZONS[source], tuple(params.items()))


def _games() -> Iterator[Candidate]:
    for source, boards in BOARDS.items():
        for board in boards:
            for worth in (PERFECT,) if source == "connect_four" else (PERFECT, NOISY):
                for temperature in TEMPERATURES:
                    for seed in range(INSTANCES):
                        for shaped in (False,) if source == "connect_four" else (False, True):
                            yield _game(source, board, worth, temperature, seed, shaped)


def _game(source: str, board: str, worth: str, temperature: float, seed: int, shaped: bool) -> Candidate:
    rows, columns = map(int, board.split("x"))
    title = f"{TITLES[source]} {rows}×{columns} against {worth} play at temperature {temperature:g}"
    params = {"board": board, "worth": worth, "temperature": temperature, "seed": seed, "shaped": shaped}
    return Candidate(
        f"{source}-{board}-{worth}-t{temperature:g}-{seed}{'-shaped' if shaped else ''}",
        source,
        Kind.GAME,
        f"{title}{', shaped' if shaped else ''}",
        HORIZONS.get(source, rows * columns // 2),  # Connect Four cannot last longer
        tuple(params.items()),
    )
