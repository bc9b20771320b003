"""What is the complete state of a Python object? A digest that is equal for equal states.

Pickling is not enough: a class may pickle less than its state (Gymnasium's `EzPickle` keeps the constructor's arguments
alone), and equal states may pickle differently. Here the values themselves are read: attributes, slots, containers,
arrays, functions with what they enclose; also which of them are one and the same object or share memory. Random
generators are listed, not read. What an object keeps in compiled code cannot be read, and is listed as hidden.
"""

from __future__ import annotations

import functools
import hashlib
import pickle
import random
import types
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np

Generators = np.random.Generator | np.random.BitGenerator | np.random.RandomState | random.Random
Part = Callable[[object, str, object], bool]  # whether an owner's attribute, by name and value, is part of the state

_ATOMS = frozenset({type(None), bool, int, float, complex, str, bytes, range, slice, type(...), type(NotImplemented)})
_NAMED = (type, types.ModuleType, np.ufunc)  # said by their name
_VALUES = (tuple, frozenset)  # nothing depends on which one of equal ones these are
_ROWS = (list, tuple, deque)
_SIZE_OF_POINTER = np.dtype(np.intp).itemsize


@dataclass(frozen=True)
class Reading:
    """A digest of all that was read, the random generators met, and where state is hidden (and what it is)."""

    digest: bytes
    generators: tuple[Generators, ...]
    hidden: tuple[str, ...]


def read(value: object, part: Part = lambda owner, name, value: True) -> Reading:
    """Reads an object; attributes for which `part` is False are left out."""
    reader = _Reader(part)
    try:
        reader.read(value, "")
    except RecursionError:
        reader.hidden.append("a structure that is nested too deeply")
    text = repr(reader.tokens).encode("utf-8", "surrogatepass")
    digest = hashlib.blake2b(text, digest_size=16).digest()
    return Reading(digest, tuple(reader.generators), tuple(reader.hidden))


def stir(generators: Iterable[Generators], seed: int) -> None:
    """Reseeds random generators."""
    for generator in generators:
        if isinstance(generator, np.random.RandomState | random.Random):
            generator.seed(seed)
        else:
            bits = generator.bit_generator if isinstance(generator, np.random.Generator) else generator
            bits.state = type(bits)(seed).state


def positions(generators: Iterable[Generators]) -> bytes:
    """The states of random generators, to detect whether one was drawn from."""
    found: list[Any] = []
    for generator in generators:
        if isinstance(generator, random.Random):
            found.append(generator.getstate())
        elif isinstance(generator, np.random.RandomState):
            found.append(generator.get_state())
        else:
            bits = generator.bit_generator if isinstance(generator, np.random.Generator) else generator
            found.append(bits.state)
    return pickle.dumps(found)


