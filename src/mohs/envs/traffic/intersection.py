"""How does Gymnasium play the traffic signal?

`info["metrics"]` of the step that ends an episode holds `delay` (s per vehicle that arrived), `stops` (per vehicle that
crossed), `queue` (vehicles, mean over decisions), `throughput` (vehicles that crossed) and `inside` (that did not).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from mohs.engines.traffic.discharge import SPACE
from mohs.engines.traffic.fleet import TrafficFleet, fleet
from mohs.engines.traffic.junction import APPROACHES
from mohs.engines.traffic.signal import Signal, signal
from mohs.envs.fleets import Face, FleetVectorEnv, Info, Spaces
from mohs.envs.single import FleetEnv


def _spaces(built: TrafficFleet) -> Spaces:
    """Nothing bounds how long vehicles wait. Gymnasium's checker warns of infinity, so a number does."""
    most = np.finfo(np.float32).max
    return spaces.Box(0.0, most, (built.width,), np.float32), spaces.Discrete(built.spaces[2])


FACE = Face("traffic/intersection", fleet, _spaces)


class IntersectionEnv(FleetEnv):
    """The signal of one intersection. An action is the phase that has a green until the next decision."""

    face = FACE
    fleet: TrafficFleet

    @property
    def signal(self) -> Signal:
        """What the numbers of an observation mean, and what each phase serves."""
        return signal(self.task.values)

    def _info(self) -> Info:
        if not self.fleet.instances["over"][0]:
            return {}
        return {"metrics": {name: values.item(0) for name, values in self.fleet.metrics().items()}}

    def _look(self) -> npt.NDArray[np.float64]:
        """Numbers of the instance, then of each vehicle: lane, distance to the stop line, movement, does it queue?"""
        inst, cars = self.fleet.instances[0], self.fleet.cars(0)
        rows = [(inst["phase"], inst["now"], inst["outside"], inst["crossed"])]
        for k, lane in enumerate(cars):
            near = -SPACE
            for car in lane:
                near = max(near + SPACE, (car["due"] - inst["now"]) * car["speed"])
                rows.append((k, near, car["movement"], car["since"] < np.inf))
        return np.array(rows, dtype=np.float64)

    def _text(self) -> str:
        """The phase, and how many vehicles queue on each approach."""
        inst, lanes = self.fleet.instances[0], self.fleet.lanes(0)
        queues = [lanes["queue"][lanes["approach"] == approach].sum() for approach in range(len(APPROACHES))]
        text = ", ".join(f"{name} {queue:.0f}" for name, queue in zip(APPROACHES, queues, strict=True))
        return f"step {inst['t']}: phase {inst['phase']}, queues {text}, outside {inst['outside']}"


class IntersectionVectorEnv(FleetVectorEnv):
    """Many signals stepped by one kernel, each of its own intersection with its own demand."""

    face = FACE
    fleet: TrafficFleet

    def _info(self) -> Info:
        return self._metrics(self.fleet.instances["over"] == 1)

    def _final_info(self, before: Any, final: npt.NDArray[Any], over: npt.NDArray[np.bool_]) -> Info:
        return self._metrics(over)

    def _metrics(self, over: npt.NDArray[np.bool_]) -> Info:
        """The metrics of the episodes that are over, as Gymnasium's vector environments report them."""
        if not over.any():
            return {}
        found: Info = {}
        for name, values in self.fleet.metrics().items():
            found[name], found[f"_{name}"] = np.where(over, values, 0.0), over.copy()
        return {"metrics": found, "_metrics": over.copy()}
