"""Are discs drawn where they are, over their own background only? Against distances, areas and Pillow."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from mohs.engines.images import discs

BLUE = np.array(discs.AGENT)


def ground(height: int, width: int) -> np.ndarray:
    return np.random.default_rng(1).integers(100, 200, size=(2, height, width, 3)).astype(np.uint8)


@given(
    st.integers(8, 40), st.integers(8, 40), st.integers(1, 2), st.floats(0.3, 12),
    st.lists(st.tuples(st.floats(-5, 45), st.floats(-5, 45)), min_size=2, max_size=2),
)  # fmt: skip
def test_a_pixel_is_coloured_where_its_middle_is_inside(
    height: int, width: int, panels: int, size: float, places: list[tuple[float, float]]
) -> None:
    backgrounds = ground(height, panels * width)
    where = np.array([places[:panels]])
    image = discs.discs(where, np.array([1], dtype=np.int32), backgrounds, size)[0]
    x, y = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
    for panel, (cx, cy) in enumerate(places[:panels]):
        part = np.s_[:, panel * width : (panel + 1) * width]
        depth = size - np.hypot(x - cx, y - cy)
        blue = (image[part] == BLUE).all(axis=2)
        assert blue[depth > 1e-6].all()
        assert not blue[depth < -1e-6].any()
        assert np.array_equal(image[part][~blue], backgrounds[1][part][~blue])


def test_areas_are_those_of_discs() -> None:
    backgrounds = np.zeros((1, 900, 900, 3), dtype=np.uint8)
    image = discs.discs(np.array([[[450.2, 433.1]]]), np.zeros(1, dtype=np.int32), backgrounds, 200.0)
    assert (image[0] == BLUE).all(axis=2).sum() == pytest.approx(math.pi * 200**2, rel=1e-3)


@pytest.mark.parametrize("place", [(50.0, 50.0), (31.4, 77.7), (2.0, 98.5)])
def test_discs_are_those_of_pillow(place: tuple[float, float]) -> None:
    """Pillow draws 16 times as large; pixels that it fills, or leaves empty, by 98 % must be blue, or not."""
    finer, size = 16, discs.radius((100, 100))
    assert size == 5
    canvas = Image.new("L", (100 * finer, 100 * finer))
    box = [finer * (c + s * size) - 0.5 for s in (-1, 1) for c in place]
    ImageDraw.Draw(canvas).ellipse(box, fill=1)
    share = np.asarray(canvas).reshape(100, finer, 100, finer).mean(axis=(1, 3))
    backgrounds = np.full((1, 100, 100, 3), 208, dtype=np.uint8)
    image = discs.discs(np.array([[place]]), np.zeros(1, dtype=np.int32), backgrounds, size)[0]
    blue = (image == BLUE).all(axis=2)
    assert blue[share > 0.98].all()
    assert not blue[share < 0.02].any()
    assert blue.sum() > 20


def test_the_second_coordinate_points_up() -> None:
    low, high = np.array([-10.0, -10.0]), np.array([10.0, 10.0])
    factors, offsets = discs.scales((100, 200), low, high)
    found = np.array([[-10.0, -10.0], [10.0, 10.0], [0.0, 5.0]]) * factors + offsets
    assert found.tolist() == [[0, 100], [200, 0], [100, 25]]
    x, y = discs.middles((100, 200), low, high)
    places = np.stack(np.broadcast_arrays(x, y), axis=-1) * factors + offsets
    rows, columns = np.indices((100, 200)) + 0.5
    assert places == pytest.approx(np.stack([columns, rows], axis=-1))
