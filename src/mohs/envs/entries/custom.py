"""How does an environment class or factory of the user's own become an entry? By the file or module that it is in.

`file.py:attribute` and `module:attribute` name a subclass of `gymnasium.Env` or a function that returns an environment.
A task of one carries a hash of its source file, so an edited file is another task.
"""

from __future__ import annotations

import inspect
import os
import re
import secrets
import sys
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import gymnasium
from gymnasium.envs.registration import EnvSpec

from mohs.core.domain import Custom
from mohs.core.errors import UsageError, invalid
from mohs.core.registry import Environment, Finder, Parameter
from mohs.core.task import Task
from mohs.core.values import is_sealed, named, source_hash
from mohs.envs.entries.third_party import GENERATED, entry_of, unread

SOURCE = "source_hash"
_ATTRIBUTE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")
_CURRENT = "current:"  # before the default hash: only what differs from the default is kept, and the hash must be
_FOUND: dict[str, tuple[Any, Environment]] = {}  # by the place of the source, with what tells an edited one
_REGISTERED: dict[int, tuple[Callable[..., Any], str]] = {}  # ids of objects that cannot be imported


class Constructor:
    """Makes environments from one version of a source.

    It is pickled by name: another process cannot import a file by the name of the module it became here.
    """

    def __init__(self, name: str, source: str, creator: Callable[..., Any] | None = None) -> None:
        self.name, self.source, self.creator = name, source, creator

    def __call__(self, **arguments: Any) -> Any:
        if self.creator is None:
            found = named(self.name)
            if _source(self.name, found) != self.source:
                raise _changed(self.name)
            self.creator = found
        return self.creator(**arguments)

    def __reduce__(self) -> tuple[Any, ...]:
        return Constructor, (self.name, self.source)

    def __deepcopy__(self, memo: dict[int, Any]) -> Constructor:
        return self  # as functions are copied: the copy of a spec makes the same version


def find(name: str) -> Environment | None:
    """The entry of `file.py:attribute` or `module:attribute`; None for other names, `module:Env-v0` included."""
    where, _, what = name.rpartition(":") if isinstance(name, str) else ("", "", "")
    if not where or _ATTRIBUTE.fullmatch(what) is None:
        return None
    if is_sealed(name):
        return unread(name)
    if where.endswith(".py"):
        return _from_file(name, Path(where))
    try:
        creator = named(name)
    except UsageError:
        if what in gymnasium.registry:
            return None
        raise
    if what in gymnasium.registry:
        return None
    if name not in _FOUND or _FOUND[name][0] is not creator:
        _FOUND[name] = creator, _entry(name, creator)
    return _FOUND[name][1]


def name_of(env: Any) -> str | None:
    """The name of a class or a factory: where it can be imported from, else an id under which it is registered here.

    Raises:
        UsageError: The object is no class of environments and no factory.
    """
    if isinstance(env, gymnasium.Env):
        raise UsageError(f"{env} is an environment already: give its class, or a function that makes it.")
    if not callable(env):
        return None
    _check(repr(env), env)
    return _target(env) or _registered(env)


CUSTOM = Finder(find, tuple, name_of)


def check(values: Mapping[str, Any], given: frozenset[str]) -> dict[str, Any]:
    """The hash of the source follows from the file unless it is given, as a stored task gives it."""
    return {SOURCE: values[SOURCE].removeprefix(_CURRENT)}


def version(task: Task) -> str:
    """The Gymnasium id of the environment of a task, in the version of the source that the task was made with."""
    found = _gym_id(task.env, task[SOURCE])
    if found not in gymnasium.registry:
        raise _changed(task.env)
    return found


def _changed(name: str) -> UsageError:
    return UsageError(f"the source of {name} has changed since the task was made: make the task again.")


def _from_file(name: str, path: Path) -> Environment:
    """The entry of the file as it is now. If it cannot be imported any more, a version from before stays in use."""
    try:
        stat = path.stat()
        edited: Any = stat.st_mtime_ns, stat.st_size
    except OSError:
        edited = None
    key = os.path.abspath(name)
    known = _FOUND.get(key)
    if known is not None and known[0] == edited:
        return known[1]
    try:
        found = _entry(name, named(name))
    except UsageError as error:
        if known is None:
            raise
        # A run in progress continues while the user edits the file.
        warnings.warn(f"{error} The version that was loaded before stays in use.", RuntimeWarning, stacklevel=2)
        found = known[1]
    _FOUND[key] = edited, found
    return found


