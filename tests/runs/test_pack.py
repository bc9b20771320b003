"""A checkpoint that cannot be used is reported, and its cells restart."""

from __future__ import annotations

import numpy as np

from mohs import Cell, Segment, Task
from mohs.agents.registry import agent, learner
from mohs.runs.workers.pack import Finished, Noted, Pace, run_cells


def test_an_unreadable_checkpoint_is_reported_and_the_cell_restarts() -> None:
    cell = Cell(agent("sarsa"), 0, (Segment(Task.make("toy/discrete"), 500),))
    fresh = list(run_cells([cell], learner, {}, lambda: False, Pace()))
    again = list(run_cells([cell], learner, {cell.key: b"not a checkpoint"}, lambda: False, Pace()))
    assert isinstance(again[0], Noted)
    assert "they restart" in again[0].text
    curves = [next(m for m in run if isinstance(m, Finished)).results[cell.key] for run in (fresh, again)]
    assert np.array_equal(curves[0]["train/return"][1], curves[1]["train/return"][1], equal_nan=True)
