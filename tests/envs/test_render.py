"""Do pictures show what is the case, and only to those who look?"""

from __future__ import annotations

import copy
import math
import pickle
import subprocess
import sys
import types
import warnings
from itertools import pairwise
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import AddRenderObservation, HumanRendering, RecordVideo, RenderCollection

import mohs
from mohs import Task, TaskSet, UsageError
from mohs.envs.continuous import ContinuousEnv
from mohs.envs.discrete import DiscreteEnv
from mohs.envs.grid import GridEnv
from mohs.envs.render import canvas
from mohs.envs.render.episode import Episode
from mohs.envs.render.frame import FOOT, HEAD, SIDE
from mohs.envs.render.sequences import progress
from mohs.tables.toys.toy import toy

TOYS: list[tuple[str, dict[str, Any], int]] = [
    ("toy/discrete", {}, 1),
    ("toy/discrete", {"diameter": 3, "sequence_length": 4, "make_denser": True, "reward_every_n_steps": False}, 1),
    ("toy/discrete", {"irrelevant_features": True, "delay": 2}, 2),
    ("toy/discrete", {"action_space_size": 200, "terminal_state_density": 0.5}, 1),
    (
        "toy/discrete",
        {"transition_function": [[1, 2], [2, 0], [0, 0]], "reward_function": [[1, 0], [0, 0], [0, 2]],
         "terminal_states": []},
        1,
    ),
    ("toy/grid", {"terminal_states": [(3, 3)]}, 1),
    ("toy/grid", {"grid_shape": (9,)}, 1),
    ("toy/grid", {"grid_shape": (5, 4, 3), "irrelevant_features": True}, 3),
    ("toy/grid", {"grid_shape": (300, 200), "terminal_states": [(0, 0), (1, 1)]}, 1),
    ("toy/continuous", {"terminal_states": [(5, 5)], "transition_dynamics_order": 2}, 1),
    ("toy/continuous", {"state_space_dim": 1, "terminal_states": [(5,)]}, 1),
    ("toy/continuous", {"state_space_dim": 3, "irrelevant_dimensions": 3, "terminal_states": [(5, 5, 0)]}, 2),
    ("toy/continuous", {"reward_function": "move_along_a_line", "sequence_length": 3}, 1),
]  # fmt: skip
NAMES = [" ".join([name, *params]) for name, params, _ in TOYS]
BLUE, GREEN, DARK, WHITE = (0, 114, 178), (0, 158, 115), (43, 48, 56), (255, 255, 255)


def colour(picture: np.ndarray, x: float, y: float) -> tuple[int, ...]:
    return tuple(picture[round(y - 0.5), round(x - 0.5)].tolist())


@pytest.mark.parametrize(("name", "params", "panels"), TOYS, ids=NAMES)
def test_every_toy_has_pictures_of_one_size_that_follow_it(name: str, params: dict[str, Any], panels: int) -> None:
    env = mohs.make(name, render_mode="rgb_array", **params)
    env.reset(seed=0)
    env.action_space.seed(0)
    pictures = [env.render()]
    for _ in range(12):
        _, _, terminated, truncated, _ = env.step(env.action_space.sample())
        pictures.append(env.render())
        if terminated or truncated:
            env.reset()
    for picture in pictures:
        assert isinstance(picture, np.ndarray)
        assert picture.dtype == np.uint8
        assert picture.shape == (HEAD + SIDE + FOOT, panels * SIDE, 3)
    assert all(not np.array_equal(a, b) for a, b in pairwise(pictures))
    assert np.array_equal(env.render(), env.render())


@pytest.mark.parametrize("name", ["toy/discrete", "toy/grid", "toy/continuous"])
@pytest.mark.parametrize("mode", ["ansi", "human", "rgb_array", None])
def test_who_looks_changes_nothing(name: str, mode: str | None) -> None:
    env, watched = mohs.make(name), mohs.make(name, render_mode=mode)
    for one in (env, watched):
        one.reset(seed=4)
        one.action_space.seed(0)
    with pytest.raises(gymnasium.error.ResetNeeded, match="render"):
        mohs.make(name, render_mode=mode).unwrapped.render()
    for _ in range(3):
        action = env.action_space.sample()
        first, second = env.step(action), watched.step(action)
        assert np.array_equal(first[0], second[0])
        assert first[1:4] == second[1:4]
        if mode is None:
            with pytest.warns(UserWarning, match="render_mode"):
                assert watched.unwrapped.render() is None
        else:
            assert (watched.render() is None) == (mode == "human")
    watched.close()


def test_nobody_pays_who_does_not_look() -> None:
    """Then a step calls the kernel itself, and nothing of what draws is loaded."""
    code = "import mohs, sys; e = mohs.make('toy/grid'); e.reset(); e.step(0); print('PIL' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"
    env: Any = mohs.make("toy/discrete").unwrapped
    assert env._show is None
    assert env._step_one is env._kernel


