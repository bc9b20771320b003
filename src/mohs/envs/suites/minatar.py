"""What is seen of MinAtar (Young and Tian 2019)? Its channels, as one class for each cell or as a coloured picture."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from mohs.core.task import Task
from mohs.core.views import Classes, View

Bytes = npt.NDArray[np.uint8]

# The channels of each game, from the one that is seen where several overlap to the last. What says more comes first:
# where an alien goes, how full a gauge is.
CHANNELS = {
    "asterix": ("player", "enemy", "gold", "trail"),
    "breakout": ("paddle", "ball", "brick", "trail"),
    "freeway": ("chicken", "car", "speed1", "speed2", "speed3", "speed4", "speed5"),
    "seaquest": (
        "sub_front", "sub_back", "friendly_bullet", "enemy_bullet", "enemy_fish", "enemy_sub", "diver", "diver_guage",
        "oxygen_guage", "trail",
    ),
    "space_invaders": ("cannon", "friendly_bullet", "enemy_bullet", "alien_left", "alien_right", "alien"),
}  # fmt: skip
_COLOURS = np.array(
    [(0, 0, 0), (255, 255, 255), (225, 87, 89), (78, 121, 167), (242, 142, 43), (118, 183, 178), (89, 161, 79),
     (237, 201, 72), (176, 122, 161), (255, 157, 167), (156, 117, 95)],
    dtype=np.uint8,
)  # fmt: skip


def register() -> None:
    """Makes Gymnasium know `MinAtar/<Game>-v0` (six actions) and `-v1` (those that matter)."""
    from minatar.gym import register_envs

    register_envs()


def classes(task: Task) -> Classes:
    game = task.environment.gym_id.partition("/")[2].rpartition("-")[0]
    return Classes(next(names for key, names in CHANNELS.items() if key.title().replace("_", "") == game))


class Eye:
    """Looks at one game: every cell is a square of `cell_size` pixels."""

    square = 1

    def __init__(self, env: Any, view: str, cell_size: int) -> None:
        self._env, self._pixels, self._cell = env, view == View.PIXELS, cell_size
        self.classes = Classes(CHANNELS[env.game.env_name])
        height, width, _ = env.game.state_shape()
        self.size = cell_size * height, cell_size * width
        numbers = env.game.env.channels
        self._channels = [numbers[name] for name in self.classes.names]

    def look(self) -> Bytes:
        state = self._env.game.state()[..., self._channels]
        ids = np.where(state.any(-1), 1 + state.argmax(-1), 0).astype(np.uint8)
        large = ids.repeat(self._cell, axis=0).repeat(self._cell, axis=1)
        seen: Bytes = _COLOURS[large] if self._pixels else large
        return seen


def seen(env: gymnasium.Env[Any, Any], *, view: str, cell_size: int, **_: Any) -> Eye:
    return Eye(env.unwrapped, view, cell_size)
