"""Are the arguments of a statistic valid? Each check returns the accepted value."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mohs.core.errors import UsageError

FloatArray = NDArray[np.float64]


def checked_level(level: float, name: str = "level") -> float:
    """A level strictly between 0 and 1."""
    if not 0 < level < 1:
        raise UsageError(f"{name} must lie strictly between 0 and 1, for example .95; got {level!r}.")
    return float(level)


def checked_choice(value: str, allowed: Collection[str], name: str) -> str:
    """One of a few words."""
    if value not in allowed:
        raise UsageError(f"{name} must be one of {', '.join(sorted(allowed))}; got {value!r}.")
    return value


def checked_count(value: int, name: str, least: int = 1) -> int:
    """A whole number, not below ``least``."""
    if not _whole(value) or value < least:
        raise UsageError(f"{name} must be a whole number, at least {least}; got {value!r}.")
    return int(value)


def checked_index(value: int, size: int, name: str) -> int:
    """An index among ``size`` rows; negative indices are refused."""
    if not _whole(value) or not 0 <= value < size:
        raise UsageError(f"{name} must be an index from 0 to {size - 1}; got {value!r}.")
    return int(value)


def _whole(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def checked_array(values: ArrayLike, name: str, dimensions: int | None = None) -> FloatArray:
    """Numbers that are finite, or NaN for a missing run; with ``dimensions`` axes where that is given."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise UsageError(f"{name} must be an array of numbers, every row of the same length.") from None
    if dimensions is not None and array.ndim != dimensions:
        raise UsageError(f"{name} must have {dimensions} dimension(s); got shape {array.shape}.")
    if array.ndim == 0 or array.shape[-1] == 0:
        raise UsageError(f"{name} must hold at least one number on its last axis; got shape {array.shape}.")
    if np.isinf(array).any():
        raise UsageError(f"{name} must be finite, or NaN for a missing run; it holds an infinity.")
    return array
