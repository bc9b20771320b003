"""What is seen of a MiniGrid? One of its own views, or what lies in front of the agent as a picture or as classes."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from mohs.core.errors import UsageError
from mohs.core.task import Task
from mohs.core.views import Classes, View

Bytes = npt.NDArray[np.uint8]

# What is not in sight, and the floor, belong to the ground of the figure/ground view.
CLASSES = Classes(
    (
        "agent", "agent that carries", "wall", "floor", "open door", "closed door", "locked door", "key", "ball", "box",
        "goal", "lava", "not in sight",
    ),
    (1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0),
)  # fmt: skip
_EMPTY, _DOOR = 1, 4  # types of MiniGrid's encoding
_TYPES = {0: "not in sight", 2: "wall", 3: "floor", 5: "key", 6: "ball", 7: "box", 8: "goal", 9: "lava"}
_DOORS = ("open door", "closed door", "locked door")


def seen_as(env: gymnasium.Env[Any, Any], *, observation: str, **_: Any) -> gymnasium.Env[Any, Any]:
    """All parts ("dict"), the agent's view ("image"), view and mission flat ("flat"), or the whole grid ("full")."""
    from minigrid.wrappers import FlatObsWrapper, FullyObsWrapper, ImgObsWrapper

    if observation == "dict":
        return env
    if observation == "flat":
        return FlatObsWrapper(env)
    if observation == "full":
        env = FullyObsWrapper(env)  # type: ignore[no-untyped-call]
    return ImgObsWrapper(env)  # type: ignore[no-untyped-call]


def classes(_task: Task) -> Classes:
    return CLASSES


class Eye:
    """Looks at what the agent sees: every cell is a square of `tile_size` pixels."""

    classes, square = CLASSES, 1

    def __init__(self, env: Any, view: str, tile_size: int) -> None:
        self._env, self._pixels, self._tile = env, view == View.PIXELS, tile_size
        self.size = (env.agent_view_size * tile_size,) * 2
        number = {name: i for i, name in enumerate(CLASSES.names, 1)}
        self._ids = np.zeros((256, 3), dtype=np.uint8)  # by type and state
        for kind, name in _TYPES.items():
            self._ids[kind] = number[name]
        self._ids[_DOOR] = [number[name] for name in _DOORS]
        self._agent = number["agent"], number["agent that carries"]

    def look(self) -> Bytes:
        seen: Bytes
        if self._pixels:
            seen = self._env.get_pov_render(self._tile)
            return seen
        image = self._env.gen_obs()["image"]
        ids = self._ids[image[..., 0], image[..., 2]]
        x, y = image.shape[0] // 2, image.shape[1] - 1  # where the agent is, and what it carries
        ids[x, y] = self._agent[int(image[x, y, 0] != _EMPTY)]
        seen = ids.T.repeat(self._tile, axis=0).repeat(self._tile, axis=1)
        return seen


def seen(env: gymnasium.Env[Any, Any], *, observation: str, view: str, tile_size: int, **_: Any) -> Eye:
    if observation != "dict":
        raise UsageError(f"observation is {observation!r} and view is {view!r}, but only one of them can be set.")
    return Eye(env.unwrapped, view, tile_size)
