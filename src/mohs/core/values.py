"""How is a parameter value stored: frozen, hashable, and as JSON?

A value is a number, a string, a boolean, None, a tuple of values or a reference to a function. Arrays become nested
tuples. A content hash is computed from the canonical JSON text, so it is the same on every machine.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import json
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from mohs.core.errors import SealedError, UsageError, unknown

_SEALED: ContextVar[bool] = ContextVar("sealed", default=False)
_NAMED: set[str] = set()  # the names of code that the user has given in this process

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


def canonical_json(value: Json) -> str:
    """The canonical JSON text of a value: sorted keys, no spaces, no NaN."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False, ensure_ascii=False)


def content_hash(value: Json) -> str:
    """The content hash of a value: 32 hexadecimal digits."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()[:32]


def source_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def import_file(path: Path) -> ModuleType:
    """Imports the module in a file, once for each content."""
    name = f"mohs_user_{path.stem}_{source_hash(str(path.resolve()) + path.read_text())}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UsageError(f"{str(path)!r} is not a Python file.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    _import_from(path.resolve().parent)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        line = getattr(error, "lineno", None) or traceback.extract_tb(error.__traceback__)[-1].lineno
        raise UsageError(f"{path} cannot be imported: {type(error).__name__}: {error} (line {line}).") from error
    return module


def import_named(module: str, name: str) -> None:
    """Imports the module in `module:NAME`, which a user gave."""
    _import_from(Path.cwd())
    try:
        importlib.import_module(module)
    except Exception as error:
        why = str(error) if isinstance(error, ImportError) else f"{type(error).__name__}: {error}"
        raise UsageError(f"{name} cannot be found: {' '.join(why.split())}.") from error
    _NAMED.add(name)


def import_path() -> list[str]:
    """The import path of this process with the working directory last, where it hides nothing."""
    here = ("", ".", str(Path.cwd()))
    return [*(entry for entry in sys.path if entry not in here), *(entry for entry in sys.path if entry in here)]


def _import_from(directory: Path) -> None:
    """Puts a directory last on the import path, so that a file finds its neighbours and nothing installed is hidden."""
    if str(directory) not in sys.path:
        sys.path.append(str(directory))


@contextmanager
def sealed() -> Iterator[None]:
    """Reads what others wrote: names of code in it are not resolved, unless the user has named them in this process."""
    token = _SEALED.set(True)
    try:
        yield
    finally:
        _SEALED.reset(token)


def is_sealed(target: str) -> bool:
    """Whether a name comes from data that is being read, so that nothing may be imported for it."""
    return _SEALED.get() and target not in _NAMED


def named(target: str) -> Any:
    """The object that a user names by `module:attribute` or `path/to/file.py:attribute`.

    Raises:
        SealedError: the name stands in a file that is being read, and no user has named it.
    """
    if is_sealed(target):
        raise SealedError(
            f"{target!r} is code that a file names, and reading a file runs none: run the study's own command again, "
            "which names it; what is done is not run again."
        )
    where = target.rpartition(":")[0]
    if where and not where.endswith(".py"):
        _import_from(Path.cwd())
    found = attribute(target)
    _NAMED.add(target)
    return found


def resolve(target: str) -> Callable[..., Any]:
    """The function that mohs or a plugin names by `module:function`; `named` reads the names that users give."""
    found = attribute(target)
    if not callable(found):
        raise UsageError(f"{target!r} is not callable.")
    return found  # type: ignore[no-any-return]


def attribute(target: str) -> Any:
    """The object that mohs or a plugin names by `module:attribute`, or by `path/to/file.py:attribute`."""
    where, _, name = target.rpartition(":")
    if not where or not name:
        raise UsageError(f"{target!r} does not name a function: write module:function or file.py:function.")
    if where.endswith(".py"):
        path = Path(where)
        if not path.is_file():
            raise UsageError(f"{target!r} cannot be loaded: there is no file {where!r}.")
        module = import_file(path)
    else:
        try:
            module = importlib.import_module(where)
        except Exception as error:
            raise UsageError(f"{target!r} cannot be loaded: {type(error).__name__}: {error}.") from error
    found: Any = module
    for part in name.split("."):
        if not hasattr(found, part):
            public = [n for n in vars(module) if not n.startswith("_") and callable(getattr(module, n))]
            raise unknown(f"function in {where}", name, public)
        found = getattr(found, part)
    return found


@dataclass(frozen=True)
class FunctionRef:
    """A callable parameter as data: where it is found and a hash of its source.

    A function that cannot be imported again (a lambda, a local function) is usable in this process; only writing
    it as JSON is an error.
    """

    target: str
    source: str
    live: Callable[..., Any] | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, function: Callable[..., Any] | str) -> FunctionRef:
        if isinstance(function, str):
            live = _function(function)
            return cls(function, _source_of(live), live)
        module = getattr(function, "__module__", None)
        name = getattr(function, "__qualname__", None)
        if module in (None, "__main__") or not name or _found(f"{module}:{name}") is not function:
            return cls(f"local:{name or type(function).__name__}", f"{id(function):x}", function)
        return cls(f"{module}:{name}", _source_of(function), function)

    def __call__(self, *args: Any) -> Any:
        if self.live is None:
            live = _function(self.target)
            if _source_of(live) != self.source:
                raise UsageError(f"the source of {self.target!r} has changed since the task was written.")
            object.__setattr__(self, "live", live)
        assert self.live is not None
        return self.live(*args)

    def to_json(self) -> Json:
        if self.target.startswith("local:"):
            raise UsageError(
                f"the function {self.target[6:]!r} cannot be stored, because it cannot be imported again: "
                "define it at the top of a module or file and pass it or its module:function name."
            )
        return {"function": self.target, "source": self.source}


def _function(target: str) -> Callable[..., Any]:
    """A function that a user names."""
    found = named(target)
    if not callable(found):
        raise UsageError(f"{target!r} is not callable.")
    return found  # type: ignore[no-any-return]


def _found(target: str) -> Callable[..., Any] | None:
    """The function that a name resolves to; None where it does not. A bound method does not resolve to itself."""
    try:
        return resolve(target)
    except UsageError:
        return None


def _source_of(function: Callable[..., Any]) -> str:
    try:
        return source_hash(inspect.getsource(function))
    except (OSError, TypeError):
        return source_hash(repr(function))


def freeze(value: Any) -> Any:
    """A hashable copy: arrays and lists to tuples, numpy scalars to Python's, functions to references."""
    if isinstance(value, np.ndarray):
        return freeze(value.tolist())
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, list | tuple):
        return tuple(freeze(v) for v in value)
    if value is None or isinstance(value, bool | int | float | str | FunctionRef):
        return value
    if callable(value):
        return FunctionRef.of(value)
    raise UsageError(f"a value of type {type(value).__name__} cannot be a parameter.")


def to_json(value: Any) -> Json:
    if isinstance(value, tuple):
        return [to_json(v) for v in value]
    if isinstance(value, FunctionRef):
        return value.to_json()
    return value  # type: ignore[no-any-return]


def from_json(value: Json) -> Any:
    if isinstance(value, list):
        return tuple(from_json(v) for v in value)
    if isinstance(value, Mapping):
        if set(value) != {"function", "source"}:
            raise UsageError(f"{canonical_json(dict(value))} is not a parameter value.")
        return FunctionRef(str(value["function"]), str(value["source"]))
    return value
