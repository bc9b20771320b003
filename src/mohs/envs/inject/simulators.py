"""What of an environment can be reached below Gymnasium's interface? The state of simulators, and MuJoCo's settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces, wrappers

from mohs.core.errors import UsageError
from mohs.envs.inject.setting import cannot

Env = gymnasium.Env[Any, Any]
Noise = npt.NDArray[np.float64]

# Wrappers that hand on actions and observations as they are.
_CLEAR = (
    wrappers.OrderEnforcing,
    wrappers.PassiveEnvChecker,
    wrappers.TimeLimit,
    wrappers.RecordEpisodeStatistics,
    wrappers.RecordVideo,
    wrappers.HumanRendering,
    wrappers.RenderCollection,
)
# Their rewards are velocities or distances, taken once per step: a step of half the time earns half (section 4.3).
_REWARD_PER_TIME = ("HalfCheetahEnv", "PusherEnv", "ReacherEnv")


@dataclass(frozen=True)
class Simulator:
    """How noise is written into a state: the count of its numbers, and the observation of the state with it."""

    size: Callable[[Any], int]
    push: Callable[[Any, Noise], Any]


def _push_mujoco(env: Any, noise: Noise) -> Any:
    """Noise in every degree of freedom: positions are moved along it, so that quaternions stay ones."""
    import mujoco

    model, data = env.model, env.data
    mujoco.mj_integratePos(model, data.qpos, noise[: model.nv], 1.0)
    data.qvel[:] += noise[model.nv :]
    mujoco.mj_forward(model, data)
    mujoco.mj_rnePostConstraint(model, data)  # the contact forces that Ant and Humanoid observe
    return env._get_obs()


def _push_pendulum(env: Any, noise: Noise) -> Any:
    angle, speed = env.state + noise
    env.state = np.array([angle, np.clip(speed, -env.max_speed, env.max_speed)])
    return env._get_obs()


def _push_mountain_car(env: Any, noise: Noise) -> Any:
    env.state = np.clip(env.state + noise, env.low_state, env.high_state).astype(np.float32)
    return env.state.copy()


def _degrees(env: Any) -> int:
    """Positions and velocities of all degrees of freedom."""
    return 2 * int(env.model.nv)


def _two(_env: Any) -> int:
    return 2


_SIMULATORS = {
    "MujocoEnv": Simulator(_degrees, _push_mujoco),
    "PendulumEnv": Simulator(_two, _push_pendulum),
    "Continuous_MountainCarEnv": Simulator(_two, _push_mountain_car),
}


def is_a(env: Any, *names: str) -> bool:
    """Is the bare environment of one of these classes? By name, so that no package is imported to find out."""
    return any(kind.__name__ in names for kind in type(env.unwrapped).__mro__)


def simulator_of(env: Env) -> Simulator | None:
    return next((found for name, found in _SIMULATORS.items() if is_a(env, name)), None)


def check_clear(dial: str, env: Env, name: str) -> None:
    """An error where a wrapper may alter what passes between here and the simulator."""
    while isinstance(env, gymnasium.Wrapper):
        if not isinstance(env, _CLEAR) and not getattr(env, "is_clear", False):
            needs = f"to be below {type(env).__name__}, which may alter actions or observations"
            raise cannot(dial, name, f"{needs} (or, for noise, transition_noise_on='action')")
        env = env.env


@dataclass(frozen=True)
class Mujoco:
    """What two dials set in a MuJoCo environment: frames per action, the range of actions, the weight of rewards."""

    frames: int | None
    actions: spaces.Box | None
    weight: float
    limits: tuple[int, ...]  # of the time-limit wrappers, from the outermost on

    def apply(self, env: Env) -> None:
        """Sets them; a pickled MuJoCo environment comes back as it was made, so this is done again then."""
        bare: Any = env.unwrapped
        if self.frames is not None:
            bare.frame_skip = self.frames
            for wrapper, limit in zip(_time_limits(env), self.limits, strict=True):
                wrapper._max_episode_steps = limit
        if self.actions is not None:
            # The model cuts controls off at its own range, which would undo a wider one.
            bare.model.actuator_ctrlrange[:] = np.stack([self.actions.low, self.actions.high], axis=1)


def mujoco_settings(env: Env, on: Mapping[str, Any], name: str) -> Mujoco:
    """The settings that the dials ask for, before they are applied."""
    bare: Any = env.unwrapped
    frames, actions, weight, limits = None, None, 1.0, ()
    if "time_unit" in on:
        unit = on["time_unit"]
        frames = _frames(bare.frame_skip, unit)
        weight = unit if is_a(env, *_REWARD_PER_TIME) else 1.0
        limits = tuple(max(1, round(one._max_episode_steps / unit)) for one in _time_limits(env))
    if "action_space_max" in on:
        check_clear("action_space_max", env, name)
        space, factor = env.action_space, on["action_space_max"]
        assert isinstance(space, spaces.Box)
        actions = spaces.Box(space.low * np.float32(factor), space.high * np.float32(factor), dtype=np.float32)
    return Mujoco(frames, actions, weight, limits)


def _frames(plain: int, unit: float) -> int:
    """A whole number of frames (section 4.3: MuJoCo's own time step stays, for the sake of its integration)."""
    frames = round(plain * unit)
    if frames >= 1 and abs(plain * unit - frames) < 1e-9 * frames:
        return frames
    below = int(plain * unit)
    near = " and ".join(f"{count / plain:g} ({count} frames)" for count in (below, below + 1) if count >= 1)
    raise UsageError(
        f"time_unit is {unit:g}, which makes {plain * unit:g} of {plain} frames, but frames are whole; nearest: {near}."
    )


def _time_limits(env: Env) -> list[Any]:
    found = []
    while isinstance(env, gymnasium.Wrapper):
        if isinstance(env, wrappers.TimeLimit):
            found.append(env)
        env = env.env
    return found
