"""Plays MinAtar in its own environment: one game, random actions, the state after every step. See `arcade.py`."""

from __future__ import annotations

import json
import sys
import time

import numpy as np
from minatar import Environment


def main() -> None:
    for line in sys.stdin:
        request = json.loads(line)
        env = Environment(request["game"], sticky_action_prob=0.0)
        actions = np.random.default_rng(0).integers(env.num_actions(), size=request["steps"]).tolist()
        env.reset()
        start = time.process_time()
        for action in actions:
            _, over = env.act(action)
            env.state()
            if over:
                env.reset()
        print(json.dumps({"seconds": time.process_time() - start, "count": len(actions)}), flush=True)


if __name__ == "__main__":
    main()