def test_a_grid_is_drawn_where_it_is() -> None:
    """Colours of pixels, by the geometry in plain words: eight cells of 41.5 pixels, the first at the lower left."""
    params = {"terminal_states": [(3, 2)], "start_point": (1, 5)}
    env = mohs.make("toy/grid", render_mode="rgb_array", **params)
    env.reset(seed=0)
    size = (SIDE - 68) / 8
    place = lambda x, y: (34 + (x + 0.5) * size, HEAD + SIDE - 34 - (y + 0.5) * size)  # noqa: E731
    for action, cell in ((None, (1, 5)), (1, (2, 5)), (2, (2, 4)), (0, (1, 4)), (3, (1, 5))):
        if action is not None:
            env.step(action)
        picture: Any = env.render()
        assert colour(picture, *place(*cell)) == BLUE
        assert colour(picture, *place(7, 7)) == GREEN
        x, y = place(3, 2)
        assert colour(picture, x - 15, y) == DARK
        assert colour(picture, x, y) == WHITE  # the cross
        assert colour(picture, *place(6, 1)) == WHITE


def test_a_point_is_drawn_where_it_is() -> None:
    env = mohs.make("toy/continuous", render_mode="rgb_array", start_point=(5.0, -2.5), target_point=(-5, 5))
    env.reset(seed=0)
    unit = (SIDE - 68) / 20
    place = lambda x, y: (SIDE / 2 + x * unit, HEAD + SIDE / 2 - y * unit)  # noqa: E731
    for moved in ((5.0, -2.5), (6.0, -2.5), (6.0, -1.5)):
        picture: Any = env.render()
        assert colour(picture, *place(*moved)) == BLUE
        assert colour(picture, *place(-5, 5)) == GREEN
        env.step(np.array([1.0, 0.0] if moved[0] < 6 else [0.0, 1.0], dtype=np.float32))


def test_states_lie_clockwise_from_the_top() -> None:
    env: Any = mohs.make("toy/discrete", render_mode="rgb_array")
    env.reset(seed=0)
    parts, picture = toy(env.unwrapped.task), env.render()
    now = int(env.unwrapped.fleet.instances["state"][0])
    for state in range(8):
        angle = math.tau * state / 8
        x, y = SIDE / 2 + 142 * math.sin(angle), HEAD + SIDE / 2 - 142 * math.cos(angle)
        beside = colour(picture, x - 13, y + 8)  # beside its number
        if state == now:
            assert beside == BLUE
        elif parts.terminal[state]:
            assert beside == DARK
        else:
            assert beside not in (BLUE, DARK)


@pytest.mark.parametrize("gated", [True, False])
@pytest.mark.parametrize("seed", range(8))
def test_progress_is_what_a_search_finds(gated: bool, seed: int) -> None:
    rng = np.random.default_rng(seed)
    length = int(rng.integers(1, 4))
    sequences = np.unique(rng.integers(4, size=(5, length)), axis=0)
    known = [tuple(s) for s in sequences.tolist()]
    path: list[int] = []
    finished = wished = 0
    for step in range(60):
        done, wanted = progress(sequences, path[-64:], step, gated)
        paid = len(path) >= length and tuple(path[-length:]) in known and (not gated or step % length == 0)
        assert (done == length) == paid
        finished += paid
        under_way = (
            step % length
            if gated
            else max(
                i for i in range(length) if i <= len(path) and any(s[:i] == tuple(path[len(path) - i :]) for s in known)
            )
        )
        begun = [s for s in known if s[:under_way] == tuple(path[len(path) - under_way :])]
        assert wanted == {s[under_way] for s in begun}
        if not paid:
            assert done == (under_way if begun else 0)
        wished += len(wanted)
        path.append(int(rng.integers(4)))
    assert finished > 0
    assert wished > 0


def test_the_head_adds_up() -> None:
    task = Task.make("toy/discrete")
    episode = Episode(task, (np.zeros(2),))
    for i in range(100):
        episode = episode.after(np.full(2, i), 0.5)
    assert (episode.step, episode.reward, episode.total) == (100, 0.5, 50.0)
    assert [int(s[0]) for s in episode.trail] == list(range(91, 100))
    assert len(episode.states) == 65


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (-0.0, "0"), (1, "1"), (-1.75, "-1.75"), (1 / 3, "0.33"), (0.001, "0.001"), (1e9, "1e+09")],
)
def test_numbers_are_short(value: float, text: str) -> None:
    assert canvas.number(value) == text


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"])
@pytest.mark.parametrize("name", ["toy/discrete", "toy/grid", "toy/continuous"])
def test_a_copy_is_drawn_as_the_original(name: str, copied: Any) -> None:
    env = mohs.make(name, render_mode="rgb_array")
    env.reset(seed=0)
    env.action_space.seed(0)
    env.step(env.action_space.sample())
    twin = copied(env)
    assert twin.unwrapped._show._look.__self__ is twin.unwrapped
    assert np.array_equal(env.render(), twin.render())
    before = env.render()
    twin.step(env.action_space.sample())
    assert np.array_equal(env.render(), before)
    assert not np.array_equal(twin.render(), before)


