"""Is a painted Procgen the played one, and do its classes lie where the pixels are?"""

from __future__ import annotations

import copy
import importlib.util
import pickle
import platform
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces
from trajectories import agree, frames, play, rewards

import mohs
from mohs import Agent, Cell, Probe, Segment, Task, UsageError
from mohs.agents.deep import packs
from mohs.agents.deep.front_end.pretrain import screens
from mohs.envs.suites.procgen.paints import PAINTS

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("procgen") is None or platform.system() != "Linux",
    reason="Procgen's wheel for Linux is not installed; `make procgen` does that",
)
GAMES = sorted(PAINTS)
BOTH = pytest.mark.parametrize("mode", ["easy", "hard"])


def lock_step(game: str, mode: str, num: int, steps: int) -> int:
    """Plays the game and its painted copy with the same random actions; how many episodes ended."""
    from mohs.envs.suites.procgen.colours import UNKNOWN, read, table
    from mohs.envs.suites.procgen.library import library, painted_library, state_of
    from mohs.envs.suites.procgen.state import read_state, roles

    options: dict[str, Any] = {"env_name": game, "distribution_mode": mode, "num_threads": 0, "rand_seed": 5}
    played = library().ProcgenGym3Env(num=num, **options)
    painted = painted_library(game).ProcgenGym3Env(num=num, use_backgrounds=False, **options)

    def roles_of(i: int) -> tuple[tuple[str, str], ...]:
        return tuple(sorted(roles(game, read_state(state_of(painted, i))).items()))

    tables = [table(game, roles_of(i)) for i in range(num)]
    rng, ended = np.random.default_rng(1), 0
    for _ in range(steps):
        actions = rng.integers(15, size=num)
        actions[rng.random(num) < 0.2] = 9  # fire
        played.act(actions)
        painted.act(actions)
        (reward, _, first), (same_reward, seen, same_first) = played.observe(), painted.observe()
        assert np.array_equal(reward, same_reward)
        assert np.array_equal(first, same_first)
        assert played.get_info() == painted.get_info()
        for i in np.flatnonzero(first):
            tables[i], ended = table(game, roles_of(i)), ended + 1
        for i in range(num):
            assert (read(seen["rgb"][i : i + 1], tables[i]) != UNKNOWN).all()
    return ended


@BOTH
@pytest.mark.parametrize("game", GAMES)
def test_the_painted_game_is_the_played_one(game: str, mode: str) -> None:
    lock_step(game, mode, 4, 120)


@pytest.mark.slow
@BOTH
@pytest.mark.parametrize("game", GAMES)
def test_the_painted_game_is_the_played_one_for_long(game: str, mode: str) -> None:
    assert lock_step(game, mode, 16, 2000) > 16


@pytest.mark.parametrize("game", GAMES)
def test_classes_lie_where_the_sprites_are(game: str) -> None:
    """What is not the ground, beside what is drawn without a background. Half-transparent pixels are in one only."""
    name = next(known for known in _names() if known.lower() == game)
    task = Task.make(f"procgen/{name}", num_levels=50, use_backgrounds=False)
    drawn = frames(play(mohs.make(task), 200)).any(-1)
    shown = frames(play(mohs.make(task, view="semantic"), 200)).any(1)
    both = drawn & shown
    assert both.sum() > 0.999 * shown.sum()
    assert both.sum() > (0.7 if game == "bossfight" else 0.95) * (drawn | shown).sum()  # lasers of BossFight fade


def _names() -> tuple[str, ...]:
    from mohs.envs.suites.procgen.env import GAMES

    return GAMES


