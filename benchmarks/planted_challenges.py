"""Does `mohs lcd` find the challenges that are planted in a game of the arcade, and none where none is?

    python -m benchmarks.planted_challenges [--game NAME] [--seeds N] [--steps N] [--studies N] [--store URL] [--json]

Four games are made of one: as it is, hard to see (texture, and palettes that held-out levels change), hard to learn
(what is earned is paid every 12 steps), and both. Every condition is trained with many seeds, once. A study is then a
draw of a few of these seeds; the share of studies with the planted verdict is counted. Studies that share runs are not
independent, so the interval is that of as many studies as have no run in common.
"""

from __future__ import annotations

import argparse
import json
import os
from collections import Counter
from collections.abc import Iterable
from typing import Any

from benchmarks.peer import ONE_THREAD

os.environ.update(ONE_THREAD)

import numpy as np

import mohs
from mohs.protocols.lcd.asked import make_study
from mohs.protocols.lcd.results import AREA
from mohs.stats.counts import clopper_pearson
from mohs.stats.lcd import Judgement, reward_cost, view_cost

SEE = {"texture": 1.0, "themes": 8, "theme_shift": True}
LEARN = {"pay_every": 12}
PLANTED: dict[str, dict[str, Any]] = {"neither": {}, "see": SEE, "learn": LEARN, "both": {**SEE, **LEARN}}
RUNS = 5  # of a study


def trained(game: str, planted: dict[str, Any], steps: int, seeds: int, store: str) -> dict[str, np.ndarray]:
    """The normalised area of every run, by condition."""
    study = make_study(
        agents=["ppo"], games=[game], params=planted, steps=steps, seeds=seeds, figure_ground=False, controls=False
    )
    verdict = mohs.run(study, store=store, keep_going=True, progress="plain")
    frame = verdict.frame()
    return {name: part.sort_values("seed")[AREA].to_numpy() for name, part in frame.groupby("condition")}


def judged(areas: dict[str, np.ndarray], runs: np.ndarray) -> tuple[Judgement, Judgement]:
    """The judgements of a study with these runs."""
    of = {name: values[runs] for name, values in areas.items()}
    probabilities = {1.0: of["semantic"]}
    probabilities |= {float(n.partition("p=")[2]): v for n, v in of.items() if "p=" in n}
    return view_cost(of["semantic"], of["pixels"]).judgement, reward_cost(probabilities).judgement


def counted(areas: dict[str, np.ndarray], seeds: int, studies: int) -> dict[str, Any]:
    """How often each cost is called a challenge over studies, and the costs of all runs together."""
    rng = np.random.default_rng(0)
    draws = [rng.choice(seeds, RUNS, replace=False) for _ in range(studies)]
    told = [judged(areas, runs) for runs in draws]
    every = {float(n.partition("p=")[2]) if "p=" in n else 1.0: v for n, v in areas.items() if n != "pixels"}
    apart = seeds // RUNS
    data: dict[str, Any] = {}
    costs = {"perception": view_cost(areas["semantic"], areas["pixels"]), "learning": reward_cost(every)}
    for i, (name, cost) in enumerate(costs.items()):
        share = float(np.mean([pair[i] is Judgement.CHALLENGE for pair in told]))
        low, high = clopper_pearson(round(share * apart), apart)
        judgements = {str(k): n / len(told) for k, n in Counter(pair[i] for pair in told).items()}
        data[name] = {"cost": cost.to_dict(), "challenge": share, "low": low, "high": high, "judgements": judgements}
    return data


def found(
    store: str,
    planted: Iterable[str] = PLANTED,
    game: str = "arcade/avoid",
    seeds: int = 10,
    steps: int = 160_000,
    studies: int = 1000,
) -> dict[str, dict[str, Any]]:
    """Both costs of each planted game, and how often each is called a challenge."""
    return {name: counted(trained(game, PLANTED[name], steps, seeds, store), seeds, studies) for name in planted}


def main() -> None:
    """Prints, for each planted game, both costs and how often each is called a challenge."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.planted_challenges", description=main.__doc__)
    parser.add_argument("--game", default="arcade/avoid")
    parser.add_argument("--planted", nargs="*", default=list(PLANTED), choices=list(PLANTED))
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--steps", type=int, default=160_000)
    parser.add_argument("--studies", type=int, default=1000)
    parser.add_argument("--store", default="sqlite:///planted.db")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    data = found(args.store, args.planted, args.game, args.seeds, args.steps, args.studies)
    if args.json:
        print(json.dumps(data))
        return
    for name, of in data.items():
        for what, row in of.items():
            cost = row["cost"]
            print(
                f"{name:8} {what:11} {cost['value']:6.2f} [{cost['low']:.2f}, {cost['high']:.2f}] n = {cost['n']}: "
                f"called a challenge in {row['challenge']:.0%} of studies of {RUNS}; {row['judgements']}"
            )


if __name__ == "__main__":
    main()
