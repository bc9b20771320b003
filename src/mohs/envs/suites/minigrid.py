"""What is seen of a MiniGrid? One of its own views."""

from __future__ import annotations

from typing import Any

import gymnasium


def seen_as(env: gymnasium.Env[Any, Any], *, observation: str) -> gymnasium.Env[Any, Any]:
    """All parts ("dict"), the agent's view ("image"), view and mission flat ("flat"), or the whole grid ("full")."""
    from minigrid.wrappers import FlatObsWrapper, FullyObsWrapper, ImgObsWrapper

    if observation == "dict":
        return env
    if observation == "flat":
        return FlatObsWrapper(env)
    if observation == "full":
        env = FullyObsWrapper(env)  # type: ignore[no-untyped-call]
    return ImgObsWrapper(env)  # type: ignore[no-untyped-call]
