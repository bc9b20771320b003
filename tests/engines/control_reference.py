"""What do control problems do, by other people's code or in plain Python? One reference for each compiled engine.

Four are Gymnasium's own environments with their attributes set. Gymnasium's Acrobot has its gravity inside a function
and Quad is not in Gymnasium, so these two are written out.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

Float = npt.NDArray[np.float64]
Stepped = tuple[Float, float, bool]  # the next state, the reward, terminated


@dataclass(frozen=True)
class Reference:
    """An environment: the ranges of its parameters, of its states, and its step. `dtype` is that of its states."""

    ranges: dict[str, tuple[float, float]]
    low: tuple[float, ...]
    high: tuple[float, ...]
    step: Callable[[dict[str, Any], Float, Any], Stepped]
    actions: Callable[[np.random.Generator, dict[str, Any]], Any]
    dtype: type = np.float64

    def params(self, rng: np.random.Generator) -> dict[str, Any]:
        return {name: float(rng.uniform(*ends)) for name, ends in self.ranges.items()}

    def state(self, rng: np.random.Generator) -> Float:
        """A state, rounded as its own are."""
        return rng.uniform(self.low, self.high).astype(self.dtype).astype(np.float64)


def _gymnasium(name: str, attributes: dict[str, Any], state: npt.NDArray[Any], action: Any) -> Stepped:
    env: Any = _made(name)
    for attribute, value in attributes.items():
        assert hasattr(env, attribute), attribute
        setattr(env, attribute, value)
    env.state = state
    _, reward, terminated, _, _ = env.step(action)
    return np.asarray(env.state, dtype=np.float64), float(reward), terminated


_ENVS: dict[str, Any] = {}


def _made(name: str) -> Any:
    if name not in _ENVS:
        _ENVS[name] = gymnasium.make(name).unwrapped
        _ENVS[name].reset(seed=0)
    return _ENVS[name]


def cartpole(params: dict[str, Any], state: Float, action: Any) -> Stepped:
    given = dict(params)
    given["theta_threshold_radians"] = given.pop("theta_threshold") * 2 * math.pi / 360
    given["total_mass"] = given["masspole"] + given["masscart"]
    given["polemass_length"] = given["masspole"] * given["length"]
    env = _made("CartPole-v1")
    env.steps_beyond_terminated = None
    return _gymnasium("CartPole-v1", given, state, action)


def pendulum(params: dict[str, Any], state: Float, action: Any) -> Stepped:
    """Gymnasium squares a torque by numpy's float32 power, which one time in 2,000 is not the float32 nearest to u².

    That depends on the C library, so the square itself stands in for it here.
    """
    after, reward, terminated = _gymnasium("Pendulum-v1", params, state, action)
    u = action[0]
    return after, reward + float(0.001 * (u**2)) - float(np.float32(0.001) * (u * u)), terminated


def mountain_car(params: dict[str, Any], state: Float, action: Any) -> Stepped:
    return _gymnasium("MountainCar-v0", params, (state[0], state[1]), action)  # type: ignore[arg-type]


def mountain_car_continuous(params: dict[str, Any], state: Float, action: Any) -> Stepped:
    """Gymnasium's state is single from its first step on."""
    return _gymnasium("MountainCarContinuous-v0", params, state.astype(np.float32), action)


def acrobot(params: dict[str, Any], state: Float, action: Any) -> Stepped:
    given = {name.upper(): value for name, value in params.items() if name not in ("dt", "torque", "book_or_nips")}
    given |= {name: params[name] for name in ("dt", "book_or_nips")}
    given["AVAIL_TORQUE"] = [-params["torque"], 0.0, params["torque"]]
    return _gymnasium("Acrobot-v1", given, state, action)


def acrobot_derivative(s: Float, torque: float, g: float) -> Float:
    """Sutton and Barto's equations with all of Gymnasium's constants but gravity, by solving for the accelerations.

    The equations of motion are M · (θ₁'', θ₂'')ᵀ = (−φ₁, τ − φ₂ − m l lc θ₁'² sin θ₂)ᵀ.
    """
    theta1, theta2, v1, v2 = s
    mass = np.array(
        [
            [0.25 + (1 + 0.25 + math.cos(theta2)) + 2, 0.25 + 0.5 * math.cos(theta2) + 1],
            [0.25 + 0.5 * math.cos(theta2) + 1, 0.25 + 1],
        ]
    )
    phi2 = 0.5 * g * math.sin(theta1 + theta2)
    phi1 = -0.5 * (v2**2 + 2 * v1 * v2) * math.sin(theta2) + 1.5 * g * math.sin(theta1) + phi2
    right = np.array([-phi1, torque - phi2 - 0.5 * v1**2 * math.sin(theta2)])
    return np.concatenate([[v1, v2], np.linalg.solve(mass, right)])


