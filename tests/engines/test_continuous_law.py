"""Does the point mass move as the paper says? Worked cases, and a plain reference over random configurations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from continuous_reference import Reference
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import mohs
from mohs import Task, TaskSet, UsageError
from mohs.envs.continuous import ContinuousEnv, ContinuousVectorEnv


def play(actions: list[Any], **params: Any) -> tuple[list[list[float]], list[float], list[bool]]:
    """Positions, rewards and ends."""
    env = ContinuousEnv(**params)
    env.reset(seed=0)
    positions, rewards, ends = [], [], []
    for action in actions:
        _, reward, terminated, _, info = env.step(action)
        positions.append(info["derivatives"][0].tolist())
        rewards.append(reward)
        ends.append(terminated)
    return positions, rewards, ends


BACK = [(-0.5, 0.0), (-0.5, 0.0)]
DENSE = {"make_denser": True, "start_point": (1, 0)}


@pytest.mark.parametrize(
    ("params", "actions", "expected", "ended"),
    [
        (DENSE, BACK, [0.5, 0.5], True),
        ({"start_point": (1, 0)}, BACK, [0, 1], True),
        ({**DENSE, "delay": 1}, BACK, [0, 1], True),
        ({**DENSE, "delay": 1, "delay_at_end": "drop"}, BACK, [0, 0.5], True),
        ({**DENSE, "delay": 7, "delay_at_end": "drop"}, BACK, [0, 0], True),
        ({"start_point": (1, 0), "delay": 7}, BACK, [0, 1], True),
        ({**DENSE, "action_loss_weight": 0.25}, BACK, [0.375, 0.375], True),
        ({**DENSE, "start_point": (9.5, 0)}, [(1, 0)], [-0.5], False),
        ({**DENSE, "inertia": 2, "time_unit": 0.1}, [(-1, 0)], [0.05], False),
        (
            {**DENSE, "terminal_states": [(0.5, 0)], "term_state_edge": 0.2, "target_point": (-5, 0),
             "reward_scale": 3, "reward_shift": 1, "term_state_reward": -2},
            [(-0.5, 0)], [-3.5], True,
        ),
        # Reaching the target pays the terminal reward too.
        ({"start_point": (1, 0), "term_state_reward": 2, "reward_scale": 3}, BACK, [0, 9], True),
        # A ball without its surface, cubes with their faces.
        ({"start_point": (1, 0), "target_radius": 0.5}, [(-0.5, 0), (-0.25, 0)], [0, 1], True),
        ({**DENSE, "terminal_states": [(0, 0)], "target_point": (-5, 0)}, [(-0.5, 0)], [0.5], True),
    ],
)  # fmt: skip
def test_worked_cases(params: dict[str, Any], actions: list[Any], expected: list[float], ended: bool) -> None:
    _, rewards, ends = play(actions, **params)
    assert rewards == pytest.approx(expected, abs=1e-12)
    assert ends == [False] * (len(actions) - 1) + [ended]


def test_worked_motions() -> None:
    away = {"target_point": (9, 9)}
    positions, *_ = play([(1, 0)] * 3, transition_dynamics_order=2, start_point=(0, 0), **away)
    assert [x for x, _ in positions] == [0.5, 2, 4.5]
    positions, *_ = play([(1, 0)], start_point=(9.5, 0))
    assert positions == [[10, 0]]
    positions, *_ = play([(-1, 0)], inertia=2, time_unit=0.1, start_point=(1, 0))
    assert positions == [[0.95, 0]]
    positions, *_ = play([(1, 1)], inertia=(2, 4), start_point=(0, 1), **away)
    assert positions == [[0.5, 1.25]]


def test_a_wall_stops_the_mass_in_its_own_dimension_only() -> None:
    env = ContinuousEnv(transition_dynamics_order=3, start_point=(9, 0), target_point=(-9, -9))
    env.reset(seed=0)
    for _ in range(3):
        _, _, _, _, info = env.step((1, 0.5))
    across = info["derivatives"]
    assert across[0, 0] == 10
    assert across[1:, 0].tolist() == [0, 0]
    assert across[:, 1] == pytest.approx([0.5 * 27 / 6, 0.5 * 9 / 2, 0.5 * 3])
    _, _, _, _, info = env.step((0, 0))
    assert info["derivatives"][:, 0].tolist() == [10, 0, 0]  # it starts from rest there


def jitter(rng: np.random.Generator) -> list[float]:
    return [float(x) for x in rng.uniform(-0.3, 0.3, size=3)]


def halves(rng: np.random.Generator) -> float:
    return float(rng.choice([-0.5, 0.5]))


@st.composite
def tasks(draw: st.DrawFn) -> Task:
    """Any combination of dials."""
    some = lambda *values: draw(st.sampled_from(values))  # noqa: E731
    dims, more = some((1, 0), (2, 0), (3, 0), (2, 1), (1, 2))
    relevant = some(None, (0,), (dims - 1,)) if more == 0 else None
    count = dims if relevant is None else len(relevant)
    three = dims + more == 3
    params: dict[str, Any] = {
        "state_space_dim": dims,
        "irrelevant_dimensions": more,
        "relevant_indices": relevant,
        "transition_dynamics_order": some(1, 1, 2, 3, 4),
        "inertia": some(1.0, 2.5, tuple(1.0 + 0.5 * d for d in range(dims + more))),
        "time_unit": some(1.0, 0.3),
        "state_space_max": some(2.0, 10.0),
        "action_space_max": some(1.0, 0.4),
        "delay": some(0, 0, 1, 3, 7),
        "delay_at_end": some("drop", "terminated"),
        "transition_noise": some(0.0, 0.0, 0.05, 0.7, *([jitter] if three else [])),
        "reward_noise": some(0.0, 0.0, 0.5, halves),
        "reward_scale": some(1.0, -2.5),
        "reward_shift": some(0.0, 0.75),
        "term_state_reward": some(0.0, -3.0),
        "action_loss_weight": some(0.0, 0.0, 0.25),
        "start_point": some(None, None, tuple(0.75 + 0.1 * d for d in range(dims + more))),
        "max_episode_steps": some(3, 9, 100),
    }
    if some(True, False):
        params["terminal_states"] = some([(-1.0,) * count], [(1.6,) * count, (-0.7,) * count])
        params["term_state_edge"] = some(1.0, 0.4)
    if some("point", "point", "line") == "point":
        params["make_denser"] = draw(st.booleans())
        params["target_radius"] = some(0.05, 0.3)
        params["target_point"] = some(None, (0.2,) * count)
    else:
        params["reward_function"] = "move_along_a_line"
        params["sequence_length"] = some(2, 3, 5)
    return Task.make("toy/continuous", **params)


def test_the_engine_obeys_the_reference() -> None:
    seen: set[str] = set()
    counts = {"ended": 0, "walls": 0, "lines": 0}

    @settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
    @given(task=tasks(), seed=st.integers(0, 2**31), choices=st.integers(0, 2**31))
    def check(task: Task, seed: int, choices: int) -> None:
        seen.update(name for name, _ in task.params)
        env = ContinuousEnv(**dict(task.params))
        fleet = ContinuousVectorEnv(sources=[task] * 2, history=True)
        observation, info = env.reset(seed=seed)
        together, infos = fleet.reset(seed=[seed, seed])
        reference = Reference(task, int(env.fleet.instances["key"][0]))
        position = reference.begin()
        rng = np.random.default_rng(choices)
        toward = rng.random() < 0.5
        ended = False
        for _ in range(40):
            assert info["derivatives"] == pytest.approx(reference.state, abs=1e-9)
            assert np.array_equal(infos["derivatives"][1], info["derivatives"])
            assert observation == pytest.approx(position, abs=2e-6)
            assert np.array_equal(observation, together[1])
            bound = task["action_space_max"]
            action = rng.uniform(-bound, bound, size=reference.dims).astype(np.float32)
            if toward and rng.random() < 0.5:
                action = np.clip(-position, -bound, bound).astype(np.float32)
            if ended:
                together, _, _, _, infos = fleet.step(np.stack([action] * 2))
                observation, info = env.reset()
                position, ended = reference.begin(), False
                continue
            position, reward, terminated, truncated = reference.step(action)
            observation, alone, done, _, info = env.step(action)
            together, gains, dones, cuts, infos = fleet.step(np.stack([action] * 2))
            assert alone == pytest.approx(reward, abs=1e-8)
            assert alone == gains[0] == gains[1]
            assert (done, done, truncated) == (terminated, dones[1], cuts[1])
            ended = terminated or truncated
            counts["ended"] += terminated
            counts["walls"] += bool((np.abs(position) == task["state_space_max"]).any())
            counts["lines"] += task["reward_function"] == "move_along_a_line"

    check()
    assert len(seen) >= 22  # the draw of configurations reaches nearly every parameter
    assert min(counts.values()) > 100


def test_a_task_set_draws_a_task_for_every_episode() -> None:
    vanilla = Task.make("toy/continuous", max_episode_steps=5)
    members = [vanilla, vanilla.replace(transition_dynamics_order=3, delay=2), vanilla.replace(transition_noise=0.5)]
    source = TaskSet.make(members, [1, 2, 5])
    env = ContinuousVectorEnv(sources=[source] * 2000, history=True)
    _, infos = env.reset(seed=0)
    counts = np.zeros(3)
    reference = Reference(source, int(env.fleet.instances["key"][7]))
    reference.begin()
    rng = np.random.default_rng(0)
    ended = False
    for _ in range(60):
        counts += np.bincount(env.fleet.instances["task"][env.fleet.instances["t"] == 0], minlength=3)
        order = len(reference.state)
        assert infos["derivatives"][7, :order] == pytest.approx(reference.state, abs=1e-9)
        assert np.isnan(infos["derivatives"][7, order:]).all()
        actions = rng.uniform(-1, 1, size=(2000, 2)).astype(np.float32)
        _, gains, terminated, truncated, infos = env.step(actions)
        if ended:
            reference.begin()
            ended = False
        else:
            _, reward, *ends = reference.step(actions[7])
            assert gains[7] == pytest.approx(reward, abs=1e-9)
            assert [terminated[7], truncated[7]] == ends
            ended = any(ends)
    assert counts / counts.sum() == pytest.approx([1 / 8, 2 / 8, 5 / 8], abs=4 * np.sqrt(0.25 / counts.sum()))


def test_noises_given_as_functions_do_not_leak_into_other_tasks() -> None:
    quiet = Task.make("toy/continuous", state_space_dim=3, max_episode_steps=4)
    source = TaskSet.make([quiet, quiet.replace(reward_noise=halves), quiet.replace(transition_noise=jitter)])
    env = mohs.make_vec("toy/continuous", tasks=[source] * 30)
    before, _ = env.reset(seed=0)
    moved = 0
    for _ in range(20):
        playing = env.fleet.instances["over"] == 0  # type: ignore[attr-defined]
        kinds = env.fleet.instances["task"].copy()  # type: ignore[attr-defined]
        after, gains, *_ = env.step(np.zeros((30, 3), dtype=np.float32))
        assert (gains[kinds != 1] == 0).all()
        assert (np.abs(gains[playing & (kinds == 1)]) == 0.5).all()
        assert np.array_equal(after[playing & (kinds != 2)], before[playing & (kinds != 2)])
        moved += int((after != before)[playing & (kinds == 2)].sum())
        before = after
    assert moved > 100


@pytest.mark.parametrize("wrong", [lambda rng: 1.0, lambda rng: [1.0], lambda rng: [np.nan] * 2, lambda rng: "ab"])
def test_transition_noise_gives_a_number_for_each_dimension(wrong: Any) -> None:
    env = ContinuousEnv(transition_noise=wrong)
    env.reset(seed=0)
    with pytest.raises(UsageError, match="2 finite numbers"):
        env.step((0, 0))


def test_saved_instances_go_on_elsewhere() -> None:
    task = Task.make("toy/continuous", delay=3, transition_dynamics_order=2, transition_noise=0.1, reward_noise=1.0)
    line = task.replace(reward_function="move_along_a_line", sequence_length=3)
    source = TaskSet.make([line, task])
    env = ContinuousVectorEnv(sources=[source] * 3)
    env.reset(seed=4)
    rng = np.random.default_rng(0)
    for _ in range(5):
        env.step(rng.uniform(-1, 1, size=(3, 2)))
    other = ContinuousVectorEnv(sources=[task, source])
    other.reset(seed=77)
    other.fleet.load(1, env.fleet.save(2))
    for _ in range(300):
        actions = rng.uniform(-1, 1, size=(3, 2))
        here, there = env.step(actions), other.step(actions[1:])
        assert here[0][2].tolist() == there[0][1].tolist()
        assert here[1][2] == there[1][1]
