"""What is registered of the traffic signal in SUMO? The parameters of the compiled one, and those of a network."""

from __future__ import annotations

import os
from typing import Any

from mohs.core.domain import Custom, Real
from mohs.core.errors import invalid
from mohs.core.registry import Environment, Parameter
from mohs.envs.entries.intersection import INTERSECTION


def _text(name: str, value: Any) -> str:
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if not isinstance(value, str):
        raise invalid(name, value, "the path of a file" if name in ("net", "osm", "routes") else "a text")
    return value


_PATH, _NAME = Custom(_text, "the path of a file"), Custom(_text, "a text")

SUMO = Environment(
    id="traffic/sumo",
    gym_id="mohs/Sumo-v0",
    title="the signal of an intersection in SUMO, with vehicles that follow and change lanes",
    parameters={
        **INTERSECTION.parameters,
        "net": Parameter(_PATH, "", "A network of SUMO in place of the intersection; it needs routes."),
        "routes": Parameter(_PATH, "", "The route files of a network or a map, separated by commas."),
        "osm": Parameter(
            _PATH, "", "An extract of OpenStreetMap in place of a network; without routes, `inflow` vehicles an hour."
        ),
        "tls": Parameter(_NAME, "", "The traffic light of a network that is controlled; empty: the only one."),
        "begin": Parameter(Real(0), 0.0, "The time at which an episode in a network begins, in s."),
        "files": Parameter(_NAME, "", "A hash of the files. It follows from them."),
    },
    check="mohs.envs.traffic.sumo.files:check",
    face="mohs.envs.traffic.sumo.faces:face",
    vector_face="mohs.envs.third_party:vector_face",
    spaces="mohs.envs.traffic.sumo.faces:spaces",
    score="mohs.envs.traffic.sumo.references:score",
    align="mohs.envs.traffic.sumo.faces:aligned",
    implied=("files",),
    third_party=True,
)
