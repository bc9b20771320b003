"""How does a user of MDP Playground turn the dials of an environment? By its wrapper's name and keys."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.envs.registration import EnvSpec, WrapperSpec

from mohs.compat.configuration import seed_of, task_of
from mohs.compat.keys import WITHOUT_EFFECT, renamed
from mohs.compat.padding import PaddedImages
from mohs.core.domain import Choice, Flag, Integer
from mohs.core.errors import UsageError, unknown
from mohs.core.values import FunctionRef
from mohs.engines.noise import reads_state
from mohs.envs.inject import inject

Env = gymnasium.Env[Any, Any]

_DIALS = ("delay", "transition_noise", "reward_noise", "reward_scale", "reward_shift", "term_state_reward")
_IMAGES = ("image_transforms", "image_sh_quant", "image_ro_quant", "image_scale_range", "image_padding")
_ATARI = ("frame_skip", "grayscale_obs", "image_width")
KEYS = (
    *_DIALS, *_IMAGES, "atari_preprocessing", *_ATARI, "wrap_deepmind_ray", "irrelevant_features",
    "irr_state_space_dim", "state_space_type", "action_space_type", "seed",
)  # fmt: skip
# Of the environment below, to which the runner of MDP Playground hands the same configuration.
BELOW = ("AtariEnv", "MujocoEnv", "time_unit", "action_space_max")


class GymEnvWrapper(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Any Gymnasium environment with MDP Playground's dials, injected by `mohs.inject`.

    With a `seed` it is reset once when it is made, so that `reset()` without one is reproducible.
    """

    def __init__(self, env: Env, **config: Any) -> None:
        self.config = config
        self._given = env
        self.curr_state: Any = None
        given = _read(config, env)
        env = _preprocessed(env, given)
        _check_spaces(env, given)
        dials = {name: given[name] for name in _DIALS if name in given}
        self._noise = _situated(dials)
        if "irrelevant_features" in given:
            dials["irrelevant_features"] = _irrelevant(given)
        super().__init__(inject(_images(env, given), **dials))
        if given.get("seed") is not None:
            seed = seed_of(given["seed"])
            self.observation_space.seed(seed)
            self.action_space.seed(seed)
            self.reset(seed=seed)

    @property
    def spec(self) -> EnvSpec | None:  # type: ignore[override]
        """How to make it again: this wrapper on the environment it was given; those in between come with it."""
        if self._given.spec is None:
            return None
        own = WrapperSpec(type(self).__name__, f"{type(self).__module__}:{type(self).__name__}", self.config)
        spec = copy.deepcopy(self._given.spec)
        spec.additional_wrappers += (own,)
        return spec

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        self.curr_state, info = self.env.reset(seed=seed, options=options)
        return self.curr_state, info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        if self._noise is not None:
            self._noise.situation = self.curr_state, action
        step = self.env.step(action)
        self.curr_state = step[0]
        return step


class Situated:
    """Noise that takes (state, action, generator) as noise that takes a generator; it is given the situation."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.situation: tuple[Any, Any] = (None, None)

    def __call__(self, rng: np.random.Generator) -> Any:
        return self.function(*self.situation, rng)


def _situated(dials: dict[str, Any]) -> Situated | None:
    """Replaces noise that depends on the situation; returns the noise that must be given the situation."""
    function = dials.get("reward_noise")
    if not callable(function) or not reads_state(FunctionRef.of(function)):
        return None
    situated = dials["reward_noise"] = Situated(function)
    return situated


def known(config: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of a configuration for both wrappers; an error where neither knows one."""
    given = renamed(config)
    for name in given:
        if name not in (*KEYS, *BELOW, "action_loss_weight"):
            raise unknown("key of MDP Playground's wrappers", name, (*KEYS, *BELOW, *WITHOUT_EFFECT))
    return given


def _read(config: Mapping[str, Any], env: Env) -> dict[str, Any]:
    given = known(config)
    if given.get("action_loss_weight", 0) != 0:
        raise UsageError("action_loss_weight is for the continuous toy; a wrapper takes 0 only.")
    if Flag().parse("wrap_deepmind_ray", given.get("wrap_deepmind_ray", False)):
        raise UsageError(
            "wrap_deepmind_ray needs Ray; mohs.make('atari/<Game>', frame_stack=4, screen_size=42) is preprocessed so, "
            "and takes the same dials."
        )
    below = dict(env.get_wrapper_attr("dials")) if env.has_wrapper_attr("dials") else {}
    for name in ("time_unit", "action_space_max"):
        if given.get(name, 1) != 1 and below.get(name) != given[name]:
            raise UsageError(f"{name} is set below this wrapper: make the environment with get_mujoco_wrapper.")
    if callable(given.get("transition_noise")):
        raise UsageError("transition_noise must be a number here: it disturbs the simulator's state or the action.")
    return given


def _preprocessed(env: Env, given: Mapping[str, Any]) -> Env:
    """Atari's frames as MDP Playground preprocesses them."""
    asked = [name for name in _ATARI if name in given]
    if not Flag().parse("atari_preprocessing", given.get("atari_preprocessing", False)):
        if asked:
            raise UsageError(f"{asked[0]} needs atari_preprocessing=True.")
        return env
    return gymnasium.wrappers.AtariPreprocessing(
        env,
        noop_max=1,
        frame_skip=Integer(1).parse("frame_skip", given.get("frame_skip", 4)),
        screen_size=Integer(8).parse("image_width", given.get("image_width", 84)),
        grayscale_obs=Flag().parse("grayscale_obs", given.get("grayscale_obs", False)),
    )


def _check_spaces(env: Env, given: Mapping[str, Any]) -> None:
    """`state_space_type` tells MDP Playground of which kind the actions are; it must be true."""
    own = "continuous" if isinstance(env.action_space, spaces.Box) else "discrete"
    for name in ("state_space_type", "action_space_type"):
        kind = Choice(("discrete", "continuous")).parse(name, given.get(name, own))
        if kind != own:
            raise UsageError(f"{name} is {kind!r}, but the environment has {own} actions: {env.action_space}.")


def _images(env: Env, given: Mapping[str, Any]) -> Env:
    """The environment with its images padded and moved."""
    asked = [name for name in _IMAGES if name in given]
    if "image_transforms" not in given:
        if asked:
            raise UsageError(f"{asked[0]} needs image_transforms.")
        return env
    return PaddedImages(env, **{name: given[name] for name in asked})


def _irrelevant(given: Mapping[str, Any]) -> Any:
    """The toy beside the environment, as `mohs.inject` takes it. It is joined in the environment's type of numbers."""
    asked = given["irrelevant_features"]
    if not isinstance(asked, Mapping):
        return asked
    config = {name: value for name, value in asked.items() if name not in ("dtype", "dtype_s", "dtype_o")}
    if "irr_state_space_dim" in given:
        config["state_space_dim"] = given["irr_state_space_dim"]
    task = task_of({"seed": seed_of(given.get("seed")), **config})
    return {**dict(task.params), "seed": task.seed}
