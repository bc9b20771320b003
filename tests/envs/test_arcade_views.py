"""Do the views of the arcade show the state cell by cell, and do perceptual dials change pixels and nothing else?"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import mohs
from mohs import Task
from mohs.core.views import Encoding
from mohs.engines.arcade.fleet import CLASSES, HELD_OUT
from mohs.engines.arcade.layout import GAMES
from mohs.engines.arcade.looks import DECOYS, HELD_OUT_THEMES, THEMES, palette, tiles
from mohs.envs.views.masks import Masks

MASKS = ("figure_ground", "semantic", "permuted")
DIALS: list[dict[str, Any]] = [
    {"texture": 0.7}, {"clutter": 0.4}, {"shared_colours": True}, {"themes": 8},
    {"theme_shift": True, "start_level": HELD_OUT},
]  # fmt: skip
COUNT = 64


def course(game: str, steps: int = 40, **params: Any) -> tuple[Any, ...]:
    """States, observations, rewards and ends under random actions."""
    env = mohs.make_vec(f"arcade/{game}", num_envs=COUNT, **params)
    seen = [env.reset(seed=0)[0]]
    rng = np.random.default_rng(0)
    states, rewards, ends = [look(env)], [], []
    for _ in range(steps):
        one, reward, terminated, truncated, _ = env.step(rng.integers(5, size=COUNT))
        seen.append(one)
        states.append(look(env))
        rewards.append(reward)
        ends.append(terminated | truncated)
    return np.array(states), np.array(seen), np.array(rewards), np.array(ends)


def look(env: Any) -> npt.NDArray[np.uint8]:
    """What the engine observes."""
    from mohs.engines import loops

    states: npt.NDArray[np.uint8] = env.fleet.new_observations()
    loops.begin_fleet(env.fleet.memory, np.zeros(len(states), dtype=np.bool_), states)
    return states


def ids_of(states: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """The class of every pixel."""
    cells = states[..., :36].reshape(*states.shape[:-1], 6, 6)
    return np.asarray(cells.repeat(4, axis=-2).repeat(4, axis=-1))


def blocks(images: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Images [..., 24, 24, 3] as the tiles of their cells [..., 6, 6, 4, 4, 3]."""
    return np.moveaxis(images.reshape(*images.shape[:-3], 6, 4, 6, 4, 3), -4, -3)


@pytest.mark.parametrize("game", GAMES)
def test_pixels_show_the_class_of_every_cell(game: str) -> None:
    states, seen, *_ = course(game)
    drawn = tiles(0, CLASSES[game].names, 0.0, False)[:, 0]
    codes = states[..., :36].reshape(*states.shape[:-1], 6, 6)
    assert set(np.unique(codes).tolist()) >= set(range(1, len(CLASSES[game].names) + 1))
    np.testing.assert_array_equal(blocks(seen), drawn[codes])


@pytest.mark.parametrize("view", MASKS)
@pytest.mark.parametrize("encoding", list(Encoding))
@pytest.mark.parametrize("game", GAMES)
def test_masks_show_the_class_of_every_pixel(game: str, encoding: Encoding, view: str) -> None:
    states, seen, *_ = course(game, view=view, view_encoding=str(encoding))
    masks = Masks(CLASSES[game], view, encoding, 24, 24)
    np.testing.assert_array_equal(seen[3], masks(ids_of(states[3])))
    np.testing.assert_array_equal(seen[-1], masks(ids_of(states[-1])))
    env = mohs.make(f"arcade/{game}", view=view, view_encoding=str(encoding))
    assert env.observation_space == masks.space


@pytest.mark.parametrize("dial", DIALS, ids=lambda dial: str(next(iter(dial))))
@pytest.mark.parametrize("game", GAMES)
def test_a_perceptual_dial_changes_pixels_and_nothing_else(game: str, dial: dict[str, Any]) -> None:
    plain = {name: value for name, value in dial.items() if name == "start_level"}
    before, after = course(game, **plain), course(game, **dial)
    assert (before[1] != after[1]).any()
    for i in (0, 2, 3):
        np.testing.assert_array_equal(before[i], after[i])
    masked = [course(game, steps=9, view="semantic", **params)[1] for params in (plain, dial)]
    np.testing.assert_array_equal(*masked)


