"""How are dials injected into one environment? By one wrapper, whose step has one order.

Action: bounds, sticky, noise. Then `action_repeat` steps of the environment, whose rewards add up, and noise into the
simulator's state. Reward: masked, delayed, + noise, · scale + shift, + terminal reward · scale, clipped. Observation:
image transforms, noise, the irrelevant part.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import index
from typing import Any

import gymnasium
import numpy as np
from gymnasium.utils import RecordConstructorArgs

from mohs.core.arguments import checked_late
from mohs.core.dial import Applies
from mohs.core.errors import UsageError
from mohs.core.kernel import entry
from mohs.core.seeding import child, key
from mohs.engines.injection import kernels
from mohs.engines.injection.fleet import injection
from mohs.engines.injection.layout import LANE_STATE
from mohs.envs.inject.actions import Actions, check, components, kernel_of
from mohs.envs.inject.irrelevant import Companions
from mohs.envs.inject.observations import shows_images, sight
from mohs.envs.inject.setting import Setting, cannot, read
from mohs.envs.inject.simulators import Env, Simulator, check_clear, is_a, mujoco_settings, simulator_of

Info = dict[str, Any]
Step = tuple[Any, Any, bool, bool, Info]
_FIRST = np.zeros(1, dtype=np.int64)
_ALONE = np.ones(1, dtype=np.bool_)
_NUMBERS = (float, int, np.floating, np.integer)


@checked_late
def inject(env: Env, /, **dials: Any) -> Inject:
    """Injects dials of hardness into a Gymnasium environment.

    Args:
        env: The environment.
        **dials: Dials by name. `mohs dials` lists those that apply to a wrapper.

    Returns:
        One wrapper for all dials. Its attribute `dials` holds those that are on.

    Raises:
        UsageError: A dial is unknown, its value is not allowed, or it cannot act on this environment.

    Example:
        >>> import gymnasium, mohs
        >>> env = mohs.inject(gymnasium.make("CartPole-v1"), delay=2)
        >>> observation, info = env.reset(seed=0)
        >>> [env.step(0)[1] for _ in range(4)]
        [0.0, 0.0, 1.0, 1.0]
    """
    return Inject(env, **dials)


class Inject(gymnasium.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """An environment with dials injected. `dials` are those that are on."""

    def __init__(self, env: Env, **dials: Any) -> None:
        if not isinstance(env, gymnasium.Env):
            raise UsageError(f"inject takes a Gymnasium environment, not {type(env).__name__}; see inject_vec.")
        name = env.spec.id if env.spec is not None else type(env.unwrapped).__name__
        setting = read(dials, name, _kinds(env))
        RecordConstructorArgs.__init__(self, **setting.recorded())
        gymnasium.Wrapper.__init__(self, env)
        self._setting = setting
        self.injections = 1 + _injections(env)
        values = setting.values
        self._mujoco = mujoco_settings(env, setting.on, name) if is_a(env, "MujocoEnv") else None
        bounds = self._mujoco.actions if self._mujoco is not None else None
        self._actions = components(bounds or env.action_space)
        self._simulator, noise = _noise(env, setting, self._actions, name)
        check(self._actions, env.action_space, values["sticky_actions"], noise, name)
        if noise == 0 and values["sticky_actions"] == 0 and bounds is None:
            self._actions = None  # they pass as they are
        limits = None if self._actions is None else self._actions.limits
        self._injection = injection(1, values, noise, bounds is not None, limits)
        self._sight = sight(env.observation_space, values, name)
        seen = env.observation_space if self._sight is None else self._sight.space
        self._toys = _companions(setting, seen, bounds or env.action_space, name)
        self._set_spaces(bounds)
        self._repeat: int = values["action_repeat"]
        self._weight = 1.0 if self._mujoco is None else self._mujoco.weight
        self._started = False
        self._bind()

    @property
    def dials(self) -> Mapping[str, Any]:
        return dict(self._setting.on)

    @property
    def is_clear(self) -> bool:
        """Do actions and observations have the meaning that they have below?"""
        return self._sight is None and self._toys is None

    def _set_spaces(self, bounds: Any) -> None:
        if self._toys is not None:
            self.observation_space, self.action_space = self._toys.observation_space, self._toys.action_space
            return
        if self._sight is not None:
            self.observation_space = self._sight.space
        if bounds is not None:
            self.action_space = bounds

    def _bind(self) -> None:
        """What a step reads, and what is set in the simulator."""
        self._memory = self._injection.memory
        self._pay = entry(kernels.pay_one, self._memory, 0.0, False, False)
        self._act: Callable[[Any], Any] | None = None
        if self._actions is not None:
            if self._actions.space.shape == () and not self._actions.continuous:
                self._act_one = entry(kernels.act_one, self._memory, 0)
                self._first = int(self._actions.limits[0, 0])
                self._act = self._act_single
            else:
                self._act_all = kernel_of(self._actions, self._memory)
                self._act = self._act_many
                assert self._actions.space.shape is not None
                self._room = np.empty(self._actions.space.shape, dtype=self._actions.limits.dtype)
                self._flat = self._room.reshape(-1)
        self._draws = self._injection.noise is not None
        self._pays = self._setting.pays
        self._idle = not self._setting.on
        if self._mujoco is not None:
            self._mujoco.apply(self.env)
            if self._mujoco.frames is not None:
                bare: Any = self.env.unwrapped
                self.metadata = {**self.env.metadata, "render_fps": round(1.0 / bare.dt)}

    def __getstate__(self) -> dict[str, Any]:
        bound = ("_memory", "_pay", "_act_one", "_act_all", "_act", "_room", "_flat")
        return {name: value for name, value in self.__dict__.items() if name not in bound}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._bind()

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[Any, Info]:
        observation, info = self.env.reset(seed=seed, options=options)
        if seed is not None or not self._started:
            self._injection.seed(0, injection_key(seed, self.injections))
            self._started = True
        self._injection.begin(_ALONE)
        if self._toys is not None:
            self._toys.begin(self._injection, _ALONE)
        return self._seen(observation), info

    def step(self, action: Any) -> Step:
        if self._idle:
            return self.env.step(action)
        if self._toys is not None:
            action, aside = self._split(action)
        if self._act is not None:
            action = self._act(action)
        if self._toys is not None:
            self._toys.step(aside)  # after what may refuse the action
        if self._repeat == 1:
            observation, earned, terminated, truncated, info = self.env.step(action)
        else:
            observation, earned, terminated, truncated, info = self._repeated(action)
        if not isinstance(earned, _NUMBERS):
            earned = _number(earned)
        if self._weight != 1.0:
            earned = float(earned) * self._weight
        if self._draws:
            self._injection.draw_noise()
        paid = self._pay(self._memory, earned, terminated, truncated)
        if self._simulator is not None:
            observation = self._pushed(self._simulator)
        if self._sight is not None or self._toys is not None:
            observation = self._seen_later(observation)
        return observation, paid if self._pays else earned, terminated, truncated, info

    def _repeated(self, action: Any) -> Step:
        """The environment's steps under one action, as one step."""
        total = 0.0
        for _ in range(self._repeat):
            observation, reward, terminated, truncated, info = self.env.step(action)
            total += _number(reward)
            if terminated or truncated:
                break
        return observation, total, terminated, truncated, info

    def _act_single(self, action: Any) -> int:
        assert self._actions is not None
        try:
            taken: int = self._act_one(self._memory, index(action))
        except TypeError:
            raise self._actions.outside(action) from None
        if taken < self._first:
            raise self._actions.outside(action)
        return taken

    def _act_many(self, action: Any) -> Any:
        assert self._actions is not None
        space, room = self._actions.space, self._room
        if not (type(action) is np.ndarray and action.dtype == space.dtype and action.shape == room.shape):
            action = self._actions.copied(action, room.shape)
        room[...] = action
        if self._act_all(self._memory, self._flat) >= 0:
            raise self._actions.outside(action)
        return room.astype(space.dtype)

    def _pushed(self, simulator: Simulator) -> Any:
        """The observation after noise was written into the simulator's state."""
        bare = self.env.unwrapped
        noise = np.zeros((1, simulator.size(bare)))
        deviation = self._setting.values["transition_noise"]
        kernels.add_noise(self._memory, _FIRST, False, LANE_STATE, deviation, noise)
        return simulator.push(bare, noise[0])

    def _split(self, action: Any) -> tuple[Any, Any]:
        """The environment's part of an action, and the toy's."""
        assert self._toys is not None
        relevant, aside = self._toys.split(action, self._toys.action_space.shape)
        return relevant[0] if relevant.ndim > 1 else int(relevant[0]), aside

    def _seen_later(self, observation: Any) -> Any:
        """An observation after a step, with which a new episode may have begun (below an `Autoreset`)."""
        if self._toys is not None and self._injection.t[0] == 0:
            self._toys.begin(self._injection, _ALONE)
        return self._seen(observation)

    def _seen(self, observation: Any) -> Any:
        if self._sight is not None:
            observation = self._sight(np.asarray(observation)[None], self._injection, _FIRST)[0]
        if self._toys is not None:
            observation = self._toys.join(np.asarray(observation)[None], _FIRST)[0]
        return observation


