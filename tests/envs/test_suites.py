"""Are the real suites (Atari, MuJoCo, MiniGrid) played as tasks, with dials where they belong?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.wrappers import AtariPreprocessing, FrameStackObservation
from trajectories import Steps, agree, frames, play, rewards

import mohs
from mohs import Task, UsageError

GAMES = ["BeamRider", "Breakout", "Qbert", "SpaceInvaders"]  # of the paper, section 6.1.1
MUJOCO = ["HalfCheetah-v5", "Pusher-v5", "Reacher-v5", "Ant-v5", "Hopper-v5", "Walker2d-v5"]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MuJoCo writes its warnings into the working directory."""
    monkeypatch.chdir(tmp_path)


# Atari


@pytest.mark.parametrize("game", GAMES)
def test_an_atari_game_is_preprocessed_as_by_hand(game: str) -> None:
    ours = mohs.make(f"atari/{game}", noop_max=8, screen_size=42, frame_stack=3)
    raw = gymnasium.make(f"ALE/{game}-v5", frameskip=1, repeat_action_probability=0.0)
    by_hand = FrameStackObservation(AtariPreprocessing(raw, noop_max=8, screen_size=42), 3)
    assert ours.observation_space == by_hand.observation_space
    assert ours.action_space == by_hand.action_space
    one, two = play(ours, 250), play(by_hand, 250)
    assert agree(one, two)
    assert rewards(one).any()
    assert frames(one).std(axis=0).any()


def test_what_atari_is_by_default() -> None:
    env = mohs.make("atari/Breakout")
    assert env.observation_space == gymnasium.spaces.Box(0, 255, (4, 84, 84), np.uint8)
    assert env.action_space == gymnasium.spaces.Discrete(4)
    assert env.spec is not None
    assert env.spec.max_episode_steps == 27_000
    colour = mohs.make("atari/Breakout", grayscale=False, frame_stack=1, full_action_space=True, mode=4, difficulty=1)
    assert colour.observation_space.shape == (84, 84, 3)
    assert colour.action_space == gymnasium.spaces.Discrete(18)
    # After the start nothing is left to chance.
    firing = [np.array([step[1] for step in fixed("atari/Breakout", k)]) for k in (1, 2)]
    assert np.array_equal(*firing)


def fixed(name: str, seed: int, **params: Any) -> Steps:
    """Breakout under one sequence of actions, without no-ops at the start."""
    env = mohs.make(name, noop_max=0, **params)
    env.reset(seed=seed)
    return [env.step(action) for action in np.random.default_rng(0).integers(4, size=150)]


def test_repeated_actions_are_noise() -> None:
    sticky = Task.make("atari/Breakout", repeat_action_probability=0.25)
    one, two = (fixed("atari/Breakout", seed, repeat_action_probability=0.25) for seed in (1, 2))
    assert not all(np.array_equal(a[0], b[0]) for a, b in zip(one, two, strict=True))
    assert sticky.noise_free() == Task.make("atari/Breakout")


@pytest.mark.parametrize("game", ["BeamRider", "Qbert", "SpaceInvaders"])
def test_clipping_cuts_off_and_takes_no_signs(game: str) -> None:
    """Section 6.2.4 of MDP Playground: a sign would make ±1 of any noise, however small."""

    def paid(**dials: Any) -> np.ndarray:
        return rewards(play(mohs.make(f"atari/{game}", frame_stack=1, screen_size=42, **dials), 250))

    plain = paid()
    assert plain.max() > 1
    clipped = paid(reward_clip=(-1, 1))
    assert np.array_equal(clipped, np.clip(plain, -1, 1))

    noisy = paid(reward_noise=0.01)
    both = paid(reward_noise=0.01, reward_clip=(-1, 1))
    assert np.array_equal(both, np.clip(noisy, -1, 1))  # noise first, then the cut
    idle = plain == 0
    assert 0 < np.abs(both[idle]).max() < 0.1
    assert not np.array_equal(both[idle], np.sign(noisy[idle]))
    halves = paid(reward_scale=0.01, reward_clip=(-1, 1))
    assert np.array_equal(halves, 0.01 * plain)  # below the ends nothing is cut


def test_dials_of_reward_leave_the_game_as_it_is() -> None:
    plain = play(mohs.make("atari/SpaceInvaders"), 200)
    turned = play(mohs.make("atari/SpaceInvaders", delay=5, reward_noise=1.0, reward_scale=2.0), 200)
    assert np.array_equal(frames(plain), frames(turned))
    assert not np.array_equal(rewards(plain), rewards(turned))


def test_the_stack_is_a_memory_of_changed_frames() -> None:
    """A dial of images changes each frame once; the stack then keeps it."""
    stack = frames(play(mohs.make("atari/Breakout", image_transforms="shift,flip", observation_noise=2.0), 30))
    alone = frames(
        play(mohs.make("atari/Breakout", image_transforms="shift,flip", observation_noise=2.0, frame_stack=1), 30)
    )
    for k in range(4, len(stack)):
        assert np.array_equal(stack[k], alone[k - 3 : k + 1])
    assert not np.array_equal(alone, frames(play(mohs.make("atari/Breakout", frame_stack=1), 30)))


def test_a_life_may_end_an_episode() -> None:
    lost = play(mohs.make("atari/Breakout", terminal_on_life_loss=True), 400)
    whole = play(mohs.make("atari/Breakout"), 400)
    assert sum(step[2] for step in lost if len(step) > 1) > sum(step[2] for step in whole if len(step) > 1)


