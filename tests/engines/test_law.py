"""Does the toy move as the paper says? Worked cases, and a plain-Python reference over random configurations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from toy_reference import Reference

import mohs
from mohs import Task, TaskSet, UsageError
from mohs.envs.discrete import DiscreteEnv, DiscreteVectorEnv
from mohs.tables.toys.toy import toy

FREE = {"transition_function": [[0, 1, 2, 3]] * 4, "terminal_states": [], "init_state_dist": [1, 0, 0, 0]}


def rewards(actions: list[int], **params: Any) -> list[float]:
    env = DiscreteEnv(**params)
    env.reset(seed=0)
    return [env.step(a)[1] for a in actions]


@pytest.mark.parametrize(
    ("params", "actions", "expected"),
    [
        ({"rewardable_sequences": {(2,): 1}}, [2, 2, 1, 2], [1, 1, 0, 1]),
        (
            {"rewardable_sequences": {(1, 2, 3): 1, (2, 3, 0): 1}, "reward_every_n_steps": False},
            [1, 2, 3, 0, 1, 2, 3, 1, 2],
            [0, 0, 1, 1, 0, 0, 1, 0, 0],
        ),
        (
            {"rewardable_sequences": {(1, 2, 3): 1, (2, 3, 0): 1}, "reward_every_n_steps": False, "delay": 2},
            [1, 2, 3, 0, 1, 2, 3, 1, 2],
            [0, 0, 0, 0, 1, 1, 0, 0, 1],
        ),
        (
            {"rewardable_sequences": {(1, 2): 1}, "reward_every_n_steps": False, "init_state_dist": [0, 1, 0, 0]},
            [2, 1, 2],
            [0, 0, 1],
        ),
        (
            {
                "rewardable_sequences": {(2,): 1}, "reward_scale": 2.5, "reward_shift": -1.75, "term_state_reward": -3,
                "terminal_states": [3],
            },
            [2, 1, 3],
            [0.75, -1.75, -9.25],
        ),
        ({"rewardable_sequences": {(2,): 1}, "delay": 2, "terminal_states": [3]}, [2, 3], [0, 0]),
        (
            {"rewardable_sequences": {(2,): 1}, "delay": 2, "terminal_states": [3], "delay_at_end": "terminated"},
            [2, 2, 3],
            [0, 0, 2],
        ),
        # The gate: sequences pay only where they finish at a step divisible by their length.
        ({"rewardable_sequences": {(1, 2): 1, (2, 1): 1}}, [1, 2, 1, 2, 2, 1], [0, 1, 0, 1, 0, 1]),
        ({"rewardable_sequences": {(1, 2): 1}, "delay": 1}, [1, 2, 1, 2, 0], [0, 0, 1, 0, 1]),
        # make_denser: a first state earns a half at every step, the whole only at the gate.
        ({"rewardable_sequences": {(1, 2): 2, (1, 3): 4}, "make_denser": True}, [1, 2, 1, 3, 1, 1], [2, 2, 2, 4, 2, 2]),
    ],
)  # fmt: skip
def test_worked_cases(params: dict[str, Any], actions: list[int], expected: list[float]) -> None:
    assert rewards(actions, **{**FREE, **params}) == expected


def test_a_terminal_state_ends_the_episode() -> None:
    env = DiscreteEnv(**{**FREE, "rewardable_sequences": {(2,): 1}, "delay": 2, "terminal_states": [3]})
    env.reset(seed=0)
    assert [env.step(a)[2] for a in (2, 3)] == [False, True]


def test_own_dynamics_and_rewards() -> None:
    env = DiscreteEnv(
        transition_function=np.random.default_rng(0).integers(8, size=(8, 5)),
        reward_function=np.random.default_rng(1).integers(4, size=(8, 5)),
        delay=1,
        reward_scale=2,
        terminal_states=[],
        init_state_dist=np.eye(8)[5],
    )
    state, _ = env.reset(seed=0)
    states, earned = [state], []
    for action in (4, 4, 2, 3, 4, 2, 4, 1, 0, 4, 4):
        state, reward, *_ = env.step(action)
        states.append(state)
        earned.append(reward)
    assert states == [5, 5, 5, 0, 2, 7, 2, 7, 0, 6, 0, 2]
    assert earned == [0, 2, 2, 6, 6, 2, 0, 2, 6, 2, 2]


def test_noise_on_own_dynamics_leads_to_connected_states_only() -> None:
    """A ring: from state s the actions lead to s − 1 and s + 1, never to s or across."""
    ring = [[(s - 1) % 6, (s + 1) % 6] for s in range(6)]
    probabilities = np.eye(6)[ring]
    for function in (ring, probabilities):
        env = DiscreteVectorEnv(
            sources=[
                Task.make(
                    "toy/discrete", transition_function=function, reward_function=np.zeros((6, 2)),
                    terminal_states=[], transition_noise=0.25, max_episode_steps=1000,
                )
            ] * 500
        )  # fmt: skip
        before, _ = env.reset(seed=0)
        right = []
        for _ in range(40):
            after, *_ = env.step(np.ones(500, dtype=np.int64))
            moved = (after - before) % 6
            assert set(moved.tolist()) <= {1, 5}
            right.append(moved == 1)
            before = after
        assert np.mean(right) == pytest.approx(0.75, abs=0.02)


def halves(rng: np.random.Generator) -> float:
    return float(rng.choice([-0.5, 0.5]))


@st.composite
def tasks(draw: st.DrawFn) -> Task:
    """Any combination of dials, with generated parts or parts of one's own."""
    some = lambda *values: draw(st.sampled_from(values))  # noqa: E731
    params: dict[str, Any] = {
        "delay": some(0, 0, 1, 3, 7),
        "delay_at_end": some("drop", "terminated"),
        "reward_every_n_steps": draw(st.booleans()),
        "transition_noise": some(0.0, 0.0, 0.1, 0.7, 1.0),
        "reward_noise": some(0.0, 0.0, 0.5, halves),
        "reward_scale": some(1.0, -2.5),
        "reward_shift": some(0.0, 0.75),
        "term_state_reward": some(0.0, -3.0),
        "max_episode_steps": some(3, 9, 100),
    }
    actions = some(2, 3, 5)
    irrelevant = draw(st.booleans())
    params["irrelevant_features"] = irrelevant
    params["action_space_size"] = (actions, some(2, 4)) if irrelevant else actions
    states = actions
    if draw(st.booleans()):
        params["diameter"] = some(1, 2, 3)
        params["terminal_state_density"] = some(0.0, 0.25, 0.5)
        params["diameter"] = params["diameter"] if actions > 2 else 1
        states = actions * params["diameter"]
        own = False
    else:
        own = True
        states = some(3, 6)
        rng = np.random.default_rng(draw(st.integers(0, 9)))
        if draw(st.booleans()):
            params["transition_function"] = rng.integers(states, size=(states, actions))
        else:
            chances = rng.dirichlet(np.full(states, 0.3), size=(states, actions))
            params["transition_function"] = chances / chances.sum(axis=2, keepdims=True)
        params["terminal_states"] = some([], [states - 1])
        weights = np.arange(1.0, states + 1)
        weights[params["terminal_states"]] = 0
        params["init_state_dist"] = some(None, weights / weights.sum())
    how = some("table", "sequences", "generated") if own else "generated"
    if how == "table":
        params["reward_function"] = np.random.default_rng(1).normal(size=(states, actions)).round(2)
    elif how == "sequences":
        length = some(1, 2, 3)
        rng = np.random.default_rng(draw(st.integers(0, 9)))
        params["rewardable_sequences"] = {
            tuple(rng.integers(states, size=length).tolist()): float(rng.integers(1, 5)) for _ in range(5)
        }
        params["make_denser"] = draw(st.booleans())
    else:
        params["sequence_length"] = some(1, 2, 3)
        params["reward_density"] = some(0.3, 0.6, 1.0)
        params["make_denser"] = draw(st.booleans())
        params["reward_dist"] = some(None, (0.5, 2.0))
    task = Task.make("toy/discrete", seed=draw(st.integers(0, 50)), **params)
    try:
        toy(task)
    except UsageError:  # no sequence at all, or dynamics that allow none
        task = Task.make("toy/discrete", **{**params, "sequence_length": 1, "reward_density": 1.0})
    return task


