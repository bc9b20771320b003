"""How does a page show something that moves? As an animated picture inside the page; still where motion is unwanted."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]
FORMAT = "webp"


def animated(frames: Sequence[Bytes], seconds: float) -> bytes:
    """Frames [height, width, 3] as an animated WebP without loss, each shown for so many seconds, for ever."""
    from PIL import Image

    first, *others = map(Image.fromarray, frames)
    more: dict[str, Any] = {"append_images": others, "duration": round(1000 * seconds), "loop": 0} if others else {}
    file = io.BytesIO()
    first.save(file, FORMAT, save_all=bool(others), lossless=True, **more)
    return file.getvalue()


def moving_figure(frames: Sequence[Bytes], seconds: float, title: str, caption: str) -> str:
    """A figure of HTML. Readers who ask for reduced motion get the last frame."""
    height, width, _ = frames[0].shape
    still, moving = (_inline(animated(shown, seconds)) for shown in (frames[-1:], frames))
    size = f'width="{width}" height="{height}"'
    return (
        f'<figure><picture><source media="(prefers-reduced-motion: reduce)" srcset="{still}">'
        f'<img src="{moving}" {size} alt="{escape(title)}"></picture>'
        f"<figcaption><b>{escape(title)}</b> {escape(caption)}</figcaption></figure>"
    )


def _inline(data: bytes) -> str:
    return f"data:image/{FORMAT};base64,{base64.b64encode(data).decode()}"
