"""How does a fixed plan control a signal, and how is it tuned? By playing plans near Webster's for whole episodes.

A plan shows every phase for a number of decisions, and repeats. The search keeps a best plan and plays it and its
neighbours, of which one phase or all phases last one decision more or less. Which one is next is decided by upper
confidence bounds, which one is best by lower ones.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np

from mohs.agents.episodes import Episode, Episodes, longest_episode
from mohs.agents.hyperparameters import Config, setting
from mohs.agents.traffic.signals import signal_of
from mohs.core.cell import Agent
from mohs.core.domain import Choice
from mohs.core.errors import UsageError
from mohs.engines.traffic.fixed_time import untuned, webster
from mohs.engines.traffic.signal import Signal

NAME = "fixed"
_LONGEST = 180.0  # s of a cycle

Counts = tuple[int, ...]  # decisions of each phase


@dataclass(frozen=True)
class FixedConfig(Config):
    plan: str = setting(
        "tuned",
        Choice(("tuned", "webster", "untuned")),
        "Webster's cycle and splits tuned by episodes, the same untuned, or 90 s shared without knowledge of flows",
    )


class Fixed:
    """Plays a plan; `tuned` searches for a better one by the returns of training."""

    def __init__(self, env: Any, seed: int, config: FixedConfig) -> None:
        signal = signal_of(env, NAME)
        self._tunes = config.plan == "tuned"
        self._most = max(int(_LONGEST / signal.decision), len(signal.greens))
        self._played: dict[Counts, list[float]] = {}
        self._next = _first(signal, config.plan)
        self.best = self._next
        self._episodes = Episodes(longest_episode(env, None), seed, remember=False)

    def train(self, env: Any, steps: int) -> None:
        self._episodes.play(env, steps, self._choose, self._learn)

    def act(self, observation: Any, memory: int | None, deterministic: bool) -> tuple[int, int]:
        t = memory or 0
        return _phase(self.best, t), t + 1

    def save(self) -> Any:
        return self._played, self._next, self.best, self._episodes.save()

    def load(self, state: Any) -> None:
        self._played, self._next, self.best, episodes = state
        self._episodes.load(episodes)

    def _choose(self, episode: Episode) -> int:
        return _phase(self._next, len(episode.actions))

    def _learn(self, episode: Episode) -> None:
        if not self._tunes:
            return
        self._played.setdefault(self._next, []).append(sum(episode.rewards))
        errors = {plan: self._spread() / np.sqrt(len(paid)) for plan, paid in self._played.items()}
        means = {plan: float(np.mean(paid)) for plan, paid in self._played.items()}
        self.best = max(means, key=lambda plan: means[plan] - errors[plan])
        near = (self.best, *(plan for plan in _neighbours(self.best) if sum(plan) <= self._most))
        self._next = max(near, key=lambda plan: means[plan] + errors[plan] if plan in means else np.inf)

    def _spread(self) -> float:
        """The standard deviation of returns of one plan, pooled over plans; 0 while none has two."""
        several = [paid for paid in self._played.values() if len(paid) > 1]
        squares = sum(float(np.var(paid)) * len(paid) for paid in several)
        return float(np.sqrt(squares / max(sum(len(paid) - 1 for paid in several), 1)))


def _first(signal: Signal, plan: str) -> Counts:
    """The plan to begin with."""
    if plan == "webster" and signal.junction is None:
        raise UsageError("the plan webster needs the flows of an intersection, which a network of one's own has not.")
    if plan == "untuned" or signal.junction is None:
        phases = untuned(signal)
    else:
        phases = webster(signal.junction, signal.decision, signal.yellow, signal.all_red)
    return tuple(np.bincount(phases, minlength=len(signal.greens)).tolist())


def _neighbours(counts: Counts) -> Iterator[Counts]:
    """Plans of which one phase or all last one decision more or less, and no phase less than one."""
    for change in (1, -1):
        for i in range(len(counts)):
            yield tuple(max(n + change * (i == j), 1) for j, n in enumerate(counts))
        yield tuple(max(n + change, 1) for n in counts)


def _phase(counts: Counts, t: int) -> int:
    """The phase of the t-th decision of an episode."""
    return bisect_right(list(accumulate(counts)), t % sum(counts))


def make_fixed(env: Any, seed: int, **params: Any) -> Fixed:
    return Fixed(env, seed, FixedConfig.of(Agent.make(NAME, **params)))
