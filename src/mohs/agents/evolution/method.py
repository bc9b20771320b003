"""What is a method of search? A rule (its numbers), how a candidate is drawn, and what is learnt from a generation.

Kernels call `draw` and `improve` as they stand here. Numba replaces each call by the function of the method whose rule
it sees, when it compiles the kernel, as it does for the laws of engines.

A rule is a named tuple with at least three fields: `candidates`, their number in a generation, and `episodes` and
`alive_bonus_offset`, by which a candidate is scored.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mohs.core.kernel import Compiled, law
from mohs.engines.draws import as_normal, bits, nth
from mohs.engines.law import when_compiled

SEARCHER = np.dtype(
    [
        ("key", np.uint64),  # of the agent's random stream
        ("step", np.int64),  # environment steps taken in training
        ("generation", np.int64),
        ("candidate", np.int64),  # that plays
        ("episode", np.int64),  # of the candidate
        ("episode_return", np.float64),  # so far, of the episode under way
        ("length", np.int64),
        ("best", np.float64),  # what hill climbing has to reach
        ("seen", np.int64),  # observations that the mean and the squares are made of
    ],
    align=True,
)


@dataclass(frozen=True, eq=False)
class Method:
    """The functions of a method, each made by `core.kernel.law`, with the arguments of the placeholders below.

    Args:
        rule: The class of its rule.
        draw: Writes the weights of the candidate that plays next.
        improve: Moves the mean, and the standard deviations, by the scores of all candidates of a generation.
    """

    rule: type[Any]
    draw: Compiled
    improve: Compiled

    def __post_init__(self) -> None:
        """Makes the method known to the compiler."""
        _METHODS[self.rule] = self


_METHODS: dict[Any, Method] = {}


def _function(method: Compiled) -> Any:
    plain: Any = method
    return plain.py_func


@when_compiled
def draw(rule, me, mean, std, weights):
    """Writes the weights of the candidate that plays next."""
    return _function(_METHODS[rule.instance_class].draw)


@when_compiled
def improve(rule, me, mean, std, scores, values, order):
    """Moves the mean by the scores of all candidates of a generation. The last two are room for a number of each."""
    return _function(_METHODS[rule.instance_class].improve)


@law
def direction(me, number):
    """Where the normals of a direction are drawn; `coordinate` gives one of them.

    Draws are addressed by (generation, number, weight). So nothing need be kept of a candidate but its number.
    """
    return bits(me.key, me.generation, number, 0)


@law
def coordinate(x, weight):
    """The standard normal of a direction for one weight."""
    return as_normal(nth(x, weight))


@law
def rank(values, order, count):
    """Writes the numbers of the first `count` values, from the best to the worst; of equal ones the first comes first.

    By insertion: populations are small, and a kernel must not allocate.
    """
    for i in range(count):
        place = i
        while place > 0 and values[i] > values[order[place - 1]]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = i
