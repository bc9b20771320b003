"""What is a dial of hardness? One declaration, which every realisation of it obeys."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from mohs.core.arguments import checked_record
from mohs.core.domain import Domain
from mohs.core.values import Json, to_json

Harder = Literal["up", "down", "both", "none"]
Touches = Literal["P", "R", "O", "A", "T", "rho0"]
# "wrapper" is any Gymnasium environment (through `mohs.inject`), the two after it are those of one kind.
Applies = Literal[
    "discrete toy", "continuous toy", "grid toy", "challenge", "arcade", "table", "wrapper", "image wrapper",
    "MuJoCo wrapper",
]  # fmt: skip
WRAPPERS: tuple[Applies, ...] = ("wrapper", "image wrapper", "MuJoCo wrapper")  # a dial is read in the first that fits


class _NoOff:
    """The dial has no value at which it does nothing (a size, a density)."""

    def __repr__(self) -> str:
        return "–"


NO_OFF = _NoOff()


@dataclass(frozen=True)
class Reading:
    """How a dial is read in a place where its values mean something else than they do elsewhere.

    `unit_continuous` is the unit in environments with continuous actions, where it differs from `unit`.
    """

    where: Applies
    unit: str
    domain: Domain
    vanilla: Any
    text: str
    unit_continuous: str | None = None


@checked_record
@dataclass(frozen=True)
class Dial:
    """One axis of hardness.

    `vanilla` is the value of the plain task (Table 1 of MDP Playground), `off` the one at which the dial does nothing,
    `harder` the direction in which the task gets harder, `touches` the parts of the MDP that the dial may change.
    `readings` are the places in which the values mean something else; `at` is the dial as it is read there.
    `unit_continuous` is the unit in environments with continuous actions, where it differs from `unit`.

    Example:
        >>> from mohs.core.dials import DIALS
        >>> delay = DIALS["delay"]
        >>> (delay.vanilla, delay.harder)
        (0, 'up')
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
    readings: tuple[Reading, ...] = ()
    unit_continuous: str | None = None

    def at(self, where: Applies) -> Dial:
        """The dial as it is read in a place.

        Args:
            where: A place to which the dial applies.

        Returns:
            The dial with the values and the unit that it has there.

        Example:
            >>> from mohs.core.dials import DIALS
            >>> DIALS["delay"].at("wrapper").readings
            ()
        """
        for reading in self.readings:
            if reading.where == where:
                return replace(
                    self,
                    unit=reading.unit,
                    domain=reading.domain,
                    vanilla=reading.vanilla,
                    text=reading.text,
                    readings=(),
                    unit_continuous=reading.unit_continuous,
                )
        return self

    def for_actions(self, continuous: bool) -> Dial:
        """The dial with its unit for environments with continuous, or with discrete, actions.

        Example:
            >>> from mohs.core.dials import DIALS
            >>> DIALS["delay"].for_actions(continuous=True).unit
            'steps'
        """
        unit = self.unit_continuous if continuous and self.unit_continuous is not None else self.unit
        return replace(self, unit=unit, unit_continuous=None)

    def to_json(self) -> dict[str, Json]:
        """The dial as plain data.

        Example:
            >>> from mohs.core.dials import DIALS
            >>> DIALS["delay"].to_json()["harder"]
            'up'
        """
        return {
            "name": self.name,
            "unit": self.unit,
            "unit_continuous": self.unit_continuous,
            "domain": self.domain.describe(),
            "vanilla": to_json(self.vanilla),
            "off": None if self.off is NO_OFF else to_json(self.off),
            "harder": self.harder,
            "touches": list(self.touches),
            "applies": list(self.applies),
            "text": self.text,
            "readings": [
                {
                    "where": reading.where,
                    "unit": reading.unit,
                    "unit_continuous": reading.unit_continuous,
                    "domain": reading.domain.describe(),
                    "vanilla": to_json(reading.vanilla),
                    "text": reading.text,
                }
                for reading in self.readings
            ],
        }
