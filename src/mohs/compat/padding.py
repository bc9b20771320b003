"""How are the images of an environment moved without losing any of them? In a frame that is larger on every side."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from mohs.core.dials import DIALS
from mohs.core.domain import Integer
from mohs.core.errors import UsageError
from mohs.core.images import check_scale_range
from mohs.core.seeding import child, key
from mohs.engines.images.warp import Settings, transform
from mohs.envs.inject.observations import shows_images

PADDING = 20  # pixels, as MDP Playground has it


class PaddedImages(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Images in a black frame, moved inside it at random; draws are addressed by the seed, the episode and the step."""

    def __init__(self, env: gymnasium.Env[Any, Any], image_padding: int = PADDING, **dials: Any) -> None:
        super().__init__(env)
        space = env.observation_space
        if not isinstance(space, spaces.Box) or not shows_images(space):
            raise UsageError(f"image_transforms need images as observations, not {space}.")
        self._padding = Integer(0).parse("image_padding", image_padding)
        names = ("image_transforms", "image_sh_quant", "image_ro_quant", "image_scale_range")
        read = {name: DIALS[name].at("image wrapper") for name in names}
        values = (dial.domain.parse(name, dials.get(name, dial.vanilla)) for name, dial in read.items())
        self._settings = Settings(*values)
        check_scale_range(self._settings.scale_range)
        height, width, *channels = space.shape
        shape = (height + 2 * self._padding, width + 2 * self._padding, *channels)
        self.observation_space = spaces.Box(space.low.min(), space.high.max(), shape, space.dtype)
        self._address: tuple[int, int, int] | None = None  # key, episode, step

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        observation, info = self.env.reset(seed=seed, options=options)
        if seed is not None or self._address is None:
            start = int(np.random.SeedSequence().generate_state(1)[0]) if seed is None else seed
            self._address = key(child(start, "padded images")), 0, 0
        else:
            self._address = self._address[0], self._address[1] + 1, 0
        return self._moved(observation), info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        observation, reward, terminated, truncated, info = self.env.step(action)
        if self._address is None:
            raise gymnasium.error.ResetNeeded("call reset() before step().")
        self._address = (*self._address[:2], self._address[2] + 1)
        return self._moved(observation), reward, terminated, truncated, info

    def _moved(self, image: npt.NDArray[Any]) -> npt.NDArray[Any]:
        assert self._address is not None
        moved: npt.NDArray[Any] = transform(image[None], self._settings, *self._address, padding=self._padding)[0]
        return moved
