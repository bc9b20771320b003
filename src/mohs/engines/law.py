"""What is an engine? The records of its tasks and instances, and a law: a few functions that move one instance.

The loops over a fleet (`loops.py`) and the agents that play inside a kernel (`numbered.py`) call `parts`, `begin`,
`advance`, `observe` and so on as they stand here. Numba replaces each call by the function of the engine whose record
it sees, when it compiles the kernel. So a loop is written once, and is as fast as one written for the engine.

The functions of a law are inlined. They have the arguments of the placeholders below, under the same names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
from numba.extending import overload

from mohs.core.kernel import Compiled
from mohs.engines.memory import splitter

# Those of `core.kernel.law`, but inlined by LLVM: numba itself warns of variable names where it inlines an overload.
_OPTIONS: Any = {"_nrt": False, "error_model": "numpy", "forceinline": True}


@dataclass(frozen=True, eq=False)
class Law:
    """The records of an engine and the functions that move them, each made by `core.kernel.law`.

    Args:
        name: The name of the engine. It is part of the type of a fleet's memory, by which a kernel knows the engine.
        instance: The record of an instance. It has at least the fields `key`, `episode`, `t`, `task`, `choices` and
            `over` (see `instance_record`), and is a multiple of 8 bytes.
        task: The record of a task, likewise a multiple of 8 bytes.
        begin: Starts the next episode of an instance. It sets `episode`, `t` and `over`.
        advance: Takes one step: (reward, terminated, truncated). It sets `t` and `over`.
        observe: Writes the state of an instance into a row of observations.
        bounds: The least and the greatest allowed value of a component of an action.
        number: The observation of an instance where it is one number, or else None.
        count: How many such numbers the task of an instance has, where tabular agents can play it.
        decode: The action that a number stands for, likewise.
    """

    name: str
    instance: np.dtype[Any]
    task: np.dtype[Any]
    begin: Compiled
    advance: Compiled
    observe: Compiled
    bounds: Compiled
    number: Compiled | None = None
    count: Compiled | None = None
    decode: Compiled | None = None

    def __post_init__(self) -> None:
        """Makes the law known to the compiler."""
        _LAWS[numba.from_dtype(self.instance)] = self
        _LAWS[numba.from_dtype(self.block)] = self

    @property
    def block(self) -> np.dtype[Any]:
        """The type of a word of a fleet's memory: an integer under the name of the engine."""
        return np.dtype([(self.name, np.int64)], align=True)


_LAWS: dict[Any, Law] = {}  # by numba's types of their instances and blocks


def instance_record(*own: tuple[str, Any]) -> np.dtype[Any]:
    """The record of an instance: the fields that every engine has, and its own."""
    return np.dtype(
        [
            ("key", np.uint64),  # of its random stream
            ("episode", np.int32),
            ("t", np.int32),  # steps taken in this episode
            ("task", np.int32),
            ("choices", np.int32),  # offset of the tasks to draw from, in the integer arena; 0: a single one
            ("over", np.int64),  # 1: the episode has ended and the next one has not begun
            *own,
        ],
        align=True,
    )


def when_compiled(choose: Callable[..., Any]) -> Callable[..., Any]:
    """A placeholder: it takes numba's types of the arguments, and returns the function that is compiled for them."""
    overload(choose, jit_options=_OPTIONS)(choose)
    return choose


def _plain(function: Any) -> Any:
    return function.py_func


@when_compiled
def parts(memory):
    """The instances, the tasks, the integer and the float arena of a fleet: views of its memory."""
    law = _LAWS[memory.dtype]
    return splitter(law.instance, law.task)


@when_compiled
def begin(inst, tasks, ints, floats):
    """Starts the next episode."""
    return _plain(_LAWS[inst].begin)


@when_compiled
def advance(inst, tasks, ints, floats, action):
    """One step: (reward, terminated, truncated). The caller has checked the action, a row or a tuple of components."""
    return _plain(_LAWS[inst].advance)


@when_compiled
def observe(inst, tasks, ints, floats, observation):
    """Writes the state into a row of observations."""
    return _plain(_LAWS[inst].observe)


@when_compiled
def bounds(inst, tasks, component):
    """The least and the greatest allowed value of a component of an action. All tasks of a fleet have the same."""
    return _plain(_LAWS[inst].bounds)


@when_compiled
def number(inst, tasks):
    """The observation, where it is one number."""
    return _plain(_LAWS[inst].number)


@when_compiled
def count(inst, tasks):
    """How many observations there are, where they are numbers."""
    return _plain(_LAWS[inst].count)


@when_compiled
def decode(inst, tasks, action):
    """The components of the action that a number stands for."""
    return _plain(_LAWS[inst].decode)
