"""How does a user of MDP Playground get a MuJoCo environment with its two dials? From its class."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium

from mohs.compat.configuration import seed_of
from mohs.compat.wrapper import known
from mohs.envs.inject import Inject, inject


def get_mujoco_wrapper(base_class: Callable[..., gymnasium.Env[Any, Any]]) -> Callable[..., Inject]:
    """A function of MDP Playground's configuration that makes an environment of this class.

    `time_unit` and `action_space_max` are injected; `MujocoEnv` are the arguments of the class. All other keys are
    those of `GymEnvWrapper`, which takes the same configuration. With a `seed` the environment is reset once.
    """

    def make(**config: Any) -> Inject:
        given = known(config)
        dials = {name: given[name] for name in ("time_unit", "action_space_max") if name in given}
        env = inject(base_class(**given.get("MujocoEnv", {})), **dials)
        if given.get("seed") is not None:
            seed = seed_of(given["seed"])
            env.action_space.seed(seed)
            env.reset(seed=seed)
        return env

    return make
