"""How do images of one's own become the looks of states?

Files of a directory, in alphabetical order, or the images of an array, as it is or in a file .npy: one for each.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.core.errors import UsageError
from mohs.core.images import ARRAY, INLINE, read_array
from mohs.core.reading import array, opened
from mohs.engines.images.polygons import polygons, radius, still, turns

MOST_PIXELS = 2**26  # of an image; what is shown has at most 2**24
# Formats that Pillow reads by itself: for PostScript it would start another program.
FORMATS = ("PNG", "JPEG", "BMP", "GIF", "TIFF", "WEBP", "PPM")
Images = npt.NDArray[np.uint8]


def pictures(directory: str, states: int, frame: tuple[int, int]) -> Images:
    """Greyscale images [states, height, width, 1] that fill the frame."""
    return _read(directory, states, frame)[:, :, :, None]


def own_pictures(path: str, count: int, frame: tuple[int, int]) -> Images:
    """Greyscale images [count, height, width] from a directory, or from an array [many, h, w] of bytes."""
    if not path.startswith(INLINE) and not path.endswith(".npy"):
        return _read(path, count, frame, "images")
    given, name = (read_array(path), "images") if path.startswith(INLINE) else (_load(path), f"the array in {path!r}")
    if given.ndim != 3 or given.dtype != np.uint8:
        raise UsageError(f"{name} must be {ARRAY}, not {given.dtype} of {given.shape}.")
    if len(given) < count:
        raise UsageError(f"{name} has {len(given)} images, but {count} observations need one each.")
    if given.shape[1:] == frame:
        return np.ascontiguousarray(given[:count], dtype=np.uint8)
    image = _pillow()
    sized = [image.fromarray(one).resize((frame[1], frame[0]), image.Resampling.BILINEAR) for one in given[:count]]
    return np.stack([np.asarray(one) for one in sized])


def _load(path: str) -> npt.NDArray[Any]:
    try:
        return array(path)
    except OSError as error:
        raise UsageError(f"images {path!r} cannot be read as an array: {error.strerror or error}.") from error
    except ValueError as error:
        raise UsageError(f"images {path!r} cannot be read as an array: {str(error).rstrip('.')}.") from error


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


def _pillow() -> Any:
    try:
        from PIL import Image
    except ImportError as error:
        raise UsageError("images of one's own need Pillow; install mohs[images].") from error
    return Image


def _read(directory: str, states: int, size: tuple[int, int], name: str = "image_directory") -> Images:
    """The first files of a directory as greyscale images [states, height, width]; `name` is the parameter's."""
    pillow = _pillow()
    try:
        names = sorted(name for name in os.listdir(directory) if not name.startswith("."))
    except OSError as error:
        raise UsageError(f"{name} {directory!r} cannot be read: {error.strerror}.") from error
    if len(names) < states:
        raise UsageError(f"{name} {directory!r} has {len(names)} files for {states} states; each needs one.")
    images = np.empty((states, *size), dtype=np.uint8)
    for state, file_name in enumerate(names[:states]):
        path = os.path.join(directory, file_name)
        try:
            with opened(path) as raw, pillow.open(raw, formats=FORMATS) as file:
                if file.width * file.height > MOST_PIXELS:
                    raise ValueError(f"it has {file.width} × {file.height} pixels, and {MOST_PIXELS:,} are allowed")
                images[state] = _grey(file).resize((size[1], size[0]), pillow.Resampling.BILINEAR)
        except Exception as error:  # Pillow's readers raise anything on an image that is damaged
            why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            raise UsageError(f"{path!r} cannot be read as an image: {' '.join(why.split()).rstrip('.')}.") from error
    return images


def _grey(file: Any) -> Any:
    """The luminance; what is transparent is black."""
    if file.mode in ("RGBA", "LA", "PA") or "transparency" in file.info:
        from PIL import Image

        file = file.convert("RGBA")
        return Image.alpha_composite(Image.new("RGBA", file.size, (0, 0, 0, 255)), file).convert("L")
    return file.convert("L")