def test_the_engine_obeys_the_reference() -> None:
    seen: set[str] = set()

    @settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
    @given(task=tasks(), seed=st.integers(0, 2**31), data=st.randoms(use_true_random=False))
    def check(task: Task, seed: int, data: Any) -> None:
        seen.update(name for name, _ in task.params)
        env = DiscreteEnv(seed=task.seed, **dict(task.params))
        fleet = DiscreteVectorEnv(sources=[task] * 2, history=True)
        observation, info = env.reset(seed=seed)
        together, _ = fleet.reset(seed=[seed, seed])
        reference = Reference(task, int(env.fleet.instances["key"][0]))
        two = task["irrelevant_features"]
        state = reference.begin()
        ended = False
        for _ in range(40):
            expected = [state, reference.irrelevant] if two else state
            assert np.array_equal(observation, expected)
            assert np.array_equal(together[1], expected)
            assert info["history"].tolist() == reference.history()
            assert info["augmented_state"].tolist() == reference.augmented_state()
            action = [data.randrange(n) for n in (env._actions, env._irrelevant_actions or 1)]
            if ended:
                together, *_ = fleet.step(np.array([action if two else action[0]] * 2))
                observation, info = env.reset()
                state, ended = reference.begin(), False
                continue
            state, reward, terminated, truncated = reference.step(*action)
            observation, alone, done, _, info = env.step(action if two else action[0])
            together, gains, dones, cuts, infos = fleet.step(np.array([action if two else action[0]] * 2))
            assert alone == pytest.approx(reward, abs=1e-9)
            assert alone == gains[0] == gains[1]
            assert (done, done, truncated) == (terminated, dones[1], cuts[1])
            assert infos["history"][1].tolist() == info["history"].tolist()
            assert infos["augmented_state"][0].tolist() == info["augmented_state"].tolist()
            ended = terminated or truncated

    check()
    assert len(seen) >= 18  # the draw of configurations reaches nearly every parameter