@dataclass
class _Reader:
    part: Part
    tokens: list[object] = field(default_factory=list)  # what was read, in order
    generators: list[Generators] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)
    # Objects met so far, kept alive so that no other one gets their id, and the memory of arrays met so far.
    met: dict[int, tuple[int, object]] = field(default_factory=dict)
    memory: dict[int, tuple[int, int]] = field(default_factory=dict)

    def write(self, *tokens: object) -> None:
        self.tokens += tokens

    def read(self, value: Any, path: str) -> None:
        kind = type(value)
        if kind in _ATOMS:
            self.write(kind.__name__, value)
        elif isinstance(value, np.generic):
            self.write(value.dtype.str, value.tobytes())
        elif isinstance(value, Enum):
            self.write("enum", kind.__module__, kind.__qualname__, value.name)
        elif isinstance(value, _NAMED):
            self.write("name", getattr(value, "__module__", ""), getattr(value, "__qualname__", value.__name__))
        elif isinstance(value, Generators):
            self.write("generator")
            self.generators.append(value)
        elif id(value) in self.met:
            self.write("again", self.met[id(value)][0])
        else:
            if not isinstance(value, _VALUES):
                self.met[id(value)] = (len(self.met), value)
            self.write(kind.__module__, kind.__qualname__)
            self.read_parts(value, path)

    def read_parts(self, value: Any, path: str) -> None:
        """Reads an object that is met for the first time and that consists of others."""
        kind: Any = type(value)
        if kind is np.ndarray:
            self.read_array(value, path)
        elif isinstance(value, _ROWS):
            self.write(len(value), getattr(value, "maxlen", None))
            for i, item in enumerate(value):
                self.read(item, f"{path}[{i}]")
            self.read_attributes(value, path)
        elif isinstance(value, dict):
            # The order of entries is part of a dict: iteration follows it.
            self.write(len(value))
            for key, item in value.items():
                self.read(key, f"{path} key")
                self.read(item, f"{path}[{key!r}]")
            self.read_attributes(value, path)
        elif isinstance(value, set | frozenset):
            items = [read(item, self.part) for item in value]
            self.write(sorted(item.digest for item in items))
            self.hidden += (f"in {path}, {place}" for item in items for place in item.hidden)
            self.read_attributes(value, path)
        elif isinstance(value, types.FunctionType):
            self.read_function(value, path)
        elif isinstance(value, types.MethodType):
            self.read(value.__func__, path)
            self.read(value.__self__, f"{path}.__self__")
        elif isinstance(value, types.BuiltinFunctionType):
            self.write(value.__name__)
            self.read(value.__self__, f"{path}.__self__")
        elif isinstance(value, functools.partial):
            self.read((value.func, value.args, value.keywords), path)
        elif isinstance(value, bytearray):
            self.write(bytes(value))
        elif _is_plain(kind):
            self.read_attributes(value, path)
        else:
            self.hidden.append(f"{path or 'the object'}: {kind.__module__}.{kind.__qualname__}")

    def read_attributes(self, value: object, path: str) -> None:
        # By way of `object`, because a class may have its own idea of what to pickle.
        state: Any = object.__getstate__(value)
        for group in state if isinstance(state, tuple) else (state,):
            for name in sorted(group or ()):
                item = group[name]
                if not self.part(value, name, item):
                    continue
                self.tokens.append(name)
                if type(item) in _ATOMS:  # most are, and a call for each would take longer than the rest
                    self.tokens += (type(item).__name__, item)
                else:
                    self.read(item, f"{path}.{name}")

    def read_array(self, value: np.ndarray[Any, Any], path: str) -> None:
        self.write(value.dtype.str, value.shape)
        if value.dtype.hasobject:
            self.read(value.ravel().tolist(), path)
            return
        self.write(value.tobytes())
        # Views of the same memory change together, which a copy of each would not.
        owner: Any = value
        while getattr(owner, "base", None) is not None:
            owner = owner.base
        number, address = self.memory.setdefault(id(owner), (len(self.memory), value.ctypes.data))
        self.write(number, value.ctypes.data - address)

    def read_function(self, function: types.FunctionType, path: str) -> None:
        self.write(hash(function.__code__))
        for cell in function.__closure__ or ():
            try:
                enclosed = cell.cell_contents
            except ValueError:  # not assigned yet
                continue
            self.read(enclosed, f"{path}()")
        self.read((function.__defaults__, function.__kwdefaults__), f"{path}()")


@functools.cache
def _is_plain(kind: Any) -> bool:
    """Whether all that an object of this class holds is in its attributes and slots.

    An object is as large as its parts then; one of a compiled class, or of a class derived from it, is larger.
    """
    slots = 0
    for base in kind.__mro__:
        names = base.__dict__.get("__slots__", ())
        slots += len({names} if isinstance(names, str) else set(names) - {"__dict__", "__weakref__"})
    # Offsets below 0 stand for what lies before the object, which its size does not count.
    references = (kind.__dictoffset__ > 0) + (kind.__weakrefoffset__ > 0)
    expected = object.__basicsize__ + (slots + references) * _SIZE_OF_POINTER
    return bool(kind.__itemsize__ == 0 and kind.__basicsize__ == expected)
