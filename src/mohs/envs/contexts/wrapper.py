"""How does a context stay in an environment? A wrapper sets it when it is made, copied or read from a pickle."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import gymnasium
from gymnasium.utils import RecordConstructorArgs

from mohs.core.errors import UsageError, unknown
from mohs.core.values import freeze
from mohs.envs.contexts import mujoco
from mohs.envs.contexts.attributes import ALLOWED, changed, derived, names, set_attributes
from mohs.envs.inject.simulators import is_a

Env = gymnasium.Env[Any, Any]


class ContextEnv(gymnasium.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """An environment whose attributes, or fields of its MuJoCo model, have the values of a context.

    Example:
        >>> import gymnasium
        >>> env = ContextEnv(gymnasium.make("CartPole-v1"), {"masspole": 0.5})
        >>> env.unwrapped.total_mass
        1.5
    """

    is_clear = True  # actions and observations pass as they are

    def __init__(self, env: Env, context: Mapping[str, Any]) -> None:
        RecordConstructorArgs.__init__(self, context=dict(context))
        gymnasium.Wrapper.__init__(self, env)
        self.context = {name: freeze(value) for name, value in context.items()}
        self._apply()

    def _apply(self) -> None:
        bare: Any = self.env.unwrapped
        title = self.env.spec.id if self.env.spec is not None else type(bare).__name__
        check_names(self.env, self.context, title)
        fields = mujoco.fields(bare) if is_a(bare, "MujocoEnv") else []
        if of_model := {name: value for name, value in self.context.items() if name in fields}:
            mujoco.set_fields(bare, of_model, title)
        own = {name: value for name, value in self.context.items() if name not in fields}
        set_attributes(bare, own, title)
        self._set = {name: getattr(bare, name) for name in own}

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        result = self.env.reset(seed=seed, options=options)
        if lost := changed(self.env.unwrapped, self._set):
            raise UsageError(f"{lost[0]} of {self.env.unwrapped} cannot be in a context: reset() sets it anew.")
        return result

    def __setstate__(self, state: dict[str, Any]) -> None:
        """A MuJoCo environment comes back from a pickle as it was made."""
        self.__dict__.update(state)
        self._apply()


def settable(env: Env) -> list[str]:
    """All that a context may set in an environment."""
    bare = env.unwrapped
    return [*(mujoco.fields(bare) if is_a(bare, "MujocoEnv") else ()), *names(bare)]


def context_value(env: Env, name: str) -> Any:
    """What an environment has for a name that a context may set; None for a field whose geoms have several values."""
    bare: Any = env.unwrapped
    if is_a(bare, "MujocoEnv") and name in mujoco.fields(bare):
        return mujoco.field(bare, name)
    return freeze(getattr(bare, name))


def check_names(env: Env, context: Mapping[str, Any], title: str, also: Iterable[str] = ()) -> None:
    """An error for the first name that is nothing a context can set; `also` are names that may have been meant."""
    bare: Any = env.unwrapped
    known, follow = settable(env), derived(bare)
    for name in context:
        if name in known or (follow and name in follow.values(bare)):
            continue
        if hasattr(bare, name) and not name.startswith("_"):
            raise UsageError(f"{name} of {title} cannot be in a context: it must be {ALLOWED} that can be set.")
        raise unknown(f"attribute of {title}", name, known, also)
