"""How does an agent that keeps a table play, whichever engine moves its environment?

Observations and actions are numbers here. Engines that can be played so have `number`, `count` and `decode` in their
law. Environments that can be played so name their `fleet` (`core/registry.py`).
"""

from __future__ import annotations

from mohs.core.kernel import kernel, law
from mohs.engines import law as laws
from mohs.engines.law import begin, count, decode, number

__all__ = ["advance", "begin", "begin_all", "seen"]


@law
def advance(inst, tasks, ints, floats, action):
    """One step: (reward, terminated, truncated). The caller has checked the action."""
    return laws.advance(inst, tasks, ints, floats, decode(inst, tasks, action))


@law
def seen(inst, tasks):
    """The number of the observation, and how many observations there are."""
    return number(inst, tasks), count(inst, tasks)


@kernel
def begin_all(instances, tasks, ints, floats):
    """Starts an episode in every instance."""
    for i in range(len(instances)):
        begin(instances[i], tasks, ints, floats)
