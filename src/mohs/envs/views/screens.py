"""How does a third-party environment show views? Something looks at its screen; one wrapper shows what that sees.

The wrapper lies below the dials, so a dial changes a mask as it changes pixels.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from mohs.core.arguments import checked_record
from mohs.core.errors import UsageError
from mohs.core.views import Classes, View
from mohs.envs.views.masks import Masks
from mohs.envs.views.shrink import averaged

Bytes = npt.NDArray[np.uint8]
Env = gymnasium.Env[Any, Any]


@checked_record
@dataclass(frozen=True)
class Screen:
    """What a screen shows: the class of every pixel. The method `views` of a custom environment returns one.

    Attributes:
        ids: uint8 [height, width]: 0 for the ground, i for the class `classes.names[i - 1]`.
        classes: The classes; always the same ones.

    Example:
        >>> import mohs, numpy
        >>> classes = mohs.Classes(("player", "wall"))
        >>> mohs.Screen(numpy.array([[0, 1], [2, 2]], dtype=numpy.uint8), classes).ids.shape
        (2, 2)
    """

    ids: Bytes
    classes: Classes

    def __post_init__(self) -> None:
        ids = np.asarray(self.ids)
        if ids.ndim != 2 or ids.dtype != np.uint8:
            raise UsageError(f"the ids of a screen must be uint8 [height, width], not {ids.dtype} {list(ids.shape)}.")
        if ids.size and ids.max() > len(self.classes.names):
            raise UsageError(f"a screen has the id {ids.max()}, but there are {len(self.classes.names)} classes.")


class Eyes(Protocol):
    """What looks at the screen of one environment, in one view: `look` gives ids [h, w], or pixels [h, w, 3].

    Attributes:
        classes: What ids stand for.
        size: Height and width of the screen.
        square: The side of the squares of the screen of which each is shown as one pixel.
    """

    classes: Classes
    size: tuple[int, int]
    square: int

    def look(self) -> Bytes: ...


class ViewEnv(gymnasium.Wrapper[Any, Any, Any, Any]):
    """An environment whose observations are a view of its screen."""

    def __init__(self, env: Env, eyes: Eyes, view: str, encoding: str) -> None:
        super().__init__(env)
        self._seeded = isinstance(eyes, Offered) and eyes.was_reset
        self._eyes = eyes
        height, width = (side // eyes.square for side in eyes.size)
        self._masks = None if view == View.PIXELS else Masks(eyes.classes, view, encoding, height, width, eyes.square)
        pixels = spaces.Box(0, 255, (height, width, 3), np.uint8)
        self.observation_space = pixels if self._masks is None else self._masks.space

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        if seed is None and self._seeded:  # for its first screen, with a seed of ours
            seed = secrets.randbits(31)
        self._seeded = False
        _, info = self.env.reset(seed=seed, options=options)
        return self._see(), info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        _, reward, terminated, truncated, info = self.env.step(action)
        return self._see(), reward, terminated, truncated, info

    def _see(self) -> Bytes:
        screens = self._eyes.look()[None]
        seen: Bytes = (averaged(screens, self._eyes.square) if self._masks is None else self._masks(screens))[0]
        return seen


class Offered:
    """Looks by the method `views` of a custom environment.

    Classes and size are those of a first screen, for which the environment is reset if it must be.
    """

    square = 1

    def __init__(self, env: Env, title: str) -> None:
        views = getattr(env.unwrapped, "views", None)
        if not callable(views):
            raise UsageError(f"{title} shows no views: only pixels, or what it observes, can be seen of it.")
        self._views: Callable[[], Screen] = views
        self._title = title
        self.was_reset = False
        try:
            first = self._screen()
        except Exception:  # there is no screen before an episode has begun
            env.reset(seed=0)
            self.was_reset = True
            first = self._screen()
        self.classes, self.size = first.classes, first.ids.shape

    def look(self) -> Bytes:
        screen = self._screen()
        if (screen.ids.shape, screen.classes) != (self.size, self.classes):
            raise UsageError(f"views() of {self._title} must always give the same classes and the same size.")
        return screen.ids

    def _screen(self) -> Screen:
        screen = self._views()
        if not isinstance(screen, Screen):
            raise UsageError(f"views() of {self._title} must return a mohs.Screen, not {type(screen).__name__}.")
        return screen
