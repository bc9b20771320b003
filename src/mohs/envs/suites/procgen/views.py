"""What is seen of a Procgen game? Its pixels, or the classes of a painted copy, at 64 × 64 or smaller."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from mohs.core.views import Classes, View
from mohs.envs.suites.procgen.env import ProcgenEnv
from mohs.envs.suites.procgen.paints import PAINTS

Bytes = npt.NDArray[np.uint8]
FULL = 64


class Eye:
    """Looks at one game."""

    size = FULL, FULL

    def __init__(self, env: ProcgenEnv, view: str, size: int) -> None:
        paint = PAINTS[env.game]
        self.classes = Classes(paint.classes, tuple(paint.figure.values()))
        self.square = FULL // size
        self._env, self._pixels = env, view == View.PIXELS
        if not self._pixels:
            env.paint()

    def look(self) -> Bytes:
        return self._env.seen if self._pixels else self._env.ids()


def seen(env: gymnasium.Env[Any, Any], *, view: str, size: int, **_: Any) -> Eye | None:
    """What looks at a game; None where it is seen as Procgen shows it."""
    game: Any = env.unwrapped
    return None if view == View.PIXELS and size == FULL else Eye(game, view, size)
