"""Which values may a parameter take, and how is a value parsed?

`parse` returns the canonical value, which is hashed and stored, or raises `UsageError`.
"""

from __future__ import annotations

import math
import numbers
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from mohs.core.errors import UsageError, invalid
from mohs.core.values import FunctionRef, freeze

LARGEST = 2**63 - 1


def _is_finite(value: Any) -> bool:
    try:
        return math.isfinite(value)
    except (OverflowError, TypeError, ValueError):  # 10**400 is no float
        return False


class Domain(Protocol):
    def parse(self, name: str, value: Any) -> Any: ...

    def describe(self) -> str: ...


@dataclass(frozen=True)
class Integer:
    low: int
    high: int | None = None

    def parse(self, name: str, value: Any) -> int:
        ok = isinstance(value, numbers.Integral) and not isinstance(value, bool)
        if isinstance(value, float) and value.is_integer():
            ok = True
        if not ok or value < self.low or (self.high is not None and value > self.high):
            raise invalid(name, value, self.describe())
        if value > LARGEST:  # kernels and stores count with 64 bits
            raise invalid(name, value, f"an integer in [{self.low}, {LARGEST}]")
        return int(value)

    def describe(self) -> str:
        if self.high is None:
            return f"an integer ≥ {self.low}"
        return f"an integer in [{self.low}, {self.high}]"


@dataclass(frozen=True)
class Real:
    low: float = -math.inf
    high: float = math.inf
    low_open: bool = False

    def parse(self, name: str, value: Any) -> float:
        ok = not isinstance(value, bool) and isinstance(value, numbers.Real) and _is_finite(value)
        if ok and 0 < abs(value) < sys.float_info.min:  # which loses digits, and divides to infinity
            raise invalid(name, value, f"{self.describe()}, 0 or at least {sys.float_info.min:.3g} away from it")
        if not ok or value > self.high or (value <= self.low if self.low_open else value < self.low):
            raise invalid(name, value, self.describe())
        return float(value) + 0.0  # −0.0 and 0.0 are one value

    def describe(self) -> str:
        if self.low == -math.inf and self.high == math.inf:
            return "a finite number"
        left = f"{'(' if self.low_open else '['}{self.low:g}"
        return f"a number in {left}, {self.high:g}{')' if self.high == math.inf else ']'}"


@dataclass(frozen=True)
class Flag:
    def parse(self, name: str, value: Any) -> bool:
        if not isinstance(value, bool) and type(value).__name__ not in ("bool_", "bool"):
            raise invalid(name, value, self.describe())
        return bool(value)

    def describe(self) -> str:
        return "True or False"


@dataclass(frozen=True)
class Choice:
    options: tuple[str, ...]

    def parse(self, name: str, value: Any) -> str:
        if not isinstance(value, str) or value not in self.options:
            raise invalid(name, value, self.describe())
        return str(value)

    def describe(self) -> str:
        return "one of " + ", ".join(map(repr, self.options))


@dataclass(frozen=True)
class Each:
    """A list of values of one domain."""

    item: Domain
    size: int | None = None

    def parse(self, name: str, value: Any) -> tuple[Any, ...]:
        items = freeze(value) if hasattr(value, "tolist") or isinstance(value, list | tuple) else None
        if not isinstance(items, tuple) or (self.size is not None and len(items) != self.size):
            raise invalid(name, value, self.describe())
        return tuple(self.item.parse(f"{name}[{i}]", v) for i, v in enumerate(items))

    def describe(self) -> str:
        many = f"{self.size} values" if self.size is not None else "values"
        return f"a list of {many}, each {self.item.describe()}"


@dataclass(frozen=True)
class Either:
    """The first of several domains that accepts the value."""

    options: tuple[Domain, ...]

    def parse(self, name: str, value: Any) -> Any:
        for option in self.options:
            try:
                return option.parse(name, value)
            except UsageError:
                continue
        raise invalid(name, value, self.describe())

    def describe(self) -> str:
        return ", or ".join(option.describe() for option in self.options)


@dataclass(frozen=True)
class Optional:
    """A domain, or None for a value that is generated or derived."""

    inner: Domain

    def parse(self, name: str, value: Any) -> Any:
        return None if value is None else self.inner.parse(name, value)

    def describe(self) -> str:
        return f"None, or {self.inner.describe()}"


@dataclass(frozen=True)
class OrFunction:
    """A domain, or a function in place of a value."""

    inner: Domain
    signature: str

    def parse(self, name: str, value: Any) -> Any:
        if isinstance(value, FunctionRef):
            return value
        if callable(value) or (isinstance(value, str) and ":" in value):
            return FunctionRef.of(value)
        return self.inner.parse(name, value)

    def describe(self) -> str:
        return f"{self.inner.describe()}, or a function {self.signature} (or its module:function name)"


@dataclass(frozen=True)
class Custom:
    """A domain given by a function that parses and a text that describes."""

    reader: Callable[[str, Any], Any]
    text: str

    def parse(self, name: str, value: Any) -> Any:
        return self.reader(name, value)

    def describe(self) -> str:
        return self.text
