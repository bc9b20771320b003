"""What is a battery? Doses of dials, seeds and steps with which an environment is diagnosed, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Doses = dict[str, tuple[Any, ...]]


@dataclass(frozen=True)
class Battery:
    """Doses by dial, pairs of dials, seeds and steps; `base` are parameters of the vanilla task itself.

    `paired` are doses of dials that have an effect only together with another one.
    """

    doses: Doses
    pairs: tuple[tuple[str, str], ...]
    seeds: int
    budget: int
    base: Mapping[str, Any] = field(default_factory=dict)
    paired: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
