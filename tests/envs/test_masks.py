"""Are ids encoded as the views say?"""

from __future__ import annotations

import numpy as np
import pytest
from gymnasium import spaces

from mohs.core.errors import UsageError
from mohs.core.views import Classes, Encoding, View
from mohs.envs.views.masks import Masks

CLASSES = Classes(("player", "wall", "road"), (1, 1, 0))
IDS = np.random.default_rng(0).integers(4, size=(5, 6, 7)).astype(np.uint8)


@pytest.mark.parametrize("view", [View.FIGURE_GROUND, View.SEMANTIC, View.PERMUTED])
@pytest.mark.parametrize("encoding", list(Encoding))
def test_masks_are_as_a_plain_loop_makes_them(view: str, encoding: str) -> None:
    masks = Masks(CLASSES, view, encoding, 6, 7)
    seen, codes, count = masks(IDS), CLASSES.codes(view), CLASSES.count(view)
    assert masks.space.contains(seen[0])
    for index, number in np.ndenumerate(IDS):
        i, y, x = index
        if encoding == Encoding.ONE_HOT:
            expected = [int(codes[number] == plane + 1) for plane in range(count)]
            assert seen[i, :, y, x].tolist() == expected
        else:
            assert seen[i, y, x].tolist() == [codes[number] * 255 // count] * 3


def test_permuted_ids_tell_as_much_as_semantic_ones() -> None:
    semantic, permuted = (Masks(CLASSES, view, "one_hot", 6, 7)(IDS) for view in ("semantic", "permuted"))
    assert {plane.tobytes() for plane in semantic[0]} == {plane.tobytes() for plane in permuted[0]}
    assert not np.array_equal(semantic, permuted)


@pytest.mark.parametrize("view", [View.FIGURE_GROUND, View.SEMANTIC, View.PERMUTED])
@pytest.mark.parametrize("square", [2, 4, 8])
def test_planes_of_a_smaller_screen_count_pixels(view: str, square: int) -> None:
    ids = np.random.default_rng(1).choice(4, size=(3, 16, 24), p=(0.6, 0.1, 0.1, 0.2)).astype(np.uint8)
    masks = Masks(CLASSES, view, "one_hot", 16 // square, 24 // square, square)
    seen, codes = masks(ids), np.array(CLASSES.codes(view))
    assert masks.space == spaces.Box(0, square**2, (CLASSES.count(view), 16 // square, 24 // square), np.uint8)
    for i, plane, y, x in np.ndindex(seen.shape):
        there = ids[i, y * square : (y + 1) * square, x * square : (x + 1) * square]
        assert seen[i, plane, y, x] == (codes[there] == plane + 1).sum()
    ground = (codes[ids] == 0).reshape(3, 16 // square, square, 24 // square, square).sum((2, 4))
    assert (seen.sum(1) + ground == square**2).all()


def test_permuted_counts_tell_as_much_as_semantic_ones() -> None:
    ids = np.random.default_rng(2).integers(4, size=(2, 8, 8)).astype(np.uint8)
    semantic, permuted = (Masks(CLASSES, view, "one_hot", 4, 4, 2)(ids) for view in ("semantic", "permuted"))
    assert np.array_equal(permuted, semantic[:, [2, 0, 1]])


def test_one_number_for_each_class_is_that_of_most_pixels() -> None:
    ids = np.array([[[1, 0, 0, 0], [0, 0, 2, 3], [2, 2, 1, 1], [1, 2, 0, 0]]], dtype=np.uint8)
    seen = Masks(CLASSES, View.SEMANTIC, "scalar", 2, 2, 2)(ids)
    assert (seen[0] // 85).tolist() == [[[0] * 3, [0] * 3], [[2] * 3, [1] * 3]]


def test_figure_needs_an_id_for_each_class() -> None:
    with pytest.raises(UsageError, match="one id for each of 2 classes, not 1"):
        Classes(("a", "b"), (1,))
    with pytest.raises(UsageError, match="pixels have no ids"):
        CLASSES.codes("pixels")
