"""Which parameters do several environments share? Dials by name, and the length of an episode."""

from __future__ import annotations

from collections.abc import Iterable

from mohs.core.dial import Applies
from mohs.core.dials import DIALS
from mohs.core.domain import Integer
from mohs.core.registry import Parameter


def dial_parameters(where: Applies, names: Iterable[str]) -> dict[str, Parameter]:
    """Dials as the parameters of an environment, read as they are read there."""
    read = [DIALS[name].at(where) for name in names]
    return {dial.name: Parameter(dial.domain, dial.vanilla, dial.text) for dial in read}


def max_episode_steps(default: int) -> Parameter:
    return Parameter(Integer(1, 2**28), default, "The episode is truncated after this many steps.")
