"""What does an agent see of the arcade? A row for every game: pixels, with each dial turned, and masks of one state.

Run it:  python examples/arcade_views.py OUT      (OUT/collect.png and others; needs mohs[images])
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

import mohs

GAMES = ("collect", "avoid", "chase", "maze", "cross", "shoot", "cue", "dig")
LEVEL, ACTIONS = 3, (1, 4, 1)
ENLARGED, GAP = 4, 6
PIXELS: tuple[dict[str, Any], ...] = (
    {}, {"texture": 0.5}, {"clutter": 0.3}, {"shared_colours": True}, {"themes": 8},
)  # fmt: skip
# Of the planes of a mask: black is the ground, then the colours of Okabe and Ito, and white.
COLOURS = np.array(
    [(0, 0, 0), (230, 159, 0), (86, 180, 233), (0, 158, 115), (240, 228, 66), (0, 114, 178), (213, 94, 0),
     (204, 121, 167)], dtype=np.uint8,
)  # fmt: skip


def main(out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    for game in GAMES:
        seen = [observation(game, **dial) for dial in PIXELS]
        seen += [coloured(observation(game, view=view)) for view in ("figure_ground", "semantic")]
        Image.fromarray(row(seen)).quantize(64).save(out / f"{game}.png", optimize=True)
        print(out / f"{game}.png")


def observation(game: str, **params: Any) -> npt.NDArray[np.uint8]:
    """What is seen of a level after some steps."""
    env = mohs.make(f"arcade/{game}", num_levels=1, start_level=LEVEL, **params)
    seen, _ = env.reset(seed=0)
    for action in ACTIONS:
        seen = env.step(action)[0]
    return np.asarray(seen)


def coloured(planes: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Planes of 0 and 1 as one image with a colour for each."""
    ids = (planes * np.arange(1, len(planes) + 1)[:, None, None]).sum(axis=0)
    return np.asarray(COLOURS[ids] if len(planes) > 1 else COLOURS[ids] * 0 + 255 * planes[0][..., None])


def row(images: list[npt.NDArray[np.uint8]]) -> npt.NDArray[np.uint8]:
    """Images side by side, enlarged."""
    framed = [np.kron(one, np.ones((ENLARGED, ENLARGED, 1), dtype=np.uint8)) for one in images]
    gap = np.full((framed[0].shape[0], GAP, 3), 255, dtype=np.uint8)
    return np.hstack([part for one in framed for part in (gap, one)][1:])


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
