"""How does an agent see through a front-end? Its masks are stored as further channels of every image."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.agents.deep.front_end.files import named
from mohs.agents.deep.front_end.front_end import FrontEnd
from mohs.agents.deep.spaces import Image, Observations
from mohs.core.errors import UsageError

COLOURS = 3


@dataclass(frozen=True)
class Fronted(Image):
    """Images whose first channels are pixels and whose others are masks, made once when an image is stored.

    The same image is often stored twice in a row, after a step and before the next one; its masks are taken over.
    """

    front_end: FrontEnd = field(kw_only=True)
    _last: list[npt.NDArray[np.uint8]] = field(default_factory=list, init=False, repr=False, compare=False)

    def store(self, seen: npt.NDArray[Any]) -> npt.NDArray[Any]:
        pixels = super().store(seen)
        kept = np.empty((len(pixels), *self.shape), dtype=np.uint8)
        kept[:, :COLOURS] = pixels
        new = np.ones(len(kept), dtype=np.bool_)
        if self._last and len(self._last[0]) == len(kept):
            last = self._last[0]
            new = (last[:, :COLOURS] != pixels).reshape(len(kept), -1).any(1)
            kept[~new, COLOURS:] = last[~new, COLOURS:]
        if new.any():
            kept[new, COLOURS:] = self.front_end.masks(np.ascontiguousarray(np.moveaxis(pixels[new], 1, -1)))
        self._last[:] = [kept]
        return kept


def with_front_end(sees: Observations, name: str) -> Observations:
    """Observations with the masks of the front-end of this name; as they are where there is none.

    Raises:
        UsageError: Observations are no coloured pictures, or there is no such front-end.
    """
    if not name:
        return sees
    if not isinstance(sees, Image) or sees.shape[0] != COLOURS or sees.top != 255:
        raise UsageError(f"front_end is {name!r}, which needs coloured pictures of bytes, but observations are {sees}.")
    front_end = named(name)
    shape = COLOURS + front_end.channels, *sees.shape[1:]
    return Fronted(shape, sees.channels_last, sees.top, front_end=front_end)
