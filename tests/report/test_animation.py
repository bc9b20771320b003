"""Does a moving picture hold the frames that it was made of?"""

from __future__ import annotations

import io

import numpy as np
from PIL import Image, ImageSequence

from mohs.report.animation import animated, moving_figure

FRAMES = [np.full((8, 12, 3), value, dtype=np.uint8) for value in (0, 100, 255)]


def test_frames_come_back_without_loss() -> None:
    shown = Image.open(io.BytesIO(animated(FRAMES, 0.25)))
    found = [np.asarray(frame.convert("RGB")) for frame in ImageSequence.Iterator(shown)]
    np.testing.assert_array_equal(found, FRAMES)
    assert shown.info["loop"] == 0


def test_a_figure_escapes_its_texts_and_has_a_still_picture() -> None:
    html = moving_figure(FRAMES, 0.25, "<b>", "a & b")
    assert "&lt;b&gt;" in html
    assert "a &amp; b" in html
    assert "prefers-reduced-motion" in html
