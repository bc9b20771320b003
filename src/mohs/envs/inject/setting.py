"""Which dials are on, and may they be? Given values are read as the dials are declared for wrappers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mohs.core.dial import NO_OFF, Applies, Dial
from mohs.core.dials import DIALS, injectable
from mohs.core.errors import UsageError, unknown
from mohs.core.images import check_scale_range
from mohs.core.values import FunctionRef

_NEEDS = {
    "image wrapper": "images as observations: a Box of uint8 or float32 with room for black (0), [height, width] or "
    "[height, width, at most 4 channels]",
    "MuJoCo wrapper": "an environment made by Gymnasium's MujocoEnv, before it is vectorised",
}
REWARD_DIALS = (
    "delay", "reward_noise", "reward_probability", "reward_scale", "reward_shift", "term_state_reward", "reward_clip",
)  # fmt: skip
# Dials that say how another one acts: without it they do nothing.
_COMPANIONS = {
    "delay_at_end": "delay", "transition_noise_on": "transition_noise", "image_sh_quant": "image_transforms",
    "image_ro_quant": "image_transforms", "image_scale_range": "image_transforms",
}  # fmt: skip


@dataclass(frozen=True)
class Setting:
    """The value of every dial that can be injected, and those of them that do something, by name."""

    values: Mapping[str, Any]
    on: Mapping[str, Any]

    @property
    def pays(self) -> bool:
        """Is any reward changed?"""
        return any(name in self.on for name in REWARD_DIALS)

    def recorded(self) -> dict[str, Any]:
        """The dials as arguments that build the same wrapper again, from JSON too where no function is local."""
        return {name: _plain(value) for name, value in self.on.items()}


def read(given: Mapping[str, Any], env: str, kinds: tuple[Applies, ...]) -> Setting:
    """The setting of dials that were given for an environment of these kinds; a dial at its off-value asks nothing.

    Nor does one that says how such a dial acts: a sweep that keeps delay_at_end passes through delay=0.
    """
    places = injectable()
    values = {name: _neutral(DIALS[name].at(where[0])) for name, where in places.items()}
    on = {}
    for name, value in given.items():
        if name not in places:
            raise _not_injectable(name, places)
        fitting = [where for where in places[name] if where in kinds]
        where = fitting[0] if fitting else places[name][0]
        values[name] = DIALS[name].at(where).domain.parse(name, value)
        if values[name] == _neutral(DIALS[name].at(where)):
            continue
        if not fitting:
            raise cannot(name, env, _NEEDS[where])
        on[name] = values[name]
    clip = values["reward_clip"]
    if clip is not None and clip[0] > clip[1]:
        raise UsageError(f"reward_clip is {clip}, but its first end must not be above its second.")
    check_scale_range(values["image_scale_range"])
    return Setting(values, {name: value for name, value in on.items() if _COMPANIONS.get(name, name) in on})


def cannot(dial: str, env: str, needs: str) -> UsageError:
    return UsageError(f"{dial} cannot be injected into {env}: it needs {needs}.")


def _neutral(dial: Dial) -> Any:
    """The value at which nothing is asked for."""
    return dial.vanilla if dial.off is NO_OFF else dial.off


def _not_injectable(name: str, places: Mapping[str, Any]) -> UsageError:
    if name in DIALS:
        where = ", ".join(DIALS[name].applies)
        return UsageError(f"{name} is a dial of the {where}; it cannot be injected into an environment.")
    return unknown("dial to inject", name, places)


def _plain(value: Any) -> Any:
    if isinstance(value, FunctionRef):
        return value.live if value.target.startswith("local:") else value.target
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return value
