"""Do cells with different dials of an arcade game train in one pack as they do alone?"""

from __future__ import annotations

import numpy as np

from mohs import Agent, Cell, Probe, Segment, Task
from mohs.agents.deep import packs

SMALL = {"num_envs": 4, "n_steps": 16, "batch_size": 32, "n_epochs": 1, "filters": [[8, 4, 4]], "hidden": [16]}
DIALS = ({}, {"texture": 1.0}, {"pay_every": 0, "reward_probability": 0.5})


def test_a_pack_of_dials_trains_as_its_cells_do_alone():
    cells = []
    for dials in DIALS:
        task = Task.make("arcade/collect", num_levels=20, **dials)
        held = task.environment.realisation("held_out")(task).noise_free()
        probe = Probe("held_out", held, (128,), episodes=3)
        cells.append(Cell(Agent.make("ppo", **SMALL), 0, (Segment(task, 128),), (probe,)))
    pack = packs.learner(cells)
    pack.train(128)
    together = pack.evaluate(0)["return"]
    for i, cell in enumerate(cells):
        alone = packs.learner([cell])
        alone.train(128)
        assert alone.evaluate(0)["return"][0] == together[i]
        assert alone.save() == pack.save()[i : i + 1]
    assert np.isfinite(together).all()