def injection_key(seed: int | None, injections: int) -> int:
    """The key of the stream that a seed of `reset` stands for in the so-many-th injection, apart from all others."""
    if seed is None:
        seed = int(np.random.SeedSequence().generate_state(1)[0])
    return key(child(seed, "inject", injections))


def _number(reward: Any) -> float:
    """A reward as a number; some environments hand out an array that holds one."""
    try:
        return float(np.asarray(reward).item())
    except (TypeError, ValueError):
        raise UsageError(f"the reward is {reward!r}, but must be one number.") from None


def _kinds(env: Env) -> tuple[Applies, ...]:
    kinds: list[Applies] = ["wrapper"]
    if shows_images(env.observation_space):
        kinds.append("image wrapper")
    if is_a(env, "MujocoEnv"):
        kinds.append("MuJoCo wrapper")
    return tuple(kinds)


def _injections(env: Env) -> int:
    """How many times dials were injected below."""
    return int(env.get_wrapper_attr("injections")) if env.has_wrapper_attr("injections") else 0


def _noise(env: Env, setting: Setting, actions: Actions | None, name: str) -> tuple[Simulator | None, float]:
    """Where transition noise goes: a simulator whose state it disturbs, or the noise of the action."""
    noise, target = setting.values["transition_noise"], setting.values["transition_noise_on"]
    simulator = simulator_of(env) if actions is not None and actions.continuous else None
    if target == "state" and simulator is None:
        needs = "a simulator whose state can be set: continuous actions with MuJoCo, Pendulum or MountainCarContinuous"
        raise cannot("transition_noise_on='state'", name, needs)
    if noise == 0:
        return None, 0.0
    if simulator is not None and target != "action":
        check_clear("transition_noise", env, name)
        return simulator, 0.0
    return None, noise


def _companions(setting: Setting, seen: Any, acted: Any, name: str) -> Companions | None:
    parameters = setting.on.get("irrelevant_features")
    if parameters is None:
        return None
    return Companions({} if parameters is True else dict(parameters), seen, acted, 1, name)
