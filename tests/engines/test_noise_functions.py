"""Is noise that a user gives as a function drawn by address, and of the situation where it asks for it?"""

from __future__ import annotations

from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest

import mohs
from mohs import Cell, Segment, Task, UsageError
from mohs.core.values import FunctionRef
from mohs.engines.draws import generator
from mohs.engines.noise import reads_state

PLAIN: dict[str, Any] = {"terminal_state_density": 0.0, "sequence_length": 2}


def of_situation(state: int, action: int, rng: np.random.Generator) -> float:
    return 100.0 * state + 10.0 * action + rng.random()


def of_generator(rng: np.random.Generator, scale: float = 1.0, shift: float = 0.0) -> float:
    return scale * rng.random() + shift


def test_which_arguments_count() -> None:
    assert reads_state(FunctionRef.of(of_situation))
    assert not reads_state(FunctionRef.of(of_generator))
    assert not reads_state(FunctionRef.of(partial(of_situation, 0, 1)))
    assert not reads_state(FunctionRef.of(np.random.Generator.random))
    with pytest.raises(UsageError, match="takes 2 arguments"):
        reads_state(FunctionRef.of(lambda state, rng: 0.0))
    assert reads_state(FunctionRef("test_noise_functions:of_situation", "unread"))


def test_noise_is_handed_the_state_before_the_action() -> None:
    quiet, noisy = (mohs.make("toy/discrete", reward_noise=noise, **PLAIN) for noise in (0.0, of_situation))
    state, _ = quiet.reset(seed=3)
    assert noisy.reset(seed=3)[0] == state
    for action in np.random.default_rng(0).integers(8, size=40):
        after, reward, *_ = quiet.step(action)
        same, disturbed, *_ = noisy.step(action)
        assert same == after
        assert 0 <= disturbed - reward - (100 * state + 10 * action) < 1
        state = after


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_alone_and_in_a_fleet(mode: str) -> None:
    task = Task.make("toy/discrete", reward_noise=of_situation, max_episode_steps=7)
    fleet = mohs.make_vec(task, num_envs=5, autoreset_mode=mode)
    fleet.reset(seed=1)
    single = mohs.make(task)
    single.reset(seed=3)
    over, rng = False, np.random.default_rng(0)
    for _ in range(60):
        actions = rng.integers(8, size=5)
        _, rewards, *_ = fleet.step(actions)
        if over and mode == "NextStep":
            single.reset()
            over = False
            assert rewards[2] == 0
            continue
        if over:
            single.reset()
        _, reward, terminated, truncated, _ = single.step(actions[2])
        over = terminated or truncated
        assert reward == rewards[2]


def test_the_continuous_toy_hands_over_vectors() -> None:
    seen: list[tuple[Any, Any]] = []

    def noise(state: Any, action: Any, rng: np.random.Generator) -> Any:
        seen.append((state.copy(), action.copy()))
        return float(rng.random())

    def push(state: Any, action: Any, rng: np.random.Generator) -> Any:
        return 0.1 * state + action

    env = mohs.make("toy/continuous", reward_noise=noise, transition_noise=push)
    position, _ = env.reset(seed=0)
    action = np.array([0.25, -0.5], dtype=np.float32)
    after, *_ = env.step(action)
    assert np.allclose(seen[0][0], position)
    assert np.array_equal(seen[0][1], action)
    assert np.allclose(after, np.clip(position + action + 0.1 * position + action, -10, 10), atol=1e-5)


def test_agents_that_choose_inside_the_step_say_so() -> None:
    from mohs.agents.registry import agent, learner

    task = Task.make("toy/discrete", reward_noise=of_situation)
    cell = Cell(agent("q_learning"), 0, (Segment(task, 10),), (), 10)
    with pytest.raises(UsageError, match="depends on the action"):
        learner([cell]).train(10)


@pytest.mark.parametrize("env", ["Discrete", "Continuous"])
def test_noise_goes_on_beyond_the_time_limit_of_a_bare_environment(env: str) -> None:
    bare = gymnasium.make(f"mohs/{env}-v0", reward_noise=of_generator).unwrapped
    bare.reset(seed=0)
    rewards = [bare.step(np.zeros_like(bare.action_space.sample()))[1] for _ in range(150)]
    assert len(set(rewards[100:])) == 50


def test_lanes_share_no_random_numbers() -> None:
    words = [set(generator(7, 1, t, lane).integers(2**63, size=64)) for lane in range(8) for t in (1, 2)]
    assert len(set.union(*words)) == 64 * len(words)
