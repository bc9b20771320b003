"""Which observations are images, which parameters do they take, and which combinations are valid?"""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from mohs.core.dials import DIALS
from mohs.core.domain import Choice, Custom, Integer, Optional
from mohs.core.errors import UsageError, invalid
from mohs.core.registry import Parameter


def is_image(space: spaces.Space[Any]) -> bool:
    """Whether observations are images: uint8 or bool arrays [height, width] or [height, width, channels]."""
    return isinstance(space, spaces.Box) and space.dtype in (np.uint8, np.bool_) and len(space.shape) in (2, 3)


def _path(name: str, value: Any) -> str:
    path = os.fspath(value) if isinstance(value, os.PathLike) else value
    if not isinstance(path, str) or not path:
        raise invalid(name, value, PATH.text)
    return path


PATH = Custom(_path, "the path of a directory or file")
INLINE = "array:"  # an array as text: its shape and, in base 64, its bytes


def _path_or_array(name: str, value: Any) -> str:
    """A path; or an array as text, so that the task can be hashed and stored without a file."""
    if not isinstance(value, np.ndarray):
        return _path(name, value)
    if value.ndim != 3 or value.dtype != np.uint8:
        raise UsageError(f"{name} is an array of {value.dtype} of shape {value.shape}, but must be {ARRAY}.")
    return f"{INLINE}{'x'.join(map(str, value.shape))}:{base64.b64encode(value.tobytes()).decode()}"


def read_array(text: str) -> npt.NDArray[np.uint8]:
    """The array that `_path_or_array` wrote as text."""
    shape, _, data = text.removeprefix(INLINE).partition(":")
    try:
        return np.frombuffer(base64.b64decode(data), dtype=np.uint8).reshape([int(size) for size in shape.split("x")])
    except ValueError as error:
        raise UsageError(f"{text[:40]!r} cannot be read as {ARRAY}: {error}.") from error


ARRAY = "uint8 of shape [images, height, width]"
IMAGES = Custom(_path_or_array, f"{PATH.text}, or an array, {ARRAY}")

SIZE = {
    "image_width": Parameter(Integer(8, 4096), 100, "The width of images, in pixels."),
    "image_height": Parameter(Integer(8, 4096), 100, "The height of images, in pixels."),
}
STYLE = {
    "image_style": Parameter(
        Choice(("polygons", "images", "textures")), "polygons",
        "How states are drawn: white polygons, custom images, or polygons cut out of custom images.",
    ),
    "image_directory": Parameter(
        Optional(PATH), None, "Directory of custom images; the files in alphabetical order are the states."
    ),
}  # fmt: skip
_DIALS = ("image_transforms", "image_sh_quant", "image_ro_quant", "image_scale_range")
_DEFAULTS = {name: DIALS[name].vanilla for name in _DIALS} | {
    name: parameter.default for name, parameter in (SIZE | STYLE).items()
}


def check(values: Mapping[str, Any]) -> None:
    """Raises `UsageError` where the image parameters contradict each other."""
    if not values["image_representations"]:
        for name, default in _DEFAULTS.items():
            if values.get(name, default) != default:
                raise UsageError(f"{name} is set, which needs image_representations=True.")
        return
    style, directory = values.get("image_style", "polygons"), values.get("image_directory")
    if style == "polygons" and directory is not None:
        raise UsageError('image_directory is set, which needs image_style="images" or "textures".')
    if style != "polygons" and directory is None:
        raise UsageError(f"image_style={style!r} needs an image_directory.")
    check_scale_range(values.get("image_scale_range", (1.0, 1.0)))


def check_scale_range(scales: tuple[float, float]) -> None:
    low, high = scales
    if low > high:
        raise UsageError(f"image_scale_range is ({low:g}, {high:g}), but must be (low, high).")


def signature(values: Mapping[str, Any]) -> tuple[Any, ...]:
    """Equal for tasks whose images can be drawn in one fleet; empty where observations are not images."""
    if not values["image_representations"]:
        return ()
    return tuple(
        values[name] for name in ("image_height", "image_width", "image_style", "image_directory") if name in values
    )
