"""What does a number measure, and against what may it be normalised?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from mohs.core.errors import UsageError
from mohs.core.task import read_json, reading
from mohs.core.values import Json, content_hash

Number = TypeVar("Number", float, npt.NDArray[np.float64])


@dataclass(frozen=True)
class Reference:
    """A value to measure by, and where it comes from."""

    value: float
    source: str

    def to_json(self) -> dict[str, Json]:
        return {"value": self.value, "source": self.source}


@dataclass(frozen=True)
class Score:
    """A metric as data. Raw values are what is stored; `normalise` maps `low` to 0 and `high` to 1."""

    name: str
    unit: str
    higher_is_better: bool = True
    low: Reference | None = None
    high: Reference | None = None

    @property
    def spread(self) -> float:
        """The distance between the references; NaN without them."""
        return self.high.value - self.low.value if self.low and self.high else math.nan

    def normalise(self, raw: Number) -> Number:
        if self.low is None or self.high is None:
            raise UsageError(f"the score {self.name!r} has no references to normalise by.")
        if self.spread == 0:
            raise UsageError(
                f"the score {self.name!r} cannot be normalised: {self.low.source} and {self.high.source} "
                f"both give {self.low.value:g}."
            )
        return (raw - self.low.value) / self.spread

    def to_json(self) -> dict[str, Json]:
        return {
            "name": self.name,
            "unit": self.unit,
            "higher_is_better": self.higher_is_better,
            "low": self.low.to_json() if self.low else None,
            "high": self.high.to_json() if self.high else None,
        }

    @classmethod
    def from_json(cls, data: str | Mapping[str, Any]) -> Score:
        data = read_json(data, "score", {"name", "unit", "higher_is_better", "low", "high"})
        with reading("score"):
            ends = {end: Reference(**data[end]) if data[end] else None for end in ("low", "high")}
            return cls(data["name"], data["unit"], data["higher_is_better"], **ends)

    @cached_property
    def key(self) -> str:
        return content_hash(self.to_json())
