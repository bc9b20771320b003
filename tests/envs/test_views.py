"""Do third-party environments show their screens in classes, below the dials and aligned with the pixels?"""

from __future__ import annotations

import copy
import pickle
import re
import textwrap
from pathlib import Path

import numpy as np
import pytest
from trajectories import agree, frames, play, rewards

import mohs
from mohs import Classes, Screen, Task, UsageError
from mohs.envs.views.shrink import averaged, voted

OFFERS = textwrap.dedent('''
    import gymnasium
    import numpy as np
    import mohs

    CLASSES = mohs.Classes(("player", "goal", "sky"), (1, 1, 0))

    class Line(gymnasium.Env):
        """A player on a line, which a goal ends."""

        observation_space = gymnasium.spaces.Box(0, 255, (4, 6, 3), np.uint8)
        action_space = gymnasium.spaces.Discrete(2)

        def __init__(self, start: int = 1):
            self.start = start

        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)
            self.x = self.start + int(self.np_random.integers(2))
            return self.picture(), {}

        def step(self, action):
            self.x = min(max(self.x + 2 * int(action) - 1, 0), 5)
            return self.picture(), float(self.x == 5), self.x == 5, False, {}

        def picture(self):
            return np.array([(0, 0, 0), (255, 0, 0), (0, 255, 0), (80, 80, 255)], dtype=np.uint8)[self.views().ids]

        def views(self):
            ids = np.zeros((4, 6), dtype=np.uint8)
            ids[0] = 3
            ids[3, 5], ids[3, self.x] = 2, 1
            return mohs.Screen(ids, CLASSES)

    def make_line(start=1):
        return gymnasium.wrappers.TimeLimit(Line(start), 30)
''')


@pytest.fixture
def line(tmp_path: Path) -> str:
    (tmp_path / "line.py").write_text(OFFERS)
    return str(tmp_path / "line.py")


@pytest.mark.parametrize("attribute", ["Line", "make_line"])
def test_a_custom_environment_offers_views_by_one_method(line: str, attribute: str) -> None:
    name = f"{line}:{attribute}"
    task = Task.make(name, start=2)
    assert task.environment.realisation("classes")(task) == Classes(("player", "goal", "sky"), (1, 1, 0))
    plain, masks = play(mohs.make(task), 20), play(mohs.make(task, view="semantic"), 20)
    assert mohs.make(task, view="pixels").observation_space == mohs.make(task).observation_space
    assert np.array_equal(rewards(plain), rewards(masks))
    assert np.array_equal(frames(masks)[:, 0], (frames(plain) == (255, 0, 0)).all(-1))
    assert np.array_equal(frames(masks)[:, 2], (frames(plain) == (80, 80, 255)).all(-1))
    figure = frames(play(mohs.make(task, view="figure_ground"), 20))
    assert np.array_equal(figure[:, 0], frames(masks)[:, 0] | frames(masks)[:, 1])
    swapped = frames(play(mohs.make(task, view="permuted"), 20))
    assert np.array_equal(swapped, frames(masks)[:, [2, 0, 1]])
    scalar = frames(play(mohs.make(task, view="semantic", view_encoding="scalar"), 20))
    assert scalar.shape[1:] == (4, 6, 3)


def test_views_lie_below_the_dials_and_come_back_from_pickles(line: str) -> None:
    task = Task.make(f"{line}:Line", view="semantic", delay=2, reward_noise=1.0, observation_noise=0.0)
    assert agree(play(mohs.make(task), 20), play(mohs.make(task), 20))
    assert Task.from_json(task.to_json()) == task
    env = mohs.make(task)
    env.reset(seed=3)
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert np.array_equal(twin.step(1)[0], copy.deepcopy(env).step(1)[0])


def test_the_first_screen_leaves_unseeded_episodes_as_random_as_they_are(line: str) -> None:
    starts = {mohs.make(f"{line}:Line", view="semantic").reset()[0].tobytes() for _ in range(20)}
    assert len(starts) == 2


