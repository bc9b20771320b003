"""What deep agents do when the task changes: go on, reset, separate networks, EWC; how they observe the task id."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from continuous_packs import outcome, same
from gymnasium import spaces

from mohs import Cell, Probe, Segment, Task, TaskSet, UsageError
from mohs.agents.deep.lifelong.new_tasks import METHODS
from mohs.agents.deep.lifelong.task_id import TaskIdStage
from mohs.agents.deep.optimise import Anchor
from mohs.agents.deep.spaces import observations
from mohs.agents.registry import agent, learner
from mohs.runs.plan import signature

BLOCK = 60
SMALL = {
    "dqn": {"hidden": (12,), "learning_starts": 10, "batch_size": 5},
    "rainbow": {"hidden": (12,), "learning_starts": 10, "batch_size": 5, "atoms": 5},
    "ppo": {"hidden": (12,), "n_steps": 10, "num_envs": 2, "batch_size": 6, "n_epochs": 2},
    "recurrent_dqn": {"hidden": (12,), "learning_starts": 10, "batch_size": 3, "sequence": 6, "burn_in": 2},
    "recurrent_ppo": {"hidden": (12,), "n_steps": 12, "num_envs": 2, "sequence": 4, "batch_size": 3, "n_epochs": 2},
    "sac": {"hidden": (12,), "learning_starts": 10, "batch_size": 5},
}


def tasks_of(name):
    if name == "sac":
        return [Task.make("toy/continuous", make_denser=True, max_episode_steps=20, delay=d) for d in (0, 2, 5)]
    return [Task.make("ctgraph", goal=goal) for goal in ((1, 1), (1, 2), (2, 1))]


def lifelong_run(name, seed, method="finetune", task_id=False, **hyperparameters):
    """Task 0, task 1, task 0 again; all three are evaluated."""
    tasks = tasks_of(name)
    probes = tuple(Probe(f"task{i}", t, (0, BLOCK, 2 * BLOCK, 3 * BLOCK), 3) for i, t in enumerate(tasks))
    segments = tuple(Segment(task, BLOCK, task_id) for task in (tasks[0], tasks[1], tasks[0]))
    return Cell(agent(name, lifelong=method, **{**SMALL[name], **hyperparameters}), seed, segments, probes, 20)


def lived(cells):
    pack = learner(cells)
    for _ in cells[0].segments:
        pack.train(BLOCK)
    assert pack.failed == {}
    return pack


def evaluations(pack):
    return [pack.evaluate(i)["return"].tolist() for i in range(3)]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", SMALL)
def test_lives_have_the_same_bits_in_packs_and_after_pauses(name, method):
    cells = [lifelong_run(name, seed, method) for seed in range(3)]
    together = lived(cells)
    expected = outcome(together)
    assert not same(expected[0], expected[1])
    assert same(outcome(lived(cells[1:2]))[0], expected[1])

    paused = learner(cells)
    paused.train(BLOCK)
    paused.train(BLOCK - 17)
    states = paused.save()
    again = learner([cells[2], cells[0]])
    again.load([states[2], states[0]])
    again.train(17)
    again.train(BLOCK)
    assert same(outcome(again), [expected[2], expected[0]])


@pytest.mark.parametrize("name", SMALL)
def test_a_finetuned_run_is_that_of_an_agent_without_methods(name):
    plain = Cell(agent(name, **SMALL[name]), 0, lifelong_run(name, 0).segments, lifelong_run(name, 0).probes, 20)
    assert same(outcome(lived([lifelong_run(name, 0)])), outcome(lived([plain])))


def without_draws(pack):
    return {name: part.save(0) for name, part in pack._algorithm.parts.items() if name not in ("draws",)}


@pytest.mark.parametrize("name", SMALL)
def test_after_a_reset_all_is_as_at_first(name):
    fresh = without_draws(learner([lifelong_run(name, 0, "reset")]))
    pack = learner([lifelong_run(name, 0, "reset")])
    pack.train(BLOCK)
    assert not same(without_draws(pack), fresh)
    pack._next()
    assert same(without_draws(pack), fresh)
    pack.train(1)


@pytest.mark.parametrize("name", SMALL)
def test_separate_networks_forget_nothing(name):
    pack = learner([lifelong_run(name, seed, "separate") for seed in range(2)])
    pack.train(BLOCK)
    network = next(part for key, part in pack._algorithm.parts.items() if key in ("online", "network", "actor"))
    before, learnt = network.save(0), evaluations(pack)
    pack.train(BLOCK)
    assert not same(network.save(0), before)
    pack.evaluate(0)
    pack.evaluate(2)
    assert not same(network.save(0), before)  # what was played is put back on the shelf
    pack._next()
    assert same(network.save(0), before)
    if name != "sac":  # the graph has no chance, so the same policy earns the same
        assert evaluations(pack)[0] == learnt[0]


def test_the_information_of_a_weight_is_that_of_all_values():
    """E (∂ log p)² over drawn outputs = Σ over actions of (∂Q/∂θ)², averaged over what is remembered."""
    pack = learner([lifelong_run("dqn", seed, "ewc", ewc_samples=40_000) for seed in range(2)])
    pack.train(BLOCK)
    algorithm, consolidation = pack._algorithm, pack._response._consolidation
    found = consolidation._information()[0]
    seen = algorithm._replay.sample(algorithm._draws, 40_000, 1, 1.0).before
    places, counts = np.unique(seen[0], return_counts=True)
    exact = [torch.zeros_like(p[0]) for p in algorithm._online.parameters()]
    for place, count in zip(places, counts, strict=True):
        features = algorithm._sees.features(np.full((2, 1, 1), place, dtype=np.int32), torch.device("cpu"))
        for a in range(3):
            value = algorithm._online(features)[0, 0, a]
            for total, g in zip(exact, torch.autograd.grad(value, list(algorithm._online.parameters())), strict=True):
                total += g[0] ** 2 * count / counts.sum()
    for estimate, truth in zip(found, exact, strict=True):
        assert torch.allclose(estimate[0], truth, rtol=0.15, atol=0.02 * float(truth.max()))


def test_an_anchor_pulls_to_where_weights_were_held():
    at = [torch.nn.Parameter(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))]
    anchor = Anchor(at)
    anchor.add([torch.tensor([[1.0, 0.0], [2.0, 1.0]])], at)
    held = at[0].detach().clone()
    anchor.add([torch.tensor([[0.5, 1.0], [0.0, 0.0]])], [torch.nn.Parameter(held + 1)])
    moved = torch.nn.Parameter(held + 3)
    moved.grad = torch.ones_like(held)
    anchor.pull([moved])
    strengths = torch.tensor([[1.0, 0.0], [2.0, 1.0]]), torch.tensor([[0.5, 1.0], [0.0, 0.0]])
    expected = 1 + strengths[0] * (moved - held) + strengths[1] * (moved - held - 1)
    assert torch.allclose(moved.grad, expected)


def test_consolidated_weights_move_less():
    def moved(weight):
        pack = learner([lifelong_run("dqn", 0, "ewc", ewc_weight=weight)])
        pack.train(BLOCK)
        before = [p.detach().clone() for p in pack._algorithm._online.parameters()]
        pack.train(BLOCK)
        after = pack._algorithm._online.parameters()
        held = pack._algorithm._adam.anchor._strengths
        each = zip(after, before, held, strict=True)
        return sum(float(((a.detach() - b) ** 2 * strength).sum() / weight) for a, b, strength in each)

    assert moved(1e4) < 0.2 * moved(1e-6)


@pytest.mark.parametrize("name", SMALL)
def test_agents_with_the_task_id_see_the_number_of_their_task(name):
    pack = learner([lifelong_run(name, 0, task_id=True)])
    assert pack._task_ids == {0: 1, 1: 2}
    scene = pack._stage
    assert isinstance(scene, TaskIdStage)
    assert scene.observation_space.contains(np.asarray(scene.now[0], dtype=scene.observation_space.dtype))
    plain = scene._inner.now.reshape(len(scene.now), -1)
    expected = [1] if name != "sac" else [0, 1, 0]
    assert scene.now[0].tolist() == [*plain[0].tolist(), *expected]
    pack.train(BLOCK)
    pack.train(BLOCK)
    assert pack._stage.now[0, -1] == (2 if name != "sac" else 1)
    pack.evaluate(2)  # never learnt, so there is nothing to tell
    states = pack.save()
    again = learner([lifelong_run(name, 0, task_id=True)])
    again.load(states)
    assert np.array_equal(again._stage.now, pack._stage.now)


def test_agents_with_the_task_id_see_a_channel_for_each_task():
    tasks = [Task.make("ctgraph", goal=g, observation="image") for g in ((1, 1), (1, 2))]
    filters = {"filters": ((4, 4, 2),), "hidden": (8,)}
    segments = tuple(Segment(task, 8, True) for task in tasks)
    pack = learner([Cell(agent("dqn", **filters), 0, segments)])
    assert pack._stage.observation_space.shape == (12, 12, 4)
    assert [pack._stage.now[0, ..., i].min() for i in (1, 2, 3)] == [0, 255, 0]
    pack.train(8)
    pack.train(8)
    assert pack._stage.now[0, ..., 3].min() == 255


def test_tasks_of_a_set_have_no_id_that_is_observed():
    both = TaskSet.make(tasks_of("dqn")[:2])
    with pytest.raises(UsageError, match="observe the id of a single task"):
        learner([Cell(agent("dqn"), 0, (Segment(both, 10, True),))])


def test_lives_with_other_patterns_do_not_share_a_pack():
    a, b, c = tasks_of("dqn")
    made = agent("dqn")
    coming_back, ever_new = (
        Cell(made, 0, tuple(Segment(task, 10) for task in tasks)) for tasks in ((a, b, a), (a, b, c))
    )
    assert signature(coming_back) != signature(ever_new)
    assert signature(coming_back) == signature(Cell(made, 1, tuple(Segment(task, 10) for task in (b, c, b))))


@pytest.mark.parametrize(
    ("method", "shares"), [("finetune", (2 / 3, 1 / 3, 0)), ("reset", (0, 0, 0)), ("separate", (0.5, 0, 0))]
)
def test_schedules_are_stretched_over_what_begins(method, shares):
    """Task 0, task 1, task 0 again: who keeps networks apart goes on where it was with task 0."""
    pack = learner([lifelong_run("ppo", 0, method)])
    for share in shares:
        pack.train(BLOCK)
        assert pack._algorithm.left == pytest.approx(share)


def test_consolidation_does_not_depend_on_noise_that_was_left_behind():
    def held(sampled):
        pack = learner([lifelong_run("rainbow", 0, "ewc")])
        pack.train(BLOCK)
        if sampled:
            pack._algorithm._online.resample(pack._algorithm._draws)
            pack._algorithm._draws.count -= 1
        pack._next()
        return pack._response.parts["consolidation"].save(0)

    assert same(held(False), held(True))


def test_information_is_that_of_one_step_whatever_the_sequence():
    def total(sequence):
        pack = learner([lifelong_run("recurrent_ppo", 0, "ewc", sequence=sequence, n_steps=32, ewc_samples=4000)])
        pack.train(BLOCK)
        return sum(float(each.sum()) for each in pack._response._consolidation._information()[0])

    assert total(32) == pytest.approx(total(4), rel=0.35)


def test_planes_of_counts_keep_their_scale_beside_the_task_id():
    seen = np.full((1, 2, 32, 32), 4, dtype=np.uint8)
    space = spaces.Box(0, 4, (2, 32, 32), np.uint8)
    inner = SimpleNamespace(observation_space=space, action_space=None, failed={}, now=seen)
    scene = TaskIdStage(inner, 1, 3)
    sees = observations(scene.observation_space)
    assert (sees.shape, sees.top) == ((5, 32, 32), 4)
    kept = sees.store(scene.now)
    assert kept[0].mean((1, 2)).tolist() == [4, 4, 0, 4, 0]
    with pytest.raises(UsageError, match="no room for the ids"):
        TaskIdStage(inner, 1, 30)


def test_small_images_have_no_room_for_many_tasks():
    tasks = [
        Task.make("ctgraph", depth=4, goal=(1, 1, 1 + i // 2, 1 + i % 2), observation="image", image_size=4)
        for i in range(4)
    ]
    with pytest.raises(UsageError, match="no room for the ids"):
        learner([Cell(agent("dqn", filters=((4, 2, 1),)), 0, tuple(Segment(task, 8, True) for task in tasks))])
