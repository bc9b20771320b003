"""Are images moved as they are drawn to be? Against plain Python, numpy, scipy and Pillow."""

from __future__ import annotations

import math
from typing import Any

import image_reference as plain
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from scipy import ndimage, stats

from mohs import UsageError
from mohs.core.dials import TRANSFORMS
from mohs.engines.images.warp import MOVE, Settings, draw, rules, transform, warp

ALL = ",".join(TRANSFORMS)


def moves_of(settings: Settings, count: int, frame: tuple[float, float], content: tuple[float, float]) -> np.ndarray:
    """The moves of `count` addresses."""
    moves = np.empty(count, dtype=MOVE)
    zeros, t = np.zeros(count, dtype=np.int32), np.arange(count, dtype=np.int32)
    draw(rules([settings]), zeros, np.full(count, 77, dtype=np.uint64), zeros + 3, t, frame, content, moves)
    return moves


SUBSETS = st.sets(st.sampled_from(TRANSFORMS)).map(lambda words: ",".join(w for w in TRANSFORMS if w in words))


@given(
    SUBSETS, st.integers(1, 40), st.integers(1, 360), st.floats(0.1, 2), st.floats(1, 4),
    st.tuples(st.integers(8, 120), st.integers(8, 120)), st.floats(0.05, 1),
)  # fmt: skip
def test_draws_are_those_of_plain_python(
    words: str, sh: int, ro: int, low: float, ratio: float, frame: tuple[int, int], share: float
) -> None:
    settings = Settings(words, sh, ro, (low, low * ratio))
    size, content = (float(frame[0]), float(frame[1])), (share * frame[0], share * frame[1])
    for t, found in enumerate(moves_of(settings, 12, size, content)):
        expected = plain.move(settings, 77, 3, t, size, content)
        (a, b, dx), (c, d, dy), _ = expected.matrix
        for name, value in zip("abcd", (a, b, c, d), strict=True):
            assert found[name] == pytest.approx(value, abs=1e-12)
        assert (found["dx"], found["dy"]) == (dx, dy)
        assert found["scale"] == pytest.approx(expected.scale, rel=1e-12)


def test_one_transform_leaves_the_draws_of_the_others() -> None:
    frame, content = (100.0, 100.0), (40.0, 40.0)
    both = moves_of(Settings("shift,rotate"), 200, frame, content)
    shift, rotate = (moves_of(Settings(word), 200, frame, content) for word in ("shift", "rotate"))
    assert np.array_equal(both["dx"], shift["dx"])
    assert np.array_equal(both["dy"], shift["dy"])
    assert all(np.array_equal(both[name], rotate[name]) for name in "abcd")
    assert len(np.unique(shift["dx"])) > 40


