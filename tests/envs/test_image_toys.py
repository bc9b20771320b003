"""What do the images of each toy show: pictures of one's own, cells, points; and which are refused or warned of?"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import mohs
from mohs import Task, UsageError
from mohs.engines.images.moves import MOVE, Settings, draw, rules
from mohs.engines.images.polygons import polygons, still, turns
from mohs.engines.images.warp import warp

ALL = "shift,scale,rotate,flip"
IMAGES: dict[str, Any] = {"image_representations": True}


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """Eight images: of state i a bright square of 8 + i pixels in a corner, on a ground that tells which."""
    for i in range(8):
        image = np.full((30, 40), 10 * i, dtype=np.uint8)
        image[: 8 + i, : 8 + i] = 255
        Image.fromarray(image).convert("RGB").save(tmp_path / f"{i}.png")
    return tmp_path


def test_images_of_ones_own_stand_for_states(directory: Path) -> None:
    own = {"image_style": "images", "image_directory": directory}
    env = mohs.make_vec("toy/discrete", num_envs=50, **IMAGES, **own)
    images, _ = env.reset(seed=0)
    states = env.fleet.instances["state"]  # type: ignore[attr-defined]
    for state, image in zip(states, images, strict=True):
        with Image.open(directory / f"{state}.png") as file:
            expected = np.asarray(file.convert("L").resize((100, 100), Image.Resampling.BILINEAR))
        assert np.array_equal(image[:, :, 0], expected)

    moved = mohs.make_vec("toy/discrete", num_envs=50, image_transforms=ALL, **IMAGES, **own)
    found, _ = moved.reset(seed=0)
    instances = moved.fleet.instances  # type: ignore[attr-defined]
    moves = np.empty(50, dtype=MOVE)
    address = [instances[name].copy() for name in ("task", "key", "episode", "t")]
    draw(rules([Settings(ALL)]), *address, (100.0, 100.0), (50.0, 50.0), moves)
    assert np.array_equal(found, warp(images, np.arange(50)[:, None], moves, (100, 100)))
    assert not np.array_equal(found, images)


def test_textures_fill_the_polygons(directory: Path) -> None:
    env = mohs.make_vec("toy/discrete", num_envs=50, image_style="textures", image_directory=str(directory), **IMAGES)
    images, _ = env.reset(seed=0)
    states = env.fleet.instances["state"].astype(np.int64)  # type: ignore[attr-defined]
    inside = polygons(states[:, None], still(50), (100, 100), turns(8)) > 0
    assert not images[~inside].any()
    for state, image, mask in zip(states, images, inside, strict=True):
        assert image[50, 50, 0] == 10 * state
        assert set(np.unique(image[mask])) <= set(range(10 * state, 256))


def test_transparent_pixels_are_black(directory: Path) -> None:
    layers = np.full((20, 20, 4), 255, dtype=np.uint8)
    layers[:10, :, 3] = 0
    Image.fromarray(layers).save(directory / "0.png")
    env = mohs.make_vec("toy/discrete", num_envs=50, image_style="images", image_directory=str(directory), **IMAGES)
    images, _ = env.reset(seed=0)
    first = images[env.fleet.instances["state"] == 0][0, :, :, 0]  # type: ignore[attr-defined]
    assert not first[:40].any()
    assert (first[60:] == 255).all()


def test_bad_directories_say_what_is_wrong(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def make(**params: Any) -> None:
        mohs.make("toy/discrete", image_style="images", **{"image_directory": str(directory), **params}, **IMAGES)

    with pytest.raises(UsageError, match="8 files for 9 states"):
        make(action_space_size=9)
    (directory / "3.png").write_text("not an image")
    with pytest.raises(UsageError, match=r"3\.png' cannot be read as an image"):
        make()
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        make(image_directory=str(directory / "nowhere"))
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(UsageError, match=r"install mohs\[images\]"):
        make()


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"image_transforms": "shift"}, "image_representations=True"),
        ({"image_width": 50}, "image_representations=True"),
        ({"image_style": "images", **IMAGES}, "needs an image_directory"),
        ({"image_directory": "x", **IMAGES}, 'image_style="images"'),
        ({"image_scale_range": (2, 1), **IMAGES}, r"must be \(low, high\)"),
        ({"image_transforms": "shear", **IMAGES}, "some of shift, scale"),
        ({"image_width": 7, **IMAGES}, "image_width is 7"),
    ],
)
def test_contradictions_are_refused(params: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        Task.make("toy/discrete", **params)


def warned(**params: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        mohs.make_vec("toy/discrete", num_envs=3, **IMAGES, **params)
    return [str(one.message) for one in caught]


def test_polygons_too_small_too_large_or_too_alike_are_warned_of_once() -> None:
    assert warned() == []
    assert warned(image_transforms=ALL) == []
    assert warned(image_width=84, image_height=84, image_transforms="shift,rotate,flip") == []
    (alike,) = warned(image_width=84, image_height=84, image_transforms=ALL)
    assert "last two of 8 states differ in 2 pixels" in alike
    (small,) = warned(image_width=20, image_height=50)
    assert "radius of 4.0 pixels" in small
    (small,) = warned(image_transforms="scale", image_scale_range=(0.1, 1))
    assert "radius of 2.0 pixels" in small
    assert warned(image_scale_range=(0.1, 9)) == []  # nothing is scaled
    (large,) = warned(image_transforms="scale", image_scale_range=(1, 3))
    assert "too large for images of 100 × 100" in large
    (alike,) = warned(action_space_size=60)
    assert "last two of 60 states" in alike


def colour(image: np.ndarray, cell: tuple[int, int], shape: tuple[int, int]) -> tuple[int, ...]:
    """At the middle of a cell; the second coordinate grows upward."""
    height, width, _ = image.shape
    x, y = (cell[0] + 0.5) / shape[0] * width, height - (cell[1] + 0.5) / shape[1] * height
    return tuple(image[int(y), int(x)].tolist())


def test_the_grid_shows_agent_target_and_terminal_cells() -> None:
    shape, terminal, target = (8, 5), [(1, 1), (6, 2)], (7, 4)
    params = {"grid_shape": shape, "terminal_states": terminal, "irrelevant_features": True, **IMAGES}
    env = mohs.make_vec("toy/grid", num_envs=40, **params)
    told = mohs.make_vec("toy/grid", num_envs=40, **{**params, "image_representations": False})
    images, (cells, _) = env.reset(seed=0)[0], told.reset(seed=0)
    for image, both in zip(images, cells, strict=True):
        for panel, own in enumerate((both[:2], both[2:])):
            part = image[:, 100 * panel : 100 * (panel + 1)]
            for x in range(shape[0]):
                for y in range(shape[1]):
                    special = {target: (0, 255, 0), **dict.fromkeys(terminal, (0, 0, 0))} if panel == 0 else {}
                    expected = (0, 0, 255) if (x, y) == tuple(own) else special.get((x, y), (208, 208, 208))
                    assert colour(part, (x, y), shape) == expected
            lines = (part == 255).all(axis=2)
            assert lines.any()
    assert len(np.unique(cells[:, :2], axis=0)) > 10


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"grid_shape": (4, 4, 4)}, "2 dimensions, not 3"),
        ({"grid_shape": (40, 4)}, "at least 120"),
        ({"grid_shape": (4, 9), "image_height": 26}, "image_height is 26 for 9 cells"),
    ],
)
def test_grids_that_images_cannot_show(params: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        Task.make("toy/grid", **IMAGES, **params)


def test_the_smallest_cells_still_show_everything() -> None:
    env = mohs.make_vec("toy/grid", num_envs=60, grid_shape=(33, 33), terminal_states=[(3, 3)], **IMAGES)
    images, _ = env.reset(seed=0)
    for wanted in ((0, 0, 255), (0, 255, 0), (0, 0, 0)):
        assert (images == np.array(wanted)).all(axis=3).any(axis=(1, 2)).all()


def painted(x: np.ndarray, y: np.ndarray, limit: float, frame: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """The middles of pixels as points of the plane; and as places, counted in pixels."""
    height, width = frame
    columns, rows = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
    points = np.stack([limit * (2 * columns / width - 1), limit * (1 - 2 * rows / height)], axis=-1)
    return points, np.stack([columns - width * (x / limit + 1) / 2, rows - height * (1 - y / limit) / 2], axis=-1)


@pytest.mark.parametrize("relevant", [(0, 1), (3, 1)], ids=["first", "chosen"])
def test_the_plane_shows_agent_target_and_terminal_regions(relevant: tuple[int, int]) -> None:
    """Every pixel has the colour of what lies at its middle: the agent before the target before terminal regions."""
    limit, frame, target, centres = 4.0, (80, 120), (1.0, -2.0), [(-2.0, 2.0), (2.0, -2.2)]
    params = {
        "state_space_dim": 4, "relevant_indices": relevant, "state_space_max": limit, "target_point": target,
        "terminal_states": centres, "term_state_edge": 1.5, "image_width": frame[1], "image_height": frame[0],
    }  # fmt: skip
    env = mohs.make_vec("toy/continuous", num_envs=30, history=True, **params, **IMAGES)
    env.reset(seed=2)
    images, *_, info = env.step(np.zeros((30, 4), dtype=np.float32))
    others = [i for i in range(4) if i not in relevant]
    for image, state in zip(images, info["derivatives"][:, 0].astype(np.float32), strict=True):
        for panel, axes in enumerate((relevant, others)):
            part = image[:, panel * frame[1] : (panel + 1) * frame[1]]
            expected = np.full((*frame, 3), 208)
            points, from_agent = painted(*state[list(axes)].astype(float), limit, frame)
            _, from_target = painted(*np.array(target), limit, frame)
            if panel == 0:
                for centre in centres:
                    expected[(np.abs(points - centre) <= 0.75).all(axis=-1)] = (0, 0, 0)
                expected[np.linalg.norm(from_target, axis=-1) <= 4] = (0, 255, 0)
            expected[np.linalg.norm(from_agent, axis=-1) <= 4] = (0, 0, 255)
            assert np.array_equal(part, expected)


def test_a_line_has_no_target() -> None:
    env = mohs.make_vec("toy/continuous", num_envs=20, reward_function="move_along_a_line", sequence_length=3, **IMAGES)
    images, _ = env.reset(seed=0)
    assert {tuple(colour) for colour in np.unique(images.reshape(-1, 3), axis=0).tolist()} == {
        (208, 208, 208),
        (0, 0, 255),
    }


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"state_space_dim": 3}, "2 relevant and 0 or 2 irrelevant dimensions, not 3 and 0"),
        ({"irrelevant_dimensions": 1}, "not 2 and 1"),
        ({"image_transforms": "shift"}, "could not be told from a move"),
        ({"image_style": "images"}, "unknown parameter"),
    ],
)
def test_planes_that_images_cannot_show(params: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        Task.make("toy/continuous", **IMAGES, **params)
