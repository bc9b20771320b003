"""How is an MDP of the challenge built? Completely, from the rules of its puzzle or game."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from mohs.tables.challenge.grid import NOISE, NOISY, Candidate, Kind
from mohs.tables.games.against import Opponent, Worth, against
from mohs.tables.games.alpha_beta import AlphaBeta
from mohs.tables.games.checkers import checkers
from mohs.tables.games.chess import chess
from mohs.tables.games.connect_four import connect_four
from mohs.tables.games.game import Game, Keys
from mohs.tables.games.go import go
from mohs.tables.games.graph import Graph, graph
from mohs.tables.games.retrograde import noisy_worths, perfect_worths
from mohs.tables.mdp import Mdp
from mohs.tables.numbering import Progress
from mohs.tables.puzzles.cube import cube_mdp
from mohs.tables.puzzles.hanoi import hanoi_mdp
from mohs.tables.puzzles.sokoban import sokoban_mdp
from mohs.tables.puzzles.tiles import tiles_mdp

LIMIT = 4_000_000  # states
PUZZLES: dict[str, Callable[..., Mdp]] = {
    "tiles": tiles_mdp,
    "hanoi": hanoi_mdp,
    "cube": cube_mdp,
    "sokoban": sokoban_mdp,
}


def build(candidate: Candidate, progress: Progress | None = None) -> Mdp:
    """Builds the complete MDP; raises `UsageError` where it has too many states."""
    params = dict(candidate.params)
    if candidate.kind == Kind.GAME:
        return _against(candidate.source, candidate.horizon, progress, **params)
    return PUZZLES[candidate.source](**params, horizon=candidate.horizon, progress=progress)


def _against(
    source: str, horizon: int, progress: Progress | None, *, board: str, worth: str, temperature: float, seed: int,
    shaped: bool,
) -> Mdp:  # fmt: skip
    game = game_of(source, board)
    worths = _worths(source, board, worth, progress)
    opponent = Opponent(temperature, seed)
    return against(game, worths, opponent, horizon=horizon, shaped=shaped, limit=LIMIT, progress=progress)


def game_of(source: str, board: str) -> Game:
    rows, columns = map(int, board.split("x"))
    makers: dict[str, Callable[[], Game]] = {
        "go": lambda: go(rows),
        "chess": lambda: chess(board),
        "checkers": lambda: checkers(rows, columns),
        "connect_four": lambda: connect_four(rows, columns),
    }
    return makers[source]()


def _worths(source: str, board: str, worth: str, progress: Progress | None) -> Worth:
    """The values of positions for the player to move: searched in Connect Four, else computed for all positions."""
    if source == "connect_four":
        return _searched(board)
    found = _graph(source, board, progress)
    worths = _computed(source, board, worth)

    def worth_of(keys: Keys) -> Any:
        numbers = found.numbers.find(keys)
        assert numbers.min(initial=0) >= 0, "the graph of the game has every reachable position"
        return worths[numbers]

    return worth_of


@lru_cache(maxsize=1)
def _searched(board: str) -> AlphaBeta:
    return AlphaBeta(game_of("connect_four", board))


_kept: dict[str, Any] = {}  # the graph of the last game: MDPs of one game are built in a row


def _graph(source: str, board: str, progress: Progress | None = None) -> Graph:
    name = f"{source} {board}"
    if name not in _kept:
        _kept.clear()
        _kept[name] = graph(game_of(source, board), progress=progress)
    found: Graph = _kept[name]
    return found


@lru_cache(maxsize=2)
def _computed(source: str, board: str, worth: str) -> Any:
    found = _graph(source, board)
    return noisy_worths(found, NOISE) if worth == NOISY else perfect_worths(found)
