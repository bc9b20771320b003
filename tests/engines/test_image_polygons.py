"""Is a pixel white exactly where its middle lies in the polygon? Against half-planes, areas, symmetries and Pillow."""

from __future__ import annotations

import math

import image_reference as plain
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from mohs.engines.images.polygons import polygons, radius, still, turns

Frame = tuple[int, int]


def drawn(state: int, frame: Frame, move: plain.Move | None = None) -> np.ndarray:
    """One image [height, width]."""
    moves = still(1) if move is None else move.record
    return polygons(np.array([[state]]), moves, frame, turns(state + 1))[0, :, :, 0]


def corners(state: int, frame: Frame, move: plain.Move) -> np.ndarray:
    """The vertices [sides, 2] as places (x, y) in the frame."""
    angles = 2 * math.pi * np.arange(state + 3) / (state + 3)
    points = 0.2 * min(frame) * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    moved = np.hstack([points, np.ones((len(points), 1))]) @ move.matrix.T
    return moved[:, :2] + np.array([frame[1] / 2, frame[0] / 2])


def depths(places: np.ndarray, frame: Frame) -> np.ndarray:
    """How far the middle of every pixel lies inside the polygon: the distance to the nearest of its half-planes."""
    x, y = np.meshgrid(np.arange(frame[1]) + 0.5, np.arange(frame[0]) + 0.5)
    found = np.full(frame, np.inf)
    middle = places.mean(axis=0)
    for one, two in zip(places, np.roll(places, -1, axis=0), strict=True):
        normal = np.array([one[1] - two[1], two[0] - one[0]]) / math.dist(one, two)
        side = normal @ (middle - one)
        found = np.minimum(found, math.copysign(1, side) * (normal[0] * (x - one[0]) + normal[1] * (y - one[1])))
    return found


MOVES = st.builds(
    plain.Move, st.floats(0.2, 2.4), st.integers(0, 359), st.booleans(), st.booleans(),
    st.integers(-30, 30), st.integers(-30, 30),
)  # fmt: skip


@given(st.integers(0, 30), st.tuples(st.integers(8, 60), st.integers(8, 60)), MOVES)
def test_a_pixel_is_white_where_its_middle_is_inside(state: int, frame: Frame, move: plain.Move) -> None:
    """Moved polygons may leave the frame here; those of the toy do not."""
    inside = depths(corners(state, frame, move), frame)
    found = drawn(state, frame, move)
    assert set(np.unique(found)) <= {0, 255}
    assert (found[inside > 1e-7] == 255).all()
    assert (found[inside < -1e-7] == 0).all()


def test_middles_on_an_edge_are_white() -> None:
    """The square of 100 × 100 images has its edges through middles of pixels."""
    x, y = np.meshgrid(np.arange(100) - 49.5, np.arange(100) - 49.5)
    assert np.array_equal(drawn(1, (100, 100)) == 255, np.abs(x) + np.abs(y) <= 20)


@pytest.mark.parametrize("state", [0, 1, 2, 5, 9, 60])
def test_areas_are_those_of_regular_polygons(state: int) -> None:
    sides, size = state + 3, radius((1000, 1200))
    assert size == 200
    exact = sides / 2 * size**2 * math.sin(2 * math.pi / sides)
    perimeter = 2 * sides * size * math.sin(math.pi / sides)
    assert abs((drawn(state, (1000, 1200)) == 255).sum() - exact) < perimeter / 2


@pytest.mark.parametrize("state", [0, 1, 4, 8])
@pytest.mark.parametrize("move", [plain.Move(), plain.Move(1.3, 17, True, False, 5, -9)], ids=["still", "moved"])
def test_polygons_are_those_of_pillow(state: int, move: plain.Move) -> None:
    """Pillow draws 16 times as large; pixels that it fills, or leaves empty, by 98 % must be white, or black."""
    frame, finer = (100, 90), 16
    canvas = Image.new("L", (frame[1] * finer, frame[0] * finer))
    ImageDraw.Draw(canvas).polygon([tuple(p) for p in corners(state, frame, move) * finer - 0.5], fill=1)
    share = np.asarray(canvas).reshape(frame[0], finer, frame[1], finer).mean(axis=(1, 3))
    found = drawn(state, frame, move)
    assert (found[share > 0.98] == 255).all()
    assert (found[share < 0.02] == 0).all()
    assert ((share > 0.02) & (share < 0.98)).sum() < 0.2 * (found == 255).sum() + 60


@pytest.mark.parametrize("state", [0, 1, 2, 3, 5, 6, 7, 9])
def test_a_turn_to_the_next_vertex_leaves_the_polygon(state: int) -> None:
    sides = state + 3
    whole = drawn(state, (90, 101))
    for turn in range(1, sides):
        assert np.array_equal(drawn(state, (90, 101), plain.Move(degrees=360 // sides * turn)), whole)
    if sides > 3:
        assert not np.array_equal(drawn(state, (90, 101), plain.Move(degrees=180 // sides)), whole)


@pytest.mark.parametrize("state", range(8))
def test_flips_are_flips_of_the_image(state: int) -> None:
    frame, turned = (77, 64), plain.Move(degrees=20)
    image = drawn(state, frame, turned)
    assert np.array_equal(drawn(state, frame, plain.Move(degrees=20, left_right=True)), image[:, ::-1])
    assert np.array_equal(drawn(state, frame, plain.Move(degrees=20, top_bottom=True)), image[::-1])
    still_image = drawn(state, frame)
    assert np.array_equal(still_image, still_image[::-1])  # a vertex points to the right
    assert np.array_equal(still_image, still_image[:, ::-1]) == (state % 2 == 1)


@given(st.integers(0, 12), st.integers(-30, 30), st.integers(-30, 30))
def test_shifts_roll_the_image(state: int, dx: int, dy: int) -> None:
    moved = drawn(state, (100, 100), plain.Move(dx=dx, dy=dy))
    assert np.array_equal(moved, np.roll(drawn(state, (100, 100)), (dy, dx), axis=(0, 1)))


def test_panels_are_moved_alike() -> None:
    states = np.random.default_rng(0).integers(10, size=(40, 2))
    moves = np.concatenate([plain.Move(1.1, 3 * i, i % 2 == 0, False, i - 20, 20 - i).record for i in range(40)])
    both = polygons(states, moves, (60, 50), turns(10))
    assert both.shape == (40, 60, 100, 1)
    for panel in range(2):
        alone = polygons(states[:, panel : panel + 1].copy(), moves, (60, 50), turns(10))
        assert np.array_equal(both[:, :, 50 * panel : 50 * (panel + 1)], alone)


def test_many_sides_are_a_circle() -> None:
    x, y = np.meshgrid(np.arange(100) - 49.5, np.arange(100) - 49.5)
    distance = np.hypot(x, y)
    found = drawn(5000, (100, 100)) == 255
    assert found[distance < 19.999].all()
    assert not found[distance > 20.001].any()
