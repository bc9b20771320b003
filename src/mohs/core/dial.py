"""What is a dial of hardness? One declaration, which every realisation of it obeys."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from mohs.core.domain import Domain
from mohs.core.values import Json, to_json

Harder = Literal["up", "down", "both", "none"]
Touches = Literal["P", "R", "O", "A", "T", "rho0"]
Applies = Literal["discrete toy", "continuous toy", "table", "gymnasium"]


class _NoOff:
    """The dial has no value at which it does nothing (a size, a density)."""

    def __repr__(self) -> str:
        return "–"


NO_OFF = _NoOff()


@dataclass(frozen=True)
class Dial:
    """One axis of hardness.

    `vanilla` is the value of the plain task (Table 1 of MDP Playground), `off` the one at which the dial does nothing,
    `harder` the direction in which the task gets harder, `touches` the parts of the MDP that the dial may change.
    """

    name: str
    unit: str
    domain: Domain
    vanilla: Any
    off: Any
    harder: Harder
    touches: tuple[Touches, ...]
    applies: tuple[Applies, ...]
    text: str

    def to_json(self) -> dict[str, Json]:
        return {
            "name": self.name,
            "unit": self.unit,
            "domain": self.domain.describe(),
            "vanilla": to_json(self.vanilla),
            "off": None if self.off is NO_OFF else to_json(self.off),
            "harder": self.harder,
            "touches": list(self.touches),
            "applies": list(self.applies),
            "text": self.text,
        }
