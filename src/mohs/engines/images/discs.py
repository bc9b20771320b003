"""How is a point in the plane drawn? As a disc on a background; a pixel has the colour of what lies at its middle.

The first coordinate grows to the right and the second one upward. Colours and the radius of 5 of 100 pixels are those
of MDP Playground (section 4.2): the agent blue, the target green, terminal regions black, the rest grey.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mohs.core.kernel import kernel
from mohs.engines.images.spans import end_at, first_from

Images = npt.NDArray[np.uint8]
Reals = npt.NDArray[np.float64]

AGENT, TARGET, TERMINAL, GROUND, LINE = (0, 0, 255), (0, 255, 0), (0, 0, 0), (208, 208, 208), (255, 255, 255)
_RADIUS = 0.05


def radius(frame: tuple[int, int]) -> float:
    """Of the discs of agent and target."""
    return _RADIUS * min(frame)


def middles(frame: tuple[int, int], low: Reals, high: Reals) -> tuple[Reals, Reals]:
    """The coordinates x [1, width] and y [height, 1] of the middles of pixels, where the frame shows low to high."""
    height, width = frame
    x = low[0] + (np.arange(width) + 0.5) / width * (high[0] - low[0])
    y = high[1] - (np.arange(height) + 0.5) / height * (high[1] - low[1])
    return x[None, :], y[:, None]


def scales(frame: tuple[int, int], low: Reals, high: Reals) -> tuple[Reals, Reals]:
    """Factors and offsets, [2] each, that make places in the frame of points in it.

    Places are counted in pixels from the left and the upper edge.
    """
    factors = np.array([frame[1], -frame[0]]) / (high - low)
    return factors, -factors * np.array([low[0], high[1]])


def discs(
    places: Reals,
    which: npt.NDArray[np.int32],
    backgrounds: Images,
    size: float,
    colour: tuple[int, int, int] = AGENT,
) -> Images:
    """Images [N, height, panels · width, 3] with a disc of radius `size` in every panel, at places [N, panels, 2].

    `which` [N] is the background of each image, of the same shape.
    """
    out = np.empty((len(places), *backgrounds.shape[1:]), dtype=np.uint8)
    many, height, _, _ = backgrounds.shape
    _draw(places, which, backgrounds.reshape(many, -1), size, height, colour, out.reshape(len(places), -1))
    return out


@kernel
def _draw(places, which, backgrounds, size, height, colour, out):
    """Images are rows of `out`, flat."""
    panels = places.shape[1]
    stride = out.shape[1] // height
    width = stride // (3 * panels)
    for i in range(len(places)):
        image, background = out[i], backgrounds[which[i]]
        for k in range(np.uint64(len(image))):
            image[k] = background[k]
        for panel in range(panels):
            x, y = places[i, panel, 0], places[i, panel, 1]
            for row in range(first_from(y - size, height), end_at(y + size, height)):
                rise = np.float64(row) + 0.5 - y
                half = np.sqrt(max(size * size - rise * rise, 0.0))
                line = row * stride + panel * width * 3
                for column in range(first_from(x - half, width), end_at(x + half, width)):
                    place = np.uint64(line + 3 * column)
                    image[place] = colour[0]
                    image[place + np.uint64(1)] = colour[1]
                    image[place + np.uint64(2)] = colour[2]
