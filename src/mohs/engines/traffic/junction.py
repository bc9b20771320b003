"""What is an intersection? Lanes with the movements that they permit, phases as sets of greens, and flows.

Four approaches, from the north clockwise. The compiled engine reads it, and any other simulator can be built from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mohs.core.errors import UsageError

APPROACHES = ("N", "E", "S", "W")
MOVEMENTS = ("left", "through", "right")
LEFT, THROUGH, RIGHT = range(len(MOVEMENTS))
STREAMS = len(APPROACHES) * len(MOVEMENTS)
MPH = 0.44704  # m/s
MOST_LANES = 8  # of an approach

Stream = tuple[int, int]  # an approach and a movement


@dataclass(frozen=True)
class Lane:
    """A lane of an approach: the movements that it permits, and its length in m."""

    approach: int
    movements: tuple[int, ...]
    length: float


@dataclass(frozen=True)
class Phase:
    """The streams that have a green. Those of `permissive` give way to oncoming traffic."""

    protected: frozenset[Stream]
    permissive: frozenset[Stream] = frozenset()

    def green(self, approach: int, movement: int) -> int:
        """0 for red, 1 for a permissive green, 2 for a protected one."""
        stream = (approach, movement)
        return 2 if stream in self.protected else int(stream in self.permissive)


@dataclass(frozen=True)
class Junction:
    """An intersection.

    Args:
        lanes: By approach, each from the left to the right.
        phases: The signal shows one of them at a time.
        speed: The speed limit, in m/s.
        flows: Vehicles per hour of each movement of each approach, [approach][movement].
    """

    lanes: tuple[Lane, ...]
    phases: tuple[Phase, ...]
    speed: float
    flows: tuple[tuple[float, ...], ...]

    def of(self, approach: int) -> tuple[Lane, ...]:
        """The lanes of an approach."""
        return tuple(lane for lane in self.lanes if lane.approach == approach)


def junction(params: Mapping[str, Any]) -> Junction:
    """The intersection that the parameters of `traffic/intersection` describe.

    Streets have `lanes` lanes in both directions together. Of an odd number, the approaches from the north and from the
    east have one more. Turn lanes come on top. Without them the outer through lanes permit the turn.
    """
    lanes = tuple(lane for approach in range(4) for lane in _lanes(params, approach))
    left, right = params["left_share"], params["right_share"]
    share = (left, 1.0 - left - right, right)
    flows = tuple(params["inflow"] / 2 * part for part in share)
    phases = tuple(phase for street in ((0, 2), (1, 3)) for phase in _phases(street, params["left_lanes"] > 0))
    return Junction(lanes, phases, params["speed"] * MPH, (flows,) * 4)


def _lanes(params: Mapping[str, Any], approach: int) -> list[Lane]:
    through = params["lanes"] // 2 + (params["lanes"] % 2 if approach < 2 else 0)
    kinds: list[set[int]] = [{THROUGH} for _ in range(through)]
    if not params["left_lanes"]:
        kinds[0].add(LEFT)
    if not params["right_lanes"]:
        kinds[-1].add(RIGHT)
    kinds = [{LEFT}] * params["left_lanes"] + kinds + [{RIGHT}] * params["right_lanes"]
    return [Lane(approach, tuple(sorted(kind)), params["length"]) for kind in kinds]


def _phases(street: tuple[int, int], left_lanes: bool) -> list[Phase]:
    """Of a street: through traffic with permissive left turns and, with lanes of their own, protected left turns."""
    ahead = frozenset((approach, movement) for approach in street for movement in (THROUGH, RIGHT))
    left = frozenset((approach, LEFT) for approach in street)
    return [Phase(ahead, left), Phase(left)] if left_lanes else [Phase(ahead, left)]


def check(values: Mapping[str, Any], given: frozenset[str]) -> dict[str, Any]:
    """Shares are shares, a green remains after a change, and there is room for all lanes that exist."""
    turning = values["left_share"] + values["right_share"]
    if turning > 1:
        raise UsageError(f"left_share + right_share is {turning:g}, but must be at most 1.")
    change = values["yellow"] + values["all_red"]
    if change >= values["decision"]:
        raise UsageError(
            f"yellow + all_red is {change:g} s, but must be below decision = {values['decision']:g} s: each decision "
            "shows some green."
        )
    needed = max(len(_lanes(values, approach)) for approach in range(4))
    if 0 < values["observed_lanes"] < needed:
        raise UsageError(
            f"observed_lanes is {values['observed_lanes']}, but must be 0 or at least {needed}: an approach has that "
            "many lanes."
        )
    return {}
