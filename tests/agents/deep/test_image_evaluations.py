"""Do several copies of a third-party environment that shows images share the episodes of an evaluation?"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

import mohs
from mohs import Cell, Probe, Segment, Task
from mohs.agents.deep.learner import copies
from mohs.agents.registry import agent, learner

CLASSES = mohs.Classes(("dot", "wall"))


class Dot(gymnasium.Env[Any, Any]):
    """A dot that is pushed to the right; an episode pays the number of steps that it took, at most 12."""

    action_space = gymnasium.spaces.Discrete(2)
    observation_space = gymnasium.spaces.Box(0, 255, (12, 12, 3), np.uint8)
    made = 0

    def __init__(self) -> None:
        Dot.made += 1

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.x, self.steps = int(self.np_random.integers(4)), 0
        return self._picture(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.x, self.steps = self.x + int(action), self.steps + 1
        over = self.x >= 11 or self.steps >= 12
        return self._picture(), float(self.steps * over), over, False, {}

    def _picture(self) -> Any:
        return np.repeat(self.views().ids[..., None] * np.uint8(100), 3, -1)

    def views(self) -> mohs.Screen:
        ids = np.zeros((12, 12), dtype=np.uint8)
        ids[0], ids[5:7, min(self.x, 11)] = 2, 1
        return mohs.Screen(ids, CLASSES)


def test_copies_share_episodes_equally() -> None:
    assert [copies(n) for n in (1, 3, 8, 10, 11, 16, 20)] == [1, 3, 8, 5, 1, 8, 5]


@pytest.mark.parametrize(("name", "view"), [("ppo", "pixels"), ("dqn", "semantic"), ("recurrent_ppo", "semantic")])
def test_a_cell_is_evaluated_alike_alone_and_in_a_pack(name: str, view: str) -> None:
    settings: dict[str, Any] = {"hidden": (16,), "filters": ((4, 4, 4),), "batch_size": 2 if "rec" in name else 8}
    settings |= {"learning_starts": 16, "buffer_size": 50} if name == "dqn" else {"num_envs": 2, "n_steps": 8}
    settings |= {"sequence": 4} if "rec" in name else {}
    task = Task.make(Dot, max_episode_steps=20, view=view)

    def cells(*seeds: int) -> list[Cell]:
        probe = Probe("eval", task, (32,), 6)
        return [Cell(agent(name, **settings), seed, (Segment(task, 32),), (probe,), 16) for seed in seeds]

    pack, alone = learner(cells(0, 1, 2)), learner(cells(1))
    for one in (pack, alone):
        one.train(32)
    before = Dot.made
    together = pack.evaluate(0)
    assert Dot.made - before == 3 * 6
    assert not pack.failed
    for metric, values in alone.evaluate(0).items():
        assert values[0] == together[metric][1]
    assert together["return"].min() >= 1
    states = pack.save()
    assert states is not None
    again = learner(cells(0, 1, 2))
    again.load(states)
    assert np.array_equal(again.evaluate(0)["return"], together["return"])
