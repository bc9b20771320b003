"""Which sub-goals are paid? Keys and doors (Heist), new lanes (Leaper), new cells (Maze), read from the game's state.

These are the events of section 4 of the Diagnosticator's paper. The step that ends an episode has none, because Procgen
has begun the next one by then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import gymnasium

from mohs.envs.suites.procgen.state import State, cell, keys_and_doors


class ShapedEnv(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Pays `shaping` more for every sub-goal; the info of a step has their number in `sub_goals`."""

    def __init__(self, env: gymnasium.Env[Any, Any], shaping: float) -> None:
        super().__init__(env)
        self._shaping = shaping
        self._game: Any = env.unwrapped
        self._progress: Any = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        seen, info = self.env.reset(seed=seed, options=options)
        self._progress, _ = EVENTS[self._game.game](None, self._game.state())
        return seen, info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        seen, reward, terminated, truncated, info = self.env.step(action)
        events = 0
        if not (terminated or truncated):
            self._progress, events = EVENTS[self._game.game](self._progress, self._game.state())
        return seen, float(reward) + self._shaping * events, terminated, truncated, {**info, "sub_goals": events}


def _heist(before: tuple[int, int] | None, state: State) -> tuple[tuple[int, int], int]:
    """Keys taken and doors opened."""
    keys, doors = keys_and_doors(state)
    if before is None or keys < before[0] or doors > before[1]:  # another level
        return (keys, doors), 0
    return (keys, doors), keys - before[0] + before[1] - doors


def _leaper(before: int | None, state: State) -> tuple[int, int]:
    """Rows that the frog rests in for the first time, above all that it was in."""
    row = cell(state)[1]
    if before is None:
        return row, 0
    if state.player["vx"] != 0 or state.player["vy"] != 0 or row <= before:
        return before, 0
    return row, row - before


def _maze(before: frozenset[tuple[int, int]] | None, state: State) -> tuple[frozenset[tuple[int, int]], int]:
    """Cells that the mouse has not been in."""
    here = cell(state)
    if before is None:
        return frozenset([here]), 0
    return before | {here}, int(here not in before)


EVENTS: Mapping[str, Callable[[Any, State], tuple[Any, int]]] = {"heist": _heist, "leaper": _leaper, "maze": _maze}


def shaped(env: gymnasium.Env[Any, Any], *, shaping: float, **_: Any) -> gymnasium.Env[Any, Any]:
    return ShapedEnv(env, shaping) if shaping else env
