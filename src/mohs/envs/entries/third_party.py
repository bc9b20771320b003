"""How does a third-party environment become an entry? By its id in Gymnasium.

Its parameters are the dials that can be injected, the arguments of its own constructor, a context and the length of an
episode.
"""

from __future__ import annotations

import importlib
import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import gymnasium
import numpy as np
from gymnasium.envs.registration import EnvSpec, load_env_creator

from mohs.core.dial import Dial
from mohs.core.dials import DIALS, injectable
from mohs.core.domain import Custom, Domain, Flag, Integer, Optional
from mohs.core.errors import UsageError, invalid
from mohs.core.registry import Environment, Finder, Parameter, environments
from mohs.core.values import freeze
from mohs.core.views import VIEW_PARAMETERS
from mohs.envs.suites.packages import MUJOCO, NONE, Suite, load, suite_of

_NOISE = ("observation_noise", "reward_noise", "reward_probability", "sticky_actions", "transition_noise")
# Environments that list their dynamics, from which a table is made.
_LISTED = ("frozen_lake:FrozenLakeEnv", "cliffwalking:CliffWalkingEnv", "taxi:TaxiEnv")
_TABLES = tuple(f"gymnasium.envs.toy_text.{name}" for name in _LISTED)
_MUJOCO = "gymnasium.envs.mujoco"
_EXTRAS = {_MUJOCO: "mujoco", "gymnasium.envs.box2d": "box2d"}  # of mohs, by what they make loadable
GENERATED = "custom/"  # the namespace of ids that mohs gives to classes and factories of users
_CONTEXT = "Attributes of the environment, or fields of its MuJoCo model, that are set after it is made."
_OFFERED = "mohs.envs.third_party:offered_classes"
_NO_VIEWS = "nothing is known of what its screen shows, because it has no method views()."
_PLAIN = "None, True, False, a finite number, a text, or a list of these"


def find(name: str) -> Environment | None:
    """The entry of an id that Gymnasium knows, or would know once the package that brings it is imported."""
    ours = {entry.gym_id: entry.id for entry in environments() if entry.owns_id}
    if name in ours:
        raise UsageError(f"{name} is what Gymnasium calls {ours[name]}: use that name.")
    spec = _spec(name) if isinstance(name, str) else None
    if spec is None:
        return None
    if name not in _FOUND or _FOUND[name][0] is not spec:
        _FOUND[name] = spec, entry_of(name, spec)
    return _FOUND[name][1]


def names() -> Iterable[str]:
    ours = {entry.gym_id for entry in environments()}
    return (name for name in gymnasium.registry if name not in ours and not name.startswith(GENERATED))


THIRD_PARTY = Finder(find, names)
_FOUND: dict[str, tuple[EnvSpec, Environment]] = {}  # an id that is registered anew gets another entry


def _spec(name: str) -> EnvSpec | None:
    """What Gymnasium knows of an id; `module:id` imports the module first, as in Gymnasium."""
    module, _, gym_id = name.rpartition(":")
    if gym_id not in gymnasium.registry:
        if module:
            try:
                importlib.import_module(module)
            except ImportError as error:
                raise UsageError(f"{name} cannot be found: {error}.") from error
        elif (suite := suite_of(gym_id)) is not NONE:
            load(suite, name)
    return gymnasium.registry.get(gym_id)


def third_party_entry(
    gym_id: str,
    *,
    id: str | None = None,
    entry_point: str | None = None,
    max_episode_steps: int | None = None,
    **parts: Any,
) -> Environment:
    """The entry of a third-party environment with parts of its own, such as a table. A plugin returns such entries.

    Its parameters are the dials that can be injected, the arguments of its constructor, `context` and
    `max_episode_steps`.

    Args:
        gym_id: The id in Gymnasium.
        id: The name in mohs; `gym_id` by default.
        entry_point: `module:attribute` of the constructor. If it is given, the id is registered in Gymnasium.
        max_episode_steps: The time limit that is registered with the id.
        **parts: Fields of `Environment`: `title`, `table`, `score`, `renderer` and others.

    Raises:
        UsageError: Gymnasium does not know the id, or the constructor cannot be imported.

    Example:
        >>> entry = third_party_entry("CartPole-v1", id="cart", title="a pole on a cart")
        >>> entry.parameters["max_episode_steps"].default
        500
    """
    if entry_point is not None:
        gymnasium.registry[gym_id] = EnvSpec(gym_id, entry_point=entry_point, max_episode_steps=max_episode_steps)
    spec = _spec(gym_id)
    if spec is None:
        raise UsageError(f"Gymnasium does not know {gym_id}: give its entry_point, or register it first.")
    return entry_of(id or gym_id, spec, **parts)


