"""What is the state of a Gymnasium environment? All its attributes except constants and generators."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Hashable
from typing import Any, Literal

import gymnasium
from gymnasium.envs.registration import EnvSpec
from gymnasium.spaces import Space

from mohs.core.errors import UsageError
from mohs.tables.gymnasium.fingerprint import Reading, read

Env = gymnasium.Env[Any, Any]
Key = Callable[[Env], Hashable] | Literal["observation"]
# Attributes of environments that the contract fixes (spaces and specs are known by their type), and a seed.
_APART = frozenset({"P", "initial_state_distrib", "_cached_spec", "_np_random_seed"})


def read_env(env: Env) -> Reading:
    """The environment with its wrappers."""
    return read(env, _is_state)


def own_key(env: Env) -> Key | None:
    """The name that an environment itself gives to its state, with the state of its wrappers, if it can name it."""
    bare: Any = env.unwrapped
    if callable(getattr(bare, "state_key", None)):
        return lambda env: (_wrappers(env), env.unwrapped.state_key())
    if callable(getattr(bare, "clone_state", None)):
        return lambda env: (_wrappers(env), _clone(env.unwrapped))
    return None


def constants(env: Env) -> dict[int, Any]:
    """What copies of an environment may share, by id, as `copy.deepcopy` wants it."""
    shared: dict[int, Any] = {}
    layer: Any = env
    while True:
        parts = vars(layer).items()
        shared |= {id(value): value for name, value in parts if value is not None and not _is_state(layer, name, value)}
        if not isinstance(layer, gymnasium.Wrapper):
            return shared
        layer = layer.env


def _wrappers(env: Env) -> bytes:
    bare = env.unwrapped
    return b"" if env is bare else read(env, lambda *at: at[2] is not bare and _is_state(*at)).digest


def _clone(bare: Any) -> bytes:
    try:
        return pickle.dumps(bare.clone_state())
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise UsageError(f"what clone_state() of {bare} gives cannot be compared ({error}); give a key.") from error


def _is_state(owner: object, name: str, value: object) -> bool:
    return not isinstance(value, Space | EnvSpec) and not (isinstance(owner, gymnasium.Env) and name in _APART)
