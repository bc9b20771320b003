"""How observations are kept and seen, and how actions are named."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from gymnasium import spaces

from mohs import UsageError
from mohs.agents.deep.spaces import Image, Numbers, action_range, choices, observations

CPU = torch.device("cpu")


def features(space, seen):
    sees = observations(space)
    kept = sees.store(np.asarray(seen))
    assert kept.shape[1:] == tuple(sees.stored[0])
    assert kept.dtype == sees.stored[1]
    return sees.features(kept[None], CPU)[0]


def test_states_are_one_hot():
    assert features(spaces.Discrete(3, start=5), [5, 7]).tolist() == [[1, 0, 0, *[0] * 5], [0, 0, 1, *[0] * 5]]
    both = features(spaces.MultiDiscrete([2, 3], start=[0, 1]), [[1, 1], [0, 3]])
    assert both.tolist() == [[0, 1, 1, 0, 0, 0, 0, 0], [1, 0, 0, 0, 1, 0, 0, 0]]


def test_numbers_are_seen_as_they_are():
    seen = features(spaces.Box(-1, 1, (2, 2), np.float64), [[[0.5, -0.5], [1, 0]]])
    assert seen.tolist() == [[0.5, -0.5, 1, 0, 0, 0, 0, 0]]


def test_marks_are_kept_as_bytes_and_seen_as_numbers():
    marks, numbers = spaces.MultiBinary(11), spaces.Box(0, 1, (11,), np.float32)
    seen = np.random.default_rng(0).integers(2, size=(5, 11))
    assert observations(marks) == Numbers(11, marks=True)
    assert np.dtype(observations(marks).stored[1]).itemsize == 1
    assert torch.equal(features(marks, seen), features(numbers, seen))


@pytest.mark.parametrize(
    ("shape", "dtype", "expected"),
    [
        ((84, 80, 3), np.uint8, Image((3, 84, 80), True)),
        ((4, 84, 80), np.uint8, Image((4, 84, 80), False)),
        ((84, 80), np.uint8, Image((1, 84, 80), True)),
        ((10, 10, 7), np.bool_, Image((7, 10, 10), True, 1)),
        ((9, 3, 3), np.uint8, Image((9, 3, 3), False, 1)),
        ((11, 8, 8), np.uint8, Image((11, 8, 8), False, 64)),
        ((2, 32, 32), np.uint8, Image((2, 32, 32), False, 4)),
        ((7, 7, 3), np.uint8, Image((3, 7, 7), True, 10)),
    ],
)
def test_images_have_their_channels_in_front(shape, dtype, expected):
    space = spaces.Box(0, expected.top, shape, dtype)
    assert observations(space) == expected
    pixels = np.random.default_rng(0).integers(0, 2, (2, *shape)).astype(dtype)
    shown = features(space, pixels).numpy()
    channels = pixels.reshape(2, *shape, -1)[..., 0] if len(shape) == 3 else pixels[..., None]
    assert np.array_equal(shown, np.moveaxis(channels, -1, 1) if expected.channels_last else channels)


@pytest.mark.parametrize("space", [spaces.Text(3), spaces.Box(0, 255, (4, 84, 84, 3), np.uint8)])
def test_what_cannot_be_seen_is_refused(space):
    with pytest.raises(UsageError, match="numbers, states or images"):
        observations(space)


def test_joint_choices():
    several = choices(spaces.MultiDiscrete([2, 3], start=[0, 1]), "dqn")
    assert several.count == 6
    assert several.act(several.joint(np.arange(6))).tolist() == [[0, 1], [0, 2], [0, 3], [1, 1], [1, 2], [1, 3]]
    one = choices(spaces.Discrete(3, start=4), "dqn")
    assert one.act(one.joint(np.arange(3))).tolist() == [4, 5, 6]


def test_continuous_actions_lie_between_their_bounds():
    actions = action_range(spaces.Box(np.array([0.0, -2.0]), np.array([1.0, 4.0])), "sac")
    assert actions.act(np.array([[-1, -1], [0, 0], [2, 2]], dtype=np.float32)).tolist() == [[0, -2], [0.5, 1], [1, 4]]
    with pytest.raises(UsageError, match="between bounds"):
        action_range(spaces.Box(-np.inf, np.inf, (1,)), "sac")
