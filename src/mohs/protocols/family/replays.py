"""What does each method do at the default point? The episode that was recorded there, played again.

All methods play it from the same seed. What happens by chance is addressed, so it is the same for all of them where it
does not depend on what they do: the same vehicles come to an intersection.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mohs.agents.protocol import ACTIONS, RECORDED
from mohs.core.task import Task
from mohs.envs.make import make
from mohs.protocols.family.study import FamilyStudy
from mohs.runs.results import Results

Bytes = npt.NDArray[np.uint8]
Actions = npt.NDArray[np.int64]
FRAMES = 60  # of an animation


@dataclass(frozen=True, eq=False)
class Replay:
    """An episode of a method.

    Attributes:
        method: its name.
        frames: pictures [height, width, 3] of the moments in the middle of the episode, one after each step.
        metrics: what the environment says of the episode.
    """

    method: str
    frames: tuple[Bytes, ...]
    metrics: Mapping[str, float]


def recorded(study: FamilyStudy, results: Results) -> dict[str, Actions]:
    """Of each method the actions of the first model at the default point that has finished and recorded them."""
    found: dict[str, Actions] = {}
    for method in study.labels:
        for point in study.default_names:
            for _, curves in results.finished(method, point):
                if f"eval/{ACTIONS}" in curves:
                    found.setdefault(method, curves[f"eval/{ACTIONS}"][1].astype(np.int64))
    return found


def replays(study: FamilyStudy, actions: Mapping[str, Actions]) -> list[Replay]:
    """The recorded episodes, in the order of the methods."""
    if study.default is None:
        return []
    task = study.evaluated(study.default.task)
    return [replay(task, method, of) for method, of in actions.items()]


def replay(task: Task, method: str, actions: Actions) -> Replay:
    """Plays actions again, and takes pictures in the middle."""
    first = max(len(actions) // 2 - FRAMES // 2, 0)
    env = make(task, render_mode="rgb_array")
    env.reset(seed=RECORDED)
    frames, info = [], dict[str, dict[str, float]]()
    for t, action in enumerate(actions.tolist()):
        info = env.step(action)[4]
        if first <= t < first + FRAMES:
            frames.append(np.asarray(env.render(), dtype=np.uint8))
    env.close()
    return Replay(method, tuple(frames), info.get("metrics", {}))
