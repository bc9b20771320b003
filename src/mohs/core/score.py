"""What does a number measure, and by which references is it normalised?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from mohs.core.arguments import checked_record
from mohs.core.errors import UsageError
from mohs.core.task import read_json, reading
from mohs.core.values import Json, content_hash

Number = TypeVar("Number", float, npt.NDArray[np.float64])


class ReferenceKind(StrEnum):
    """How the value of a reference is known."""

    EXACT = "exact"  # computed without sampling error
    ESTIMATED = "estimated"  # a mean over samples
    BOUND = "bound"  # a bound on the true value
    BASELINE = "baseline"  # the score of an agent or a controller that others are compared with


@checked_record
@dataclass(frozen=True)
class Reference:
    """A value that scores are normalised by.

    Attributes:
        value: The value, in the unit of the score.
        source: What the value is, as text for reports.
        kind: How the value is known. Code reads this, never `source`.
        deviation: The standard deviation of the return of one episode, where it was measured; else 0.

    Example:
        >>> import mohs
        >>> from mohs.core.score import ReferenceKind
        >>> mohs.Reference(29.8, "optimal policy, exact, noise-free", ReferenceKind.EXACT).value
        29.8
    """

    value: float
    source: str
    kind: ReferenceKind = ReferenceKind.BASELINE
    deviation: float = 0.0

    def to_json(self) -> dict[str, Json]:
        """Returns the reference as plain data.

        Example:
            >>> import mohs
            >>> mohs.Reference(0.5, "random policy").to_json()
            {'value': 0.5, 'source': 'random policy', 'kind': 'baseline'}
        """
        measured: dict[str, Json] = {"deviation": self.deviation} if self.deviation else {}
        return {"value": self.value, "source": self.source, "kind": str(self.kind), **measured}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Reference:
        """Reads a reference that `to_json` wrote.

        Args:
            data: A mapping with the keys `value`, `source`, `kind` and, where it was measured, `deviation`.

        Returns:
            The reference.

        Raises:
            UsageError: The mapping has other keys, or the kind is unknown.

        Example:
            >>> import mohs
            >>> mohs.Reference.from_json({"value": 0.5, "source": "random policy", "kind": "exact"}).value
            0.5
        """
        data = read_json({"deviation": 0.0, **data}, "reference", {"value", "source", "kind", "deviation"})
        with reading("reference"):
            return cls(data["value"], data["source"], ReferenceKind(data["kind"]), data["deviation"])


@checked_record
@dataclass(frozen=True)
class Score:
    """A metric as data. Raw values are stored; `normalise` maps `low` to 0 and `high` to 1.

    Attributes:
        name: The name of the metric.
        unit: The unit of raw values.
        higher_is_better: Whether a larger value is better.
        low: The reference that is mapped to 0, such as the return of the random policy.
        high: The reference that is mapped to 1, such as the optimal return.

    Example:
        >>> import mohs
        >>> low, high = mohs.Reference(2.0, "random policy"), mohs.Reference(10.0, "optimal policy")
        >>> score = mohs.Score("return", "reward per episode", low=low, high=high)
        >>> score.normalise(6.0)
        0.5
    """

    name: str
    unit: str
    higher_is_better: bool = True
    low: Reference | None = None
    high: Reference | None = None

    @property
    def spread(self) -> float:
        """The difference between the references; NaN where one is missing.

        Example:
            >>> import mohs
            >>> low, high = mohs.Reference(2.0, "random policy"), mohs.Reference(10.0, "optimal policy")
            >>> mohs.Score("return", "reward per episode", low=low, high=high).spread
            8.0
        """
        return self.high.value - self.low.value if self.low and self.high else math.nan

    def normalise(self, raw: Number) -> Number:
        """Maps raw values to the scale of the references.

        Args:
            raw: A raw value, or an array of them.

        Returns:
            (raw - low) / (high - low), of the same shape.

        Raises:
            UsageError: A reference is missing, or both are equal.

        Example:
            >>> import mohs, numpy
            >>> low, high = mohs.Reference(2.0, "random policy"), mohs.Reference(10.0, "optimal policy")
            >>> score = mohs.Score("return", "reward per episode", low=low, high=high)
            >>> score.normalise(numpy.array([2.0, 10.0])).tolist()
            [0.0, 1.0]
        """
        if self.low is None or self.high is None:
            raise UsageError(f"the score {self.name!r} has no references to normalise by.")
        if self.spread == 0:
            raise UsageError(
                f"the score {self.name!r} cannot be normalised: {self.low.source} and {self.high.source} "
                f"both give {self.low.value:g}."
            )
        return (raw - self.low.value) / self.spread

    def to_json(self) -> dict[str, Json]:
        """Returns the score as plain data.

        Example:
            >>> import mohs
            >>> mohs.Score("length", "steps", higher_is_better=False).to_json()["unit"]
            'steps'
        """
        return {
            "name": self.name,
            "unit": self.unit,
            "higher_is_better": self.higher_is_better,
            "low": self.low.to_json() if self.low else None,
            "high": self.high.to_json() if self.high else None,
        }

    @classmethod
    def from_json(cls, data: str | Mapping[str, Any]) -> Score:
        """Reads a score that `to_json` wrote.

        Args:
            data: JSON text, or the mapping itself.

        Returns:
            The score.

        Raises:
            UsageError: The data is not a score.

        Example:
            >>> import mohs
            >>> score = mohs.Score("length", "steps")
            >>> mohs.Score.from_json(score.to_json()) == score
            True
        """
        data = read_json(data, "score", {"name", "unit", "higher_is_better", "low", "high"})
        with reading("score"):
            low, high = (Reference.from_json(data[name]) if data[name] else None for name in ("low", "high"))
            return cls(data["name"], data["unit"], data["higher_is_better"], low, high)

    @cached_property
    def key(self) -> str:
        """The content hash of the score.

        Example:
            >>> import mohs
            >>> len(mohs.Score("length", "steps").key)
            32
        """
        return content_hash(self.to_json())
