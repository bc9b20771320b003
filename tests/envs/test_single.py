"""The step that all engines share plays those whose observation is a number as their own faces do."""

from __future__ import annotations

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

import mohs
from mohs.envs.single import FleetEnv

NUMBERED = [
    ("ctgraph", {"depth": 2}),
    ("ctgraph", {"depth": 2, "observation": "image"}),
    ("challenge", {"mdp": "hanoi-3"}),
]


@pytest.mark.parametrize(("env", "params"), NUMBERED)
@pytest.mark.parametrize("render_mode", [None, "rgb_array"])
def test_the_shared_step_of_a_numbered_engine_is_that_of_its_face(env, params, render_mode):
    own, shared = (mohs.make(env, **params, render_mode=render_mode).unwrapped for _ in range(2))
    with pytest.raises(ResetNeeded):
        FleetEnv.step(shared, 0)
    for made in (own, shared):
        made.reset(seed=0)
    for number in range(200):
        action = number % int(own.action_space.n)
        expected, found = own.step(action), FleetEnv.step(shared, action)
        np.testing.assert_array_equal(found[0], expected[0])
        assert found[1:] == expected[1:]
        assert type(found[0]) is type(expected[0])
        if expected[2]:
            for made in (own, shared):
                made.reset()
    with pytest.raises(mohs.UsageError, match="must be an integer"):
        FleetEnv.step(shared, 99)
