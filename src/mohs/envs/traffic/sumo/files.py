"""Which files does a task name, and do its parameters fit together?

A task carries a hash of its files, so an edited file is another task.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mohs.core.errors import UsageError
from mohs.engines.traffic.junction import check as check_intersection

HASH = "files"
# What describes the intersection that is built; a network or a map brings its own.
_BUILT = (
    "lanes", "speed", "length", "inflow", "left_lanes", "right_lanes", "left_share", "right_share", "profile",
    "observed_lanes",
)  # fmt: skip
_OWN = ("routes", "tls", "begin")


def check(values: Mapping[str, Any], given: frozenset[str]) -> dict[str, Any]:
    """The hash follows from the files unless it is given, as a stored task gives it.

    Raises:
        UsageError: Parameters contradict each other, or a file cannot be read.
    """
    if values["net"] and values["osm"]:
        raise UsageError("net and osm are both given: a task has one network.")
    if not values["net"] and not values["osm"]:
        for name in _OWN:
            if name in given:
                raise UsageError(f"{name} is given without net or osm: it is for a network of your own.")
        check_intersection(values, given)
        return {}
    check_intersection({**values, "left_share": 0.0, "right_share": 0.0, "observed_lanes": 0}, given)
    random = values["osm"] and not values["routes"]
    for name in _BUILT:
        if name in given and not (random and name == "inflow"):
            which = "net" if values["net"] else "osm"
            raise UsageError(f"{name} describes the intersection that is built, and {which} brings its own network.")
    if values["net"] and not values["routes"]:
        raise UsageError("net needs routes: the route files of the vehicles, separated by commas.")
    return {} if HASH in given else {HASH: hash_of(values)}


def names_of(values: Mapping[str, Any]) -> dict[str, list[str]]:
    """The files that parameters name, by parameter."""
    return {
        name: [part.strip() for part in values[name].split(",") if part.strip()] for name in ("net", "osm", "routes")
    }


def hash_of(values: Mapping[str, Any]) -> str:
    """A hash of all files; empty where there are none.

    Raises:
        UsageError: One cannot be read.
    """
    digest = hashlib.sha256()
    found = names_of(values)
    for parameter, names in found.items():
        for name in names:
            try:
                digest.update(Path(name).read_bytes())
            except OSError as error:
                raise UsageError(f"{parameter} is {name!r}, which cannot be read: {error.strerror}.") from error
    return digest.hexdigest()[:16] if any(found.values()) else ""
