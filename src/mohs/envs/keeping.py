"""How is an environment saved in the middle of an episode, so that a resumed run is bit-identical? With its state.

A compiled environment is kept as plain data. Any other environment is pickled, and its pickle is `Foreign`: it is read
only where the user trusts it.

Gymnasium's `EzPickle` environments pickle the arguments of their constructor only: what comes back is a new one. Of the
simulators known here (ALE, MuJoCo) the state is kept beside them; others are refused.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Mapping
from typing import Any

import gymnasium
from gymnasium import spaces
from gymnasium.utils import EzPickle
from gymnasium.wrappers import OrderEnforcing, TimeLimit

from mohs.core.packed import Foreign
from mohs.envs.inject.simulators import is_a
from mohs.envs.single import FleetEnv

_COUNTERS = {TimeLimit: "_elapsed_steps", OrderEnforcing: "_has_reset"}  # all that these wrappers know of an episode


def keep(env: gymnasium.Env[Any, Any]) -> Any:
    """The state of an environment for `core/packed.py`; None where it cannot be kept."""
    layers = _layers(env)
    if layers is None:
        blob = pickled(env)
        return None if blob is None else Foreign(blob)
    *wrappers, bare = layers
    return {
        "episode": bare.save(),
        "counters": [getattr(wrapper, _COUNTERS[type(wrapper)]) for wrapper in wrappers],
        "draws": [random_state(env.action_space), random_state(env.observation_space)],
    }


def restored(env: gymnasium.Env[Any, Any], state: Any) -> gymnasium.Env[Any, Any]:
    """The environment in a kept state: the same one, or the one that was pickled in its place."""
    if isinstance(state, Foreign):
        env.close()
        return pickle.loads(state.data)  # type: ignore[no-any-return]  # the runner asked for trust before
    layers = _layers(env)
    if layers is None:
        raise TypeError(f"{type(env.unwrapped).__name__} is kept as a pickle")
    *wrappers, bare = layers
    bare.load(state["episode"])
    for wrapper, count in zip(wrappers, state["counters"], strict=True):
        setattr(wrapper, _COUNTERS[type(wrapper)], count)
    for space, draws in zip((env.action_space, env.observation_space), state["draws"], strict=True):
        set_random_state(space, draws)
    return env


def random_state(space: spaces.Space[Any]) -> Any:
    """The random stream of a space and of those that it is made of."""
    own = None if space._np_random is None else space.np_random.bit_generator.state
    return own, [random_state(part) for part in _parts(space)]


def set_random_state(space: spaces.Space[Any], state: Any) -> None:
    own, parts = state
    if own is None:
        space._np_random = None  # type: ignore[assignment]  # as Gymnasium has it before the first draw
    else:
        space.np_random.bit_generator.state = own
    for part, kept in zip(_parts(space), parts, strict=True):
        set_random_state(part, kept)


def _parts(space: spaces.Space[Any]) -> list[spaces.Space[Any]]:
    if isinstance(space, spaces.Dict):
        return list(space.spaces.values())
    if isinstance(space, spaces.Tuple | spaces.OneOf):
        return list(space.spaces)
    if isinstance(space, spaces.Sequence):
        return [space.feature_space]
    return []


def _layers(env: gymnasium.Env[Any, Any]) -> list[Any] | None:
    """The wrappers and the compiled environment in them; None where anything else is there."""
    found: list[Any] = []
    while type(env) in _COUNTERS:
        found.append(env)
        env = env.env  # type: ignore[attr-defined]
    return [*found, env] if isinstance(env, FleetEnv) else None


def pickled(value: Any) -> bytes | None:
    """Bytes from which `pickle.loads` gives the same value; None where some environment in it cannot be kept."""
    buffer = io.BytesIO()
    try:
        _Keeper(buffer).dump(value)
    except (pickle.PicklingError, TypeError, AttributeError):
        return None
    return buffer.getvalue()


class _Keeper(pickle.Pickler):
    def reducer_override(self, obj: Any) -> Any:
        if not isinstance(obj, EzPickle) or isinstance(obj, type):
            return NotImplemented
        for name, (keep, restore) in _SIMULATORS.items():
            if is_a(obj, name):
                return _made_again, (type(obj), obj._ezpickle_args, obj._ezpickle_kwargs, restore, *keep(obj))
        raise pickle.PicklingError(f"{type(obj).__name__} forgets its state.")


def _made_again(
    kind: type[Any],
    arguments: tuple[Any, ...],
    named: Mapping[str, Any],
    restore: Callable[[Any, Any], None],
    state: Any,
    attributes: Mapping[str, Any],
) -> Any:
    env = kind(*arguments, **named)
    env.__dict__.update(attributes)
    restore(env, state)
    return env


def _keep_atari(env: Any) -> tuple[Any, dict[str, Any]]:
    return env.clone_state(include_rng=True), _without(env, "ale")


def _restore_atari(env: Any, state: Any) -> None:
    env.restore_state(state)


def _keep_mujoco(env: Any) -> tuple[Any, dict[str, Any]]:
    return env.data, _without(env, "model", "data", "mujoco_renderer")


def _restore_mujoco(env: Any, state: Any) -> None:
    """All of the data, also what follows from positions and velocities: some is seen before it is computed anew."""
    import mujoco

    mujoco.mj_copyData(env.data, env.model, state)


def _without(env: Any, *names: str) -> dict[str, Any]:
    return {name: value for name, value in vars(env).items() if name not in names}


_SIMULATORS: dict[str, tuple[Callable[[Any], tuple[Any, dict[str, Any]]], Callable[[Any, Any], None]]] = {
    "AtariEnv": (_keep_atari, _restore_atari),
    "MujocoEnv": (_keep_mujoco, _restore_mujoco),
}
