"""What becomes of observations? Images are transformed, then noise is added; both are drawn by address."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from mohs.engines.images.moves import Settings
from mohs.engines.images.warp import transform
from mohs.engines.injection.fleet import Injection
from mohs.engines.injection.kernels import add_noise
from mohs.engines.injection.layout import LANE_OBSERVATION
from mohs.envs.inject.setting import cannot

_CHANNELS = 4  # a stack of frames has more


def shows_images(space: spaces.Space[Any]) -> bool:
    if not isinstance(space, spaces.Box) or space.dtype not in (np.uint8, np.float32):
        return False
    fits = len(space.shape) == 2 or (len(space.shape) == 3 and space.shape[2] <= _CHANNELS)
    return fits and bool((space.low <= 0).all() and (space.high >= 0).all())


@dataclass(frozen=True)
class Sight:
    """What is seen in place of an observation: its space, the moves of images, the deviation of noise."""

    space: spaces.Box
    moves: Settings | None
    noise: float

    def __call__(
        self, seen: npt.NDArray[Any], injection: Injection, rows: npt.NDArray[np.int64], final: bool = False
    ) -> npt.NDArray[Any]:
        """Observations [rows, ...] of these instances; `final`: those that ended their last episode."""
        if self.moves is not None:
            seen = transform(seen, self.moves, *injection.address(rows, final))
        if self.noise > 0:
            noisy = seen.reshape(len(seen), -1).astype(np.float64)
            add_noise(injection.memory, rows, final, LANE_OBSERVATION, self.noise, noisy)
            if seen.dtype == np.uint8:
                noisy = np.clip(np.rint(noisy), 0, 255)
            seen = noisy.astype(seen.dtype).reshape(seen.shape)
        return seen


def sight(space: spaces.Space[Any], values: Mapping[str, Any], env: str) -> Sight | None:
    """How observations of this space are seen under these dials; None where as they are."""
    noise, transforms = values["observation_noise"], values["image_transforms"]
    if not noise and not transforms:
        return None
    if not isinstance(space, spaces.Box) or not (space.dtype == np.uint8 or np.issubdtype(space.dtype, np.floating)):
        raise cannot("observation_noise", env, f"a Box of floats or uint8 as observations, not {space}")
    moves = None
    if transforms:
        moves = Settings(transforms, values["image_sh_quant"], values["image_ro_quant"], values["image_scale_range"])
    if noise:
        space = _unbounded(space)
    return Sight(space, moves, noise)


def _unbounded(space: spaces.Box) -> spaces.Box:
    """Noise leaves the bounds of floats; bytes are cut off at theirs."""
    low, high = (0, 255) if space.dtype == np.uint8 else (-np.inf, np.inf)
    return spaces.Box(low, high, space.shape, space.dtype)
