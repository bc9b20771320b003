"""How fast is the arcade, in every game and view, beside MinAtar?

    python -m benchmarks.arcade [--json] [--quick]

CPU seconds of one thread, random actions, resets included, observations made: 24 × 24 pixels or planes. mohs plays a
vector of 4,096, with Python's step of it; the peer its Breakout with a state of 10 × 10 × 4. Beside the ratio stands a
number of frames per CPU-second that every game and view should reach.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
from typing import Any

from benchmarks.peer import ONE_THREAD, Peer, python_of

os.environ.update(ONE_THREAD)

import numpy as np

import mohs
from benchmarks.measure import Side, asked, compare, data, lines, vector
from mohs.engines.arcade.layout import ACTIONS, GAMES

PEER = "MinAtar==1.0.15"
FLEET, STEPS = 4096, 40
REQUIRED = 1e6  # frames per CPU-second
VIEWS: dict[str, dict[str, Any]] = {
    "pixels": {},
    "pixels_hard": {"texture": 1.0, "clutter": 0.3, "themes": 16},
    "figure_ground": {"view": "figure_ground"},
    "semantic": {"view": "semantic"},
    "semantic_scalar": {"view": "semantic", "view_encoding": "scalar"},
}


def fleet(game: str, **params: Any) -> Side:
    pool = np.random.default_rng(0).integers(ACTIONS, size=2 * FLEET)
    return vector(mohs.make_vec(f"arcade/{game}", num_envs=FLEET, **params), pool, STEPS)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quick", action="store_true", help="fewer repeats")
    options = parser.parse_args()

    peer = Peer(python_of("minatar", PEER), "peer_minatar.py")
    beside = asked(peer, {"game": "breakout", "steps": 5000})
    repeats = 3 if options.quick else 9
    measured = {
        f"{game}_{view}": compare(fleet(game, **params), beside, None, repeats)
        for game in GAMES
        for view, params in VIEWS.items()
    }
    peer.close()
    slow = sorted(name for name, row in measured.items() if row.ours < REQUIRED)
    result: dict[str, Any] = {
        **data(measured),
        "required_per_cpu_second": REQUIRED,
        "slower": slow,
        "versions": {"mohs": mohs.__version__, "peer": PEER, "python": platform.python_version()},
    }
    if options.json:
        print(json.dumps(result))
        return
    print(*lines(measured), sep="\n")
    print(f"slower than {REQUIRED:,.0f} frames per CPU-second: {', '.join(slow) or 'none'}")


if __name__ == "__main__":
    main()
