"""How fast is the CT-graph, beside gym-ctgraph 1.0?

    python -m benchmarks.ctgraph [--json] [--quick]

CPU seconds of one thread, random actions, resets included. Both sides play the same graph (depth 2, branching 2,
p = .5, all states seen as themselves); the peer one environment, mohs a vector of 4,096 and a single one. A graph of
depth 16, seen as it is, the peer cannot make: construction is compared at depth 10.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from typing import Any

from benchmarks.peer import ONE_THREAD, ROOT, Peer, python_of

os.environ.update(ONE_THREAD)

import numpy as np

import mohs
from benchmarks.measure import Measure, Side, asked, compare, data, lines, single, vector

PEER = "gym-CTgraph==1.0"
# Without what it imports for nothing, and with a numpy of its time: with newer ones it breaks.
REQUIREMENTS = (
    "--no-deps", PEER, "numpy==1.26.4", "scipy==1.13.1", "scikit-image==0.24.0", "networkx", "pillow", "imageio",
    "tifffile", "packaging", "lazy-loader", "gymnasium", "cloudpickle", "farama-notifications", "typing-extensions",
)  # fmt: skip
FLEET = 4096
GRAPH = {"depth": 2, "branching": 2, "wait_probability": 0.5}
SEEN = {"image_noise": 10, "image_rotation": 5}
TARGETS = {"vector_integer": 1000, "vector_one_hot": 1000, "vector_image": 200}
DEEP = 16


def peer_config(depth: int, images: bool) -> dict[str, Any]:
    """The graph in the peer's words; every state has an image of its own."""
    inner, ends = 2**depth - 1, 2**depth
    waits = inner + ends
    first = [2, 2 + waits, 2 + waits + inner]
    last = [first[1] - 1, first[2] - 1, first[2] + ends - 1]
    return {
        "general_seed": 3,
        "graph_shape": {"d": depth, "b": 2, "p": GRAPH["wait_probability"]},
        "reward": {
            "high_r": 1.0, "fail_r": 0.0, "std_r": 0.0, "reward_distribution": "needle_in_haystack",
            "min_static_reward_episodes": -1, "max_static_reward_episodes": -1,
        },
        "observations": {
            "MDP_D": True, "MDP_W": True, "W_IDs": [first[0], last[0]], "D_IDs": [first[1], last[1]],
            "graph_ends": [first[2], last[2]],
        },
        "image_dataset": {
            "seed": 2, "1D": not images, "nr_of_images": last[2] + 1,
            "noise_on_read": SEEN["image_noise"] if images else 0,
            "rotation_on_read": SEEN["image_rotation"] if images else 1,
        },
    }  # fmt: skip


def fleet(steps: int, **params: Any) -> Side:
    pool = np.random.default_rng(0).integers(GRAPH["branching"] + 1, size=2 * FLEET)
    return vector(mohs.make_vec("ctgraph", num_envs=FLEET, **GRAPH, **params), pool, steps)


def alone(steps: int, **params: Any) -> Side:
    actions = np.random.default_rng(0).integers(GRAPH["branching"] + 1, size=steps).tolist()
    return single(mohs.make("ctgraph", **GRAPH, **params).unwrapped, actions)


def construction(depth: int) -> Side:
    def run() -> Measure:
        start = time.process_time()
        mohs.make("ctgraph", depth=depth, observation="one_hot").reset(seed=0)
        return Measure(time.process_time() - start, 1)

    return run


def deep_graph() -> dict[str, float]:
    """CPU seconds and memory of making and stepping the fully observable graph of depth 16, in a process of its own.

    `first` is with all that is loaded when a graph is first made, `seconds` of another one after that.
    """
    code = (
        "import json, resource, time; import mohs\n"
        "def made(depth):\n"
        "    start = time.process_time(); env = mohs.make('ctgraph', depth=depth, observation='one_hot')\n"
        "    env.reset(seed=0); env.step(0); return time.process_time() - start\n"
        f"first, seconds = made({DEEP}), made({DEEP})\n"
        "megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024\n"
        "print(json.dumps({'first': first, 'seconds': seconds, 'megabytes': megabytes}))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True)
    return {name: round(value, 3) for name, value in json.loads(done.stdout).items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quick", action="store_true", help="fewer repeats")
    options = parser.parse_args()

    peer = Peer(python_of("gym-ctgraph", *REQUIREMENTS), "peer_ctgraph.py")
    repeats = 7 if options.quick else 21

    def beside(images: bool, steps: int) -> Side:
        return asked(peer, {"config": peer_config(GRAPH["depth"], images), "steps": steps})

    plain, pictures = beside(False, 3000), beside(True, 500)
    cases = {
        "vector_integer": (fleet(500), plain),
        "vector_one_hot": (fleet(300, observation="one_hot"), plain),
        "vector_image": (fleet(10, observation="image", **SEEN), pictures),
        "single_integer": (alone(20_000), plain),
        "single_one_hot": (alone(20_000, observation="one_hot"), plain),
        "single_image": (alone(5_000, observation="image", **SEEN), pictures),
        "construction_depth_10": (
            construction(10), asked(peer, {"config": peer_config(10, False), "steps": 0, "build": True}),
        ),
    }  # fmt: skip
    measured = {
        name: compare(*sides, TARGETS.get(name), repeats if not name.startswith("construction") else 3)
        for name, sides in cases.items()
    }
    peer.close()
    result: dict[str, Any] = {
        **data(measured),
        "depth_16": deep_graph(),
        "versions": {"mohs": mohs.__version__, "peer": PEER, "python": platform.python_version()},
    }
    if options.json:
        print(json.dumps(result))
        return
    print(*lines(measured), sep="\n")
    print(f"depth 16: {result['depth_16']}")


if __name__ == "__main__":
    main()
