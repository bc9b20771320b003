"""Does every dial of the arcade raise the cost that it should, dose by dose, as `mohs lcd` measures it?

    python -m benchmarks.planted_ladders [--dials texture pay_every] [--seeds N] [--store URL] [--json]

Each dose of a dial is a game of one study: what pixels cost for perceptual dials, what rarer reward costs for
learning dials. A ladder rises if no dose is clearly below an easier one (intervals apart), and the hardest is clearly
above the easiest.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from benchmarks.peer import ONE_THREAD

os.environ.update(ONE_THREAD)

import mohs
from mohs.protocols.lcd.asked import make_study
from mohs.stats.lcd import Cost


@dataclass(frozen=True)
class Ladder:
    """The doses of a dial, easiest first, and which cost they should raise.

    Learning dials are turned in the game and for the steps of `planted_challenges`, where the plain game costs little.
    """

    doses: tuple[dict[str, Any], ...]
    perceptual: bool

    @property
    def game(self) -> str:
        """Where the dial is turned."""
        return "arcade/collect" if self.perceptual else "arcade/avoid"

    @property
    def steps(self) -> int:
        """Of each run."""
        return 40_000 if self.perceptual else 160_000


def _doses(name: str, *values: Any, **fixed: Any) -> tuple[dict[str, Any], ...]:
    return tuple({name: value, **fixed} for value in values)


LADDERS = {
    "texture": Ladder(_doses("texture", 0.0, 0.25, 0.5, 1.0), perceptual=True),
    "clutter": Ladder(_doses("clutter", 0.0, 0.2, 0.4, 0.8), perceptual=True),
    "shared_colours": Ladder(_doses("shared_colours", False, True), perceptual=True),
    "themes": Ladder(_doses("themes", 1, 8, 64), perceptual=True),
    "theme_shift": Ladder(_doses("theme_shift", False, True, themes=4), perceptual=True),
    "pay_every": Ladder(_doses("pay_every", 1, 8, 12, 16), perceptual=False),
    "quota": Ladder(_doses("quota", 0, 16, 48), perceptual=False),
    "deadly": Ladder(_doses("deadly", False, True), perceptual=False),
}


def climb(ladder: Ladder, seeds: int, store: str) -> list[Cost]:
    """The cost of every dose."""
    study = make_study(
        agents=["ppo"],
        games=[mohs.Task.make(ladder.game, num_levels=500, **dose) for dose in ladder.doses],
        steps=ladder.steps, seeds=seeds, figure_ground=False, controls=False,
        probabilities=(1.0,) if ladder.perceptual else None,
    )  # fmt: skip
    results = mohs.run(study, store=store, keep_going=True, progress="plain").results
    costs = [result.perception if ladder.perceptual else result.learning for result in results]
    return [cost for cost in costs if cost is not None]


def rises(costs: list[Cost]) -> bool:
    """Whether no dose is clearly below an easier one, and the last is clearly above the first."""
    return costs[-1].low > costs[0].high and not any(a.low > b.high for a, b in combinations(costs, 2))


def found(store: str, dials: Iterable[str] = LADDERS, seeds: int = 5) -> dict[str, dict[str, Any]]:
    """The cost of every dose of each dial, and whether the ladder rises."""
    data: dict[str, dict[str, Any]] = {}
    for name in dials:
        ladder = LADDERS[name]
        costs = climb(ladder, seeds, store)
        data[name] = {
            "game": ladder.game,
            "steps": ladder.steps,
            "cost": "perception" if ladder.perceptual else "rarer reward",
            "doses": [dose[name] for dose in ladder.doses],
            "costs": [cost.to_dict() for cost in costs],
            "rises": rises(costs),
        }
    return data


def main() -> None:
    """Prints the cost of every dose of every dial."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dials", nargs="*", default=list(LADDERS), choices=list(LADDERS))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--store", default="sqlite:///planted.db")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    data = found(args.store, args.dials, args.seeds)
    if args.json:
        print(json.dumps(data))
        return
    for name, of in data.items():
        cells = [
            f"{dose}: {cost['value']:.2f} [{cost['low']:.2f}, {cost['high']:.2f}] {cost['judgement']}"
            for dose, cost in zip(of["doses"], of["costs"], strict=True)
        ]
        print(f"{name} ({of['cost']}; {'rises' if of['rises'] else 'does not rise'}): {'; '.join(cells)}")


if __name__ == "__main__":
    main()