def _entry(name: str, creator: Callable[..., Any]) -> Environment:
    """The entry of a third-party environment, with the hash of its source among the parameters."""
    _check(name, creator)
    source = _source(name, creator)
    spec = EnvSpec(_gym_id(name, source), entry_point=Constructor(name, source, creator))
    gymnasium.registry[spec.id] = spec
    found = entry_of(name, spec, creator, title=f"the environment {name}")
    hashed = Parameter(_SOURCE, _CURRENT + source, "A hash of the source file. It follows from the file.")
    return replace(
        found,
        parameters={**found.parameters, SOURCE: hashed},
        check="mohs.envs.entries.custom:check",
        implied=(SOURCE,),
    )


def _check(name: str, creator: Any) -> None:
    if not callable(creator) or (inspect.isclass(creator) and not issubclass(creator, gymnasium.Env)):
        raise UsageError(f"{name} is neither a subclass of gymnasium.Env nor a function that returns an environment.")


def _hash(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise invalid(name, value, _SOURCE.text)
    return value


_SOURCE = Custom(_hash, "the hash of a source file")


def _gym_id(name: str, source: str) -> str:
    """One id for each version of a source."""
    word = re.sub(r"[^\w.]", "_", Path(name).name.replace(":", "."))
    return f"{GENERATED}{word}-{source_hash(os.path.abspath(name) + source)}-v0"


def _source(name: str, creator: Callable[..., Any]) -> str:
    """A hash of the file that is named, or of that in which a module's attribute is defined."""
    where = name.rpartition(":")[0]
    try:
        file = where if where.endswith(".py") else inspect.getsourcefile(inspect.unwrap(creator))
        return source_hash(Path(file).read_text()) if file else ""
    except (OSError, TypeError):  # it has no source in Python
        return ""


def _target(env: Callable[..., Any]) -> str | None:
    """`module:name` or `file.py:name`, if a fresh interpreter finds the object there."""
    module, name = getattr(env, "__module__", None), getattr(env, "__qualname__", "")
    loaded = sys.modules.get(module) if module not in (None, "__main__") else None
    found: Any = loaded
    for part in name.split("."):
        found = getattr(found, part, None)
    if loaded is None or found is not env:
        return None
    if _is_importable(loaded):
        return f"{module}:{name}"
    file = Path(getattr(loaded, "__file__", None) or "")
    if file.suffix != ".py" or not file.is_file():
        return None
    here = Path.cwd()
    return f"{file.relative_to(here) if file.is_relative_to(here) else file}:{name}"


def _is_importable(loaded: ModuleType) -> bool:
    """Whether a fresh interpreter with this one's `sys.path` finds the module by its name."""
    parent = loaded.__name__.rpartition(".")[0]
    path = getattr(sys.modules.get(parent), "__path__", None) if parent else None
    finders = (finder for finder in sys.meta_path if hasattr(finder, "find_spec"))
    return any(finder.find_spec(loaded.__name__, path) is not None for finder in finders)


def _registered(env: Callable[..., Any]) -> str:
    """The id of an object that exists in this process only: of a notebook, of a script, of a closure."""
    if id(env) not in _REGISTERED:
        name = getattr(env, "__qualname__", type(env).__name__)
        word = re.sub(r"\W", "_", name.rpartition(".")[2])
        _REGISTERED[id(env)] = env, f"{GENERATED}{word}-{_own_hash(env, name)}-v0"
    gym_id = _REGISTERED[id(env)][1]
    registered = gymnasium.registry.get(gym_id)
    if registered is None or registered.entry_point is not env:
        gymnasium.registry[gym_id] = EnvSpec(gym_id, entry_point=env)
    return gym_id


def _own_hash(env: Callable[..., Any], name: str) -> str:
    """A hash of its source, where that decides what it does; what a closure holds is not in its source."""
    try:
        if "." not in name and "<" not in name:
            return source_hash(inspect.getsource(env))
    except (OSError, TypeError):
        pass
    return secrets.token_hex(8)
