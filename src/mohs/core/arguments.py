"""What if an argument of a public function is of another type? One sentence that names it, from its annotation.

`checked` decorates a public function: its arguments are compared with their annotations before it runs. `checked_late`
decorates what is called very often, and the records: the comparison is made only after a failure. Where all arguments
fit, the failure is a mistake of mohs, and is raised as it is. What values mean is checked elsewhere (`core/domain.py`).
"""

from __future__ import annotations

import functools
import inspect
import numbers
import sys
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence, Set, Sized
from typing import Any, TypeVar, cast

import numpy as np

from mohs.core.errors import MohsError, UsageError, invalid, unknown

F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C")
_LOOKED_AT = 1000  # elements of a list
_WORDS: dict[Any, str] = {
    int: "an integer",
    float: "a number",
    bool: "True or False",
    str: "a text",
    type(None): "None",
    bytes: "bytes",
}
# What a value of a wrong type leads to, in any depth.
_FAILURES = (TypeError, AttributeError, ValueError, KeyError, IndexError, OverflowError, RecursionError)


def checked(function: F) -> F:
    """A function whose arguments are compared with their annotations before it runs."""

    @functools.wraps(function)
    def call(*args: Any, **given: Any) -> Any:
        check(function, args, given)
        return function(*args, **given)

    return cast(F, call)


def checked_late(function: F) -> F:
    """A function whose arguments are compared with their annotations where it fails."""

    @functools.wraps(function)
    def call(*args: Any, **given: Any) -> Any:
        try:
            return function(*args, **given)
        except MohsError:
            raise
        except _FAILURES:
            check(function, args, given)
            raise

    return cast(F, call)


def checked_record(cls: type[C]) -> type[C]:
    """A class whose constructor and public methods are `checked_late`."""
    for name, part in list(vars(cls).items()):
        if name == "__init__" or (not name.startswith("_") and inspect.isfunction(part)):
            setattr(cls, name, checked_late(part))
        elif not name.startswith("_") and isinstance(part, classmethod):
            setattr(cls, name, classmethod(checked_late(part.__func__)))
    return cls


