"""How does an agent that keeps a table play, whichever engine moves its environment?

What is seen and what is done are numbers here. The engine is known by the type of its records when a kernel is
compiled: so a kernel that calls `begin`, `advance` and `seen` is written once, and is as fast as one that was written
for the engine. Environments that can be played so name their `fleet` (`core/registry.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from numba.extending import overload

from mohs.core.kernel import kernel, law
from mohs.engines.common_law import at
from mohs.engines.discrete import law as discrete
from mohs.engines.discrete.layout import INSTANCE as DISCRETE
from mohs.engines.table import law as table
from mohs.engines.table.layout import INSTANCE as TABLE

Choice = Callable[..., Any]
_OPTIONS: Any = {"_nrt": False, "error_model": "numpy"}  # those of a law: see `core/kernel.py`


def _when_compiled(choose: Choice) -> Choice:
    """A function of types that chooses the law that stands for it in a kernel."""
    overload(choose, inline="always", jit_options=_OPTIONS)(choose)
    return choose


def _of(inst: Any, of_discrete: Any, of_table: Any) -> Any:
    """Of two laws that of the engine whose instance this is."""
    laws = {numba.from_dtype(DISCRETE): of_discrete, numba.from_dtype(TABLE): of_table}
    return laws[inst].py_func


@_when_compiled
def begin(inst, tasks, ints, floats):
    """Starts the next episode."""
    return _of(inst, discrete.begin, table.begin)


@_when_compiled
def advance(inst, tasks, ints, floats, action):
    """One step: (reward, terminated, truncated). The caller has checked the action."""
    return _of(inst, advance_discrete, advance_table)


@_when_compiled
def seen(inst, tasks):
    """The number of what is seen, and how many there are."""
    return _of(inst, seen_discrete, seen_table)


@law
def advance_discrete(inst, tasks, ints, floats, action):
    """An action stands for two where there is an irrelevant part."""
    others = max(at(tasks, inst.task).irrelevant_actions, 1)
    return discrete.advance(inst, tasks, ints, floats, action // others, action % others)


@law
def advance_table(inst, tasks, ints, floats, action):
    return table.advance(inst, tasks, action)


@law
def seen_discrete(inst, tasks):
    task = at(tasks, inst.task)
    others = max(task.irrelevant_states, 1)
    return inst.state * others + inst.irrelevant, task.states * others


@law
def seen_table(inst, tasks):
    return inst.state, at(tasks, inst.task).states


@kernel
def begin_all(instances, tasks, ints, floats):
    """Starts an episode in every instance."""
    for i in range(len(instances)):
        begin(instances[i], tasks, ints, floats)
