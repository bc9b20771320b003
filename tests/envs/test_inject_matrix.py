"""Does every dial, injected into every kind of environment, change what it declares and nothing else, or refuse?

The rows are generated from the declarations: a dial that says it applies to wrappers and is missing here fails.
"""

from __future__ import annotations

from typing import Any

import ale_py
import gymnasium
import minigrid  # noqa: F401 – registers its environments
import numpy as np
import pytest
from gymnasium import spaces
from injected_envs import Scripted

import mohs
from mohs import UsageError
from mohs.core.dials import DIALS, injectable

gymnasium.register_envs(ale_py)
STEPS = 24
# One value at which each dial does something, and what must be on beside it.
VALUES: dict[str, tuple[Any, dict[str, Any]]] = {
    "delay": (3, {}),
    "delay_at_end": ("drop", {"delay": 3}),
    "reward_noise": (1.0, {}),
    "reward_probability": (0.5, {}),
    "reward_scale": (-2.0, {}),
    "reward_shift": (1.5, {}),
    "term_state_reward": (-4.0, {}),
    "reward_clip": ((-0.5, 0.5), {}),
    "transition_noise": (0.4, {}),
    "transition_noise_on": ("action", {"transition_noise": 0.4}),
    "sticky_actions": (0.6, {}),
    "action_repeat": (2, {}),
    "time_unit": (0.5, {}),
    "action_space_max": (2.0, {}),
    "irrelevant_features": (True, {}),
    "observation_noise": (5.0, {}),
    "image_transforms": ("shift,flip", {}),
    "image_sh_quant": (10, {"image_transforms": "shift"}),
    "image_ro_quant": (90, {"image_transforms": "rotate"}),
    "image_scale_range": ((0.25, 0.5), {"image_transforms": "scale"}),
}
ENVS = {
    "discrete actions": "CartPole-v1",
    "discrete states": "FrozenLake-v1",
    "continuous actions": "Pendulum-v1",
    "continuous, no simulator": None,
    "MuJoCo": "Hopper-v5",
    "Atari": "ALE/Breakout-v5",
    "MiniGrid": "MiniGrid-Empty-5x5-v0",
}
NOT_A_BOX = ("discrete states", "MiniGrid")
NO_TOY = ("Atari", "MiniGrid")


def applies(dial: str, env: str) -> bool:
    """What the declarations and docs/inject.md promise."""
    kinds = injectable()[dial]
    if "wrapper" not in kinds:
        return env == {"image wrapper": "Atari", "MuJoCo wrapper": "MuJoCo"}[kinds[0]]
    if dial == "observation_noise":
        return env not in NOT_A_BOX
    return env not in NO_TOY if dial == "irrelevant_features" else True


class Spy(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Writes down what an environment does, and earns something else in every step."""

    is_clear = True

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        super().__init__(env)
        self.trace: list[Any] = []

    def reset(self, **arguments: Any) -> Any:
        observation, info = self.env.reset(**arguments)
        self.trace.append((observation, 0.0, False, False))
        return observation, info

    def step(self, action: Any) -> Any:
        observation, reward, terminated, truncated, info = self.env.step(action)
        reward = float(reward) + 1.0 + 0.25 * (len(self.trace) % 7)
        self.trace.append((observation, reward, terminated, truncated))
        return observation, reward, terminated, truncated, info


def made(env: str) -> Spy:
    name = ENVS[env]
    if name is None:
        ending = [(0.0, False, False)] * 11 + [(0.0, True, False)]
        return Spy(Scripted([ending], spaces.Box(-1, 1, (2,))))
    return Spy(gymnasium.make(name, max_episode_steps=12, disable_env_checker=True))


def actions(space: spaces.Space[Any]) -> list[Any]:
    space.seed(1)
    return [space.sample() for _ in range(STEPS)]


def widened(action: Any, space: spaces.Space[Any]) -> Any:
    """The action with zeros for what was appended to it."""
    width = int(np.prod(space.shape or ()))
    flat = np.ravel(action)
    return action if width <= flat.size else np.append(flat, np.zeros(width - flat.size, flat.dtype))


def play(env: str, dials: dict[str, Any]) -> tuple[list[Any], list[Any], Any]:
    """What the environment below did, what was seen above, and the space of actions."""
    spy = made(env)
    injected = mohs.inject(spy, **dials)
    above: list[Any] = [(injected.reset(seed=7)[0], 0.0, False, False)]
    for action in actions(spy.action_space):
        observation, reward, terminated, truncated, _ = injected.step(widened(action, injected.action_space))
        above.append((observation, float(reward), terminated, truncated))
        if terminated or truncated:
            above.append((injected.reset()[0], 0.0, False, False))
    return spy.trace, above, injected.action_space


def equal(one: Any, two: Any) -> bool:
    if isinstance(one, dict):
        return all(equal(one[name], two[name]) for name in one)
    return bool(np.array_equal(one, two))


def differs(one: list[Any], two: list[Any], *parts: int) -> bool:
    """Do two traces differ in these parts of their steps?"""
    if len(one) != len(two):
        return True
    return any(not equal(a[part], b[part]) for a, b in zip(one, two, strict=True) for part in parts)


def idle(dial: str, env: str, below: list[Any]) -> bool:
    """Has the dial nothing to do here?"""
    if dial == "term_state_reward":
        return not any(step[2] for step in below)
    return dial == "transition_noise_on" and env not in ("continuous actions", "MuJoCo")


def test_every_dial_of_wrappers_has_a_row() -> None:
    assert set(VALUES) == set(injectable())


@pytest.mark.parametrize("env", ENVS)
@pytest.mark.parametrize("dial", sorted(VALUES))
def test_a_dial_changes_what_it_touches(dial: str, env: str) -> None:
    value, beside = VALUES[dial]
    if not applies(dial, env):
        with pytest.raises(UsageError, match=dial):
            mohs.inject(made(env), **{dial: value})
        return
    touches = DIALS[dial].touches
    plain_below, plain, plain_actions = play(env, beside)
    below, above, acted = play(env, {**beside, dial: value})

    assert (acted != plain_actions) == ("A" in touches)
    if idle(dial, env, below):
        assert not differs(plain, above, 0, 1, 2, 3)
        return
    if "P" in touches:
        # An environment that only plays a script has no dynamics to change, save by how often it is stepped.
        assert differs(plain, above, 0, 1, 2, 3) or (env == "continuous, no simulator" and dial != "action_repeat")
    else:
        assert not differs(plain_below, below, 0, 1, 2, 3)
        assert not differs(plain, above, 2, 3)
        assert differs(plain, above, 0) == ("O" in touches)
        assert differs(plain, above, 1) == ("R" in touches)
