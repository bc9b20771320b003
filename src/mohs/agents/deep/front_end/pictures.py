"""What do the masks of a front-end look like beside the true figures?"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mohs.agents.deep.front_end.front_end import FrontEnd

Bytes = npt.NDArray[np.uint8]
COLOURS = np.array(
    [
        [230, 70, 60], [70, 200, 90], [70, 120, 240], [240, 210, 60],
        [220, 90, 220], [70, 210, 220], [250, 150, 50], [240, 240, 240],
    ]
)  # fmt: skip
PANELS = ("frame", "all masks", "largest mask", "true figures")


def panels(front_end: FrontEnd, frame: Bytes, figure: npt.NDArray[np.bool_]) -> tuple[Bytes, ...]:
    """Pictures [height, width, 3] of `PANELS`; the largest mask of each pixel is in the colour of its slot.

    Args:
        front_end: The front-end.
        frame: What it looks at [height, width, 3].
        figure: What is figure there [height, width].
    """
    masks = front_end.masks(frame[None])[0].astype(np.int64)
    together = masks.sum(0).clip(0, 255)[..., None]
    largest = COLOURS[masks.argmax(0) % len(COLOURS)] * together // 255
    shown = frame, together.repeat(3, -1), largest, 255 * figure[..., None].repeat(3, -1)
    return tuple(picture.astype(np.uint8) for picture in shown)
