"""Which packages bring environments, how are they recognised by an id, and what does mohs add to them?

A package is imported when an id of its own is asked for, and not before.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from mohs.core.domain import Choice, Integer
from mohs.core.errors import UsageError
from mohs.core.registry import Parameter
from mohs.core.values import resolve


@dataclass(frozen=True)
class Suite:
    """One package.

    `ids` is a pattern of the ids that it brings; `register` makes Gymnasium know those that the import does not.
    `parameters` are ours, beside the arguments of its environments: `inner` and `outer` take an environment and all of
    them, and wrap it below the dials and above. `noise` are arguments that a noise-free evaluation switches off, where
    they are off by default.
    """

    package: str
    install: str
    ids: str
    register: str | None = None
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    inner: str | None = None
    outer: str | None = None
    noise: tuple[str, ...] = ()


_VIEWS = "What is seen: all parts in a Dict, the agent's view as an image or with the mission flat, or the full grid."

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
        parameters={"observation": Parameter(Choice(("dict", "image", "flat", "full")), "dict", _VIEWS)},
        inner="mohs.envs.suites.minigrid:seen_as",
    ),
    Suite(
        package="procgen",
        install="make procgen",
        ids=r"procgen/",
        register="mohs.envs.suites.procgen:register",
    ),
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