@pytest.mark.parametrize("game", GAMES)
def test_clutter_shows_decoys_in_that_share_of_empty_cells(game: str) -> None:
    states, seen, *_ = course(game, clutter=0.3)
    names = CLASSES[game].names
    drawn = tiles(0, names, 0.0, False)[:, 0]
    codes = states[..., :36].reshape(*states.shape[:-1], 6, 6)
    shown, empty = blocks(seen), codes == 0
    np.testing.assert_array_equal(shown[~empty], drawn[codes[~empty]])
    bare = (shown[empty] == drawn[0]).all(axis=(1, 2, 3))
    assert abs(1 - bare.mean() - 0.3) < 0.05
    decoys = drawn[-DECOYS:]
    assert (shown[empty][~bare][:, None] == decoys).all(axis=(2, 3, 4)).any(axis=1).all()


def test_clutter_and_texture_belong_to_the_cells_of_a_level() -> None:
    """When the agent moves, the ground moves the other way, and is the same when it returns."""
    env = mohs.make("arcade/chase", texture=1.0, clutter=0.5, num_levels=1)
    first = env.reset(seed=0)[0]
    second = env.step(4)[0]
    same = (blocks(first) == np.roll(blocks(second), 1, axis=1)).all(axis=(2, 3, 4))
    assert same.sum() >= 36 - 6  # all but what the agent, the prey and the ghost cover
    other = mohs.make("arcade/chase", texture=1.0, clutter=0.5, num_levels=1, start_level=1).reset(seed=0)[0]
    assert not (blocks(first) == blocks(other)).all(axis=(2, 3, 4)).sum() > 9


def grounds(**params: Any) -> set[bytes]:
    """The colours of the ground among many levels."""
    env = mohs.make_vec("arcade/avoid", num_envs=512, **params)
    seen, _ = env.reset(seed=0)
    states = look(env)
    shown = blocks(seen)
    return {one[cells[:36].reshape(6, 6) == 0][0, 0, 0].tobytes() for one, cells in zip(shown, states, strict=True)}


def test_levels_have_so_many_themes_and_held_out_ones_others() -> None:
    for themes in (1, 4, 16):
        assert len(grounds(themes=themes)) == themes
        assert grounds(themes=themes, start_level=HELD_OUT) == grounds(themes=themes)
        held = grounds(themes=themes, theme_shift=True, start_level=HELD_OUT)
        assert len(held) == HELD_OUT_THEMES
        assert not held & grounds(themes=themes, theme_shift=True)
    assert grounds(themes=4, theme_shift=True) == grounds(themes=4)


def test_the_theme_of_a_level_is_decided_by_its_number() -> None:
    assert len({frozenset(grounds(themes=8, num_levels=1, start_level=level)) for level in range(30)}) == 8


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("theme", [0, 1, 5, THEMES, THEMES + 1])
def test_things_can_be_told_apart_in_every_theme(game: str, theme: int) -> None:
    names = CLASSES[game].names
    plain = tiles(theme, names, 0.0, False)[:, 0].astype(int)
    shared = tiles(theme, names, 0.0, True)[:, 0].astype(int)
    for drawn in (plain, shared):
        apart = np.abs(drawn[:, None] - drawn).sum(axis=(2, 3, 4))
        assert (apart + 1000 * np.eye(len(drawn), dtype=int) > 200).all()
    assert len(np.unique(shared[1 : len(names) + 1].reshape(-1, 3), axis=0)) == 2
    assert palette(theme, names)[1].shape == (len(names) + DECOYS, 2, 3)


def test_figure_and_ground_are_one_plane() -> None:
    for game in GAMES:
        assert mohs.make(f"arcade/{game}", view="figure_ground").observation_space.shape == (1, 24, 24)
        assert Task.make(f"arcade/{game}").environment.realisation("classes")(Task.make(f"arcade/{game}")).figure == (
            1,
        ) * len(CLASSES[game].names)
