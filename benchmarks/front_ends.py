"""How well and how fast are objects learnt from motion, and what do the masks look like?

    python -m benchmarks.front_ends [--json] [--control] [--pictures DIRECTORY] [--games chase collect ...]

Each game is shown with texture and without: intersection over union with the true figures on 20 held-out levels; with
--control beside that of the same network trained on shuffled pairs, which can learn no motion. A picture has a row for
each of four levels: the frame, all masks together, the largest mask of each pixel in colour, and the true figures.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from mohs import Task
from mohs.agents.deep.front_end import motion, pretrain
from mohs.agents.deep.front_end.front_end import GENERIC, FrontEnd
from mohs.agents.deep.front_end.pictures import panels

GAMES = ("collect", "avoid", "chase", "maze", "cross", "shoot", "cue", "dig")
FRAMES, LEVELS, ROWS, ZOOM = 4096, 200, 4, 5


def measured(game: str, texture: float, pictures: Path | None, control: bool) -> dict[str, Any]:
    task = Task.make(f"arcade/{game}", num_levels=LEVELS, texture=texture)
    before, after = pretrain.play(task, FRAMES)
    start = time.process_time()
    found = motion.train(before, after)
    seconds = time.process_time() - start
    start = time.process_time()
    found.masks(before)
    each = (time.process_time() - start) / len(before)
    shuffled = motion.train(before, after[np.random.default_rng(0).permutation(len(after))]) if control else None
    if pictures is not None:
        draw(found, task, pictures / f"{game}{'_texture' if texture else ''}.png")
    return {
        "game": game,
        "texture": texture,
        "iou": pretrain.object_iou(found, task).to_dict(),
        "iou_shuffled": None if shuffled is None else pretrain.object_iou(shuffled, task).to_dict(),
        "figure": float(pretrain.screens(task)[1].mean()),
        "train_seconds": seconds,
        "microseconds_per_frame": 1e6 * each,
    }


def draw(front_end: FrontEnd, task: Task, path: Path) -> None:
    pixels, truth = pretrain.screens(task, levels=ROWS, frames=8)
    rows = []
    for shown, true in zip(pixels[:, -1], truth[:, -1], strict=True):
        pictures = panels(front_end, shown, true)
        rows.append(np.concatenate([np.pad(p, ((1, 1), (1, 1), (0, 0)), constant_values=128) for p in pictures], 1))
    picture = np.concatenate(rows).repeat(ZOOM, 0).repeat(ZOOM, 1)
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(picture).save(path, optimize=True)


def generic_speed() -> float:
    """Microseconds that the generic front-end takes for a frame."""
    frames = np.random.default_rng(0).integers(0, 256, (512, 24, 24, 3), dtype=np.uint8)
    start = time.process_time()
    FrontEnd(GENERIC, {}).masks(frames)
    return 1e6 * (time.process_time() - start) / len(frames)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--pictures", type=Path)
    parser.add_argument("--control", action="store_true")
    parser.add_argument("--games", nargs="+", default=GAMES)
    given = parser.parse_args()
    found = []
    for game in given.games:
        for texture in (0.0, 0.5):
            found.append(row := measured(game, texture, given.pictures, given.control))
            if not given.json:
                known = [row[k] for k in ("iou", "iou_shuffled") if row[k] is not None]
                cells = [f"{iou['value']:.2f} [{iou['low']:.2f}, {iou['high']:.2f}]" for iou in known]
                numbers = f"{row['figure']:.3f} | {row['train_seconds']:.0f} | {row['microseconds_per_frame']:.0f}"
                print(f"| {game} | {texture} | {' | '.join(cells)} | {numbers} |", flush=True)
    if given.json:
        print(json.dumps({"games": found, "generic_microseconds_per_frame": generic_speed()}, indent=1))
    else:
        print(f"generic: {generic_speed():.0f} µs per frame")


if __name__ == "__main__":
    main()
