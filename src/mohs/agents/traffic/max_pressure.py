"""How does max pressure control a signal? The phase whose lanes hold most vehicles gets the green (Varaiya 2013).

Roads behind the intersection are empty, so the pressure of a lane is the number of its vehicles that detectors see.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.agents.traffic.signals import signal_of

NAME = "max_pressure"


class MaxPressure:
    """Learns nothing. Of phases with equal pressure the present one continues, else the first begins."""

    def __init__(self, env: Any, seed: int) -> None:
        self._signal = signal_of(env, NAME)
        self._seen: Any = None
        self._phase: int | None = None

    def train(self, env: Any, steps: int) -> None:
        for _ in range(steps):
            if env.over:
                (self._seen, _), self._phase = env.reset(), None
            self._phase = self._choose(self._seen, self._phase)
            self._seen = env.step(self._phase)[0]

    def act(self, observation: Any, memory: int | None, deterministic: bool) -> tuple[int, int]:
        phase = self._choose(observation, memory)
        return phase, phase

    def save(self) -> Any:
        return self._seen, self._phase

    def load(self, state: Any) -> None:
        self._seen, self._phase = state

    def _choose(self, observation: npt.NDArray[Any], phase: int | None) -> int:
        vehicles = self._signal.read(observation, "queue") + self._signal.read(observation, "approaching")
        pressures = self._signal.served @ vehicles
        best = np.flatnonzero(pressures >= pressures.max() - 1e-6)
        return int(best[0]) if phase is None or phase not in best else phase


def make_max_pressure(env: Any, seed: int) -> MaxPressure:
    return MaxPressure(env, seed)