def entry_of(name: str, spec: EnvSpec, creator: Callable[..., Any] | None = None, **parts: Any) -> Environment:
    """The entry of what Gymnasium has registered, under a name of its own."""
    suite, creator = suite_of(spec.id), creator or _creator(name, spec)
    limit: Domain = Integer(1, 2**28)
    if spec.max_episode_steps is None:
        limit = Optional(limit)
    arguments = _arguments(creator, spec.kwargs)
    views = _may_show_views(suite, creator, arguments)
    parameters = {
        **arguments,
        **(VIEW_PARAMETERS if views else {}),
        **suite.parameters,
        **{dial.name: Parameter(dial.domain, dial.vanilla, dial.text) for dial in _dials(suite, creator)},
        "context": Parameter(CONTEXT, (), _CONTEXT),
        "max_episode_steps": Parameter(
            limit, spec.max_episode_steps, "The episode is truncated after this many steps of the environment."
        ),
    }
    quiet = (argument for argument in suite.noise if argument in parameters and not parameters[argument].default)
    usual: dict[str, Any] = {
        "title": f"{spec.id} of Gymnasium",
        "batteries": "mohs.envs.entries.batteries:THIRD_PARTY",
        "table": "mohs.envs.suites.toy_text:table" if spec.entry_point in _TABLES else None,
        "classes": _OFFERED if views else None,
        "refused": {name: _NO_VIEWS for name in VIEW_PARAMETERS if name not in parameters},
        **suite.parts,
    }
    return Environment(
        id=name,
        gym_id=spec.id,
        parameters=parameters,
        check="mohs.envs.entries.third_party:check",
        face="mohs.envs.third_party:face",
        vector_face="mohs.envs.third_party:vector_face",
        spaces="mohs.envs.third_party:spaces",
        check_context="mohs.envs.third_party:check_context",
        place="wrapper",
        noise=(*_NOISE, *quiet),
        levels="start_level" if {"start_level", "num_levels"} <= parameters.keys() else "",
        third_party=True,
        **{**usual, **parts},
    )


def _creator(name: str, spec: EnvSpec) -> Callable[..., Any]:
    if callable(spec.entry_point):
        return spec.entry_point
    if spec.entry_point is None:
        raise UsageError(f"{name} has no entry point in Gymnasium, only a vector one.")
    try:
        return load_env_creator(spec.entry_point)
    except (ImportError, AttributeError, gymnasium.error.DependencyNotInstalled) as error:
        extras = (extra for module, extra in _EXTRAS.items() if spec.entry_point.startswith(module))
        install = "".join(f': pip install "mohs[{extra}]"' for extra in extras)
        raise UsageError(f"{name} cannot be loaded{install} ({error}).") from error


def _may_show_views(suite: Suite, creator: Callable[..., Any], arguments: Mapping[str, Parameter]) -> bool:
    """Whether an environment outside the known packages has the method `views`; of a function this shows later."""
    if suite is not NONE or (not inspect.isclass(creator) and not arguments.keys().isdisjoint(VIEW_PARAMETERS)):
        return False
    return hasattr(creator, "views") or not inspect.isclass(creator)


def _dials(suite: Suite, creator: Callable[..., Any]) -> Iterator[Dial]:
    """The dials, read as they are in a wrapper, without those of MuJoCo where it is known to be none.

    Whether the others apply depends on the spaces, which are known when the environment is made.
    """
    mujoco = suite in (MUJOCO, NONE)
    if mujoco and inspect.isclass(creator):  # of what a function makes nothing is known
        mujoco = any(base.__module__.startswith(_MUJOCO) for base in creator.__mro__)
    for name, (where, *_) in injectable().items():
        if mujoco or where != "MuJoCo wrapper":
            yield DIALS[name].at(where)


