"""How is noise drawn that a user gives as a function? By a generator that starts at the address of the draw.

A function takes the generator alone, or (state, action, generator) where the noise depends on what is done.
"""

from __future__ import annotations

import inspect
from functools import lru_cache
from typing import Any

from mohs.core.errors import UsageError
from mohs.core.values import FunctionRef, named
from mohs.engines.draws import generator

_PLAIN = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def drawn(function: FunctionRef, inst: Any, lane: int, state: Any, action: Any) -> Any:
    """The noise of the step to come of an instance. The action is None where it is not chosen yet."""
    rng = generator(int(inst["key"]), int(inst["episode"]), int(inst["t"]) + 1, lane)
    if not reads_state(function):
        return function(rng)
    if action is None:
        raise UsageError(
            f"the noise {function.target!r} depends on the action, which this agent chooses inside the step: give it "
            "noise that takes the generator alone."
        )
    return function(state, action, rng)


@lru_cache(maxsize=128)
def reads_state(function: FunctionRef) -> bool:
    """Does the function take (state, action, generator)? Arguments with defaults do not count."""
    try:
        parameters = inspect.signature(function.live or named(function.target)).parameters.values()
    except ValueError:  # a compiled function that does not say what it takes
        return False
    needed = sum(p.kind in _PLAIN and p.default is inspect.Parameter.empty for p in parameters)
    if needed not in (0, 1, 3):
        raise UsageError(
            f"the noise function {function.target!r} takes {needed} arguments, but must take the generator alone, or "
            "state, action and generator."
        )
    return needed == 3
