"""Does the signal that controllers read say what the engine shows?"""

from __future__ import annotations

import numpy as np
import pytest

import mohs
from mohs.engines.traffic.signal import MOVEMENT_FEATURES

PARAMS = [
    {},
    {"lanes": 5, "left_lanes": 1},
    {"lanes": 3, "right_lanes": 2, "observed_lanes": 6},
    {"observation": "movements"},
    {"observation": "movements", "left_lanes": 2},
]


@pytest.mark.parametrize("params", PARAMS)
def test_greens_are_those_of_the_observation(params: dict[str, object]) -> None:
    env = mohs.make("traffic/intersection", **params)
    env.reset(seed=3)
    signal = env.unwrapped.signal
    for phase in np.random.default_rng(0).integers(env.action_space.n, size=20):
        observation = env.step(phase)[0]
        np.testing.assert_allclose(signal.read(observation, "green"), signal.served[phase])


@pytest.mark.parametrize("params", PARAMS)
def test_every_slot_without_a_lane_is_empty_and_every_stream_has_a_green(params: dict[str, object]) -> None:
    env = mohs.make("traffic/intersection", inflow=2000, **params)
    env.reset(seed=3)
    signal = env.unwrapped.signal
    assert (signal.greens.max(axis=0) > 0).all()
    seen = np.array([env.step(t // 3 % env.action_space.n)[0] for t in range(60)])
    busy = signal.read(seen, "approaching").sum(axis=0) > 0
    expected = signal.permits.any(axis=1)
    assert (busy <= expected).all()
    if signal.features == MOVEMENT_FEATURES:
        assert expected.all()