def test_what_has_no_views_says_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"view does not apply to CartPole-v1: .* no method views\(\)"):
        Task.make("CartPole-v1", view="semantic")
    (tmp_path / "none.py").write_text(
        "import gymnasium, mohs\n"
        "def make_env():\n    return gymnasium.make('CartPole-v1')\n"
        "def own(view=3):\n    return gymnasium.make('CartPole-v1')\n"
        "class Wrong(gymnasium.Env):\n"
        "    observation_space = action_space = gymnasium.spaces.Discrete(2)\n"
        "    def reset(self, *, seed=None, options=None):\n        return 0, {}\n"
        "    def views(self):\n        return 3\n"
    )
    with pytest.raises(UsageError, match="make_env shows no views"):
        mohs.make(f"{tmp_path}/none.py:make_env", view="semantic")
    assert mohs.make(f"{tmp_path}/none.py:make_env").observation_space.shape == (4,)
    assert Task.make(f"{tmp_path}/none.py:own", view=4)["view"] == 4  # an argument of its own
    with pytest.raises(UsageError, match=r"must return a mohs\.Screen, not int"):
        mohs.make(f"{tmp_path}/none.py:Wrong", view="semantic")


def test_the_example_of_the_page_runs(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "views.md").read_text()
    example = next(block for block in re.findall(r"```python\n(.*?)```", page, re.S) if "class Coins" in block)
    (tmp_path / "coins.py").write_text(example)
    env = mohs.make(f"{tmp_path}/coins.py:Coins", view="figure_ground", max_episode_steps=50)
    assert frames(play(env, 20)).sum((1, 2, 3)).max() == 2  # the player and the coin
    assert len(re.findall(r"!\[", page)) == 16
    for picture in re.findall(r"\((images/views/.*?\.png)\)", page):
        assert (Path(__file__).parents[2] / "docs" / picture).is_file()


def test_a_screen_is_checked() -> None:
    with pytest.raises(UsageError, match="uint8"):
        Screen(np.zeros((2, 2)), Classes(("a",)))  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="has the id 2, but there are 1 classes"):
        Screen(np.full((2, 2), 2, dtype=np.uint8), Classes(("a",)))


def test_smaller_screens_have_means_and_majorities() -> None:
    rng = np.random.default_rng(0)
    pictures = rng.integers(256, size=(2, 16, 16, 3), dtype=np.uint8)
    ids = rng.integers(4, size=(2, 16, 16), dtype=np.uint8)
    for size in (4, 8):
        k = 16 // size
        squares = pictures.reshape(2, size, k, size, k, 3).mean((2, 4))
        assert np.array_equal(averaged(pictures, k), np.floor(squares + 0.5))
        for i, y, x in np.ndindex(2, size, size):
            counts = np.bincount(ids[i, y * k : y * k + k, x * k : x * k + k].ravel(), minlength=4)
            best = np.flatnonzero(counts == counts.max())
            assert voted(ids, k)[i, y, x] == (best[best > 0].min() if (best > 0).any() else 0)
    assert averaged(pictures, 1) is pictures
    assert voted(ids, 1) is ids


# MinAtar


@pytest.mark.parametrize("game", ["Asterix", "Breakout", "Freeway", "Seaquest", "SpaceInvaders"])
def test_minatar_shows_the_first_of_its_channels(game: str) -> None:
    pytest.importorskip("minatar")
    task = Task.make(f"MinAtar/{game}-v1")
    classes = task.environment.realisation("classes")(task)
    plain = frames(play(mohs.make(task), 150))
    assert plain.shape[1:3] == (10, 10)
    numbers = mohs.make(task).unwrapped.game.env.channels  # type: ignore[attr-defined]
    assert sorted(classes.names) == sorted(numbers)
    masks = frames(play(mohs.make(task, view="semantic"), 150))
    before = np.zeros(plain.shape[:3], dtype=bool)
    for k, name in enumerate(classes.names):
        channel = plain[..., numbers[name]]
        assert np.array_equal(masks[:, k], channel & ~before)
        before |= channel
    pixels = frames(play(mohs.make(task, view="pixels", cell_size=3), 150))
    assert pixels.shape[1:] == (30, 30, 3)
    assert np.array_equal(pixels[:, ::3, ::3].any(-1), before)


