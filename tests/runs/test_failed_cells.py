"""A cell that its learner counts as failed is recorded at once, and the rest of the pack continues."""

from __future__ import annotations

from pathlib import Path

import gymnasium
import numpy as np
import pytest
from fake_learner import FACTORY, FakeLearner, cell, learner, plan
from gymnasium import spaces

from mohs import Cell, Probe, Segment, Task
from mohs.agents.registry import agent
from mohs.agents.registry import learner as real_learner
from mohs.runs.execute import execute
from mohs.runs.execution import Execution
from mohs.runs.progress import Silent
from mohs.runs.status import failures
from mohs.runs.store import open_store
from mohs.runs.workers.pack import Failed, Finished, Message, Pace, Saved, Stepped, run_cells


def reported(cells, factory=learner, chunk=7, stop_after=10**9) -> list[Message]:
    """What a pack reports that is asked to stop, and so to save, after so many chunks."""
    looks = iter(range(10**9))
    return list(run_cells(cells, factory, {}, lambda: next(looks) >= stop_after, Pace(1e9, chunk)))


def results(messages):
    finished = [m.results for m in messages if isinstance(m, Finished)]
    return {
        key: {metric: (s.tolist(), v.tobytes()) for metric, (s, v) in curves.items()}
        for of_pack in finished
        for key, curves in of_pack.items()
    }


def failed(messages):
    return {m.cell: m.error for m in messages if isinstance(m, Failed)}


def broken_pack(*seeds):
    return [cell(seed, broken_seeds=seeds) for seed in range(5)]


def test_failed_cells_are_reported_and_the_others_have_their_results():
    cells = broken_pack(1, 3)
    messages = reported(cells)
    assert failed(messages) == {cells[i].key: f"Traceback:\nBrokenError: seed {i} broke" for i in (1, 3)}
    assert results(messages) == {key: of for i in (0, 2, 4) for key, of in results(reported([cells[i]])).items()}


def test_failed_cells_count_in_no_total_and_no_later_checkpoint():
    cells = broken_pack(1, 3)
    assert sum(m.count for m in reported(cells) if isinstance(m, Stepped)) == 3 * 200
    stopped = reported(cells, stop_after=12)
    assert len(failed(stopped)) == 2
    (saved,) = (m for m in stopped if isinstance(m, Saved))
    assert set(saved.states) == {cells[i].key for i in (0, 2, 4)}


def test_a_pack_whose_cells_have_all_failed_trains_no_more():
    class Watched(FakeLearner):
        trained: list[int]

        def train(self, steps):
            super().train(steps)
            Watched.trained.append(self.step)

    Watched.trained = []
    messages = reported(broken_pack(*range(5)), lambda cells: Watched(cells))
    assert len(failed(messages)) == 5
    assert results(messages) == {}
    assert sum(m.count for m in messages if isinstance(m, Stepped)) == 0
    assert Watched.trained[-1] == 50


def test_a_failed_cell_is_not_run_again_when_the_pack_raises_later():
    class Later(FakeLearner):
        def train(self, steps):
            super().train(steps)
            if len(self.cells) > 1 and self.step > 100:
                raise RuntimeError("the whole pack")

    cells = broken_pack(2)
    messages = reported(cells, lambda pack: Later(pack))
    assert [m.cell for m in messages if isinstance(m, Failed)] == [cells[2].key]
    assert set(results(messages)) == {c.key for i, c in enumerate(cells) if i != 2}
    assert sum(m.count for m in messages if isinstance(m, Stepped)) == 4 * 200


@pytest.mark.parametrize("workers", [0, 1])
def test_the_store_keeps_why_and_the_progress_comes_out_even(tmp_path: Path, workers):
    class Counting(Silent):
        left = 0

        def start(self, *, cells, done, failed, steps):
            self.left = steps

        def update(self, *, done, failed, steps, dropped=0):
            self.left -= steps + dropped

    shown = Counting()
    made = plan(seeds=4, delays=1, broken_seeds=(0,))
    with open_store(f"sqlite:///{tmp_path / 'x.db'}") as store:
        summary = execute(
            made, store, Execution(workers=workers, pack_size=4, progress=shown), factory=FACTORY, chunk=10
        )
        (failure,) = failures(store, made.key)
    assert (summary.done, summary.failed, summary.interrupted) == (3, 1, False)
    assert failure.reason == "BrokenError: seed 0 broke"
    assert shown.left == 0


class Fragile(gymnasium.Env):
    """Raises, or pays what is no number, after so many steps."""

    def __init__(self, raises_after=None, nan_after=None):
        self.observation_space, self.action_space = spaces.Box(-1, 1, (2,), np.float32), spaces.Discrete(2)
        self.raises_after, self.nan_after, self.steps = raises_after, nan_after, 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self._seen(), {}

    def step(self, action):
        self.steps += 1
        if self.steps == self.raises_after:
            raise RuntimeError("the simulator broke")
        reward = np.nan if self.steps == self.nan_after else float(action)
        return self._seen(), reward, self.np_random.random() < 0.2, False, {}

    def _seen(self):
        return self.np_random.uniform(-1, 1, 2).astype(np.float32)


gymnasium.register("test/Fragile-v0", Fragile, max_episode_steps=20)


def deep_cell(seed, **params):
    task = Task.make("test/Fragile-v0", **params)
    made = agent("dqn", hidden=[8], learning_starts=16)
    return Cell(made, seed, (Segment(task, 120),), (Probe("eval", task, (120,), 2),), window=20)


@pytest.mark.parametrize(
    ("trouble", "reason"),
    [({"raises_after": 50}, "RuntimeError: the simulator broke"), ({"nan_after": 30}, "DivergenceError: by step ")],
)
def test_a_deep_agent_in_trouble_leaves_the_others_alone(trouble, reason):
    cells = [deep_cell(0), deep_cell(1, **trouble), deep_cell(2)]
    messages = reported(cells, real_learner, chunk=20)
    ((culprit, error),) = failed(messages).items()
    assert culprit == cells[1].key
    assert error.strip().splitlines()[-1].startswith(reason)
    alone = {
        **results(reported([cells[0]], real_learner, chunk=20)),
        **results(reported([cells[2]], real_learner, chunk=20)),
    }
    assert results(messages) == alone


def test_a_reward_that_is_not_finite_fails_its_run_and_no_other():
    class Nan(FakeLearner):
        def evaluate(self, probe):
            found = super().evaluate(probe)
            return {"return": np.where(np.arange(len(self.cells)) == 1, np.nan, found["return"]), "length": np.ones(5)}

    cells = broken_pack()
    messages = reported(cells, lambda pack: Nan(pack))
    (error,) = failed(messages).values()
    assert list(failed(messages)) == [cells[1].key]
    assert "gave a reward that is not finite" in error.splitlines()[-1]
    assert set(results(messages)) == {c.key for i, c in enumerate(cells) if i != 1}
    assert sum(m.count for m in messages if isinstance(m, Stepped)) == 4 * 200