def _arguments(creator: Callable[..., Any], fixed: Mapping[str, Any]) -> dict[str, Parameter]:
    """The keyword arguments of a constructor whose defaults, or those of the id, are plain values.

    What the id sets of arguments without a default is what it stands for, and no parameter: the game of an Atari id.
    """
    found: dict[str, Parameter] = {}
    for name, argument in _signature(creator).items():
        required = argument.default is inspect.Parameter.empty
        if name in ("render_mode", "seed") or (required and name in fixed):
            continue
        default = fixed.get(name, None if required else argument.default)
        if _is_plain(default):
            frozen = freeze(default)
            found[name] = Parameter(_domain(frozen), frozen, "An argument of the environment's own.")
    return found


def _is_plain(default: Any) -> bool:
    if isinstance(default, list | tuple):
        return all(map(_is_plain, default))
    return default is None or isinstance(default, bool | int | float | str)


def _signature(creator: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """The arguments by name; where a class hands unnamed ones on, those of its bases that have defaults too."""
    if not inspect.isclass(creator):
        return _named(creator)[0]
    found: dict[str, inspect.Parameter] = {}
    for base in creator.__mro__:
        if "__init__" in vars(base):
            own, more = _named(vars(base)["__init__"])
            own.pop(next(iter(own), ""), None)  # self
            if found:
                own = {k: v for k, v in own.items() if k not in found and v.default is not inspect.Parameter.empty}
            found.update(own)
            if not more:
                break
    return found


def _named(function: Callable[..., Any]) -> tuple[dict[str, inspect.Parameter], bool]:
    """The arguments that can be given by name, and whether there may be others."""
    arguments = inspect.signature(function).parameters
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    more = any(argument.kind is inspect.Parameter.VAR_KEYWORD for argument in arguments.values())
    return {name: argument for name, argument in arguments.items() if argument.kind in named}, more


def _domain(default: Any) -> Domain:
    """Plain values in one form: no number for a flag; floats where the default has some, else integers where whole."""
    if isinstance(default, bool):
        return Flag()
    items = default if isinstance(default, tuple) else (default,)
    return Custom(partial(_plain, real=any(isinstance(item, float) for item in items)), _PLAIN)


def _plain(name: str, value: Any, real: bool) -> Any:
    """A value that can be written as JSON and read again."""
    frozen = freeze(value) if isinstance(value, list | tuple | np.ndarray | np.generic) else value
    if isinstance(frozen, tuple):
        return tuple(_plain(name, item, real) for item in frozen)
    if frozen is None or isinstance(frozen, bool | str):
        return frozen
    if not isinstance(frozen, int | float) or not math.isfinite(frozen):
        raise invalid(name, value, _PLAIN)
    return float(frozen) + 0.0 if real or frozen != int(frozen) else int(frozen)


def _context(name: str, value: Any) -> tuple[tuple[str, Any], ...]:
    """Pairs (name, value) in one order, from a mapping or from pairs."""
    pairs = list(value.items()) if isinstance(value, Mapping) else value
    if not isinstance(pairs, list | tuple) or not all(isinstance(p, list | tuple) and len(p) == 2 for p in pairs):
        raise invalid(name, value, CONTEXT.text)
    found: dict[str, Any] = {}
    for key, given in pairs:
        number = _plain(f"{name} {key}", given, real=False)
        items = number if isinstance(number, tuple) else (number,)
        if not isinstance(key, str) or key in found or not all(isinstance(item, int | float) for item in items):
            raise invalid(name, value, CONTEXT.text)
        found[key] = number
    return tuple(sorted(found.items()))


CONTEXT = Custom(_context, "a mapping of names to numbers, flags or lists of numbers")


def check(values: Mapping[str, Any], given: frozenset[str]) -> dict[str, Any]:
    """Nothing is implied. What contradicts the environment shows when it is made."""
    return {}
