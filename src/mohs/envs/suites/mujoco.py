"""What does a camera see of a MuJoCo environment? Pixels, or the body that each of them shows.

The world (floor, sky, table) is the ground. Pictures need OpenGL without a window: EGL, in Debian `libegl1` and
`libgl1-mesa-dri`, or what `MUJOCO_GL` says.
"""

from __future__ import annotations

import importlib
import os
import platform
from functools import lru_cache
from types import ModuleType
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from mohs.core.errors import UsageError
from mohs.core.task import Task
from mohs.core.views import Classes, View

Bytes = npt.NDArray[np.uint8]
_INSTALL = "sudo apt install libegl1 libgl1-mesa-dri, or set MUJOCO_GL"


@lru_cache(maxsize=4096)
def classes(task: Task) -> Classes:
    """The bodies of the model."""
    from mohs.envs.third_party import bare

    env = bare(task.replace(view=None))
    found = bodies(env.unwrapped)
    env.close()
    return found


def bodies(env: Any) -> Classes:
    return Classes(tuple(env.model.body(i).name or f"body {i}" for i in range(1, env.model.nbody)))


class Eye:
    """Looks through the camera of an environment, without shadows and reflections, which cost most of a picture."""

    square = 1

    def __init__(self, env: Any, view: str, size: int) -> None:
        self.classes = bodies(env)
        self.size = size, size
        self._env, self._pixels = env, view == View.PIXELS
        self._made: Any = None

    def look(self) -> Bytes:
        renderer, camera = self._renderer()
        renderer.update_scene(self._env.data, camera)
        seen = renderer.render()
        if self._pixels:
            pixels: Bytes = seen
            return pixels
        import mujoco

        number, kind = seen[..., 0], seen[..., 1]
        shows = (kind == mujoco.mjtObj.mjOBJ_GEOM) & (number >= 0)
        return np.where(shows, self._env.model.geom_bodyid[np.where(shows, number, 0)], 0).astype(np.uint8)

    def _renderer(self) -> tuple[Any, Any]:
        if self._made is None:
            import mujoco

            _open_gl()
            model = self._env.model
            try:
                renderer = mujoco.Renderer(model, *self.size)
            except Exception as error:  # as many kinds as there are drivers
                raise UsageError(f"views of MuJoCo need OpenGL: {_INSTALL} ({error}).") from error
            for costly in (mujoco.mjtRndFlag.mjRND_SHADOW, mujoco.mjtRndFlag.mjRND_REFLECTION):
                renderer.scene.flags[costly] = 0
            if not self._pixels:
                renderer.enable_segmentation_rendering()
            self._made = renderer, self._camera()
        found: tuple[Any, Any] = self._made
        return found

    def _camera(self) -> Any:
        """The one that the environment is rendered with."""
        import mujoco

        theirs = self._env.mujoco_renderer
        if theirs.camera_id >= 0:
            return theirs.camera_id
        camera = mujoco.MjvCamera()
        mujoco.mjv_defaultFreeCamera(self._env.model, camera)
        for name, value in (theirs.default_cam_config or {}).items():
            if isinstance(value, np.ndarray):
                getattr(camera, name)[:] = value
            else:
                setattr(camera, name, value)
        return camera

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_made": None}


def _open_gl() -> None:
    """EGL where nobody chose another and there is no window: MuJoCo takes GLFW then, which needs one."""
    if os.environ.get("MUJOCO_GL") or os.environ.get("DISPLAY") or platform.system() != "Linux":
        return
    try:
        context: ModuleType = _module("mujoco.rendering.classic.gl_context", "mujoco.gl_context")
        context.GLContext = importlib.import_module("mujoco.egl").GLContext  # type: ignore[attr-defined]
    except Exception as error:
        raise UsageError(f"views of MuJoCo need OpenGL: {_INSTALL} ({error}).") from error


def _module(*names: str) -> ModuleType:
    for name in names:
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError:
            continue
    raise ModuleNotFoundError(names[0])


def seen(env: gymnasium.Env[Any, Any], *, view: str, size: int, **_: Any) -> Eye:
    return Eye(env.unwrapped, view, size)
