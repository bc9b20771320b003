"""What do the numbers of a traffic observation mean, and what does each phase serve? For controllers and networks.

Any simulator can say it, so a controller that reads a `Signal` plays on each of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.engines.traffic.junction import APPROACHES, LEFT, MOVEMENTS, STREAMS, THROUGH, Junction, junction

Floats = npt.NDArray[np.float64]
LANE_FEATURES = ("green", "approaching", "wait", "queue", "speed")
MOVEMENT_FEATURES = ("green", "queue", "approaching", "pressure")


@dataclass(frozen=True)
class Signal:
    """Which streams the observed slots (lanes or movements) hold, and which of them each phase gives a green.

    Attributes:
        features: what each slot has one number of, in this order; an observation lists slot after slot.
        permits: whether a slot holds vehicles of a stream, [slots, streams]; no stream where an approach has no lane.
            Streams are the movements of the approaches, or the links of a signal in a network.
        greens: 0 for red, 0.5 for a green that gives way, 1 for a protected one, [phases, streams].
        decision: seconds between two decisions.
        yellow: seconds of it before a change of the phase.
        all_red: seconds after that until the next green.
        junction: the intersection with its flows, where it is known.
    """

    features: tuple[str, ...]
    permits: npt.NDArray[np.bool_]
    greens: Floats
    decision: float = 10.0
    yellow: float = 3.0
    all_red: float = 1.0
    junction: Junction | None = None

    @cached_property
    def served(self) -> Floats:
        """The green of each slot in each phase, [phases, slots]: the best of its streams."""
        best: Floats = (self.greens[:, None, :] * self.permits).max(axis=2, initial=0.0)
        return best

    def read(self, observation: npt.NDArray[Any], feature: str) -> npt.NDArray[Any]:
        """One number of each slot, from one observation or many ([..., slots])."""
        slots = observation.reshape(*observation.shape[:-1], len(self.permits), len(self.features))
        found: npt.NDArray[Any] = slots[..., self.features.index(feature)]
        return found


def greens(built: Junction) -> Floats:
    """Of each phase the greens of all streams, approach by approach: 0, 0.5 or 1."""
    shown = [
        [phase.green(a, m) / 2 for a in range(len(APPROACHES)) for m in range(len(MOVEMENTS))] for phase in built.phases
    ]
    return np.array(shown)


def signal(params: Mapping[str, Any]) -> Signal:
    """The signal of the intersection that the parameters of `traffic/intersection` describe."""
    built = junction(params)
    times = {name: params[name] for name in ("decision", "yellow", "all_red")}
    if params["observation"] == "movements":
        streams = [a * len(MOVEMENTS) + m for a in range(len(APPROACHES)) for m in (LEFT, THROUGH)]
        permits = np.eye(STREAMS, dtype=np.bool_)[streams]
        return Signal(MOVEMENT_FEATURES, permits, greens(built), junction=built, **times)
    most = slots(params, built)
    permits = np.zeros((len(APPROACHES) * most, STREAMS), dtype=np.bool_)
    for approach in range(len(APPROACHES)):
        for i, lane in enumerate(built.of(approach)):
            permits[approach * most + i, [approach * len(MOVEMENTS) + m for m in lane.movements]] = True
    return Signal(LANE_FEATURES, permits, greens(built), junction=built, **times)


def slots(values: Mapping[str, Any], built: Junction) -> int:
    """How many lanes are observed of each approach."""
    return int(values["observed_lanes"]) or max(len(built.of(approach)) for approach in range(4))
