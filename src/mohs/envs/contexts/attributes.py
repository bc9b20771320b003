"""Which attributes of an environment can a context set, and what follows from them?

An attribute is a number, a flag or a sequence of numbers. Quantities that a constructor derives from others follow them
here: a longer pole with the old `polemass_length` would have half an effect, which no check of the dynamics can see.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces

from mohs.core.errors import UsageError
from mohs.envs.inject.simulators import is_a

ALLOWED = "a number, a flag or a list of numbers"


@dataclass(frozen=True)
class Derived:
    """What follows from attributes of one class: the sources, and the values by name as its constructor has them."""

    sources: tuple[str, ...]
    values: Callable[[Any], Mapping[str, Any]]


def _cartpole(env: Any) -> dict[str, Any]:
    return {"total_mass": env.masspole + env.masscart, "polemass_length": env.masspole * env.length}


def _mountain_car(env: Any) -> dict[str, Any]:
    low, high = (env.min_position, -env.max_speed), (env.max_position, env.max_speed)
    return {"low": np.array(low, dtype=np.float32), "high": np.array(high, dtype=np.float32)}


def _continuous_mountain_car(env: Any) -> dict[str, Any]:
    """The range of actions too: what a policy cannot choose has no effect."""
    bounds = {f"{name}_state": value for name, value in _mountain_car(env).items()}
    return {**bounds, "action_space": spaces.Box(env.min_action, env.max_action, (1,), np.float32)}


def _pendulum(env: Any) -> dict[str, Any]:
    return {"action_space": spaces.Box(-env.max_torque, env.max_torque, (1,), np.float32)}


_CAR = ("min_position", "max_position", "max_speed")
# By class. Observation spaces stay as they were made, so that unlike contexts are observed alike and share a pack.
_DERIVED = {
    "CartPoleEnv": Derived(("masspole", "masscart", "length"), _cartpole),
    "MountainCarEnv": Derived(_CAR, _mountain_car),
    "Continuous_MountainCarEnv": Derived((*_CAR, "min_action", "max_action"), _continuous_mountain_car),
    "PendulumEnv": Derived(("max_torque",), _pendulum),
}
# By class, lengths, masses and times, by which a step divides.
_POSITIVE = {
    "CartPoleEnv": {"masscart", "masspole", "length", "tau"},
    "PendulumEnv": {"m", "l", "dt", "max_speed", "max_torque"},
    "AcrobotEnv": {"LINK_LENGTH_1", "LINK_MASS_1", "LINK_MASS_2", "LINK_COM_POS_1", "LINK_COM_POS_2", "LINK_MOI", "dt"},
    "MountainCarEnv": {"max_speed"},
    "Continuous_MountainCarEnv": {"max_speed"},
}
OF_SPACES = ("max_action", "max_torque", "min_action")  # the attributes that an action space follows


def derived(env: Any) -> Derived | None:
    return next((found for name, found in _DERIVED.items() if is_a(env, name)), None)


def names(env: Any) -> list[str]:
    """The attributes that a context may set."""
    follow = derived(env)
    taken = set(follow.values(env)) if follow else set()
    return [name for name in dir(env) if name not in taken and _is_settable(env, name)]


def set_attributes(env: Any, values: Mapping[str, Any], title: str) -> None:
    """Sets attributes of a bare environment, and what follows from them."""
    follow = derived(env)
    positive = next((found for cls, found in _POSITIVE.items() if is_a(env, cls)), set())
    for name, value in values.items():
        if name in positive and isinstance(value, int | float) and not value > 0:
            raise UsageError(f"{name} of {title} is {value!r}, but must be above 0.")
        if follow and name in (made := follow.values(env)) and name != "action_space":
            others = ", ".join(found for found in made if found != "action_space")
            raise UsageError(f"{others} of {title} follow from {', '.join(follow.sources)}: set those.")
        try:
            setattr(env, name, _like(getattr(env, name), value, f"{name} of {title}"))
        except AttributeError as error:
            raise UsageError(f"{name} of {title} cannot be set: {error}.") from error
    if follow and set(follow.sources) & values.keys():
        for name, value in follow.values(env).items():
            setattr(env, name, value)


def changed(env: Any, values: Mapping[str, Any]) -> list[str]:
    """The names among these whose attributes no longer have the value that was set."""
    return [name for name, value in values.items() if not np.array_equal(getattr(env, name), value)]


def _is_settable(env: Any, name: str) -> bool:
    if name.startswith("_"):
        return False
    owner = getattr(type(env), name, None)
    if isinstance(owner, property) and owner.fset is None:
        return False
    return _is_number(value := getattr(env, name, None)) or _is_row(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, bool | int | float | np.bool_ | np.integer | np.floating)


def _is_row(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.ndim == 1 and value.dtype.kind in "biuf"
    return isinstance(value, list | tuple) and bool(value) and all(map(_is_number, value))


def _like(old: Any, new: Any, what: str) -> Any:
    """The new value in the type of the old one; 2 may stand for 2.0, and 0.5 for an integer."""
    if isinstance(old, bool | np.bool_):
        if not isinstance(new, bool):
            raise UsageError(f"{what} is {new!r}, but must be true or false.")
        return new
    if _is_row(old):
        if not isinstance(new, tuple) or len(new) != len(old):
            raise UsageError(f"{what} is {new!r}, but must be a list of {len(old)} numbers.")
        items = [_like(a, b, what) for a, b in zip(old, new, strict=True)]
        return np.array(items, dtype=old.dtype) if isinstance(old, np.ndarray) else type(old)(items)
    if isinstance(new, bool) or not isinstance(new, int | float) or not math.isfinite(new):
        raise UsageError(f"{what} is {new!r}, but must be a finite number.")
    return float(new) if isinstance(old, float | np.floating) else new
