"""By what is the return of a traffic signal normalised? 0 is a fixed plan that was not tuned, 1 no delay at all.

The paper divides delays by those of an untuned fixed plan. With the reward `delay` a score is one minus that ratio.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from mohs.core.score import Reference, ReferenceKind, Score
from mohs.core.task import Task
from mohs.engines.play import returns
from mohs.engines.traffic.fixed_time import untuned
from mohs.engines.traffic.fleet import fleet
from mohs.engines.traffic.signal import signal
from mohs.exact.kept import kept

EPISODES = 200
_KIND = f"traffic-untuned-{EPISODES}"


@dataclass(frozen=True)
class Returns:
    """The mean return of an episode, and its deviation."""

    mean: float
    deviation: float


def score(task: Task) -> Score:
    """From the fixed plan that was not tuned to no delay."""
    plain = replace(task, seed=0)  # nothing is generated from it
    played = kept(_KIND, plain.key, plain, lambda: play_untuned(plain), lambda fields: Returns(**fields))
    return between(played, EPISODES)


def between(played: Returns, episodes: int) -> Score:
    """The score whose 0 is what the untuned plan was paid in so many episodes."""
    error = played.deviation / math.sqrt(episodes)
    source = f"untuned fixed plan, mean of {episodes:,} episodes ± {error:.2g}"
    low = Reference(played.mean, source, ReferenceKind.ESTIMATED, played.deviation)
    return Score("return", "reward per episode", low=low, high=Reference(0.0, "no delay", ReferenceKind.BOUND))


def play_untuned(task: Task) -> Returns:
    """Plays the untuned plan in the compiled engine."""
    plan = untuned(signal(task.values))
    count = task["max_episode_steps"]
    actions = iter(np.resize(plan, count + 1).tolist())
    paid = returns(fleet([task] * EPISODES), lambda: np.full((EPISODES, 1), next(actions)))
    return Returns(float(paid.mean()), float(paid.std(ddof=1)))