@pytest.mark.parametrize("quantum", [1, 7, 8, 30, 31])
def test_shifts_are_equally_likely_multiples_that_stay_inside(quantum: int) -> None:
    moves = moves_of(Settings("shift", sh_quant=quantum), 20_000, (100.0, 80.0), (40.0, 40.0))
    for name, room in (("dx", 20), ("dy", 30)):
        allowed = np.arange(-(room // quantum), room // quantum + 1) * quantum
        found, counts = np.unique(moves[name], return_counts=True)
        assert found.tolist() == allowed.tolist()
        assert len(counts) == 1 or stats.chisquare(counts).pvalue > 1e-3


@pytest.mark.parametrize("quantum", [1, 30, 45, 100, 360])
def test_rotations_are_equally_likely_multiples(quantum: int) -> None:
    moves = moves_of(Settings("rotate", ro_quant=quantum), 20_000, (100.0, 100.0), (40.0, 40.0))
    degrees = np.rad2deg(np.arctan2(moves["c"], moves["a"])).round(6) % 360
    found, counts = np.unique(degrees, return_counts=True)
    assert found == pytest.approx(np.arange(0, 360, quantum), abs=1e-5)
    assert len(counts) == 1 or stats.chisquare(counts).pvalue > 1e-3


def test_flips_and_scales_have_their_laws() -> None:
    moves = moves_of(Settings("scale,flip", scale_range=(0.25, 4.0)), 20_000, (100.0, 100.0), (40.0, 40.0))
    assert stats.kstest(np.log(moves["scale"]), "uniform", (math.log(0.25), math.log(16))).pvalue > 1e-3
    left_right, top_bottom = moves["a"] < 0, moves["d"] < 0
    assert not (left_right & top_bottom).any()
    kinds = [(left_right).sum(), (top_bottom).sum(), (~left_right & ~top_bottom).sum()]
    assert stats.chisquare(kinds, [5000, 5000, 10_000]).pvalue > 1e-3


def noise(shape: tuple[int, ...], dtype: Any = np.uint8) -> np.ndarray:
    return np.random.default_rng(0).integers(1, 256, size=shape).astype(dtype)


@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
@given(st.integers(0, 2**63), st.integers(0, 1000), st.tuples(st.integers(8, 20), st.integers(8, 20)))
def test_scale_and_rotation_interpolate_as_scipy_does(dtype: Any, key: int, t: int, size: tuple[int, int]) -> None:
    images = noise((1, *size, 2), dtype)
    settings = Settings(ALL, scale_range=(0.3, 3.0))
    found = transform(images, settings, key, 2, t)
    frame = float(size[0]), float(size[1])
    back = np.linalg.inv(plain.move(settings, key, 2, t, frame, (frame[0] / 2, frame[1] / 2)).matrix)
    swapped = back[[1, 0, 2]][:, [1, 0, 2]]  # rows before columns
    centre = np.array([size[0] / 2, size[1] / 2]) - 0.5
    offset = centre + swapped[:2, 2] - swapped[:2, :2] @ centre
    for channel in range(2):
        expected = ndimage.affine_transform(
            images[0, :, :, channel].astype(np.float64), swapped[:2, :2], offset, order=1, mode="grid-constant"
        )
        tolerance = 1e-3 if dtype == np.float32 else 0.5 + 1e-6  # of rounding to a whole number
        assert np.abs(found[0, :, :, channel] - expected).max() <= tolerance


@pytest.mark.parametrize("words", ["shift", "flip", "shift,flip"])
@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_shifts_and_flips_copy_pixels(words: str, dtype: Any) -> None:
    images = noise((60, 12, 17, 3), dtype)
    found = transform(images, Settings(words), 5, 1, np.arange(60))
    moved = 0
    for t, (image, got) in enumerate(zip(images, found, strict=True)):
        move = plain.move(Settings(words), 5, 1, t, (12, 17), (6, 8.5))
        expected = image[:, ::-1] if move.left_right else image
        expected = expected[::-1] if move.top_bottom else expected
        expected = ndimage.shift(expected, (move.dy, move.dx, 0), order=0, mode="constant")
        assert np.array_equal(got, expected)
        moved += not np.array_equal(got, image)
    assert moved > 20


@pytest.mark.parametrize("padding", [0, 3, 20])
def test_padding_keeps_the_whole_image(padding: int) -> None:
    images = noise((50, 10, 14))
    found = transform(images, Settings("shift,flip"), np.arange(50), 0, 0, padding)
    assert found.shape == (50, 10 + 2 * padding, 14 + 2 * padding)
    kept = [
        np.array_equal(np.sort(one[one > 0]), np.sort(image.ravel())) for one, image in zip(found, images, strict=True)
    ]
    assert all(kept) == (padding > 0)
    if padding:
        corners = {tuple(np.argwhere(one > 0)[0]) for one in found}
        assert len(corners) > 20
        assert max(map(max, corners)) <= 2 * padding


@pytest.mark.parametrize("degrees", [0, 90, 180, 270])
def test_right_angles_are_exact(degrees: int) -> None:
    images = noise((1, 15, 15, 2))
    moves = plain.Move(degrees=degrees).record
    moves["resampled"] = 1
    assert np.array_equal(warp(images, np.array([[0]]), moves, (15, 15))[0], np.rot90(images[0], -degrees // 90))


@pytest.mark.parametrize("degrees", [15, 120, 300])
def test_rotations_are_those_of_pillow(degrees: int) -> None:
    image = ndimage.gaussian_filter(noise((64, 64)), 3)
    image[0] = image[-1] = image[:, 0] = image[:, -1] = 0  # Pillow repeats the edge half a pixel outward
    found = warp(image[None, :, :, None], np.array([[0]]), plain.Move(degrees=degrees).record, (64, 64))[0, :, :, 0]
    expected = np.asarray(Image.fromarray(image).rotate(-degrees, Image.Resampling.BILINEAR))
    assert np.abs(found.astype(int) - expected)[2:-2, 2:-2].max() <= 2


def test_panels_are_moved_alike() -> None:
    pictures = noise((5, 9, 11, 1))
    moves = moves_of(Settings(ALL), 30, (9.0, 11.0), (4.0, 4.0))
    which = np.random.default_rng(0).integers(5, size=(30, 2))
    both = warp(pictures, which, moves, (9, 11))
    assert both.shape == (30, 9, 22, 1)
    for panel in range(2):
        alone = warp(pictures, which[:, panel : panel + 1].copy(), moves, (9, 11))
        assert np.array_equal(both[:, :, 11 * panel : 11 * (panel + 1)], alone)


def test_an_image_alone_is_moved_as_among_others() -> None:
    images = noise((6, 8, 8, 3))
    together = transform(images, Settings(ALL), np.arange(6), np.arange(6) % 2, np.arange(6) * 3)
    for i in range(6):
        assert np.array_equal(transform(images[i : i + 1], Settings(ALL), i, i % 2, i * 3)[0], together[i])


@pytest.mark.parametrize("bad", [np.zeros((2, 3)), np.zeros((1, 3, 3)), np.zeros((1, 1, 3, 3, 1), dtype=np.uint8)])
def test_other_arrays_are_refused(bad: np.ndarray) -> None:
    with pytest.raises(UsageError, match="images must be uint8 or float32"):
        transform(bad, Settings("shift"), 0, 0, 0)
