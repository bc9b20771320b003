"""By what is the return of a continuous toy normalised? 0 is the random policy, 1 the optimum, both without noise.

The random policy has no closed form, so it is played; the optimum is that of `exact.continuous`.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from mohs.core.errors import UsageError
from mohs.core.score import Reference, ReferenceKind, Score
from mohs.core.task import Task
from mohs.engines.continuous.fleet import fleet
from mohs.engines.play import returns
from mohs.exact.continuous import STARTS, Optimum, OptimumKind, optimum

_EPISODES, _FEWEST = 16_384, 256
_STEPS = 2**23  # at most, so that long episodes are played less often; still longer ones are refused


@lru_cache(maxsize=10_000)
def return_score(task: Task) -> Score:
    """The undiscounted return over the task's horizon, with its references."""
    plain = replace(task.noise_free(), seed=0)  # nothing is generated, so all seeds have the same references
    if plain != task:
        return return_score(plain)
    return Score("return", "reward per episode", True, _random(task), _optimal(optimum(task)))


def _random(task: Task) -> Reference:
    longest = task["max_episode_steps"]
    episodes = min(_EPISODES, _STEPS // longest)
    if episodes < _FEWEST:
        raise UsageError(
            f"the random policy's return is estimated by playing, which takes too long with {longest:,} steps an "
            f"episode: max_episode_steps must be at most {_STEPS // _FEWEST:,}."
        )
    played = random_returns(task, episodes)
    error = played.std(ddof=1) / math.sqrt(len(played))
    source = f"random policy, noise-free, mean of {len(played):,} episodes ± {error:.2g}"
    return Reference(float(played.mean()), source, ReferenceKind.ESTIMATED)


def _optimal(best: Optimum) -> Reference:
    mean = f"noise-free, mean of the exact optimum over {STARTS:,} starts ± {best.error:.2g}"
    kind, source = {
        OptimumKind.EXACT: (ReferenceKind.EXACT, "exact, noise-free"),
        OptimumKind.MEAN: (ReferenceKind.ESTIMATED, mean),
        OptimumKind.BOUND: (ReferenceKind.BOUND, f"noise-free, an upper bound of it, since {best.reason}"),
    }[best.kind]
    return Reference(best.value, f"optimal policy, {source}", kind)


def random_returns(task: Task, episodes: int) -> npt.NDArray[np.float64]:
    """The returns of so many episodes under uniformly random actions, the same every time."""
    played = fleet([task] * episodes)
    dims, _, bound = played.spaces
    rng = np.random.default_rng(1)
    return returns(played, lambda: (rng.random((episodes, dims), dtype=np.float32) * 2 - 1) * np.float32(bound))
