"""Is the table of a third-party task what is played?"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mohs
from mohs import UsageError
from mohs.exact.values.solve import returns

LISTED: list[tuple[str, dict[str, Any]]] = [
    ("FrozenLake-v1", {}),
    ("FrozenLake-v1", {"is_slippery": False, "sticky_actions": 0.4, "transition_noise": 0.2}),
    ("FrozenLake-v1", {"reward_scale": 3.0, "reward_shift": -0.1, "term_state_reward": 0.5, "max_episode_steps": 30}),
    ("FrozenLake-v1", {"reward_shift": 0.25, "reward_scale": 9.0, "reward_clip": (-1, 2), "sticky_actions": 0.1}),
    ("CliffWalking-v1", {"transition_noise": 0.5, "max_episode_steps": 20, "reward_clip": (-5, 0)}),
    ("Taxi-v4", {"sticky_actions": 0.25, "reward_noise": 1.0, "reward_probability": 0.5, "max_episode_steps": 15}),
]


@pytest.mark.parametrize(
    ("name", "params"), LISTED, ids=lambda value: value if isinstance(value, str) else "-".join(value)
)
def test_the_table_is_what_is_played(name: str, params: dict[str, Any]) -> None:
    """The exact return of the random policy lies within four standard errors of the mean of played episodes."""
    env = mohs.make(name, **params)
    rng = np.random.default_rng(1)
    gains = []
    for k in range(3000):
        env.reset(seed=7 if k == 0 else None)
        gain, over = 0.0, False
        while not over:
            _, reward, terminated, truncated, _ = env.step(int(rng.integers(env.action_space.n)))  # type: ignore[attr-defined]
            gain, over = gain + float(reward), terminated or truncated
        gains.append(gain)
    exact = returns(mohs.table(name, **params)).random
    assert abs(np.mean(gains) - exact) < 4 * np.std(gains) / np.sqrt(len(gains))
    assert np.std(gains) > 0


def test_a_table_that_cannot_be() -> None:
    for dials in ({"delay": 2}, {"irrelevant_features": True}, {"action_repeat": 2}):
        with pytest.raises(UsageError, match=f"no table with {next(iter(dials))}"):
            mohs.table("FrozenLake-v1", **dials)
    with pytest.raises(UsageError, match="another mean"):
        mohs.table("FrozenLake-v1", reward_noise=1.0, reward_clip=(-1, 1))
    with pytest.raises(UsageError, match="CartPole-v1 has no table"):
        mohs.table("CartPole-v1")
