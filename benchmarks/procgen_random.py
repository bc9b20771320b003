"""What does the random policy earn in Procgen? The low references of `mohs.envs.suites.procgen.parts`.

    python -m benchmarks.procgen_random [--episodes N] [--games maze,bigfish] [--json]

Uniform actions on all levels of a mode. Every one of 64 games plays equally many episodes, so that short episodes do
not count more than long ones.
"""

from __future__ import annotations

import argparse
import json
import os

from benchmarks.peer import ONE_THREAD

os.environ.update(ONE_THREAD)

import numpy as np

from mohs.envs.suites.procgen.env import GAMES
from mohs.envs.suites.procgen.library import library
from mohs.stats import Estimate, estimate

FLEET = 64
MODES = ("hard", "easy")


def random_return(game: str, mode: str, episodes: int) -> Estimate:
    """The mean return of the random policy, with its interval over episodes."""
    each = -(-episodes // FLEET)
    games = library().ProcgenGym3Env(
        num=FLEET, env_name=game, distribution_mode=mode, use_backgrounds=False, num_threads=0, rand_seed=1
    )
    rng = np.random.default_rng(0)
    returns, played = np.zeros(FLEET), np.zeros(FLEET, dtype=int)
    found: list[float] = []
    while (played < each).any():
        games.act(rng.integers(15, size=FLEET))
        reward, _, first = games.observe()
        returns += reward
        for i in np.flatnonzero(first):
            if played[i] < each:
                found.append(float(returns[i]))
            played[i] += 1
            returns[i] = 0
    games.close()
    return estimate(np.array(found), "mean")


def main() -> None:
    """Prints the mean return for each game and mode."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--episodes", type=int, default=2048)
    parser.add_argument("--games", default=",".join(game.lower() for game in GAMES))
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    found = {}
    for game in args.games.split(","):
        found[game] = {mode: random_return(game, mode, args.episodes).to_dict() for mode in MODES}
        if not args.json:
            cells = [f"{e['value']:.2f} [{e['low']:.2f}, {e['high']:.2f}]" for e in found[game].values()]
            print(f"{game:10} hard {cells[0]:22} easy {cells[1]}", flush=True)
    if args.json:
        print(json.dumps(found))


if __name__ == "__main__":
    main()