def check(function: Callable[..., Any], args: tuple[Any, ...], given: Mapping[str, Any]) -> None:
    """Raises UsageError where arguments do not fit the signature of a function, or their annotations."""
    signature, hints = _signature(function)
    parameters = signature.parameters
    by_name = [p.name for p in parameters.values() if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    rest = next((p for p in parameters.values() if p.kind is p.VAR_KEYWORD), None)
    options = _options(hints.get(rest.name)) if rest is not None else {}
    for name in given:
        if name not in by_name and (rest is None or (options and name not in options)):
            raise unknown(f"argument of {function.__name__}", name, [*(n for n in by_name if n != "self"), *options])
    try:
        bound = signature.bind(*args, **given)
    except TypeError as error:
        raise UsageError(f"{function.__name__}: {error}.") from error
    for name, value in bound.arguments.items():
        kind = parameters[name].kind
        if kind is inspect.Parameter.VAR_KEYWORD:
            for key, each in value.items():
                _check_one(key, each, options.get(key, Any) if options else hints.get(name, Any))
        elif kind is inspect.Parameter.VAR_POSITIONAL:
            for each in value:
                _check_one(name, each, hints.get(name, Any))
        else:
            _check_one(name, value, hints.get(name, Any))


def _check_one(name: str, value: Any, hint: Any) -> None:
    if not _fits(value, hint):
        raise invalid(name, value, _words(hint))


class _Unknown(dict[str, Any]):
    """Names that only type checkers import: public ones of mohs, and others, which stand for anything."""

    def __missing__(self, name: str) -> Any:
        public = sys.modules["mohs"]
        return getattr(public, name) if name in getattr(public, "__all__", ()) else Any


@functools.lru_cache(maxsize=256)
def _signature(function: Callable[..., Any]) -> tuple[inspect.Signature, dict[str, Any]]:
    bare = inspect.unwrap(function)
    return inspect.signature(bare), _hints(bare.__annotations__, bare.__module__)


def _hints(annotations: Mapping[str, Any], module: str) -> dict[str, Any]:
    """The types that annotations name; what cannot be evaluated is anything."""
    names = _Unknown({**vars(typing), **vars(__import__("builtins")), **vars(sys.modules[module])})
    found = {}
    for name, annotation in annotations.items():
        try:
            found[name] = eval(annotation, {"__builtins__": {}}, names) if isinstance(annotation, str) else annotation
        except (TypeError, AttributeError):
            found[name] = Any
    return found


def _options(hint: Any) -> dict[str, Any]:
    """The keywords that `**options: Unpack[Options]` allows; none where any name may be given."""
    inner = typing.get_args(hint)[0] if typing.get_origin(hint) is typing.Unpack else None
    return _hints(inner.__annotations__, inner.__module__) if typing.is_typeddict(inner) else {}


def _fits(value: Any, hint: Any) -> bool:
    """Whether a value is of an annotated type. Numbers of NumPy are numbers, arrays are lists."""
    if isinstance(hint, str | TypeVar | typing.ForwardRef) or hint in (Any, object):
        return True
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return any(_fits(value, part) for part in parts)
    if origin is typing.Literal:
        return isinstance(value, bool | int | str | None) and value in parts
    if origin is typing.Annotated:
        return _fits(value, parts[0])
    if hint is None or hint is type(None):
        return value is None
    if hint is bool:
        return isinstance(value, bool | np.bool_)
    if hint is int:
        whole = isinstance(value, float) and value.is_integer()
        return whole or (isinstance(value, numbers.Integral) and not isinstance(value, bool))
    if hint is float:
        return isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_)
    kind = origin or hint
    if kind in (Callable, typing.Callable):
        return callable(value)
    if not isinstance(kind, type):
        return True
    if kind is type:
        return isinstance(value, type)
    if issubclass(kind, Mapping):
        many = list(value.items())[:_LOOKED_AT] if isinstance(value, Mapping) else None
        return many is not None and (len(parts) != 2 or all(_fits(k, parts[0]) and _fits(v, parts[1]) for k, v in many))
    if kind in (tuple, list) or (kind.__module__ == "collections.abc" and issubclass(kind, Iterable)):
        return _is_list(value, kind, parts)
    try:
        return isinstance(value, kind)
    except TypeError:  # a protocol, which says what a value must have and not what it is
        return True


def _is_list(value: Any, kind: type, parts: tuple[Any, ...]) -> bool:
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        return False
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return False
    if isinstance(value, Mapping | Set) and issubclass(kind, Sequence | tuple):
        return False
    if not isinstance(value, Sized):  # it can be read once only
        return not hasattr(kind, "__len__")
    if kind is tuple and parts and parts[-1] is not Ellipsis:
        return len(value) == len(parts) and all(map(_fits, value, parts))
    return not parts or all(_fits(each, parts[0]) for each, _ in zip(value, range(_LOOKED_AT), strict=False))


def _words(hint: Any) -> str:
    """A type in words."""
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return " or ".join(dict.fromkeys(_words(part) for part in parts))
    if origin is typing.Literal:
        return " or ".join(map(repr, parts))
    if origin is typing.Annotated:
        return _words(parts[0])
    if hint in _WORDS or hint is None:
        return _WORDS.get(hint, "None")
    kind = origin or hint
    if kind in (Callable, typing.Callable):
        return "a function"
    if not isinstance(kind, type):
        return str(hint)
    if issubclass(kind, Mapping):
        return f"a mapping to {_words(parts[1])}" if len(parts) == 2 and parts[1] is not Any else "a mapping"
    if issubclass(kind, Iterable) and kind.__module__ in ("collections.abc", "builtins"):
        known = parts and Any not in (parts[0], *typing.get_args(parts[0]))
        return f"a list, each {_words(parts[0])}" if known else "a list"
    name = "path" if kind.__name__ in ("Path", "PathLike") else kind.__name__
    return f"{'an' if name[0] in 'AEIOU' else 'a'} {name}"
