"""Are ids encoded as the views say?"""

from __future__ import annotations

import numpy as np
import pytest

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


def test_figure_needs_an_id_for_each_class() -> None:
    with pytest.raises(UsageError, match="one id for each of 2 classes, not 1"):
        Classes(("a", "b"), (1,))
    with pytest.raises(UsageError, match="pixels have no ids"):
        CLASSES.codes("pixels")
