"""How do images of one's own become the looks of states? Files of a directory, in alphabetical order, one for each."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.core.errors import UsageError
from mohs.engines.images.polygons import polygons, radius, still, turns

Images = npt.NDArray[np.uint8]


def pictures(directory: str, states: int, frame: tuple[int, int]) -> Images:
    """Greyscale images [states, height, width, 1] that fill the frame."""
    return _read(directory, states, frame)[:, :, :, None]


def textures(directory: str, states: int, frame: tuple[int, int]) -> Images:
    """Images [states, height, width, 1] of the states' polygons, each cut out of the texture of its state.

    The texture covers the square around the circumscribed circle.
    """
    height, width = frame
    side = min(height, width, 2 * round(radius(frame)))
    canvas = np.zeros((states, height, width, 1), dtype=np.uint8)
    top, left = (height - side) // 2, (width - side) // 2
    canvas[:, top : top + side, left : left + side, 0] = _read(directory, states, (side, side))
    inside = polygons(np.arange(states)[:, None], still(states), frame, turns(states)) > 0
    return np.where(inside, canvas, np.uint8(0))


def _read(directory: str, states: int, size: tuple[int, int]) -> Images:
    """The first files of a directory as greyscale images [states, height, width]."""
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError as error:
        raise UsageError("images of one's own need Pillow; install mohs[images].") from error
    try:
        names = sorted(name for name in os.listdir(directory) if not name.startswith("."))
    except OSError as error:
        raise UsageError(f"image_directory {directory!r} cannot be read: {error.strerror}.") from error
    if len(names) < states:
        raise UsageError(f"image_directory {directory!r} has {len(names)} files for {states} states; each needs one.")
    images = np.empty((states, *size), dtype=np.uint8)
    for state, name in enumerate(names[:states]):
        path = os.path.join(directory, name)
        try:
            with Image.open(path) as file:
                images[state] = _grey(file).resize((size[1], size[0]), Image.Resampling.BILINEAR)
        except (OSError, UnidentifiedImageError) as error:
            raise UsageError(f"{path!r} cannot be read as an image: {error}.") from error
    return images


def _grey(file: Any) -> Any:
    """The luminance; what is transparent is black."""
    if file.mode in ("RGBA", "LA", "PA") or "transparency" in file.info:
        from PIL import Image

        file = file.convert("RGBA")
        return Image.alpha_composite(Image.new("RGBA", file.size, (0, 0, 0, 255)), file).convert("L")
    return file.convert("L")
