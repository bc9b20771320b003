"""How is an environment saved in the middle of an episode, so that a resumed run is bit-identical? With its state.

Gymnasium's `EzPickle` environments pickle the arguments of their constructor only: what comes back is a new one. Of the
simulators known here (ALE, MuJoCo) the state is kept beside them; others are refused.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Mapping
from typing import Any

from gymnasium.utils import EzPickle

from mohs.envs.inject.simulators import is_a


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
