"""What do views of Procgen cost? As a multiple of pixels, for every game.

    python -m benchmarks.procgen_views [--json] [--quick] [--games maze,bigfish] [--mode hard] [--size 32]

CPU seconds of one thread. 64 games of one gym3 vector are stepped and shown as ids (what a rollout may keep) and as
one-hot planes of the figure/ground and the semantic view. `single` is the environment of `mohs.make`. All sides take
turns and play the same actions; a ratio is the median over turns, less is better. The target is 2.2 for the masks of
every game. At a smaller size pixels are averaged and planes are counts; ids stay those of all pixels.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable
from typing import Any

from benchmarks.peer import ONE_THREAD

os.environ.update(ONE_THREAD)

import numpy as np

import mohs
from benchmarks.measure import in_turns
from mohs.core.views import Classes, Encoding, View
from mohs.envs.suites.procgen.colours import read, table
from mohs.envs.suites.procgen.env import GAMES
from mohs.envs.suites.procgen.library import library, painted_library, state_of
from mohs.envs.suites.procgen.paints import PAINTS
from mohs.envs.suites.procgen.state import ROLES, read_state, roles
from mohs.envs.suites.procgen.views import FULL
from mohs.envs.views.masks import Masks
from mohs.envs.views.shrink import averaged

TARGET, FLEET = 2.2, 64
Slice = Callable[[], float]


def fleet(game: str, mode: str, view: str, steps: int, size: int) -> Slice:
    """Steps of 64 games; the sprites of every level are told apart when it begins."""
    options: dict[str, Any] = {"env_name": game, "distribution_mode": mode, "num_threads": 0, "rand_seed": 1}
    pixels = view == "pixels"
    module = library() if pixels else painted_library(game)
    games = module.ProcgenGym3Env(num=FLEET, use_backgrounds=pixels, **options)
    paint = PAINTS[game]
    classes, square = Classes(paint.classes, tuple(paint.figure.values())), FULL // size
    masks = Masks(classes, view, Encoding.ONE_HOT, size, size, square) if view in tuple(View) and not pixels else None
    by_level = game in ROLES and not pixels

    def told(i: int) -> Any:
        return table(game, tuple(sorted(roles(game, read_state(state_of(games, i))).items())))

    tables = [told(i) for i in range(FLEET)] if by_level else []
    common = None if pixels or by_level else table(game)
    actions = np.random.default_rng(0).integers(15, size=(steps, FLEET))

    def run() -> float:
        start = time.process_time()
        for chosen in actions:
            games.act(chosen)
            _, seen, first = games.observe()
            if pixels:
                averaged(seen["rgb"], square)
                continue
            if by_level:
                for i in np.flatnonzero(first):
                    tables[i] = told(i)
                ids = np.concatenate([read(seen["rgb"][i : i + 1], tables[i]) for i in range(FLEET)])
            else:
                ids = read(seen["rgb"], common)
            if masks is not None:
                masks(ids)
        return time.process_time() - start

    return run


def single(game: str, mode: str, view: str, steps: int, size: int) -> Slice:
    name = next(known for known in GAMES if known.lower() == game)
    env = mohs.make(f"procgen/{name}", distribution_mode=mode, view=view, size=size)
    env.reset(seed=1)
    actions = np.random.default_rng(0).integers(15, size=steps).tolist()

    def run() -> float:
        start = time.process_time()
        for action in actions:
            _, _, over, cut, _ = env.step(action)
            if over or cut:
                env.reset()
        return time.process_time() - start

    return run


def measure(game: str, mode: str, steps: int, repeats: int, size: int) -> dict[str, float]:
    names = ("pixels", "ids", "figure_ground", "semantic")
    found = in_turns([fleet(game, mode, view, steps, size) for view in names], repeats)
    alone = in_turns([single(game, mode, view, 16 * steps, size) for view in ("pixels", "semantic")], repeats)
    ratios = np.median(found / found[:, :1], axis=0)
    return {
        "pixels per CPU-second": round(float(steps * FLEET / np.median(found[:, 0]))),
        **{name: round(float(ratio), 2) for name, ratio in zip(names[1:], ratios[1:], strict=True)},
        "single semantic": round(float(np.median(alone[:, 1] / alone[:, 0])), 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--games", default=",".join(sorted(PAINTS)))
    parser.add_argument("--mode", default="hard", choices=("easy", "hard"))
    parser.add_argument("--size", type=int, default=FULL, choices=(64, 32, 16, 8))
    options = parser.parse_args()
    steps, repeats = (20, 3) if options.quick else (60, 7)
    rows = {game: measure(game, options.mode, steps, repeats, options.size) for game in options.games.split(",")}
    dearest = max(max(row["figure_ground"], row["semantic"]) for row in rows.values())
    if options.json:
        print(json.dumps({"games": rows, "dearest": dearest, "target": TARGET, "met": dearest <= TARGET}))
        return
    columns = list(next(iter(rows.values())))
    print(f"{'game':<10} " + "  ".join(columns))
    for game, row in rows.items():
        print(f"{game:<10} " + "  ".join(f"{row[name]:>{len(name)}}" for name in columns))
    print(f"dearest view: {dearest} times the cost of pixels (target {TARGET})")


if __name__ == "__main__":
    main()
