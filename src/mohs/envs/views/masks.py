"""How is a screen observed whose pixels are ids of classes? As planes of 0 and 1, or as numbers in three channels."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from mohs.core.kernel import kernel
from mohs.core.views import Classes, Encoding

Bytes = npt.NDArray[np.uint8]


class Masks:
    """Observations of ids in one view and encoding.

    Attributes:
        space: Planes [ids, height, width] of 0 and 1, or pixels [height, width, 3].
    """

    def __init__(self, classes: Classes, view: str, encoding: str, height: int, width: int) -> None:
        self._codes = np.array(classes.codes(view), dtype=np.uint8)
        self._count = classes.count(view)
        self._planes = encoding == Encoding.ONE_HOT
        shape = (self._count, height, width) if self._planes else (height, width, 3)
        self.space: spaces.Space[Any] = spaces.Box(0, 1 if self._planes else 255, shape, np.uint8)

    def __call__(self, ids: Bytes) -> Bytes:
        """Observations [n, ...] of ids [n, height, width]."""
        if self._planes:
            n, height, width = ids.shape
            seen = np.zeros((n, self._count, height, width), dtype=np.uint8)
            _mark(ids.reshape(n, -1), self._codes, seen.reshape(n, self._count, -1))
            return seen
        shades = (self._codes.astype(np.int64) * 255 // self._count).astype(np.uint8)
        return np.repeat(shades[ids][..., None], 3, axis=-1)


@kernel
def _mark(ids, codes, planes):
    """Writes 1 into the plane of every pixel's id."""
    for i in range(ids.shape[0]):
        for j in range(ids.shape[1]):
            code = codes[ids[i, j]]
            if code > 0:
                planes[i, code - 1, j] = 1