# MiniGrid


@pytest.mark.parametrize("name", ["MiniGrid-DoorKey-5x5-v0", "MiniGrid-LavaCrossingS9N1-v0", "BabyAI-GoToRedBall-v0"])
def test_minigrid_shows_what_lies_before_the_agent(name: str) -> None:
    pytest.importorskip("minigrid")
    task = Task.make(name)
    names = task.environment.realisation("classes")(task).names
    plain = play(mohs.make(task, observation="image"), 60)
    masks, pixels = frames(play(mohs.make(task, view="semantic"), 60)), play(mohs.make(task, view="pixels"), 60)
    types = {"wall": 2, "key": 5, "ball": 6, "goal": 8, "lava": 9, "not in sight": 0}
    assert masks.shape[2:] == frames(pixels).shape[1:3] == (56, 56)
    for k, kind in types.items():
        seen = masks[:, names.index(k), ::8, ::8]
        there = frames(plain)[..., 0].transpose(0, 2, 1) == kind
        there[:, 6, 3] = False  # the agent
        assert np.array_equal(seen, there), k
    assert masks[:, [0, 1], 48:, 24:32].any(1).all()  # the agent, with hands full or empty
    walls = frames(pixels)[masks[:, names.index("wall")].astype(bool)]
    assert (walls.max(-1) == walls.min(-1)).all()  # grey
    assert np.array_equal(rewards(plain), rewards(pixels))
    with pytest.raises(UsageError, match="only one of them can be set"):
        mohs.make(name, observation="full", view="semantic")


# MuJoCo


@pytest.fixture
def gl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """OpenGL without a window. MuJoCo writes its warnings into the working directory."""
    pytest.importorskip("mujoco")
    monkeypatch.chdir(tmp_path)
    try:
        mohs.make("HalfCheetah-v5", view="pixels").reset(seed=0)
    except UsageError as error:
        pytest.skip(f"`make gl` installs it: {error}")


@pytest.mark.usefixtures("gl")
@pytest.mark.parametrize("name", ["HalfCheetah-v5", "Reacher-v5"])
def test_mujoco_shows_its_bodies(name: str) -> None:
    task = Task.make(name)
    classes = task.environment.realisation("classes")(task)
    masks, pixels = play(mohs.make(task, view="semantic", size=48), 5), play(mohs.make(task, view="pixels", size=48), 5)
    assert frames(masks).shape[1:] == (len(classes.names), 48, 48)
    assert frames(masks).sum(1).max() == 1
    assert frames(masks).any(axis=(0, 2, 3)).sum() > 1
    assert frames(pixels).shape[1:] == (48, 48, 3)
    assert np.array_equal(rewards(masks), rewards(pixels))
    moved = frames(pixels)[1:].astype(int) - frames(pixels)[:-1]
    changed = np.abs(moved).max(-1) > 100
    shown = frames(masks)[1:].any(1) | frames(masks)[:-1].any(1)
    if name == "Reacher-v5":  # its camera stands still
        assert (changed <= shown).all()
    env = mohs.make(task, view="semantic", size=48)
    env.reset(seed=0)
    assert np.array_equal(copy.deepcopy(env).step(env.action_space.sample() * 0)[0].shape, (len(classes.names), 48, 48))


def test_a_view_is_a_parameter_like_others() -> None:
    task = Task.make("HalfCheetah-v5", view="semantic", size=32)
    assert task.noise_free() == task
    assert Task.make("HalfCheetah-v5", view=None) == Task.make("HalfCheetah-v5")
    with pytest.raises(UsageError, match="view is 'masks'"):
        Task.make("HalfCheetah-v5", view="masks")
