"""By what is a return in SUMO normalised? By that of the untuned fixed plan, as in the compiled engine."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mohs.core.score import Score
from mohs.core.task import Task
from mohs.engines.traffic.fixed_time import untuned
from mohs.engines.traffic.references import Returns, between
from mohs.envs.traffic.sumo.env import SumoEnv
from mohs.exact.kept import kept

EPISODES = 10
_KIND = f"sumo-untuned-{EPISODES}"


def score(task: Task) -> Score:
    """From the fixed plan that was not tuned to no delay. The plan is played in SUMO once, which takes some seconds."""
    plain = replace(task, seed=0)  # nothing is generated from it
    played = kept(_KIND, plain.key, plain, lambda: play_untuned(plain), lambda fields: Returns(**fields))
    return between(played, EPISODES)


def play_untuned(task: Task) -> Returns:
    """Plays the untuned plan, each episode with vehicles of its own."""
    env = SumoEnv(source=task)
    plan = np.resize(untuned(env.signal), task["max_episode_steps"]).tolist()
    paid = np.zeros(EPISODES)
    for episode in range(EPISODES):
        env.reset(seed=0 if episode == 0 else None)
        paid[episode] = sum(env.step(phase)[1] for phase in plan)
    return Returns(float(paid.mean()), float(paid.std(ddof=1)))
