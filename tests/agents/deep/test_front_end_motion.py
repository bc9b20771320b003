"""Objects are found by their motion: warping is as in a plain reference, and planted sprites appear in the masks."""

from __future__ import annotations

import moving_sprites
import numpy as np
import pytest

from mohs import UsageError
from mohs.agents.deep.front_end import matching, motion
from mohs.agents.deep.front_end.motion import Motion

SETTINGS = Motion(slots=4, steps=250, reach=3, camera=2, lean=0)  # all sprites move in every frame


def plain_likelihoods(before, after, shift, reach, sigma, floor):
    """Of one pair, pixel by pixel: [displacements, height, width]."""
    height, width, _ = before.shape
    first, second = before.astype(int), after.astype(int)
    found = []
    for dy, dx in matching.displacements(reach) + shift:
        error = np.full((height, width), np.nan)
        for y in range(height):
            for x in range(width):
                if 0 <= y + dy < height and 0 <= x + dx < width:
                    error[y, x] = np.abs(first[y, x] - second[y + dy, x + dx]).mean() / 255
        likely = np.where(np.isnan(error), 0, np.exp(-error / sigma)) + floor
        found.append(likely)
    return np.array(found)


def test_displacements_explain_pixels_as_in_a_plain_reference():
    draws = np.random.default_rng(0)
    before, after = draws.integers(0, 256, (2, 3, 7, 9, 3), dtype=np.uint8)
    shifts = np.array([[0, 0], [2, -1], [-3, 4]])
    found, seen = matching.likelihoods(before, after, shifts, 2, 0.5, 0.01)
    for i, shift in enumerate(shifts):
        plain = plain_likelihoods(before[i], after[i], shift, 2, 0.5, 0.01)
        np.testing.assert_allclose(found[i], plain, rtol=1e-5)
        np.testing.assert_array_equal(seen[i], plain[len(plain) // 2] > 0.01)


def test_a_pixel_is_found_where_it_went():
    before, after, _ = moving_sprites.scene(4, sprites=0, camera=3)
    shifts = matching.dominant_shifts(before, after, 4)
    found, seen = matching.likelihoods(before, after, shifts, 0, 0.01, 1e-6)
    assert (found[:, 0][seen] > 0.999).all()


def test_the_camera_is_followed_even_where_sprites_move():
    before, after, _ = moving_sprites.scene(32, seed=3, camera=3)
    still, _, _ = moving_sprites.scene(32, seed=3, camera=3)
    shifts = matching.dominant_shifts(before, after, 4)
    assert np.abs(shifts).max() == 3
    np.testing.assert_array_equal(matching.dominant_shifts(after, before, 4), -shifts)
    np.testing.assert_array_equal(matching.dominant_shifts(before, still, 4), 0 * shifts)


@pytest.fixture(scope="module")
def learnt():
    return motion.train(*moving_sprites.scene(1024)[:2], 0, SETTINGS)


def test_sprites_that_move_are_found_in_single_frames(learnt):
    before, _, figure = moving_sprites.scene(64, seed=7)
    assert moving_sprites.iou(learnt, before, figure) > 0.5


@pytest.mark.parametrize("control", ["still", "shuffled"])
def test_without_motion_nothing_is_found(control):
    before, after, _ = moving_sprites.scene(1024, moving=control != "still")
    if control == "shuffled":
        after = after[np.random.default_rng(0).permutation(len(after))]
    blind = motion.train(before, after, 0, SETTINGS)
    seen, _, figure = moving_sprites.scene(64, seed=7)
    assert moving_sprites.iou(blind, seen, figure) <= figure.mean() + 0.05


def test_the_same_frames_and_seed_give_the_same_bits():
    before, after, _ = moving_sprites.scene(64)
    first, again, other = (motion.train(before, after, seed, Motion(steps=5)) for seed in (1, 1, 2))
    assert first.name == again.name != other.name
    assert all((first.arrays[name] == again.arrays[name]).all() for name in first.arrays)


def test_frames_that_cannot_be_used_are_refused():
    frames = np.zeros((4, 24, 24, 3), np.uint8)
    for bad in (frames[..., :1], frames.astype(float), frames[:0]):
        with pytest.raises(UsageError, match="must be pairs of coloured pictures"):
            motion.train(bad, bad)
    with pytest.raises(UsageError, match="too small"):
        motion.train(frames[:, :4], frames[:, :4])