def test_a_set_of_tasks_is_drawn_as_the_task_that_is_played() -> None:
    tasks = [Task.make("toy/grid", target_point=cell, start_point=(4, 4)) for cell in ((0, 0), (7, 0))]
    env: Any = mohs.make(TaskSet.make(tasks), render_mode="rgb_array")
    drawn = {}
    for seed in range(12):
        env.reset(seed=seed)
        played = env.unwrapped.task
        drawn.setdefault(played, env.render())
        assert np.array_equal(drawn[played], env.render())
    assert set(drawn) == set(tasks)
    assert not np.array_equal(*drawn.values())


@pytest.mark.parametrize("name", ["toy/discrete", "toy/grid", "toy/continuous"])
def test_the_checker_is_content_with_the_pictures(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(mohs.make(name, render_mode="rgb_array").unwrapped)


def test_a_window_shows_the_picture() -> None:
    pygame = pytest.importorskip("pygame")
    env, twin = (mohs.make("toy/grid", render_mode=mode) for mode in ("human", "rgb_array"))
    for one in (env, twin):
        one.reset(seed=1)
        one.step(2)
    shown = pygame.surfarray.array3d(pygame.display.get_surface()).swapaxes(0, 1)
    assert np.array_equal(shown, twin.render())
    assert env.render() is None
    copied = copy.deepcopy(env)  # there is one screen: who has something to show takes it
    copied.step(0)
    copied.close()
    for one in (env, twin):
        one.step(0)
    assert np.array_equal(pygame.surfarray.array3d(pygame.display.get_surface()).swapaxes(0, 1), twin.render())
    env.close()
    env.close()
    assert pygame.display.get_surface() is None


def test_a_missing_screen_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    pygame = pytest.importorskip("pygame")
    pygame.display.quit()
    monkeypatch.setenv("SDL_VIDEODRIVER", "no such driver")
    env = mohs.make("toy/discrete", render_mode="human")
    with pytest.raises(UsageError, match="'rgb_array' where there is no screen"):
        env.reset(seed=0)


@pytest.mark.parametrize(
    ("module", "mode", "extra"),
    [("PIL", "rgb_array", "images"), ("PIL", "human", "images"), ("pygame", "human", "human")],
)
def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch, module: str, mode: str, extra: str) -> None:
    monkeypatch.setitem(sys.modules, module, None)  # as if it were not installed
    with pytest.raises(UsageError, match=rf"pip install 'mohs\[{extra}\]'"):
        mohs.make("toy/discrete", render_mode=mode)
    mohs.make("toy/discrete", render_mode="ansi")


def test_an_unknown_mode_is_told() -> None:
    for face in (DiscreteEnv, GridEnv, ContinuousEnv):
        with pytest.raises(UsageError, match="render_mode is 'rgb'"):
            face(render_mode="rgb")
    with pytest.raises(UsageError, match="no render mode"):
        gymnasium.make_vec("mohs/Grid-v0", vectorization_mode="vector_entry_point", render_mode="rgb_array")


def test_gymnasiums_wrappers_take_the_pictures(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    collected = RenderCollection(mohs.make("toy/grid", render_mode="rgb_array"))
    collected.reset(seed=0)
    collected.step(0)
    assert len(collected.render()) == 2  # type: ignore[arg-type]
    pixels = AddRenderObservation(mohs.make("toy/discrete", render_mode="rgb_array"))
    seen, _ = pixels.reset(seed=0)
    assert pixels.observation_space.contains(seen)
    window = HumanRendering(mohs.make("toy/grid", render_mode="rgb_array"))
    window.reset(seed=0)
    window.close()

    films: list[Any] = []

    class Clip:  # what moviepy would make a film of
        def __init__(self, frames: list[np.ndarray], fps: float) -> None:
            films.append((frames, fps))

        def write_videofile(self, path: str, **options: Any) -> None:
            pass

    for part in ("moviepy", "moviepy.video", "moviepy.video.io", "moviepy.video.io.ImageSequenceClip"):
        monkeypatch.setitem(sys.modules, part, types.ModuleType(part))
    monkeypatch.setattr(sys.modules["moviepy.video.io.ImageSequenceClip"], "ImageSequenceClip", Clip, raising=False)
    film = RecordVideo(
        mohs.make("toy/continuous", render_mode="rgb_array"), str(tmp_path / "film"), episode_trigger=lambda _: True
    )
    film.reset(seed=0)
    for _ in range(5):
        film.step(film.action_space.sample())
    film.close()
    ((frames, fps),) = films
    assert len(frames) == 6
    assert fps == 4
    assert all(frame.shape == (HEAD + SIDE + FOOT, SIDE, 3) for frame in frames)