def acrobot_under(g: float, s: Float, torque: float, dt: float = 0.2) -> Float:
    """A step of Runge-Kutta's fourth order, before angles are wrapped and speeds clipped."""
    k1 = acrobot_derivative(s, torque, g)
    k2 = acrobot_derivative(s + dt / 2 * k1, torque, g)
    k3 = acrobot_derivative(s + dt / 2 * k2, torque, g)
    k4 = acrobot_derivative(s + dt * k3, torque, g)
    return np.asarray(s + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4))


def quad_course(floor: float, roof: float, tunnels: int, shift: float) -> list[tuple[float, float]]:
    """Tunnels that rise and fall in turns, as floor and roof."""
    course, direction = [], 1
    for _ in range(tunnels):
        floor, roof = floor + direction * shift, roof + direction * shift
        course.append((floor, roof))
        if floor <= 0.5 or roof >= 10:
            direction = -direction
    return course


def quad(params: dict[str, Any], state: Float, action: Any) -> Stepped:
    x, y, vx, vy = (float(number) for number in state)
    dt, tunnels = params["dt"], int(params["tunnels"])
    x, y, vy = x + vx * dt, y + vy * dt, vy + float(action[0]) * dt
    crashed = not 0 <= y <= 12
    for i, (floor, roof) in enumerate(quad_course(params["u"], params["l"], tunnels, params["shift"])):
        if 3 + i <= x < 4 + i:
            crashed |= not floor <= y <= roof
    return np.array([x, y, vx, vy]), 1.0, crashed or x >= 3 + tunnels


def _choice(n: int) -> Callable[[np.random.Generator, dict[str, Any]], int]:
    return lambda rng, params: int(rng.integers(n))


def _number(bound: float | str) -> Callable[[np.random.Generator, dict[str, Any]], Any]:
    """A number within a bound, or within that of a parameter."""

    def drawn(rng: np.random.Generator, params: dict[str, Any]) -> Any:
        most = np.float32(params[bound] if isinstance(bound, str) else bound)
        return np.array([rng.uniform(-1, 1)], dtype=np.float32) * most

    return drawn


_HILLS = {
    "max_speed": (0.001, 0.2), "min_position": (-2.0, -0.6), "max_position": (0.2, 1.5), "goal_position": (-0.3, 0.2),
    "goal_velocity": (-0.05, 0.05),
}  # fmt: skip

REFERENCES = {
    "control/cartpole": Reference(
        {
            "gravity": (0.0, 30.0), "masscart": (0.1, 5.0), "masspole": (0.01, 3.0), "length": (0.05, 3.0),
            "force_mag": (0.0, 40.0), "tau": (0.001, 0.1), "theta_threshold": (1.0, 170.0), "x_threshold": (0.1, 10.0),
        },
        (-3, -3, -1, -3), (3, 3, 1, 3), cartpole, _choice(2),
    ),
    "control/pendulum": Reference(
        {
            "g": (0.0, 30.0), "m": (0.1, 5.0), "l": (0.2, 10.0), "dt": (0.005, 0.2), "max_speed": (0.5, 20.0),
            "max_torque": (0.1, 10.0),
        },
        (-30, -10), (30, 10), pendulum, _number("max_torque"),
    ),
    "control/mountain_car": Reference(
        {"force": (0.0, 0.01), "gravity": (0.0, 0.01), **_HILLS},
        (-2, -0.2), (1.5, 0.2), mountain_car, _choice(3),
    ),
    "control/mountain_car_continuous": Reference(
        {"power": (0.0, 0.01), **_HILLS},
        (-2, -0.2), (1.5, 0.2), mountain_car_continuous, _number(1.0), np.float32,
    ),
    "control/acrobot": Reference(
        {
            "link_length_1": (0.3, 3.0), "link_length_2": (0.3, 3.0), "link_mass_1": (0.2, 3.0),
            "link_mass_2": (0.2, 3.0), "link_com_pos_1": (0.1, 2.0), "link_com_pos_2": (0.1, 2.0),
            "link_moi": (0.3, 3.0), "max_vel_1": (1.0, 20.0), "max_vel_2": (1.0, 40.0), "dt": (0.01, 0.25),
            "torque": (0.0, 5.0),
        },
        (-3.1, -3.1, -4, -6), (3.1, 3.1, 4, 6), acrobot, _choice(3),
    ),
    "control/quad": Reference(
        {"u": (0.0, 3.0), "l": (3.5, 9.0), "shift": (0.0, 2.0), "dt": (0.01, 0.3), "tunnels": (1.0, 30.0)},
        (2, -1, 0, -6), (40, 13, 4, 6), quad, _number(5.0),
    ),
}  # fmt: skip