@pytest.mark.parametrize("name", ["procgen/BigFish", "procgen/BossFight", "procgen/Plunder", "procgen/Jumper"])
def test_views_are_one_parameter_of_the_same_game(name: str) -> None:
    task = Task.make(name, distribution_mode="easy", num_levels=20, reward_noise=0.5, sticky_actions=0.2)
    classes = task.environment.realisation("classes")(task)
    pixels = play(mohs.make(task), 300)
    semantic = play(mohs.make(task, view="semantic"), 300)
    assert frames(semantic).shape[1:] == (len(classes.names), 64, 64)
    assert frames(semantic).sum(1).max() == 1
    assert [step[1:] for step in pixels if len(step) > 1] == [step[1:] for step in semantic if len(step) > 1]
    number = (frames(semantic) * np.arange(1, 1 + len(classes.names))[:, None, None]).sum(1)
    for view in ("figure_ground", "permuted"):
        planes = frames(play(mohs.make(task, view=view), 300))
        codes = np.array(classes.codes(view))[number]
        assert np.array_equal((planes * np.arange(1, 1 + planes.shape[1])[:, None, None]).sum(1), codes)
    scalar = frames(play(mohs.make(task, view="semantic", view_encoding="scalar"), 300))
    assert np.array_equal(scalar[..., 0], number * 255 // len(classes.names))


def test_a_smaller_screen_is_made_of_the_large_one() -> None:
    task = Task.make("procgen/StarPilot", num_levels=5)
    large, small = (frames(play(mohs.make(task, size=size), 60)).astype(float) for size in (64, 32))
    means = large.reshape(-1, 32, 2, 32, 2, 3).mean((2, 4))
    assert np.abs(means - small).max() <= 0.5
    names = task.environment.realisation("classes")(task).names
    for view in ("figure_ground", "semantic", "permuted"):
        whole = frames(play(mohs.make(task, view=view), 60))
        for size in (32, 16, 8):
            env, k = mohs.make(task, size=size, view=view), 64 // size
            planes = frames(play(env, 60))
            assert np.array_equal(planes, whole.reshape(-1, whole.shape[1], size, k, size, k).sum((3, 5)))
            assert env.observation_space == spaces.Box(0, k * k, (whole.shape[1], size, size), np.uint8)
            assert planes.any((2, 3)).tolist() == whole.any((2, 3)).tolist()  # no class is lost
    scalar = frames(play(mohs.make(task, size=32, view="semantic", view_encoding="scalar"), 60))
    assert scalar.shape[1:] == (32, 32, 3)
    assert set(np.unique(scalar)) <= {i * 255 // len(names) for i in range(len(names) + 1)}
    with pytest.raises(UsageError, match="size is 30, but must be 8, 16, 32 or 64"):
        Task.make("procgen/StarPilot", size=30)


def test_true_figures_of_a_smaller_screen_cover_half_of_a_square() -> None:
    task = Task.make("procgen/StarPilot", num_levels=5, distribution_mode="easy")
    whole, small = (screens(task.replace(size=size), levels=3, frames=8)[1] for size in (64, 32))
    assert np.array_equal(small, whole.reshape(3, 8, 32, 2, 32, 2).sum((3, 5)) >= 2)


def test_agents_see_counts_of_more_classes_than_rows() -> None:
    """Planes [11, 8, 8] of 0 to 64."""
    task = Task.make("procgen/StarPilot", num_levels=5, distribution_mode="easy", view="semantic", size=8)
    agent = Agent.make("ppo", num_envs=2, n_steps=8, batch_size=8, n_epochs=1, filters=[[8, 4, 4]], hidden=[16])
    pack = packs.learner([Cell(agent, 0, (Segment(task, 64),), (Probe("eval", task, (64,), episodes=1),))])
    network = pack._algorithm.network
    before = network.save(0)
    pack.train(64)
    assert pack.failed == {}
    assert network.sees.convolutions.weights[0].shape[2:] == (11, 4, 4)
    assert network.sees.convolutions.top == 64
    assert any(not np.array_equal(before[name], after) for name, after in network.save(0).items())


def test_plunder_and_bossfight_tell_friend_from_enemy_by_the_level() -> None:
    task = Task.make("procgen/Plunder", distribution_mode="easy")
    env = mohs.make(task, view="semantic")
    names = task.environment.realisation("classes")(task).names
    for seed in range(8):
        planes, _ = env.reset(seed=seed)
        cue = planes[:, 50:, :13]  # the lower left corner
        assert cue[names.index("enemy")].any()
        assert not cue[names.index("player and allies")].any()
        assert planes[names.index("player and allies")].any()
    task = Task.make("procgen/BossFight", distribution_mode="easy")
    env = mohs.make(task, view="semantic")
    names = task.environment.realisation("classes")(task).names
    told = 0
    for seed in range(10):
        env.reset(seed=seed)
        before = [env.step(4)[0] for _ in range(4)][-1]
        fired = [env.step(action)[0] for action in (9, 4)][-1]
        told += int(fired[names.index("player projectile")].any())
        assert not before[names.index("player projectile")].any()
    assert 3 <= told <= 9  # the level gives both the same laser in a third of the levels


def test_a_painted_game_continues_from_a_pickle() -> None:
    task = Task.make("procgen/Plunder", view="semantic", distribution_mode="easy", delay=2)
    env = mohs.make(task)
    env.reset(seed=1)
    for k in range(20):
        env.step(k % 15)
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        ahead = copy.deepcopy(env)
        for k in range(40):
            one, two = ahead.step(k % 15), twin.step(k % 15)
            assert np.array_equal(one[0], two[0])
            assert one[1:4] == two[1:4]


@pytest.mark.parametrize("option", ["use_monochrome_assets", "use_generated_assets", "paint_vel_info"])
def test_what_repaints_the_game_has_no_classes(option: str) -> None:
    with pytest.raises(UsageError, match=f"{option} changes what is drawn"):
        mohs.make("procgen/Maze", view="semantic", **{option: True})


def test_other_systems_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    from mohs.envs.suites.procgen import copies

    copies.copy_of.cache_clear()
    monkeypatch.setattr(platform, "system", lambda: "Darwin")
    with pytest.raises(UsageError, match="need its wheel for Linux"):
        mohs.make("procgen/Maze", view="semantic")
    assert mohs.make("procgen/Maze").observation_space.shape == (64, 64, 3)


def test_held_out_levels_are_others() -> None:
    task = Task.make("procgen/CoinRun", num_levels=200, start_level=50, view="semantic", delay=1)
    other = task.environment.realisation("held_out")(task)
    assert other == task.replace(start_level=250, num_levels=100_000)
    env = mohs.make(other)
    assert all(env.reset(seed=seed)[1]["level_seed"] >= 250 for seed in range(20))
    for params in ({}, {"num_levels": 3, "use_sequential_levels": True}, {"num_levels": 3, "start_level": 2**31 - 9}):
        with pytest.raises(UsageError, match=r"has no (held-out levels|levels behind)"):
            task.environment.realisation("held_out")(Task.make("procgen/CoinRun", **params))


def test_returns_are_scaled_by_the_constants_of_the_benchmark() -> None:
    score = Task.make("procgen/StarPilot").environment.realisation("score")
    assert score(Task.make("procgen/StarPilot")).normalise(35.0) == 1
    assert score(Task.make("procgen/StarPilot", distribution_mode="easy")).normalise(2.5) == 0
    assert str(score(Task.make("procgen/StarPilot")).high.kind) == "baseline"
    for params in ({"distribution_mode": "extreme"}, {"reward_scale": 2.0}):
        with pytest.raises(UsageError, match="no known range of returns"):
            score(Task.make("procgen/StarPilot", **params))


# Sub-goals


def test_a_new_cell_of_maze_is_where_the_mouse_has_not_been_seen() -> None:
    task = Task.make("procgen/Maze", distribution_mode="easy", num_levels=5, view="semantic", shaping=0.5)
    env, plain = mohs.make(task), mohs.make(task.noise_free())
    assert task.noise_free() == Task.make("procgen/Maze", distribution_mode="easy", num_levels=5, view="semantic")
    rng, paid = np.random.default_rng(0), 0
    seen, _ = env.reset(seed=0)
    plain.reset(seed=0)
    been = {_cell(seen[0])}
    for action in rng.choice([1, 3, 5, 7], size=400):
        seen, reward, over, cut, info = env.step(int(action))
        original = plain.step(int(action))[1]
        if over or cut:
            assert reward == original
            been = {_cell(env.reset()[0][0])}
            plain.reset()
            continue
        new = _cell(seen[0]) not in been
        assert info["sub_goals"] == int(new)
        assert reward == original + 0.5 * new
        been.add(_cell(seen[0]))
        paid += new
    assert paid > 15


def _cell(player: np.ndarray) -> tuple[int, int]:
    rows, columns = np.nonzero(player)
    return int(rows.mean() * 15 / 64), int(columns.mean() * 15 / 64)


def test_keys_of_heist_are_those_on_the_ring() -> None:
    """Keys that are taken hang in the upper right corner; a door that is opened is gone."""
    task = Task.make("procgen/Heist", distribution_mode="easy", view="semantic", shaping=1.0, num_levels=40)
    env, rng, paid = mohs.make(task), np.random.default_rng(3), 0
    env.reset(seed=2)
    game: Any = env.unwrapped
    for level in range(12):
        before = env.reset()[0] if level else env.reset(seed=2)[0]
        keys = _on_ring(before)
        doors = int((game.state().entities["type"] == 1).sum())
        for _ in range(250):
            seen, reward, over, cut, info = env.step(int(rng.choice([1, 3, 5, 7])))
            if over or cut:
                break
            now, left = _on_ring(seen), int((game.state().entities["type"] == 1).sum())
            assert info["sub_goals"] == reward == now - keys + doors - left
            keys, doors, paid = now, left, paid + info["sub_goals"]
    assert paid > 3


def _on_ring(planes: np.ndarray) -> int:
    return int(planes[1:4, :4, 48:].any((1, 2)).sum())


def test_a_new_lane_of_leaper_pays_once() -> None:
    task = Task.make("procgen/Leaper", distribution_mode="easy", view="semantic", shaping=1.0, num_levels=50)
    env, rng, lanes = mohs.make(task), np.random.default_rng(0), 0
    for seed in range(25):
        env.reset(seed=seed)
        game: Any = env.unwrapped
        top, paid = 0, 0
        for _ in range(80):
            _, reward, over, cut, info = env.step(int(rng.choice([5, 5, 5, 4, 3])))
            if over or cut:
                break
            player = game.state().player
            if player["vy"] == 0:
                top = max(top, int(player["y"]))
            paid += info["sub_goals"]
            assert reward == info["sub_goals"]
            assert paid == top
        lanes += paid
    assert lanes > 25


def test_shaping_is_for_three_games() -> None:
    with pytest.raises(UsageError, match="shaping"):
        Task.make("procgen/CoinRun", shaping=1.0)
    assert agree(play(mohs.make("procgen/Heist"), 30), play(mohs.make("procgen/Heist", shaping=0.0), 30))
    assert not rewards(play(mohs.make("procgen/Maze", view="semantic"), 20)).any()
