"""How are actions read? As so many components with limits, whatever the shape of the space."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from mohs.core.errors import UsageError
from mohs.core.kernel import entry
from mohs.engines.injection import kernels
from mohs.envs.inject.setting import cannot

_NEEDED = "Discrete, MultiDiscrete, MultiBinary or floating-point Box actions"


@dataclass(frozen=True)
class Actions:
    """`limits` [components, 2] are (first, number) of integer actions and (low, high) of continuous ones."""

    space: spaces.Space[Any]
    limits: npt.NDArray[Any]
    continuous: bool

    def copied(self, given: Any, shape: tuple[int, ...]) -> npt.NDArray[Any]:
        """Actions of this shape, in the numbers that kernels take, to be altered in place."""
        array = np.asarray(given)
        if array.shape != shape or array.dtype.kind not in self._kinds():
            raise self.outside(given)
        return array.astype(np.float64 if self.continuous else np.int64, order="C")

    def _kinds(self) -> str:
        """The kinds of numbers that actions may be given in; where they are 0 or 1, truth values are such."""
        if self.continuous:
            return "fiu"
        return "iub" if isinstance(self.space, spaces.MultiBinary) else "iu"

    def outside(self, given: Any) -> UsageError:
        return UsageError(f"the action is {given!r}, which is not in {self.space}.")


def components(space: spaces.Space[Any]) -> Actions | None:
    """The components of an action space; None where it has none that can be disturbed."""
    if isinstance(space, spaces.Discrete):
        limits = np.array([[space.start, space.n]])
    elif isinstance(space, spaces.MultiDiscrete):
        limits = np.stack([space.start.ravel(), space.nvec.ravel()], axis=1)
    elif isinstance(space, spaces.MultiBinary):
        limits = np.tile([0, 2], (int(np.prod(space.shape)), 1))
    elif isinstance(space, spaces.Box) and space.dtype is not None and space.dtype.kind == "f":
        return Actions(space, np.stack([space.low.ravel(), space.high.ravel()], axis=1).astype(np.float64), True)
    else:
        return None
    return Actions(space, limits.astype(np.int64), False)


def check(actions: Actions | None, space: spaces.Space[Any], stickiness: float, noise: float, env: str) -> None:
    """An error where these dials cannot act on actions of this space."""
    if stickiness > 0 and actions is None:
        raise cannot("sticky_actions", env, f"{_NEEDED}, not {space}")
    if noise == 0:
        return
    if actions is None:
        raise cannot("transition_noise", env, f"{_NEEDED}, not {space}")
    if not actions.continuous:
        if noise > 1:
            raise UsageError(
                f"transition_noise is {noise:g}, but with discrete actions it is a probability, at most 1."
            )
        if (actions.limits[:, 1] < 2).all():
            raise cannot("transition_noise", env, "at least two actions to choose from")


def kernel_of(actions: Actions, memory: Any) -> Callable[..., int]:
    """The kernel that turns the actions of all instances into those taken."""
    if actions.continuous:
        return entry(kernels.act_continuous, memory, np.zeros(1))
    return entry(kernels.act_discrete, memory, np.zeros(1, dtype=np.int64))