@pytest.mark.parametrize(
    "params", [{"noop_max": -1}, {"frame_skip": 0}, {"mode": 77}, {"screen_size": "large"}], ids=str
)
def test_games_that_cannot_be_made(params: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="atari/Breakout cannot be made"):
        mohs.make("atari/Breakout", **params)


def test_ids_of_ale_are_played_as_they_are() -> None:
    ours, theirs = mohs.make("ALE/Qbert-v5"), gymnasium.make("ALE/Qbert-v5")
    assert agree(play(ours, 60), play(theirs, 60))
    assert mohs.make("QbertNoFrameskip-v4").observation_space.shape == (210, 160, 3)


# MuJoCo


@pytest.mark.parametrize("name", MUJOCO)
def test_mujoco_with_dials(name: str) -> None:
    noisy = {"delay": 2, "reward_noise": 0.5, "transition_noise": 0.01}
    task = Task.make(name, **noisy, action_space_max=0.5, time_unit=2.0)
    one, again, other = play(mohs.make(task), 60), play(mohs.make(task), 60), play(mohs.make(task), 60, seed=1)
    assert agree(one, again)
    assert not np.array_equal(rewards(one), rewards(other))
    assert np.isfinite(frames(one)).all()

    plain = mohs.make(name)
    assert np.allclose(mohs.make(task).action_space.high, 0.5 * plain.action_space.high)  # type: ignore[attr-defined]
    quiet = task.noise_free()
    assert quiet == Task.make(name, delay=2, action_space_max=0.5, time_unit=2.0)
    assert agree(play(mohs.make(quiet), 60), play(mohs.make(name, delay=2, action_space_max=0.5, time_unit=2.0), 60))


@pytest.mark.parametrize("name", ["HalfCheetah-v5", "Pusher-v5", "Reacher-v5"])
def test_dials_of_mujoco_rewards_leave_the_simulation(name: str) -> None:
    plain, noisy = play(mohs.make(name), 40), play(mohs.make(name, reward_noise=1.0, delay=3), 40)
    assert np.array_equal(frames(plain), frames(noisy))
    moved = play(mohs.make(name, transition_noise=0.05), 40)
    assert np.array_equal(moved[0][0], plain[0][0])
    assert not np.allclose(frames(plain)[1:], frames(moved)[1:])


def test_mujoco_takes_its_own_arguments() -> None:
    heavy = mohs.make("HalfCheetah-v5", ctrl_cost_weight=10.0, exclude_current_positions_from_observation=False)
    assert heavy.observation_space.shape == (18,)
    plain = mohs.make("HalfCheetah-v5", exclude_current_positions_from_observation=False)
    one, two = play(heavy, 20), play(plain, 20)
    assert np.array_equal(frames(one), frames(two))
    assert (rewards(one) < rewards(two)).all()


# MiniGrid


def test_minigrid_shows_what_is_asked_for() -> None:
    name = "MiniGrid-Empty-5x5-v0"
    spaces = {view: mohs.make(name, observation=view).observation_space for view in ("dict", "image", "flat", "full")}
    assert isinstance(spaces["dict"], gymnasium.spaces.Dict)
    assert mohs.make(name).observation_space == spaces["dict"]
    assert spaces["image"].shape == (7, 7, 3)
    assert spaces["full"].shape == (5, 5, 3)
    assert spaces["flat"].shape is not None
    assert len(spaces["flat"].shape) == 1
    for view, space in spaces.items():
        observation, _ = mohs.make(name, observation=view).reset(seed=0)
        assert space.contains(observation), view
        if view == "image":
            assert np.array_equal(observation, mohs.make(name).reset(seed=0)[0]["image"])
    with pytest.raises(UsageError, match="observation is 'flt'"):
        mohs.make(name, observation="flt")


@pytest.mark.parametrize("name", ["MiniGrid-Empty-5x5-v0", "MiniGrid-DoorKey-5x5-v0", "BabyAI-GoToRedBallGrey-v0"])
@pytest.mark.parametrize("view", ["dict", "image"])
def test_minigrid_with_dials(name: str, view: str) -> None:
    dials: dict[str, Any] = {"reward_noise": 1.0, "sticky_actions": 0.3, "delay": 2}
    one, two = (play(mohs.make(name, observation=view, **dials), 60) for _ in range(2))
    assert np.array_equal(rewards(one), rewards(two))
    assert len(set(rewards(one).tolist())) > 50
    quiet = Task.make(name, observation=view, **dials).noise_free()
    assert not rewards(play(mohs.make(quiet), 5)).any()


def test_minigrid_rewards_are_delayed() -> None:
    """In the empty room: two steps forward, a turn, two steps forward, and the goal is reached."""
    for delay in (0, 3):
        env = mohs.make("MiniGrid-Empty-5x5-v0", observation="full", delay=delay, delay_at_end="drop")
        env.reset(seed=0)
        path = [env.step(action) for action in (2, 2, 1, 2, 2)]
        assert [step[2] for step in path] == [False] * 4 + [True]
        assert (path[-1][1] > 0) == (delay == 0)


def test_wrapped_environments_are_made_again_from_their_specification() -> None:
    for task in (
        Task.make("atari/Breakout", frame_stack=2, delay=2),
        Task.make("MiniGrid-Empty-5x5-v0", observation="image", reward_shift=0.5),
        Task.make("Reacher-v5", reward_noise=1.0),
    ):
        env = mohs.make(task)
        assert env.spec is not None
        if task.env.startswith("MiniGrid"):  # MiniGrid's wrappers do not record their arguments
            with pytest.raises(ValueError, match="cannot be recreated"):
                gymnasium.make(env.spec)
            continue
        again = gymnasium.make(EnvSpec.from_json(env.spec.to_json()))
        assert agree(play(env, 40), play(again, 40))
