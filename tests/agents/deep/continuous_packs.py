"""Laws that all learners of continuous actions keep; each is tested in the file of its algorithm."""

from __future__ import annotations

import numpy as np
import torch
from probes import cell as probe_cell
from probes import learnt, trained

from mohs import Cell, Probe, Segment, Task
from mohs.agents.registry import agent, learner

STEPS = 160
# Widths and a batch that are no multiples of 8, and updates from early on.
SMALL = {"hidden": (20, 12), "batch_size": 30, "learning_starts": 40}


def cell(name, seed, task=None, steps=STEPS, mode="greedy", **hyperparameters):
    source = task or Task.make("toy/continuous", make_denser=True, delay=seed, max_episode_steps=30)
    probe = Probe("eval", source, (steps,), 3, mode)
    return Cell(agent(name, **{**SMALL, **hyperparameters}), seed, (Segment(source, steps),), (probe,), 20)


def outcome(pack):
    """All that came of each cell, down to the bits of its networks."""
    evaluated = pack.evaluate(0)
    states = [{name: part.save(i) for name, part in pack._algorithm.parts.items()} for i in range(len(pack.cells))]
    return [
        (curve, [evaluated[metric][i] for metric in sorted(evaluated)], state)
        for i, (curve, state) in enumerate(zip(pack.curves(), states, strict=True))
    ]


def same(a, b):
    """Equality of arrays inside of lists, tuples and dictionaries."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    return np.array_equal(a, b, equal_nan=np.asarray(a).dtype.kind == "f")


def check_packs_and_pauses(name, **params):
    check_same_bits([cell(name, seed, **params) for seed in range(3)])


def check_same_bits(cells):
    """A cell, one of three of `STEPS` steps, has them alone and in a pack, in one go and after a pause in another."""
    together = learner(cells)
    together.train(STEPS)
    assert together.failed == {}
    expected = outcome(together)
    assert not same(expected[0], expected[1])

    alone = learner(cells[1:2])
    alone.train(STEPS)
    assert same(outcome(alone)[0], expected[1])

    paused = learner(cells)
    paused.train(97)
    states = paused.save()
    again = learner([cells[2], cells[0]])
    again.load([states[2], states[0]])
    again.train(STEPS - 97)
    assert same(outcome(again), [expected[2], expected[0]])


def check_divergence_stays(name):
    """A cell whose networks are no numbers any more fails; the others go on as if it were not there."""
    cells = [cell(name, seed) for seed in range(3)]
    alone = learner(cells[2:])
    alone.train(STEPS)

    pack = learner(cells)
    pack.train(60)
    with torch.no_grad():
        pack._algorithm.rule.actor.last.weight[1] = torch.nan
    pack.train(STEPS - 60)
    assert list(pack.failed) == [1]
    assert "DivergenceError" in pack.failed[1]
    assert same(outcome(pack)[2], outcome(alone)[0])


def probe_pack(name, probe, steps, **hyperparameters):
    made = {"hidden": (32, 32), "learning_rate": 3e-3, "learning_starts": 100, "tau": 0.05, **hyperparameters}
    return trained([probe_cell(name, probe, steps, seed=seed, continuous=True, **made) for seed in range(2)])


def check_values(name, **hyperparameters):
    """The critics know what is paid, in which state, how much less it is worth a step earlier, and that what is cut off
    does not end there."""
    for probe, values, steps in (
        ("Constant", {0: 1.0}, 300),
        ("Observed", {-1: -1.0, 1: 1.0}, 500),
        ("Delayed", {0: 0.5, 1: 1.0}, 800),
        ("Chain", {0: 1.0, 1: 2.0}, 1500),
    ):
        pack = probe_pack(name, probe, steps, **hyperparameters)
        found = learnt(pack, list(values))
        np.testing.assert_allclose(found, [list(values.values())] * len(found), atol=0.1, err_msg=probe)


def check_best_action(name, **hyperparameters):
    """The actor finds the action 0.5, where 1 - (a - 0.5)² is highest."""
    pack = probe_pack(name, "Chosen", 800, **hyperparameters)
    np.testing.assert_allclose(pack.evaluate(0)["return"], 1.0, atol=0.02)
    np.testing.assert_allclose(learnt(pack, [0]), 1.0, atol=0.1)


def vanilla_returns(name, steps, **hyperparameters):
    """Final returns on the vanilla continuous toy, a few seeds."""
    task = Task.make("toy/continuous", make_denser=True, target_point=(0.0, 0.0), target_radius=0.5)
    cells = [
        Cell(agent(name, **hyperparameters), s, (Segment(task, steps),), (Probe("eval", task, (steps,), 20),), 500)
        for s in range(4)
    ]
    pack = learner(cells)
    before = pack.evaluate(0)
    pack.train(steps)
    return before, pack.evaluate(0)


def pendulum_returns(name, steps, **hyperparameters):
    task = Task.make("Pendulum-v1")
    cells = [
        Cell(agent(name, **hyperparameters), s, (Segment(task, steps),), (Probe("eval", task, (steps,), 10),), 1000)
        for s in range(3)
    ]
    return trained(cells).evaluate(0)["return"]
