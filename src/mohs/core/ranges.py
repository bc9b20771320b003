"""Which values does an axis have? A list of them, or a continuous range, from which a family is sampled."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.core.arguments import checked_record
from mohs.core.errors import UsageError
from mohs.core.reading import parsed
from mohs.core.seeding import child

_FORMS = "NAME=LOW:HIGH, NAME=LOW:HIGH:log, or NAME=VALUE,VALUE,..."
_PLAIN = re.compile(r"[+-]?(\.\d+|\d+\.)(e[+-]?\d+)?", re.IGNORECASE)  # .5 and 5., which JSON does not know
_DIGITS = 6  # significant ones of a sampled value: what is printed is what is played


@checked_record
@dataclass(frozen=True)
class Range:
    """All numbers from `low` to `high`, uniform, or log-uniform with `log`.

    Raises:
        UsageError: `low` is not less than `high`, one is not finite, or a logarithmic range is not positive.

    Example:
        >>> import mohs
        >>> mohs.Range(0.1, 10, log=True).at(0.5)
        1.0
    """

    low: float
    high: float
    log: bool = False

    def __post_init__(self) -> None:
        try:
            ends = float(self.low), float(self.high)
        except OverflowError:
            ends = math.inf, math.inf
        if not (math.isfinite(ends[0]) and math.isfinite(ends[1]) and ends[0] < ends[1]):
            raise UsageError(f"the range {ends[0]:g}:{ends[1]:g} must have finite ends, the lower one first.")
        if self.log and self.low <= 0:
            raise UsageError(f"the logarithmic range {self.low}:{self.high} must be above 0.")

    def at(self, share: float) -> float:
        """Returns the number below which this share of the range lies, rounded to six significant digits.

        Example:
            >>> import mohs
            >>> mohs.Range(1, 3).at(0.25)
            1.5
        """
        if self.log:
            value = self.low * (self.high / self.low) ** share
        else:
            value = self.low + share * (self.high - self.low)
        return float(f"{value:.{_DIGITS}g}")


def axis(text: str) -> tuple[str, list[Any] | Range]:
    """Reads an axis as it is typed.

    Args:
        text: `m=0.4:4` is a continuous range, `m=0.1:10:log` a logarithmic one, `m=0.5,1,2` or `m=[0.5, 1, 2]` a list.

    Returns:
        The name of the axis, and its values or its range.

    Raises:
        UsageError: The text is no axis.

    Example:
        >>> axis("m=0.4:4")
        ('m', Range(low=0.4, high=4.0, log=False))
        >>> axis("l=0.5,1,2")
        ('l', [0.5, 1, 2])
    """
    name, equals, given = (part.strip() for part in text.partition("="))
    if not name or not equals or not given:
        raise UsageError(f"{text!r} is no axis: write {_FORMS}.")
    if ":" in given:
        ends = given.split(":")
        if len(ends) > 3 or (len(ends) == 3 and ends[2].strip() != "log"):
            raise UsageError(f"{text!r} is no range: write {_FORMS}.")
        try:
            return name, Range(float(ends[0]), float(ends[1]), log=len(ends) == 3)
        except UsageError:
            raise
        except ValueError as error:
            raise UsageError(f"{text!r} is no range: its ends must be numbers.") from error
    values = value(given)
    listed = values if isinstance(values, list) else [value(part) for part in given.split(",")]
    if not listed:
        raise UsageError(f"the axis {name!r} has no values.")
    return name, listed


def value(text: str) -> Any:
    """A value as it is typed: a number, true or false, a list as in JSON, or else the text itself."""
    try:
        return parsed({"True": "true", "False": "false", "None": "null"}.get(text.strip(), text))
    except ValueError:
        plain = text.strip()
        return float(plain) if _PLAIN.fullmatch(plain) else plain


def frame(axes: Mapping[str, list[Any] | Range], n: int, seed: int) -> list[dict[str, Any]]:
    """Candidate points that fill the space evenly: the first `n` of a scrambled Sobol sequence.

    A list is cut into equal shares of its values.
    """
    from scipy.stats import qmc

    generator = np.random.default_rng(child(seed, "sobol"))
    bits = max(1, math.ceil(math.log2(n)))
    shares: npt.NDArray[np.float64] = qmc.Sobol(len(axes), rng=generator).random_base2(bits)[:n]
    return [
        {name: _at(values, float(share)) for (name, values), share in zip(axes.items(), row, strict=True)}
        for row in shares
    ]


def _at(values: list[Any] | Range, share: float) -> Any:
    return values.at(share) if isinstance(values, Range) else values[min(int(share * len(values)), len(values) - 1)]
