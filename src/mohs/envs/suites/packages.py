"""Which packages bring environments, how are they recognised by an id, and what does mohs add to them?

A package is imported when an id of its own is asked for, and not before.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from mohs.core.domain import Choice, Custom, Integer, Optional, Real
from mohs.core.errors import UsageError, invalid
from mohs.core.registry import Parameter
from mohs.core.values import resolve
from mohs.core.views import VIEW_PARAMETERS, View


@dataclass(frozen=True)
class Suite:
    """One package.

    `ids` is a pattern of the ids that it brings; `register` makes Gymnasium know those that the import does not.
    `parameters` are ours, beside the arguments of its environments: `inner` and `outer` take an environment and all of
    them, and wrap it below the dials and above. `noise` are arguments that a noise-free evaluation switches off, where
    they are off by default. `views` takes the same, and gives what looks at the screen (`envs/views/screens.py`), or
    None for the environment's own observation. `parts` are fields of the entries of its environments.
    """

    package: str
    install: str
    ids: str
    register: str | None = None
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    inner: str | None = None
    outer: str | None = None
    noise: tuple[str, ...] = ()
    views: str | None = None
    parts: Mapping[str, str] = field(default_factory=dict)


def _size(name: str, value: Any) -> int:
    if isinstance(value, bool) or value not in _SIZES:
        raise invalid(name, value, _SIZE.text)
    return int(value)


_SIZES = (8, 16, 32, 64)
_SIZE = Custom(_size, "8, 16, 32 or 64")
_OBSERVED = "What is seen: all parts in a Dict, the view as an image or flat with the mission, or the full grid."

# Where the own observation is no picture: None is that, and pixels are what is drawn.
_DRAWN = {
    **VIEW_PARAMETERS,
    "view": Parameter(
        Optional(Choice(tuple(View))),
        None,
        "What an observation shows: pixels, figure and ground, or the class of each pixel. None: no picture.",
    ),
}
_SHAPING = "Extra reward for a sub-goal: a key or a door (Heist), a new lane (Leaper), a new cell (Maze)."
_PROCGEN = Suite(
    package="procgen",
    install="make procgen",
    ids=r"procgen/",
    register="mohs.envs.suites.procgen.env:register",
    parameters={**VIEW_PARAMETERS, "size": Parameter(_SIZE, 64, "Height and width of the picture in pixels.")},
    views="mohs.envs.suites.procgen.views:seen",
    parts={name: f"mohs.envs.suites.procgen.parts:{name}" for name in ("classes", "held_out", "score")},
)
MUJOCO = Suite(
    package="mujoco",
    install='pip install "mohs[mujoco]"',
    ids=r"(Ant|HalfCheetah|Hopper|Humanoid|HumanoidStandup|Inverted(Double)?Pendulum|Pusher|Reacher|Swimmer|Walker2d)"
    r"-v[45]$",
    parameters={**_DRAWN, "size": Parameter(Integer(8, 480), 64, "Height and width of a view in pixels.")},
    views="mohs.envs.suites.mujoco:seen",
    parts={"classes": "mohs.envs.suites.mujoco:classes"},
)
NONE = Suite(package="gymnasium", install="pip install gymnasium", ids="")
SUITES = (
    Suite(
        package="ale_py",
        install='pip install "mohs[atari]"',
        ids=r"atari/",
        register="mohs.envs.suites.atari:register",
        parameters={"frame_stack": Parameter(Integer(1, 64), 4, "So many of the last frames are seen at once.")},
        outer="mohs.envs.suites.atari:stacked",
        noise=("repeat_action_probability",),
    ),
    Suite(
        package="ale_py",
        install='pip install "mohs[atari]"',
        ids=r"ALE/|.*NoFrameskip-v[04]$",
        register="mohs.envs.suites.atari:register",
        noise=("repeat_action_probability",),
    ),
    Suite(
        package="minigrid",
        install='pip install "mohs[minigrid]"',
        ids=r"(MiniGrid|BabyAI)-",
        parameters={
            "observation": Parameter(Choice(("dict", "image", "flat", "full")), "dict", _OBSERVED),
            **_DRAWN,
            "tile_size": Parameter(Integer(1, 64), 8, "Height and width of a cell in a view, in pixels."),
        },
        inner="mohs.envs.suites.minigrid:seen_as",
        views="mohs.envs.suites.minigrid:seen",
        parts={"classes": "mohs.envs.suites.minigrid:classes"},
    ),
    Suite(
        package="minatar",
        install='pip install "mohs[minatar]"',
        ids=r"MinAtar/",
        register="mohs.envs.suites.minatar:register",
        parameters={
            **_DRAWN,
            "cell_size": Parameter(Integer(1, 16), 1, "Height and width of a cell in a view, in pixels."),
        },
        views="mohs.envs.suites.minatar:seen",
        parts={"classes": "mohs.envs.suites.minatar:classes"},
    ),
    MUJOCO,
    replace(
        _PROCGEN,
        ids=r"procgen/(Heist|Leaper|Maze)$",
        parameters={**_PROCGEN.parameters, "shaping": Parameter(Real(0), 0.0, _SHAPING)},
        inner="mohs.envs.suites.procgen.shaping:shaped",
        noise=("shaping",),
    ),
    _PROCGEN,
)


def suite_of(name: str) -> Suite:
    """The suite that an id belongs to; `NONE` for what Gymnasium or the user registered."""
    return next((suite for suite in SUITES if re.match(suite.ids, name)), NONE)


def load(suite: Suite, name: str) -> None:
    """Makes Gymnasium know the ids of a suite, for the sake of this one."""
    try:
        if suite.register is None:
            importlib.import_module(suite.package)
        else:
            resolve(suite.register)()
    except ImportError as error:
        raise UsageError(f"{name} needs the package {suite.package}: {suite.install} ({error}).") from error
