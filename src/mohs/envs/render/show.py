"""When is a picture drawn? On demand for "rgb_array", after every step for "human"; never where nobody looks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.core.domain import Choice
from mohs.core.errors import UsageError
from mohs.core.task import Task
from mohs.envs.render.episode import Episode, State


def checked_mode(mode: str | None, metadata: Mapping[str, Any]) -> str | None:
    """A render mode that an environment has, or None."""
    return None if mode is None else Choice(tuple(metadata["render_modes"])).parse("render_mode", mode)


class Show:
    """The pictures of one environment. It is told of every step, and looks at the state itself."""

    def __init__(self, mode: str, fps: int, look: Callable[[], State]) -> None:
        need("PIL", "Pillow", "images", mode)
        if mode == "human":
            need("pygame", "pygame-ce", "human", mode)
        self._mode, self._fps, self._look = mode, fps, look
        self._episode: Episode | None = None
        self._window: Any = None

    @classmethod
    def of(cls, mode: str | None, metadata: Mapping[str, Any], look: Callable[[], State]) -> Show | None:
        """The show of a mode that has pictures."""
        return cls(mode, metadata["render_fps"], look) if mode in ("human", "rgb_array") else None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_window": None}  # a copy opens its own

    def begin(self, task: Task) -> None:
        """An episode has begun."""
        self._episode = Episode(task, (self._look(),))
        self._present()

    def add(self, reward: float) -> None:
        """A step has been taken."""
        assert self._episode is not None
        self._episode = self._episode.after(self._look(), reward)
        self._present()

    def render(self) -> npt.NDArray[np.uint8] | None:
        """The picture, or None where a window has shown it already."""
        return None if self._mode == "human" else self._picture()

    def close(self) -> None:
        if self._window is not None:
            self._window.close()
            self._window = None

    def _picture(self) -> npt.NDArray[np.uint8]:
        assert self._episode is not None
        picture: npt.NDArray[np.uint8] = self._episode.task.environment.realisation("renderer")(self._episode)
        return picture

    def _present(self) -> None:
        if self._mode != "human":
            return
        from mohs.envs.render.window import Window

        if self._window is None:
            assert self._episode is not None
            self._window = Window(f"mohs {self._episode.task.env}", self._fps)
        self._window.present(self._picture())


def need(module: str, package: str, extra: str, mode: str) -> None:
    """One sentence where a package is missing that an extra would have brought."""
    if find_spec(module) is None:
        raise UsageError(f"render_mode={mode!r} needs {package}: install it with pip install 'mohs[{extra}]'.")
