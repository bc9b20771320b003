"""Is a Procgen game played as a task, and what becomes of its own way to begin episodes?"""

from __future__ import annotations

import copy
import importlib.util
import pickle
import subprocess
import sys

import gymnasium
import numpy as np
import pytest
from trajectories import agree, frames, play

import mohs
from mohs import Task, TaskSet, UsageError

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("procgen") is None, reason="Procgen is not installed; `make procgen` does that"
)


def test_every_procgen_game_is_played() -> None:
    from mohs.envs.suites.procgen.env import GAMES as ALL
    from mohs.envs.suites.procgen.library import library

    assert sorted(game.lower() for game in ALL) == sorted(library().ENV_NAMES)
    for game in ALL:
        taken = play(mohs.make(f"procgen/{game}", distribution_mode="easy", num_levels=5), 20)
        assert taken[0][0].shape == (64, 64, 3)
        assert taken[0][0].any()


def test_procgen_keeps_the_contract_of_gymnasium() -> None:
    from gymnasium.utils.env_checker import check_env

    check_env(mohs.make("procgen/CoinRun", render_mode="rgb_array").unwrapped)
    env = mohs.make("procgen/CoinRun")
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.unwrapped.step(0)
    env.reset(seed=0)
    with pytest.raises(UsageError, match="the action is 15"):
        env.unwrapped.step(15)
    with pytest.raises(UsageError, match="distribution_mode is 'memory', but of coinrun there is easy, hard"):
        mohs.make("procgen/CoinRun", distribution_mode="memory")
    with pytest.raises(UsageError, match="exploration is one level"):
        mohs.make("procgen/CoinRun", distribution_mode="exploration", num_levels=3)
    with pytest.raises(UsageError, match="Did you mean 'procgen/CoinRun'"):
        mohs.make("procgen/CoinRn")


def test_procgen_levels_are_those_asked_for_and_seeded() -> None:
    env = mohs.make("procgen/CoinRun", num_levels=3, start_level=40, distribution_mode="easy")

    def levels(seed: int) -> list[int]:
        return [env.reset(seed=seed if k == 0 else None)[1]["level_seed"] for k in range(30)]

    assert set(levels(1)) == {40, 41, 42}
    assert levels(1) == levels(1)
    assert levels(1) != levels(2)


def test_an_episode_of_procgen_ends_where_the_next_begins() -> None:
    """Against Procgen itself, which shows the next episode in the step that ends one."""
    from mohs.core.seeding import child, seed_of
    from mohs.envs.suites.procgen.library import library

    env = mohs.make("procgen/BigFish", distribution_mode="easy")
    raw = library().ProcgenGym3Env(
        num=1, env_name="bigfish", distribution_mode="easy", num_threads=0, rand_seed=seed_of(child(7, "levels"))
    )
    seen, _ = env.reset(seed=7)
    ended = 0
    for action in np.random.default_rng(0).integers(15, size=400):
        before = raw.observe()[1]["rgb"][0].copy()
        assert np.array_equal(seen, before)
        raw.act(np.array([action]))
        reward, shown, first = raw.observe()
        seen, gain, terminated, truncated, _ = env.step(int(action))
        assert gain == reward[0]
        assert (terminated or truncated) == first[0]
        if terminated:
            ended += 1
            assert np.array_equal(seen, before)  # the last that was seen of the old episode
            seen, _ = env.reset()
            assert np.array_equal(seen, shown["rgb"][0])  # the first of the new one, which is not lost
    assert ended > 1


@pytest.mark.parametrize(("game", "steps"), [("Maze", 500), ("CoinRun", 1000)])
def test_procgen_giving_up_is_truncation(game: str, steps: int) -> None:
    env = mohs.make(f"procgen/{game}")
    env.reset(seed=0)
    ends = [env.step(4)[2:4] for _ in range(steps)]
    assert ends == [(False, False)] * (steps - 1) + [(False, True)]


def test_procgen_with_dials_and_copies() -> None:
    task = Task.make("procgen/StarPilot", distribution_mode="easy", delay=3, reward_noise=0.1, sticky_actions=0.2)
    assert agree(play(mohs.make(task), 150), play(mohs.make(task), 150))
    assert task.noise_free() == Task.make("procgen/StarPilot", distribution_mode="easy", delay=3)
    assert Task.from_json(task.to_json()) == task
    flipped = frames(play(mohs.make(task.replace(image_transforms="flip")), 20))
    assert flipped.shape == (21, 64, 64, 3)

    env = mohs.make(task)
    env.reset(seed=1)
    for _ in range(10):
        env.step(4)
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        ahead = copy.deepcopy(env)
        for k in range(30):
            one, two = ahead.step(k % 15), twin.step(k % 15)
            assert np.array_equal(one[0], two[0])
            assert one[1:4] == two[1:4]


def test_a_game_that_is_garbage_may_be_closed_while_another_is_built() -> None:
    """The library is loaded under a lock; garbage is collected just then. In a process of its own: it could hang."""
    code = (
        "import gc, cffi.api, mohs\n"
        "load = cffi.api._make_ffi_library\n"
        "cffi.api._make_ffi_library = lambda *args: (gc.collect(), load(*args))[1]\n"
        "gc.disable()\n"
        "for seed in range(3):\n"
        "    env = mohs.make('procgen/Maze')\n"
        "    env.reset(seed=seed)\n"
        "    env.unwrapped.itself = env\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=100)


def test_a_set_of_procgen_games_generalises() -> None:
    games = [Task.make("procgen/Maze", num_levels=1, start_level=k, distribution_mode="easy") for k in (3, 9)]
    env = mohs.make(TaskSet.make(games))
    levels = {env.reset(seed=0 if k == 0 else None)[1]["level_seed"] for k in range(12)}
    assert levels == {3, 9}
