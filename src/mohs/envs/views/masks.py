"""How is a screen observed whose pixels are ids of classes? As a plane for each, or as numbers in three channels."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from mohs.core.kernel import kernel
from mohs.core.views import Classes, Encoding
from mohs.envs.views.shrink import voted

Bytes = npt.NDArray[np.uint8]


class Masks:
    """Observations of ids in one view and encoding, on a screen that may be smaller.

    A plane counts the pixels of each square that show its id, as a smaller picture has the mean of each square. One
    number has no room for several ids: it is that of most pixels.

    Attributes:
        space: Planes [ids, height, width] of counts, 0 and 1 where squares are pixels, or pixels [height, width, 3].
    """

    def __init__(self, classes: Classes, view: str, encoding: str, height: int, width: int, square: int = 1) -> None:
        self._codes = np.array(classes.codes(view), dtype=np.uint8)
        self._count = classes.count(view)
        self._planes = encoding == Encoding.ONE_HOT
        self._square = square
        shape = (self._count, height, width) if self._planes else (height, width, 3)
        self.space: spaces.Space[Any] = spaces.Box(0, square**2 if self._planes else 255, shape, np.uint8)

    def __call__(self, ids: Bytes) -> Bytes:
        """Observations [n, ...] of ids [n, height × square, width × square]."""
        if self._planes:
            n, height, width = ids.shape
            seen = np.zeros((n, self._count, height // self._square, width // self._square), dtype=np.uint8)
            _count(ids, self._codes, self._square, seen)
            return seen
        shades = (self._codes.astype(np.int64) * 255 // self._count).astype(np.uint8)
        return np.repeat(shades[voted(ids, self._square)][..., None], 3, axis=-1)


@kernel
def _count(ids, codes, square, planes):
    """Adds every pixel to the plane of its id, in its square."""
    for i in range(ids.shape[0]):
        for y in range(ids.shape[1]):
            row = y // square
            for offset in range(square):
                for column in range(planes.shape[3]):
                    code = codes[ids[i, y, column * square + offset]]
                    if code > 0:
                        planes[i, code - 1, row, column] += 1
