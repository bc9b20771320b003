"""Which doses of which dials are known for an environment? Those of its batteries, and those of plugins."""

from __future__ import annotations

from collections.abc import Mapping

from mohs.core.battery import Battery, Doses
from mohs.core.errors import UsageError, unknown
from mohs.core.plugins import load
from mohs.core.registry import environment

PLUGINS = "mohs.doses"  # entry points: mappings of environment ids to doses by dial


def batteries(env: str) -> Mapping[str, Battery]:
    """The batteries of an environment, by name."""
    entry = environment(env)
    if entry.batteries is None:
        raise UsageError(f"{env} has no dials to diagnose by: vary its parameters in a study (mohs run FILE).")
    found: Mapping[str, Battery] = entry.realisation("batteries")
    return found


def battery(env: str, name: str) -> Battery:
    """The battery of this name of an environment."""
    known = batteries(env)
    if name not in known:
        raise unknown("battery", name, known)
    return known[name]


def known_doses(env: str, name: str) -> Doses:
    """The doses of a battery's dials; for dials outside it those of plugins, and of the full battery."""
    added = {dial: tuple(doses) for _, offered in load(PLUGINS) for dial, doses in offered.get(env, {}).items()}
    return {**batteries(env)["full"].doses, **added, **battery(env, name).doses}
