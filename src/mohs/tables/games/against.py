"""What is a game against a fixed opponent? A deterministic MDP.

The opponent has one move for every position. It is drawn once, from a Boltzmann distribution over the values of its
moves; the draw is addressed by the position, so it is the same in every order of search. The agent moves first,
and a state is a position in which it is to move. Ends are one state for each result, without a board.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mohs.core import seeding
from mohs.core.kernel import kernel, law
from mohs.core.splitmix import STRIDE, mix
from mohs.tables.games.game import BATCH, NONE, ONGOING, Game, Keys
from mohs.tables.mdp import Mdp
from mohs.tables.numbering import Numbering, Progress, TooManyError
from mohs.tables.table import Table

Worth = Callable[[Keys], npt.NDArray[np.floating | np.signedinteger]]

_ENDS = 1 << 62  # the keys of the three ends are this and the result for the agent, -1, 0 or 1
_GRAIN = 2.0**24  # weights of moves are whole numbers, so that rounding decides no draw


@dataclass(frozen=True)
class Opponent:
    """The temperature of the opponent and the seed of its draws. At temperature 0 it draws among its best moves."""

    temperature: float
    seed: int = 0


def against(
    game: Game, worth: Worth, opponent: Opponent, *, horizon: int, shaped: bool, limit: int,
    progress: Progress | None = None,
) -> Mdp:  # fmt: skip
    """The game against an opponent; `worth` gives the values of positions for the player to move.

    A win pays 1, a loss -1. With `shaped`, every step pays also the change in how far the agent is ahead, where nobody
    is ahead when the game is over: so an episode that ends earns what it earned without.
    """
    keys, to, results = _merged(*_search(game, worth, opponent, limit, progress))
    take_places(to)
    over, live = results != ONGOING, int((results == ONGOING).sum())
    reward = np.where(over, results, 0).astype(np.float64)[to]
    if shaped:
        ahead = np.zeros(len(over))
        ahead[:live] = game.ahead(keys)
        reward += ahead[to] - ahead[:, None]
    reward[over] = 0.0
    cells = np.zeros((len(over), game.shape[0] * game.shape[1]), dtype=np.uint8)
    cells[:live] = game.cells(keys)
    number = np.arange(len(over))
    table = Table(
        actions=game.actions,
        succ=to.ravel(),
        reward=reward.ravel(),
        terminal=over,
        initial=(number == 0).astype(np.float64),
        observation=number.astype(np.int32),
        horizon=horizon,
        action_names=game.action_names,
    )
    return Mdp(table, cells, game.shape, game.codes)


def _search(
    game: Game, worth: Worth, opponent: Opponent, limit: int, progress: Progress | None
) -> tuple[Keys, npt.NDArray[np.int32], npt.NDArray[np.int8]]:
    """The positions in which the agent is to move, their moves [position, move] and how those that are over ended."""
    stream = np.uint64(seeding.key(seeding.child(opponent.seed, "opponent")))
    states, asked = Numbering(2**31 - 1, "states"), Numbering(2**31 - 1, "positions")
    states.add(np.array([game.start]))
    replies = np.empty(0, dtype=np.int64)
    moves: list[npt.NDArray[np.int32]] = []
    results: list[npt.NDArray[np.int8]] = []
    done = live = 0
    while done < states.count:
        keys = states.keys[done : done + BATCH].copy()
        ended = keys >= _ENDS - 1
        children, result = game.children(np.where(ended, game.start, keys))
        children[ended], result[ended] = NONE, keys[ended] - _ENDS
        before = asked.count
        led = asked.add(children)
        replies = np.concatenate([replies, _replies(game, worth, opponent, stream, asked.keys[before:])])
        moves.append(states.add(np.where(led == NONE, NONE, replies[led])))
        results.append(result)
        done += len(keys)
        live += int((result == ONGOING).sum())
        if live > limit:
            raise TooManyError(f"{game.name} against this opponent has more than {limit:,} states.")
        if progress is not None:
            progress("states", live)
    return states.keys, np.concatenate(moves), np.concatenate(results)


def _replies(game: Game, worth: Worth, opponent: Opponent, stream: np.uint64, keys: Keys) -> Keys:
    """Where the opponent's moves lead; where it has none because the game is over, to the end."""
    children, ended = game.children(keys)
    legal = children != NONE
    values = np.full(children.shape, -np.inf)
    values[legal] = -np.asarray(worth(children[legal]), dtype=np.float64)
    replies = np.where(ended == ONGOING, NONE, _ENDS - ended.astype(np.int64))
    draw_moves(keys, children, values, opponent.temperature, stream, replies)
    return replies


def _merged(
    keys: Keys, to: npt.NDArray[np.int32], results: npt.NDArray[np.int8]
) -> tuple[Keys, npt.NDArray[np.int32], npt.NDArray[np.int8]]:
    """The positions that go on, all moves, and the results, with the ends that occur as the last states."""
    live = results == ONGOING
    number = np.empty(len(keys), dtype=np.int32)
    number[live] = np.arange(int(live.sum()))
    ends = np.unique(results[~live])
    number[~live] = int(live.sum()) + np.searchsorted(ends, results[~live])
    count = int(live.sum()) + len(ends)
    merged = np.empty((count, to.shape[1]), dtype=np.int32)
    moves = to[live]
    merged[: len(moves)] = np.where(moves == NONE, NONE, number[moves])
    merged[len(moves) :] = np.arange(len(moves), count)[:, None]
    return keys[live], merged, np.concatenate([results[live], ends])


@kernel
def draw_moves(keys, children, values, temperature, stream, replies):
    """Draws one move of each position that has no reply yet."""
    for i in range(len(keys)):
        if replies[i] != NONE:
            continue
        best, total = -np.inf, 0.0
        for move in range(children.shape[1]):
            best = max(best, values[i, move])
        for move in range(children.shape[1]):
            total += weight(values[i, move], best, temperature)
        bits = mix(stream + np.uint64(keys[i] + 1) * STRIDE)
        left = total * (np.float64(bits >> np.uint64(11)) * 2.0**-53)
        for move in range(children.shape[1]):
            each = weight(values[i, move], best, temperature)
            if each > 0.0:
                replies[i] = children[i, move]
                left -= each
                if left < 0.0:
                    break


@law
def weight(value, best, temperature):
    """Of a move, relative to the best: a whole number."""
    if value == best:
        return _GRAIN
    return 0.0 if temperature == 0.0 else np.floor(np.exp((value - best) / temperature) * _GRAIN + 0.5)


@kernel
def take_places(to):
    """Actions that are no legal moves stand for the legal ones in turn."""
    actions = to.shape[1]
    for state in range(len(to)):
        move = -1
        for action in range(actions):
            if to[state, action] == NONE:
                move = (move + 1) % actions
                while to[state, move] < 0:
                    move = (move + 1) % actions
                to[state, action] = NONE - 1 - to[state, move]  # marked, so as not to be taken for a legal one
        for action in range(actions):
            if to[state, action] < 0:
                to[state, action] = NONE - 1 - to[state, action]
