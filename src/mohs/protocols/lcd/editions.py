"""Which studies come with mohs? The arcade, Procgen at a size for two cores, and Procgen as in the paper."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mohs.core.errors import unknown

# What an edition says where nothing else is asked for: the words of `make_study`.
EDITIONS: Mapping[str, Mapping[str, Any]] = {
    "arcade": {"agents": ("ppo",), "games": ("arcade",), "levels": 500, "steps": 80_000, "seeds": 5},
    "procgen": {
        "agents": ("ppo",),
        "games": ("procgen",),
        "params": {"distribution_mode": "easy", "size": 32},
        "levels": 500,
        "steps": 300_000,
        "seeds": 5,
        "evaluations": 6,
        "episodes": 16,
        "floor": 0.01,  # of a range whose upper end takes thousands of times these steps
    },
    # Section 3 and A.1: 200 million steps in hard mode, 500 levels, an IMPALA encoder, one number for each class.
    "paper": {
        "agents": ("ppo", "ppg"),
        "games": ("procgen",),
        "params": {"distribution_mode": "hard", "view_encoding": "scalar"},
        "hyperparameters": {"preset": "procgen"},
        "levels": 500,
        "steps": 200_000_000,
        "seeds": 3,
        "evaluations": 1000,
        "episodes": 16,
        "controls": False,
    },
}


def completed(edition: str | None, asked: Mapping[str, Any]) -> dict[str, Any]:
    """What was asked for, completed by an edition: mappings are joined, and what was asked for overrides it."""
    if edition is None:
        return dict(asked)
    if edition not in EDITIONS:
        raise unknown("edition", edition, EDITIONS)
    found = dict(asked)
    for name, value in EDITIONS[edition].items():
        given = found.get(name)
        found[name] = {**value, **(given or {})} if isinstance(value, Mapping) else given or value
    return found
