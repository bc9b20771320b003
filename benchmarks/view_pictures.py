"""Pictures of views for docs/views.md: pixels, classes, figure and ground side by side, with the names of the classes.

python -m benchmarks.view_pictures [--games bigfish,maze] [--out docs/images/views]
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

import mohs
from mohs.core.views import Classes
from mohs.envs.suites.procgen.env import GAMES

# Tableau's colours, which colour-blind readers tell apart best by their lightness.
PALETTE = np.array(
    [(24, 24, 28), (255, 255, 255), (78, 121, 167), (242, 142, 43), (225, 87, 89), (118, 183, 178), (89, 161, 79),
     (237, 201, 72), (176, 122, 161), (255, 157, 167), (156, 117, 95), (186, 176, 172), (0, 110, 255)],
    dtype=np.uint8,
)  # fmt: skip
SCALE, GAP, LINE = 3, 8, 14
Bytes = npt.NDArray[np.uint8]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--games", default=",".join(game.lower() for game in GAMES))
    parser.add_argument("--out", type=Path, default=Path("docs/images/views"))
    parser.add_argument("--steps", type=int, default=600)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for game in options.games.split(","):
        name = next(known for known in GAMES if known.lower() == game)
        task = mohs.Task.make(f"procgen/{name}", distribution_mode="hard", num_levels=200)
        classes = task.environment.realisation("classes")(task)
        pixels, ids = richest(task, len(classes.names), options.steps)
        picture(pixels, ids, classes).save(options.out / f"{game}.png", optimize=True)


def richest(task: mohs.Task, count: int, steps: int) -> tuple[Bytes, Bytes]:
    """The frame of a random game that shows most classes, in pixels and in ids."""
    normal, painted = mohs.make(task), mohs.make(task, view="semantic")
    rng, most = np.random.default_rng(0), -1.0
    frame, planes = normal.reset(seed=1)[0], painted.reset(seed=1)[0]
    best: tuple[Bytes, Bytes] = frame, planes
    action = 4
    for step in range(steps):
        present = planes.reshape(count, -1).sum(1)
        value = (present > 2).sum() + 0.1 * rng.random()
        if value > most:
            most, best = value, (frame, planes)
        if step % 4 == 0 or rng.random() < 0.3:
            action = int(rng.choice([9, *range(9)], p=[0.28, *[0.08] * 9]))
        (frame, *_), (planes, _, over, cut, _) = normal.step(action), painted.step(action)
        if over or cut:
            frame, planes = normal.reset()[0], painted.reset()[0]
    weights = np.arange(1, count + 1, dtype=np.uint8)[:, None, None]
    return best[0], (best[1] * weights).max(0).astype(np.uint8)


def picture(pixels: Bytes, ids: Bytes, classes: Classes) -> Image.Image:
    """The three views side by side, and a legend."""
    ground = np.array(classes.codes("figure_ground"), dtype=np.uint8)
    panels = [pixels, PALETTE[ids], PALETTE[ground[ids]]]
    side = SCALE * len(pixels)
    width = 3 * side + 2 * GAP
    entries = [(0, "ground"), *enumerate(classes.names, 1)]
    rows = -(-len(entries) // 4)
    canvas = Image.new("RGB", (width, side + GAP + LINE * rows), (246, 246, 246))
    for k, panel in enumerate(panels):
        canvas.paste(Image.fromarray(panel).resize((side, side), Image.Resampling.NEAREST), (k * (side + GAP), 0))
    draw = ImageDraw.Draw(canvas)
    for k, (i, name) in enumerate(entries):
        x, y = 4 + (k % 4) * (width // 4), side + GAP + LINE * (k // 4)
        draw.rectangle((x, y + 1, x + 9, y + 10), fill=tuple(PALETTE[i].tolist()), outline=(120, 120, 120))
        draw.text((x + 14, y), name, fill=(40, 40, 40))
    return canvas


if __name__ == "__main__":
    main()
