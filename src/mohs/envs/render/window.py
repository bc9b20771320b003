"""How does a picture come to the screen? In a window that pygame opens for the first one."""

from __future__ import annotations

import os

import numpy as np
import numpy.typing as npt

from mohs.core.errors import UsageError

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")

import pygame


class Window:
    """The one window that pygame has; it shows so many pictures in a second."""

    def __init__(self, title: str, fps: int) -> None:
        self._title, self._fps = title, fps
        self._clock = pygame.time.Clock()
        self._screen: pygame.Surface | None = None

    def present(self, picture: npt.NDArray[np.uint8]) -> None:
        if self._screen is None or pygame.display.get_surface() is not self._screen:  # closed, or another's by now
            self._screen = self._opened(picture.shape[1], picture.shape[0])
        pygame.surfarray.blit_array(self._screen, picture.swapaxes(0, 1))  # columns first
        pygame.event.pump()  # else the window counts as not responding
        pygame.display.flip()
        self._clock.tick(self._fps)

    def close(self) -> None:
        pygame.display.quit()

    def _opened(self, width: int, height: int) -> pygame.Surface:
        try:
            pygame.display.init()
            screen = pygame.display.set_mode((width, height))
        except pygame.error as error:
            raise UsageError(
                f"render_mode='human' could not open a window ({error}); use 'rgb_array' where there is no screen."
            ) from error
        pygame.display.set_caption(self._title)
        return screen
