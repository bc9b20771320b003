"""How do states look as images? A sheet of observations for every mode.

Run it:  python examples/image_modes.py OUT      (OUT/plain.png, OUT/shift.png, ...; needs mohs[images])
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

import mohs

COLUMNS, ROWS, GAP = 8, 2, 4
ALL = "shift,scale,rotate,flip"
TERMINALS = {"terminal_states": [(-6, 5), (4, -6), (7, 7)], "term_state_edge": 3}
WALLS = {"terminal_states": [(1, 1), (2, 5), (6, 3)]}

MODES: dict[str, tuple[str, dict[str, Any]]] = {
    "plain": ("toy/discrete", {}),
    "shift": ("toy/discrete", {"image_transforms": "shift"}),
    "shift_quantised": ("toy/discrete", {"image_transforms": "shift", "image_sh_quant": 15}),
    "scale": ("toy/discrete", {"image_transforms": "scale"}),
    "rotate": ("toy/discrete", {"image_transforms": "rotate"}),
    "flip": ("toy/discrete", {"image_transforms": "flip"}),
    "all": ("toy/discrete", {"image_transforms": ALL}),
    "irrelevant": ("toy/discrete", {"irrelevant_features": True, "image_transforms": ALL}),
    "custom": ("toy/discrete", {"image_style": "images"}),
    "custom_all": ("toy/discrete", {"image_style": "images", "image_transforms": ALL}),
    "textures": ("toy/discrete", {"image_style": "textures", "image_transforms": ALL}),
    "continuous": ("toy/continuous", {}),
    "continuous_terminals": ("toy/continuous", TERMINALS),
    "continuous_irrelevant": ("toy/continuous", {"irrelevant_dimensions": 2, **TERMINALS}),
    "grid": ("toy/grid", WALLS),
    "grid_irrelevant": ("toy/grid", {"irrelevant_features": True, **WALLS}),
}


def main(out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as own:
        draw_own_images(Path(own))
        for name, (env, params) in MODES.items():
            directory = {"image_directory": own} if "image_style" in params else {}
            sheet(observations(env, {**params, **directory})).save(out / f"{name}.png", optimize=True)
            print(out / f"{name}.png")


def observations(env: str, params: dict[str, Any]) -> np.ndarray:
    """What as many instances see; those of the discrete toy start in one state after the other."""
    columns = COLUMNS // 2 if any(name.startswith("irrelevant") for name in params) else COLUMNS
    count = columns * ROWS
    if env != "toy/discrete":
        return mohs.make_vec(env, num_envs=count, image_representations=True, **params).reset(seed=0)[0]
    starts = [np.eye(8)[i % 8] for i in range(count)]
    base = mohs.Task.make(env, image_representations=True, terminal_states=[], **params)
    tasks = [base.replace(init_state_dist=start) for start in starts]
    return mohs.make_vec(env, tasks=tasks).reset(seed=0)[0]


def sheet(images: np.ndarray) -> Image.Image:
    """Images [N, height, width, channels] in rows, with gaps between them."""
    count, height, width, channels = images.shape
    columns = count // ROWS
    page = np.full((ROWS * (height + GAP) + GAP, columns * (width + GAP) + GAP, 3), (250, 200, 90), dtype=np.uint8)
    for i, image in enumerate(images):
        y, x = (GAP + k * (size + GAP) for k, size in zip(divmod(i, columns), (height, width), strict=True))
        page[y : y + height, x : x + width] = image if channels == 3 else np.repeat(image, 3, axis=2)
    return Image.fromarray(page)


def draw_own_images(directory: Path) -> None:
    """Eight images of one's own: the digits 0 to 7 on a shaded ground."""
    shade = np.add.outer(np.linspace(40, 90, 48), np.linspace(0, 60, 48)).astype(np.uint8)
    for digit in range(8):
        image = Image.fromarray(shade)
        ImageDraw.Draw(image).text((14, 4), str(digit), fill=255, font_size=36)
        image.save(directory / f"{digit}.png")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