def test_a_task_set_draws_a_task_for_every_episode() -> None:
    vanilla = Task.make("toy/discrete")
    members = [vanilla, vanilla.replace(delay=3, sequence_length=2), vanilla.replace(seed=5, reward_noise=1.0)]
    source = TaskSet.make(members, [1, 2, 5])
    env = DiscreteVectorEnv(sources=[source] * 2000, history=True)
    env.reset(seed=0)
    counts = np.zeros(3)
    reference = Reference(source, int(env.fleet.instances["key"][7]))
    reference.begin()
    ended = False
    rng = np.random.default_rng(0)
    for _ in range(60):
        counts += np.bincount(env.fleet.instances["task"][env.fleet.instances["t"] == 0], minlength=3)
        actions = rng.integers(8, size=2000)
        observations, gains, terminated, truncated, infos = env.step(actions)
        if ended:
            assert observations[7] == reference.begin()
            ended = False
        else:
            state, reward, *ends = reference.step(int(actions[7]))
            assert (observations[7], gains[7]) == (state, pytest.approx(reward, abs=1e-12))
            assert [terminated[7], truncated[7]] == ends
            ended = any(ends)
        size = reference.values["delay"] + reference.values["sequence_length"] + 1
        assert infos["history"][7].tolist() == [-1] * (infos["history"].shape[1] - size) + reference.history()
        assert (
            infos["augmented_state"][7][: reference.values["sequence_length"]].tolist() == reference.augmented_state()
        )
    share = counts / counts.sum()
    assert share == pytest.approx([1 / 8, 2 / 8, 5 / 8], abs=4 * np.sqrt(0.25 / counts.sum()))


def test_a_task_of_no_weight_is_never_drawn() -> None:
    vanilla = Task.make("toy/discrete")
    env = DiscreteVectorEnv(sources=[TaskSet.make([vanilla, vanilla.replace(delay=1)], [0.1 + 0.2, 0])] * 5000)
    env.reset(seed=0)
    assert (env.fleet.instances["task"] == 0).all()


def test_noise_given_as_a_function_does_not_leak_into_other_tasks() -> None:
    quiet = Task.make("toy/discrete", terminal_state_density=0.5)
    source = TaskSet.make([quiet, quiet.replace(reward_noise=halves)])
    env = mohs.make_vec("toy/discrete", tasks=[source] * 50)
    env.reset(seed=0)
    for _ in range(30):
        noisy = env.fleet.instances["task"] == 1  # type: ignore[attr-defined]
        over = env.fleet.instances["over"] == 1  # type: ignore[attr-defined]
        _, gains, *_ = env.step(env.action_space.sample())
        assert set(np.abs(gains[~noisy])) <= {0.0, 1.0}
        assert set(np.abs(gains[noisy & ~over])) <= {0.5, 1.5}


def test_saved_instances_go_on_elsewhere() -> None:
    from mohs.engines.discrete.fleet import fleet
    from mohs.engines.loops import begin_fleet

    task = Task.make("toy/discrete", delay=3, sequence_length=2, reward_noise=1.0, terminal_state_density=0.0)
    source = TaskSet.make([task.replace(seed=9), task])
    env = DiscreteVectorEnv(sources=[source] * 3)
    env.reset(seed=4)
    rng = np.random.default_rng(0)
    for _ in range(5):
        env.step(rng.integers(8, size=3))
    other = DiscreteVectorEnv(sources=[task, source])
    other.reset(seed=77)
    other.fleet.load(1, env.fleet.save(2))
    for _ in range(200):
        actions = rng.integers(8, size=3)
        here, there = env.step(actions), other.step(actions[1:])
        assert (here[0][2], here[1][2]) == (there[0][1], there[1][1])
    empty = fleet([task])
    begin_fleet(empty.memory, np.ones(1, dtype=np.bool_), np.empty((1, 1), dtype=np.int64))
    assert len(empty) == 1
