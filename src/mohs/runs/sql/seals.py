"""Is what a database returns what was written? A hash for each cell and each study, written with it.

The seal of a cell covers its steps, its status, its error, its curves and its checkpoint. Its task and its agent need
none: its key is their content hash. The seal of a study covers its header, then the list of its runs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

SIZE = 16  # bytes of a hash
CELLS, STUDIES = "cell", "study"  # kinds of seals


@dataclass
class Content:
    """What a store has of a cell. `steps` and `status` may be anything in a damaged file."""

    key: str
    steps: Any
    status: Any
    error: Any
    curves: list[tuple[Any, Any, Any]] = field(default_factory=list)  # metric, steps, values
    checkpoint: tuple[Any, Any] | None = None  # step, state

    def seal(self) -> bytes:
        curves = [part for curve in sorted(self.curves, key=lambda c: _bytes(c[0])) for part in curve]
        return seal(
            (self.key, self.steps, self.status, self.error, len(self.curves), *curves, *(self.checkpoint or ()))
        )


def seal(parts: Iterable[Any]) -> bytes:
    """A hash of values of a database. Their types and their ends are part of it."""
    found = hashlib.blake2b(digest_size=SIZE)
    for part in parts:
        raw = _bytes(part)
        found.update(f"{type(part).__name__}:{len(raw)}:".encode())
        found.update(raw)
    return found.digest()


def seal_study(header: Sequence[Any], runs: Sequence[str]) -> bytes:
    return seal(header) + seal(runs)


def is_text_of(key: str, text: Any) -> bool:
    """Whether a text is the one that a cell's key is the content hash of (`core.values.content_hash`)."""
    return hashlib.sha256(_bytes(text)).hexdigest()[: len(key)] == key


def _bytes(value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()
